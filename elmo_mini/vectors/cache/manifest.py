"""The manifest of a vector cache: what was written, from which model and text, and checksums.

It is the last file to be written, and holds a checksum of itself.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any

from elmo_mini.vectors.cache.rows import RowsDamaged

FORMAT = "elmo_mini vectors 1"
NAME = "manifest.json"


class CacheMissing(FileNotFoundError):
    """There is no cache of this name."""


class CacheError(ValueError):
    """A folder that cannot be used as the cache that was asked for."""


class CacheIncomplete(CacheError):
    """The writing of this folder was interrupted."""


class CacheDamaged(CacheError):
    """A file of the cache is not what was written."""


class CacheForeign(CacheError):
    """The folder is no cache, or that of another model or another text."""


def write_manifest(folder: Path, content: dict[str, Any]) -> None:
    """Complete the folder: write the manifest and see it onto the disk."""
    content = {"format": FORMAT, **content}
    content["checksum"] = _checksum(content)
    with (folder / NAME).open("w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete cache.

    Raises
    ------
    CacheMissing, CacheIncomplete, CacheDamaged, CacheForeign
        See each.
    """
    if not folder.is_dir():
        if folder.exists():
            raise CacheForeign(f"{folder} is a file; a vector cache is a folder")
        unfinished = [entry.name for entry in leftovers(folder)]
        more = f" The writing of {unfinished[0]} was interrupted, or goes on." if unfinished else ""
        raise CacheMissing(f"there is no vector cache {folder}.{more}")
    path = folder / NAME
    if not path.is_file():
        if any(folder.glob("*.npy")):
            raise CacheIncomplete(
                f"{folder} has no {NAME}, so its writing was interrupted; delete it, write again"
            )
        raise CacheForeign(f"{folder} is no vector cache: it has no {NAME}")
    with naming_the_way_out(folder):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError) as wrong:
            raise RowsDamaged(f"{path} cannot be read: {wrong}") from wrong
        if not isinstance(content, dict) or "format" not in content:
            raise CacheForeign(f"{folder} is no vector cache: its {NAME} is something else")
        if content["format"] != FORMAT:
            raise CacheForeign(
                f"{folder} has the format {content['format']!r}, and this version of elmo_mini "
                f"reads {FORMAT!r}; write the cache again"
            )
        if content.pop("checksum", None) != _checksum(content):
            raise RowsDamaged(f"{path} has changed since it was written")
    return content


def read_words(path: Path, record: dict[str, Any]) -> list[str]:
    """The word types, in the order of the token layer's rows; raises `RowsDamaged`."""
    if not path.is_file():
        raise RowsDamaged(f"{path} is missing")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != record["sha256"]:
        raise RowsDamaged(f"{path} has changed since it was written")
    return [json.loads(line) for line in content.splitlines()]


def leftovers(target: Path) -> list[Path]:
    """Unfinished folders of interrupted (or running) writes of `target`."""
    return sorted(target.parent.glob(f"{escape(target.name)}.part-*"))


@contextmanager
def naming_the_way_out(folder: Path) -> Iterator[None]:
    """Turn damage in one file into damage of the cache, with what to do about it."""
    try:
        yield
    except RowsDamaged as wrong:
        raise CacheDamaged(
            f"{wrong}. The cache cannot be trusted: delete {folder} and write it again"
        ) from wrong


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
