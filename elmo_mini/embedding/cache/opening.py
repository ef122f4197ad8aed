"""Opening the file of a vector cache, or saying in one sentence why it is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from elmo_mini.files import check_ordinary, unfinished

FORMAT = "elmo_mini vectors 1"
SIGNATURE = b"\x89HDF\r\n\x1a\n"


class CacheMissing(FileNotFoundError):
    """There is no cache of this name."""


class CacheError(ValueError):
    """A file that cannot be used as the cache that was asked for."""


class CacheIncomplete(CacheError):
    """The writing of this file was interrupted."""


class CacheDamaged(CacheError):
    """The file is not what was written."""


class CacheForeign(CacheError):
    """The file is no cache, or that of another model or another text."""


def open_cache(path: Path) -> h5py.File:
    """The HDF5 file of a complete cache, open for reading.

    Raises
    ------
    CacheMissing, CacheIncomplete, CacheDamaged, CacheForeign
        See each.
    """
    if path.is_dir():
        raise CacheForeign(f"{path} is a folder; a vector cache is a file")
    if not path.exists():
        parts = [part.name for part in unfinished(path)]
        more = f" The writing of {parts[0]} was interrupted, or goes on." if parts else ""
        raise CacheMissing(f"there is no vector cache {path}.{more}")
    check_ordinary(path)
    with path.open("rb") as raw:
        if raw.read(len(SIGNATURE)) != SIGNATURE:
            raise CacheForeign(f"{path} is no vector cache: it is no HDF5 file")
    with finding_damage(path, "its header"):
        file = h5py.File(path)
        found, complete = file.attrs.get("format"), "manifest" in file.attrs
    if not isinstance(found, bytes):
        raise CacheForeign(
            f"{path} is an HDF5 file, but no vector cache; `python -m elmo_mini embed` writes one "
            "where OUTPUT ends in .vectors"
        )
    if found != FORMAT.encode():
        raise CacheForeign(
            f"{path} has the format {found.decode()!r}, and this version of elmo_mini reads "
            f"{FORMAT!r}; write the cache again"
        )
    if not complete:
        raise CacheIncomplete(
            f"the writing of {path} was interrupted, or goes on; if it does not, delete the file "
            "and write it again"
        )
    return file


@contextmanager
def finding_damage(path: Path, part: str) -> Iterator[None]:
    """Turn what HDF5 says of a damaged part into `CacheDamaged`, with what to do about it."""
    try:
        yield
    except (OSError, KeyError, RuntimeError) as wrong:
        raise CacheDamaged(
            f"{path} has changed since it was written: {part} cannot be read ({wrong}). The cache "
            "cannot be trusted: delete it and write it again"
        ) from wrong
