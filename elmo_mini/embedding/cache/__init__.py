"""Vectors of a frozen biLM on disk: the token layer once per word type, the others per token.

The naive way stores every layer of every token in float32: 3 x 1024 x 4 = 12,288 bytes at the
published sizes. But the token layer does not depend on context, and its 1024 numbers are 512
twice over. Stored once per word type, it leaves 8 KiB a token, and 4 KiB in float16.

A cache is one HDF5 file. Its datasets are ``token_layer`` (types, H), ``layer_1`` ... (tokens,
2H), ``word_ids`` (tokens,), ``starts`` (sentences + 1,) and ``words``, the word types as JSON
strings, one a line, in the order of the token layer's rows. Its attributes are ``format`` and
``manifest``, a JSON object that names the model, the text and the sizes. HDF5 keeps a checksum of
every chunk of rows and of every header, so damage is found when it is read. The file is written
under another name and renamed when it is complete, so a cache that was interrupted does not exist
under its own name.
"""

from elmo_mini.embedding.cache.opening import (
    CacheDamaged,
    CacheError,
    CacheForeign,
    CacheIncomplete,
    CacheMissing,
)
from elmo_mini.embedding.cache.reading import VectorCache
from elmo_mini.embedding.cache.sizes import naive_bytes, stored_bytes
from elmo_mini.embedding.cache.writing import cached_vectors, write_cache

__all__ = [
    "CacheDamaged",
    "CacheError",
    "CacheForeign",
    "CacheIncomplete",
    "CacheMissing",
    "VectorCache",
    "cached_vectors",
    "naive_bytes",
    "stored_bytes",
    "write_cache",
]
