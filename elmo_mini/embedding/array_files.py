"""One array per sentence in HDF5 or safetensors, streamed: no more than one is in memory."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from elmo_mini.hdf5_target import HDF5Target

LARGEST_HEADER = 100_000_000  # the format's readers refuse a longer one


def write_hdf5(
    target: Path, arrays: Iterable[NDArray[Any]], sentence_to_index: Mapping[str, str] | None
) -> None:
    """Datasets ``"0"``, ``"1"`` ... and ``sentence_to_index``, as ``allennlp elmo`` wrote them."""
    with HDF5Target(target) as raw, h5py.File(raw, "w") as file:
        for number, array in enumerate(arrays):
            file.create_dataset(str(number), data=array)
            raw.check()
        if sentence_to_index is None:
            return
        index = file.create_dataset("sentence_to_index", (1,), dtype=h5py.string_dtype("utf-8"))
        index[0] = json.dumps(sentence_to_index, ensure_ascii=False)


def write_safetensors(
    target: Path,
    arrays: Iterable[NDArray[Any]],
    shapes: Sequence[tuple[int, ...]],
    dtype: np.dtype[Any],
    sentence_to_index: Mapping[str, str],
) -> None:
    """Tensors ``"0"``, ``"1"`` ... of these shapes, float32 or float16.

    Written by hand: the file begins with all shapes and places, and the format's own library
    wants every array in memory before it writes the first.

    Raises
    ------
    ValueError
        If an array has not the shape that was said, or there are too many.
    """
    index = json.dumps(sentence_to_index, ensure_ascii=False)
    header: dict[str, Any] = {"__metadata__": {"sentence_to_index": index}}
    end = 0
    for number, shape in enumerate(shapes):
        start, end = end, end + int(np.prod(shape)) * dtype.itemsize
        kind = {4: "F32", 2: "F16"}[dtype.itemsize]
        header[str(number)] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    content = json.dumps(header, ensure_ascii=False).encode()
    content += b" " * (-len(content) % 8)
    if len(content) > LARGEST_HEADER:
        raise ValueError(
            f"a safetensors file cannot hold the names of {len(shapes):,} lines (its header ends "
            "at 100 MB); write .hdf5 or .vectors, or part the text"
        )
    with target.open("wb") as file:
        file.write(len(content).to_bytes(8, "little") + content)
        for number, (array, shape) in enumerate(zip(arrays, shapes, strict=True)):
            if array.shape != shape:
                raise ValueError(f"sentence {number} has {array.shape}, not {shape} as was said")
            file.write(array.astype(dtype.newbyteorder("<")).tobytes())
