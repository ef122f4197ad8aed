"""What vectors weigh on disk: the arithmetic of caching."""

import numpy as np

from elmo_mini.fast.bilm_options import BiLMOptions


def stored_bytes(options: BiLMOptions, tokens: int, types: int, dtype: str = "float32") -> int:
    """Bytes of the vectors of a text in a cache, without word list and index."""
    per_type = options.projection_dim
    per_token = options.n_layers * options.output_dim
    return (types * per_type + tokens * per_token) * np.dtype(dtype).itemsize


def naive_bytes(options: BiLMOptions, tokens: int) -> int:
    """Bytes when every layer of every token is stored in float32."""
    return tokens * (options.n_layers + 1) * options.output_dim * 4
