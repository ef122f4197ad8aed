"""Numbers out of a stranger's HDF5 file: what is in it is looked at before a number is read."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from elmo_mini.errors import ElmoFileError

MOST_DATASETS = 10_000
MOST_BYTES_PER_BYTE = 50  # what trained weights never shrink by, and zeros do


@contextmanager
def opened(path: Path, names: Iterable[str] = ()) -> Iterator[dict[str, h5py.Dataset]]:
    """The datasets of an HDF5 file by name, unread.

    Parameters
    ----------
    names : are looked up as well where links inside the file lead to them

    Raises
    ------
    ElmoFileError
        If it is no readable HDF5 file, or is open elsewhere for writing; if a name leads to another
        file; also where reading a dataset inside the block fails.
    """
    try:
        with h5py.File(path, "r") as file:
            found: dict[str, h5py.Dataset] = {}

            def collect(name: str, item: object) -> None:
                if isinstance(item, h5py.Dataset) and item.shape is not None:
                    found[name] = item
                if len(found) > MOST_DATASETS:
                    raise ElmoFileError(f"{path} holds over {MOST_DATASETS:,} arrays: no model")

            file.visititems(collect)  # each once, and under the first of its names
            yield {**found, **dict(_under_other_names(path, file, names, found))}
    except ElmoFileError:
        raise
    except BlockingIOError as wrong:
        raise ElmoFileError(
            f"{path} is locked: another program has it open for writing, or its drive knows no "
            "locks; close that program, or copy the file and name the copy"
        ) from wrong
    # h5py has an error of Python's own for each kind of damage.
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, MemoryError) as wrong:
        raise ElmoFileError(
            f"{path} is no readable HDF5 file ({_what_it_is(path)}); fetch it again. "
            f"HDF5 says: {' '.join(str(wrong).split())[:300]}"
        ) from wrong


def _under_other_names(
    path: Path, file: h5py.File, names: Iterable[str], found: Mapping[str, object]
) -> Iterator[tuple[str, h5py.Dataset]]:
    for name in names:
        if name not in found:
            _check_no_way_out(path, file, name)
            item = file.get(name)
            if isinstance(item, h5py.Dataset) and item.shape is not None:
                yield name, item


def _check_no_way_out(path: Path, file: h5py.File, name: str) -> None:
    """Refuse a name on whose way a link leads to another file."""
    parts = name.split("/")
    for length in range(1, len(parts) + 1):
        link = file.get("/".join(parts[:length]), getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise ElmoFileError(
                f"{path}: {name} is kept in another file, {link.filename}; put all numbers into "
                "one file"
            )


def check_stored(path: Path, datasets: dict[str, h5py.Dataset]) -> None:
    """Refuse arrays whose numbers do not all stand in this very file.

    Raises
    ------
    ElmoFileError
        If an array is kept in other files, was never or only partly written (HDF5 then gives
        zeros), or the arrays are far larger than the file.
    """
    total = 0
    for name, item in datasets.items():
        total += item.nbytes
        if item.external or item.is_virtual:
            raise ElmoFileError(
                f"{path}: {name} is kept in other files; put all numbers into one file"
            )
        if item.nbytes and not _is_written(item):
            raise ElmoFileError(
                f"{path}: {name} was not written to its end, as by a program that was stopped; "
                "fetch the file again"
            )
    if total > MOST_BYTES_PER_BYTE * path.stat().st_size:
        raise ElmoFileError(
            f"{path}: its arrays would take {total / 1e6:,.0f} MB, {MOST_BYTES_PER_BYTE} times "
            "more than the file; those are no trained weights"
        )


def numbers(item: h5py.Dataset) -> NDArray[np.generic]:
    """All numbers of a dataset, in this machine's order of bytes."""
    array: NDArray[np.generic] = np.asarray(item[()])
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _is_written(item: h5py.Dataset) -> bool:
    if item.chunks is None:
        return bool(item.id.get_storage_size() >= item.nbytes)
    wanted = 1
    for size, chunk in zip(item.shape, item.chunks, strict=True):
        wanted *= -(-size // chunk)
    return bool(item.id.get_num_chunks() >= wanted)


def _what_it_is(path: Path) -> str:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(64)
    if head.startswith(b"\x89HDF\r\n"):
        return f"{size} bytes of an HDF5 file that has been cut short or damaged"
    if head.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer, not the file itself"
    if head.lstrip().lower().startswith((b"<!doctype", b"<html")):
        return "a web page, perhaps a failed download"
    return f"{size} bytes that start with {head[:8]!r}"
