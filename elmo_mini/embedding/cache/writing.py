"""Writing a vector cache: streamed, under another name until it is complete."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast, get_args

import h5py
import numpy as np
from numpy.typing import DTypeLike, NDArray

from elmo_mini.embedding.cache.opening import FORMAT, CacheError, CacheForeign, open_cache
from elmo_mini.embedding.cache.reading import VectorCache
from elmo_mini.embedding.stream import (
    Embedded,
    Text,
    TextHash,
    embed_stream,
    fingerprint,
    sentences_of,
)
from elmo_mini.errors import PathLike
from elmo_mini.fast.bilm import FastBiLM, stateless_bilm
from elmo_mini.files import as_path, ready_to_write, written_whole
from elmo_mini.hdf5_target import HDF5Target

Dtype = Literal["float32", "float16"]

# Small, for reading one sentence reads and checks whole chunks.
CHUNK_BYTES = 1 << 16


def write_cache(
    bilm: FastBiLM,
    sentences: Text,
    path: PathLike,
    *,
    dtype: Dtype = "float32",
    batch_size: int = 64,
    progress: bool = True,
    total: int | None = None,
    overwrite: bool = False,
    stream: Iterator[Embedded] | None = None,
) -> VectorCache:
    """Embed `sentences` and store the vectors in the file `path`, in bounded memory.

    Where several processes write the same cache at once, it is whole at every time, and that of
    the last to finish.

    Parameters
    ----------
    dtype : {"float32", "float16"}
        float16 halves the file; every number is then the nearest float16 of the model's.
    batch_size, progress, total
        As in `embed_stream`.
    overwrite : bool
        Replace the cache of this name. Nothing but a cache is ever replaced.
    stream
        The vectors of `sentences` by this model, where they are there already.

    Returns
    -------
    VectorCache
        The cache that was written, open.

    Raises
    ------
    FileExistsError
        If `path` is there and is no cache, or is one and `overwrite` is not set. Where it came to
        be while the vectors were made, they are kept under another name, which is said.
    OSError
        If `path` can be no ordinary file.
    ValueError
        If the model is stateful (its vectors depend on what was read before), or a number does
        not fit `dtype`.
    """
    target = ready_to_write(path)
    stored = stored_as(dtype)
    bilm = stateless_bilm(bilm)
    if target.exists():
        try:
            open_cache(target).close()
        except CacheError as wrong:
            raise FileExistsError(f"{wrong}. Nothing but a whole cache is ever replaced") from wrong
        if not overwrite:
            raise FileExistsError(
                f"the cache {target} is there already; overwrite=True replaces it"
            )
    if stream is None:
        stream = embed_stream(
            bilm, sentences_of(sentences), batch_size=batch_size, progress=progress, total=total
        )
    with (
        written_whole(target, overwrite=overwrite, replaces=_is_cache) as part,
        HDF5Target(part) as raw,
    ):
        _write(raw, stream, bilm, stored.name)
    return VectorCache(target)


def cached_vectors(
    bilm: FastBiLM,
    sentences: Text,
    folder: PathLike,
    *,
    dtype: Dtype = "float32",
    batch_size: int = 64,
    progress: bool = True,
) -> VectorCache:
    """The cache of this model and this text in `folder`, written first if it is not there.

    Parameters
    ----------
    sentences : list, or a function such as ``corpus.sentences``
        It is read twice.

    Raises
    ------
    TypeError
        If `sentences` is an iterator, which can be read once only.
    CacheForeign
        If the file of this name is of another model or text.
    ValueError
        As `write_cache`.
    """
    if not callable(sentences) and iter(sentences) is sentences:
        raise TypeError(
            "the text is read twice (once for its hash), and this iterator ends after the first "
            "time. Pass a list, or a function that gives the sentences, such as corpus.sentences"
        )
    bilm = stateless_bilm(bilm)
    stored, text, model = stored_as(dtype), TextHash(sentences_of(sentences)), fingerprint(bilm)
    path = as_path(folder) / f"{model[:16]}-{text.hexdigest()[:16]}-{stored.name}.vectors"
    if path.exists():
        cache = VectorCache(path)
    else:
        options: dict[str, Any] = {"batch_size": batch_size, "progress": progress}
        options["total"] = text.sentences
        # Another process may write the same under this name just now.
        cache = write_cache(bilm, sentences, path, dtype=dtype, overwrite=True, **options)
    if (cache.manifest["model"], cache.manifest["text"]) != (model, text.hexdigest()):
        raise CacheForeign(
            f"{path} is not what its name says, or the text was not the same when it was read a "
            "second time; delete it and write it again"
        )
    return cache


def _is_cache(path: Path) -> bool:
    try:
        open_cache(path).close()
    except CacheError:
        return False
    return True


def stored_as(dtype: object) -> np.dtype[Any]:
    """The type of this name, as numpy has names; raises ValueError where vectors cannot be it."""
    try:
        stored = np.dtype(dtype)  # type: ignore[call-overload]
    except TypeError:  # a name that numpy does not know
        stored = np.dtype(object)
    if dtype is None or stored.name not in get_args(Dtype):
        raise ValueError(f"dtype is {dtype!r}; vectors are stored as float32 or float16")
    return cast("np.dtype[Any]", stored)


def as_type(numbers: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """`numbers` as `dtype`; raises ValueError where one is not finite, or too large for it."""
    with np.errstate(over="ignore"):
        converted = np.ascontiguousarray(numbers, dtype=dtype)
    if not np.isfinite(converted).all():
        most = np.abs(numbers[np.isfinite(numbers)]).max(initial=0)
        raise ValueError(
            f"the vectors do not fit {converted.dtype.name}: some are not finite, or too large "
            f"(the largest finite number is {most:.6g}). "
            + ("Check" if converted.dtype == np.float32 else "Store float32, or check")
            + " the weights"
        )
    return converted


class _Rows:
    """A new dataset that grows by rows of the shape `row`; they wait until they fill a chunk."""

    def __init__(self, file: h5py.File, name: str, dtype: str, *row: int) -> None:
        self.count = self._written = 0
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._chunk = max(1, CHUNK_BYTES // (self._dtype.itemsize * math.prod(row)))
        self._waiting: list[NDArray[Any]] = []
        self._dataset = file.create_dataset(
            name,
            (0, *row),
            maxshape=(None, *row),
            chunks=(self._chunk, *row),
            dtype=self._dtype,
            fletcher32=True,
        )

    def append(self, rows: NDArray[Any]) -> None:
        """Take in (n, *row) rows; raises ValueError as `as_type`."""
        self._waiting.append(as_type(rows, self._dtype))
        self.count += len(rows)
        if self.count - self._written >= self._chunk:
            self.write()

    def write(self) -> None:
        """Hand HDF5 the rows that wait."""
        if self._waiting:
            self._dataset.resize(self.count, axis=0)
            self._dataset[self._written :] = np.concatenate(self._waiting)
            self._waiting, self._written = [], self.count


def _write(raw: HDF5Target, stream: Iterator[Embedded], bilm: FastBiLM, dtype: str) -> None:
    # HDF5 1.10 brought checksums of the headers, beside those of the rows.
    with h5py.File(raw, "w", libver=("v110", "v110"), rdcc_nbytes=1 << 20) as file:
        # As bytes: HDF5 keeps a str apart from the headers, without a checksum. A file with a
        # format and no manifest is an unfinished cache.
        file.attrs["format"] = np.bytes_(FORMAT)
        file.flush()
        half, size = bilm.options.projection_dim, bilm.get_output_dim()
        token_layer = _Rows(file, "token_layer", dtype, half)
        layers = [_Rows(file, f"layer_{k}", dtype, size) for k in range(1, bilm.num_layers)]
        word_ids, starts = _Rows(file, "word_ids", "int32"), _Rows(file, "starts", "int64")
        words = _Rows(file, "words", "uint8")
        ids: dict[str, int] = {}
        text = TextHash()
        starts.append(np.zeros(1))
        for embedded in stream:
            text.add(embedded.words)
            new = {w: place for place, w in enumerate(embedded.words) if w not in ids}
            for word in new:
                ids[word] = len(ids)
                words.append(np.frombuffer(json.dumps(word).encode() + b"\n", np.uint8))
            token_layer.append(embedded.token_layer[list(new.values())])
            word_ids.append(np.array([ids[word] for word in embedded.words]))
            for layer, vectors in zip(layers, embedded.layers, strict=True):
                layer.append(vectors)
            starts.append(np.array([word_ids.count]))
            raw.check()
        for rows in (token_layer, *layers, word_ids, starts, words):
            rows.write()
        manifest = {
            "model": fingerprint(bilm),
            "text": text.hexdigest(),
            "dtype": dtype,
            "sentences": text.sentences,
            "tokens": word_ids.count,
            "types": len(ids),
            "layers": bilm.num_layers,
            "size": size,
        }
        file.attrs["manifest"] = np.bytes_(json.dumps(manifest))
        file.flush()  # Here an interrupt does no harm; while HDF5 closes the file, it would.
