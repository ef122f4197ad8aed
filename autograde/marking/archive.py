"""Files of a download, from a zip or a folder, read without ever writing to a path they name."""

import contextlib
import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath

from autograde.marking.course_folder import Refused
from autograde.marking.reading import MAX_BYTES

# A notebook is text; deflate gives text a tenth or so, and a bomb a thousandth.
MOST_TIMES_LARGER = 200
SMALL = 64 * 2**20
ALL_BYTES = 40 * 2**30
_DAMAGE = (EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
_SAID_TO_BE_UTF8 = 0x800
_DRIVE = re.compile("[A-Za-z]:")
_NOISE = {"__MACOSX", ".ipynb_checkpoints", "__pycache__"}
_NOISE_FILES = {"thumbs.db", "desktop.ini", "timestamp.txt"}


class Damaged(Exception):
    """A file that the archive lists cannot be taken out of it."""


@dataclass(frozen=True)
class Entry:
    """A file of the download; `refused` says why it is not read.

    ``load()`` gives its bytes and raises `Damaged`; only while the iteration goes on.
    """

    path: PurePosixPath
    time: datetime
    load: Callable[[], bytes]
    refused: str = ""


def entries(source: Path) -> Iterator[Entry]:
    """The files of a zip or a folder, and of zips in it, without what systems put beside them.

    Raises
    ------
    Refused
        There is no such file or folder, it is no zip, or it would fill the disk.
    """
    if source.is_dir():
        yield from _of_folder(source)
    elif not source.is_file():
        raise Refused(f"There is no file or folder {source}.")
    elif not zipfile.is_zipfile(source):
        raise Refused(f"{source} is neither a folder nor a zip archive that can be opened.")
    else:
        with zipfile.ZipFile(source) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if sum(info.file_size for info in infos) > ALL_BYTES:
                raise Refused(f"{source} unpacks to more than {ALL_BYTES // 2**30} GB.")
            for info in infos:
                path = PurePosixPath(_name(info))
                if not _noise(path):
                    yield from _opened(_of_zip(archive, info, path))


def _name(info: zipfile.ZipInfo) -> str:
    """A name with its letters: macOS writes UTF-8 and does not say so."""
    name = info.filename
    if not info.flag_bits & _SAID_TO_BE_UTF8:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _opened(entry: Entry) -> Iterator[Entry]:
    """The files of a zip that a student handed in, at the time of the zip; else the file itself."""
    if entry.refused or entry.path.suffix.casefold() != ".zip":
        yield entry
        return
    try:
        archive = zipfile.ZipFile(io.BytesIO(entry.load()))
    except (Damaged, zipfile.BadZipFile, *_DAMAGE):
        yield entry
        return
    with archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if not infos or sum(info.file_size for info in infos) > ALL_BYTES:
            yield entry
            return
        for info in infos:
            path = PurePosixPath(_name(info))
            if not _noise(path):
                inner = _of_zip(archive, info, path)
                named = PurePosixPath(f"{entry.path}/{path}")
                yield Entry(named, entry.time, inner.load, inner.refused)


def _noise(path: PurePosixPath) -> bool:
    return (
        bool(_NOISE & set(path.parts))
        or path.name.startswith(".")
        or path.name.casefold() in _NOISE_FILES
    )


def _of_folder(folder: Path) -> Iterator[Entry]:
    for file in sorted(folder.rglob("*")):
        path = PurePosixPath(_letters(file.relative_to(folder).as_posix()))
        if not (file.is_symlink() or file.is_file()) or _noise(path):
            continue
        status = file.lstat()
        refused = "is a link to somewhere else" if file.is_symlink() else ""
        if status.st_size > MAX_BYTES:
            refused = _large()
        time = datetime.fromtimestamp(int(status.st_mtime))
        yield from _opened(Entry(path, time, partial(_read, file), refused))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as why:
        raise Damaged(f"cannot be read: {why.strerror}") from None


def _letters(name: str) -> str:
    """A name on the disk that is not in UTF-8, as an old system writes it, in letters."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode("cp1252", "replace")
    return name


def _of_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: PurePosixPath) -> Entry:
    try:
        time = datetime(*info.date_time)
    except ValueError:
        time = datetime(1980, 1, 1)

    def load() -> bytes:
        try:
            with archive.open(info) as file:
                data = file.read(info.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, *_DAMAGE) as why:
            raise Damaged(f"is damaged in the archive: {why}") from None
        if len(data) > info.file_size:
            raise Damaged("is longer than the archive says")
        return data

    return Entry(path, time, load, _why_not(info, path))


def _why_not(info: zipfile.ZipInfo, path: PurePosixPath) -> str:
    if not path.parts:
        return "has no name"
    if path.is_absolute() or ".." in path.parts or _DRIVE.match(path.parts[0]):
        return "names a place outside the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link to somewhere else"
    if info.flag_bits & 1:
        return "is encrypted"
    if info.file_size > MAX_BYTES:
        return _large()
    if info.file_size > max(SMALL, MOST_TIMES_LARGER * info.compress_size):
        return f"would unpack to {info.file_size:,} bytes from {info.compress_size:,}"
    return ""


def _large() -> str:
    return f"is larger than {MAX_BYTES // 2**20} MB"
