"""Rows of numbers in an ``.npy`` file: written as they come, checked when they are first read.

The file has one checksum (CRC-32) for every block of rows. A reader maps the file into memory and
checks a block when it is first touched, so opening a large file costs nothing, and damage cannot
be read unnoticed.
"""

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

BLOCK_BYTES = 1 << 20

Record = dict[str, Any]


class RowsDamaged(ValueError):
    """A file of rows that is not what was written; the message names the file and the rows."""


def as_type(numbers: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """`numbers` as `dtype`; raises ValueError where one is not finite, or too large for it."""
    with np.errstate(over="ignore"):
        converted = np.ascontiguousarray(numbers, dtype=dtype)
    if dtype.kind == "f" and not np.isfinite(converted).all():
        most = np.abs(numbers[np.isfinite(numbers)]).max(initial=0)
        raise ValueError(
            f"the vectors do not fit {dtype.name}: some are not finite, or too large (the largest "
            f"finite number is {most:.6g}). Store float32, or check the weights"
        )
    return converted


class RowWriter:
    """Appends rows of shape `row` to a new file."""

    def __init__(self, path: Path, row: tuple[int, ...], dtype: DTypeLike) -> None:
        self.path, self.row, self.dtype = path, row, np.dtype(dtype).newbyteorder("<")
        self.rows = 0
        self.block_rows = max(1, BLOCK_BYTES // max(1, self._row_bytes()))
        self._checksums: list[int] = []
        self._checksum = 0
        self._file = path.open("wb")
        self._write_header()
        self._start = self._file.tell()

    def append(self, rows: NDArray[Any]) -> None:
        """Write (n, *row) rows.

        Raises
        ------
        ValueError
            If a number does not fit the file's type: not finite, or too large for float16.
        """
        stored = as_type(rows, self.dtype).reshape(-1, *self.row)
        done = 0
        while done < len(stored):
            room = self.block_rows - self.rows % self.block_rows
            piece = stored[done : done + room].tobytes()
            self._file.write(piece)
            self._checksum = zlib.crc32(piece, self._checksum)
            taken = min(room, len(stored) - done)
            done, self.rows = done + taken, self.rows + taken
            if self.rows % self.block_rows == 0:
                self._end_block()

    def finish(self) -> Record:
        """Complete the file on the disk; the record is what `CheckedRows` asks for."""
        if self.rows % self.block_rows:
            self._end_block()
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._start:
            raise RuntimeError(f"the header of {self.path.name} outgrew its place")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return {
            "bytes": self._start + self.rows * self._row_bytes(),
            "shape": [self.rows, *self.row],
            "dtype": self.dtype.str,
            "block_rows": self.block_rows,
            "checksums": self._checksums,
        }

    def close(self) -> None:
        """Let go of the file, complete or not."""
        self._file.close()

    def _row_bytes(self) -> int:
        return int(np.prod(self.row, dtype=np.int64)) * self.dtype.itemsize

    def _end_block(self) -> None:
        self._checksums.append(self._checksum)
        self._checksum = 0

    def _write_header(self) -> None:
        # NumPy leaves room in the header for the first axis to grow, so it can be written again.
        header = {
            "descr": npy.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": (self.rows, *self.row),
        }
        npy.write_array_header_1_0(self._file, header)


class CheckedRows:
    """The rows of a file, mapped into memory; `record` is what `RowWriter.finish` gave.

    Raises
    ------
    RowsDamaged
        If the file is missing, has another size, or is no such array.
    """

    def __init__(self, path: Path, record: Record) -> None:
        self.path = path
        self._block_rows = int(record["block_rows"])
        self._checksums: list[int] = record["checksums"]
        self._checked: set[int] = set()
        shape, dtype = tuple(record["shape"]), np.dtype(record["dtype"])
        if not path.is_file():
            raise RowsDamaged(f"{path} is missing")
        if path.stat().st_size != record["bytes"]:
            raise RowsDamaged(
                f"{path} has {path.stat().st_size:,} bytes, but {record['bytes']:,} were written"
            )
        try:
            # An array of no rows cannot be mapped.
            array: NDArray[Any] = np.load(
                path, mmap_mode="r" if shape[0] else None, allow_pickle=False
            )
        except (OSError, ValueError) as wrong:
            raise RowsDamaged(f"{path} cannot be read: {wrong}") from wrong
        if array.shape != shape or array.dtype != dtype:
            raise RowsDamaged(
                f"{path} holds {array.dtype} {array.shape}, but {dtype} {shape} was written"
            )
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, rows: slice | NDArray[np.integer[Any]]) -> NDArray[Any]:
        """The chosen rows; a slice is a view of the file. Raises `RowsDamaged`."""
        if isinstance(rows, slice):
            first, last, _ = rows.indices(len(self))
            blocks = range(first // self._block_rows, -(-last // self._block_rows))
        else:
            blocks = np.unique(rows // self._block_rows).tolist()
        for block in blocks:
            if block not in self._checked:
                self._check(block)
        return self._array[rows]

    def check(self) -> None:
        """Read the whole file once; raises `RowsDamaged`."""
        for block in range(len(self._checksums)):
            self._check(block)

    def _check(self, block: int) -> None:
        first = block * self._block_rows
        content = np.ascontiguousarray(self._array[first : first + self._block_rows])
        if zlib.crc32(content.tobytes()) != self._checksums[block]:
            last = min(first + self._block_rows, len(self)) - 1
            raise RowsDamaged(
                f"{self.path} has changed since it was written, within rows {first:,} to {last:,}"
            )
        self._checked.add(block)
