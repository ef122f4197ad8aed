"""Files: one that must be there, one that may be written, one that appears whole or not at all."""

import errno
import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from itertools import count
from pathlib import Path
from uuid import uuid4

import psutil

from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.settings import truth

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# What drives say that know no fsync, as some in a network.
_NO_FSYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
# What a write says where there is no room, and a read never does; Windows knows no EDQUOT.
_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC)}
_OURS: set[str] = set()  # the names under which this process writes just now


class KeptElsewhere(FileExistsError):
    """A file that may not be replaced by another that was written; the message names both."""


def as_path(path: PathLike) -> Path:
    """The path as `pathlib` has it; a leading ``~`` is the home folder, as in a shell.

    Raises
    ------
    FileNotFoundError
        If it is an address, of the web or of a store, which `pathlib` would take for a folder.
    TypeError, ConfigurationError
        If it is no path at all, is empty, or holds a zero byte.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"a path is needed here, and this is {path!r:.60} ({type(path).__name__})")
    name = os.fsdecode(path)
    if not name:
        raise ConfigurationError("a path is needed here, and this one is empty")
    if "\0" in name:
        raise ConfigurationError(f"the path {name!r:.60} holds a zero byte, as no file's name does")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name):
        raise FileNotFoundError(f"{name} is an address; fetch the file and pass its path")
    named = Path(name)
    try:
        return named.expanduser()
    except RuntimeError:  # nobody of that name has a home: a file whose name starts so
        return named


def existing_file(path: PathLike, kind: str = "file") -> Path:
    """The path of a file that is there; `kind` says in the message what it should have been.

    A leading ``~`` is the home folder.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, OSError
        If there is none, or a folder, a pipe or a device in its place, or it may not be read.
    """
    found = as_path(path)
    if found.is_dir():
        raise IsADirectoryError(f"{found} is a folder; name one {kind}")
    check_ordinary(found)
    if not found.is_file():
        raise FileNotFoundError(f"there is no {kind} {found}")
    if not os.access(found, os.R_OK):  # safetensors would say that there is no such file
        raise PermissionError(f"{found} may not be read; its owner can allow it")
    return found


def check_ordinary(path: Path) -> None:
    """Refuse to read a pipe or a device: what is read twice would be another text each time.

    Raises
    ------
    OSError
        If it is one; the message says what to do.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(
            f"{path} is no ordinary file, and a pipe or a device can be read once only; store its "
            "content in a file and name that"
        )


def readable(argument: str) -> str:
    """An argument or a name as text that any file can hold; what is no UTF-8 is written out."""
    try:
        argument.encode()
        return argument
    except UnicodeEncodeError:
        return os.fsencode(argument).decode("utf-8", "backslashreplace")


def check_utf8(path: PathLike) -> None:
    """Refuse a path that is no UTF-8: safetensors would write to, and read, another one.

    Raises
    ------
    ConfigurationError
        If it is such a path.
    """
    try:
        os.fsencode(as_path(path).absolute()).decode()
    except UnicodeDecodeError as wrong:
        raise ConfigurationError(
            f"the path {readable(os.fsdecode(path))} is no UTF-8, which safetensors asks for; "
            "rename the file or its folder"
        ) from wrong


def check_not_read(target: PathLike, sources: Iterable[PathLike | int | None]) -> None:
    """Refuse to write a file that is also read, whatever the two names and links are.

    Parameters
    ----------
    sources : the files that are read, or the numbers of open ones; None for one that is not given

    Raises
    ------
    ConfigurationError
        If `target` is one of them; the message names both.
    """
    for source in (source for source in sources if source is not None):
        with suppress(OSError):  # one of the two is not there, so they are not the same
            at, shown = (source, target) if isinstance(source, int) else (as_path(source), source)
            if os.path.samestat(os.stat(as_path(target)), os.stat(at)):  # noqa: PTH116
                raise ConfigurationError(
                    f"{target} is to be written, but it is the file {shown}, which is read; name "
                    "another file to write"
                )


def _check_windows(path: Path) -> None:
    """Refuse names that Windows gives to devices and to streams hidden in another file.

    What is written to ``aux.hdf5`` or ``NUL`` there is lost; ``a:b`` is a part of the file ``a``.
    """
    for name in path.parts[bool(path.anchor) :]:
        if re.match(r"(?i)(con|prn|aux|nul|(com|lpt)[1-9])\s*(\.|$)|.*:", name):
            raise OSError(f"{path} cannot be written on Windows, to which {name} is no file's name")


def make_folder(folder: PathLike) -> None:
    """Make a folder and those around it, where they are not there.

    Raises
    ------
    OSError
        If that cannot be done; the message names the folder and what is in the way.
    """
    try:
        as_path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        in_the_way = isinstance(wrong, FileExistsError | NotADirectoryError)
        reason = "a file is in its way" if in_the_way else str(wrong.strerror).lower()
        raise OSError(f"the folder {folder} cannot be made: {reason}") from wrong


def check_own(folder: Path, names: Iterable[str], checkpoint: str) -> None:
    """Refuse a folder in which something else has left a file that a run would replace.

    Parameters
    ----------
    names : what a run writes
    checkpoint : the one by which a run's own folder is known; other programs use the other names

    Raises
    ------
    FileExistsError
        If one of the names is there, and no checkpoint.
    """
    foreign = [name for name in names if (folder / name).exists()]
    if foreign and checkpoint not in foreign:
        raise FileExistsError(
            f"{folder} holds {foreign[0]}, which would be lost, and no checkpoint of a run; name "
            "another folder with --output"
        )


def ready_to_write(target: PathLike, *, overwrite: bool = True) -> Path:
    """The path of a file that can be written: its folder is made, and it is no folder itself.

    A leading ``~`` is the home folder. Of a link, the path is that of the file it points to, which
    need not be there yet.

    Parameters
    ----------
    overwrite : let it be a file that is there already

    Raises
    ------
    OSError
        If the folder cannot be made or written to, or `target` is a folder, a pipe, a device, a
        link that leads back to itself, the file this program's output goes to, or no file's name.
    FileExistsError
        If it is there and `overwrite` is not set.
    """
    path = as_path(target)
    if platform.system() == "Windows":
        _check_windows(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file to write")
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is no ordinary file; name a file to write")
    if _is_our_output(path):
        raise OSError(f"{path} is where this program's own words go; name another file to write")
    if path.is_symlink():
        path = Path(os.path.realpath(path))
        if path.is_symlink():
            raise OSError(f"{path} is a link that leads back to itself; name a file to write")
    if not truth("overwrite", overwrite) and path.exists():
        raise FileExistsError(
            f"{path} is there already; overwrite=True replaces it, on the command line --overwrite"
        )
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(f"{path} is write-protected; unlock it, or name another file")
    make_folder(path.parent)
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{path.parent} may not be written to; name another folder")
    return path


def _is_our_output(path: Path) -> bool:
    """Whether a shell sends standard output or standard error to this file, as /dev/stdout."""
    for descriptor in (1, 2):
        with suppress(OSError):
            if os.path.samestat(path.stat(), os.fstat(descriptor)):
                return True
    return False


@contextmanager
def written_whole(
    target: PathLike, *, overwrite: bool = True, replaces: Callable[[Path], bool] = Path.is_file
) -> Iterator[Path]:
    """A name to write a file under, which becomes `target` when all has gone well.

    A reader, or a run that was killed, finds the old content or the new, never a part. Several
    writers at once do not meet: the last to finish stays. What killed ones of this machine left is
    removed. The folder is made where it is missing; a file that is there keeps its permissions.

    Parameters
    ----------
    overwrite : replace a file that is there. It is asked for again at the end, for the writing may
        take hours
    replaces : with `overwrite`, whether the file that is there at the end may be replaced

    Raises
    ------
    OSError
        As `ready_to_write`.
    KeptElsewhere
        If a file that may not be replaced has come to be meanwhile, or the system does not let it
        be, as Windows one that is open. It stays as it is; what was written is kept beside it.
    """
    path = ready_to_write(target, overwrite=overwrite)
    part = path.with_name(f"{_short(path)}{_here()}{os.getpid()}+{uuid4().hex[:8]}")
    _OURS.add(part.name)
    try:
        _remove_killed(path)
        part.touch()
        permissions = (path if path.exists() else part).stat().st_mode & 0o777
        with naming(path):
            yield part
        with part.open("r+b") as file:  # Windows flushes only what is open for writing
            _flush(file.fileno())
        with suppress(OSError):  # drives without permissions: USB sticks, shares
            part.chmod(permissions)  # safetensors writes for the owner alone
        if overwrite and (not os.path.lexists(path) or replaces(path)):
            try:
                part.replace(path)
            except PermissionError:
                _keep_beside(part, path, "cannot be replaced: it is open, or another user's")
        elif not _named(part, path):
            _keep_beside(part, path, "has come from elsewhere while it was written here")
        _remove_killed(path)
    except OSError as wrong:
        if wrong.filename is not None and os.fspath(wrong.filename) == str(part):
            # Under the name that the user knows.
            raise OSError(wrong.errno, wrong.strerror, str(path)) from wrong
        raise
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        _OURS.discard(part.name)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Say of a full disk which file it has no room for; the system does not."""
    try:
        yield
    except OSError as wrong:
        if wrong.filename is None and wrong.errno in _NO_ROOM:
            raise OSError(wrong.errno, wrong.strerror, str(path)) from wrong
        raise


def _named(part: Path, path: Path) -> bool:
    """Give a file a name that is free; False where it is taken."""
    try:
        os.link(part, path)  # in one stroke: of two at once, one is refused
    except FileExistsError:
        return False
    except OSError:  # a drive without hard links, as many a USB stick and share
        if os.path.lexists(path):
            return False
        try:
            part.rename(path)
        except FileExistsError:  # Windows
            return False
    return True


def _keep_beside(part: Path, path: Path, why: str) -> None:
    """Give a file the first free name of ``name-2.suffix``, ``name-3.suffix`` ... and say so."""
    ending = path.suffix if len(os.fsencode(path.suffix)) < 20 else ""
    stem = _short(path.with_name(path.name.removesuffix(ending)))
    names = (path.with_name(f"{stem}-{number}{ending}") for number in count(2))
    kept = next(name for name in names if _named(part, name))
    raise KeptElsewhere(
        f"{path} {why}, and stays as it is; what was written is whole, in {kept}: rename one of "
        "the two, or delete it"
    )


def _here() -> str:
    return f".part-{platform.node()}+"


def _remove_killed(path: Path) -> None:
    """Remove what killed writers of this machine have left; of another, nobody can know."""
    for part in unfinished(path):
        writer = re.fullmatch(rf"{re.escape(_short(path) + _here())}(\d+)\+\w+", part.name)
        if writer and part.name not in _OURS and not _runs(int(writer[1])):
            with suppress(OSError):  # another user's
                part.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    """Whether another process of this number runs; one that nobody has waited for does not."""
    if pid == os.getpid():  # what is not ours is of one before us, as in a container
        return False
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def beside(path: Path, ending: str) -> Path:
    """The file's name with an ending, or a short stand-in where that would be too long."""
    return path.with_name(f"{_short(path)}{ending}")


@contextmanager
def held(target: Path, what_to_do: str) -> Iterator[None]:
    """Keep other processes that ask for the same from writing a file, as long as the block runs.

    The system lets go of it where the process is killed. On a drive that knows no locks, nothing is
    kept from anybody.

    Parameters
    ----------
    what_to_do : ends the message

    Raises
    ------
    FileExistsError
        If another process holds it.
    OSError
        If the folder cannot be written to.
    """
    lock = beside(target, ".lock")
    with lock.open("ab") as file:
        if not _locked(file.fileno()) or not _is_at(file.fileno(), lock):
            raise FileExistsError(f"another process is writing {target} just now; {what_to_do}")
        try:
            yield
        finally:
            with suppress(OSError):  # Windows keeps what is open; it stays there, and holds nothing
                lock.unlink()


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is still there: who had locked it may have just let go, and deleted."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _locked(descriptor: int) -> bool:
    """Lock an open file; False where another process has done so."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as wrong:  # other numbers: a drive without locks
        return wrong.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
    return True


def unfinished(target: Path) -> list[Path]:
    """What `written_whole` writes for `target` just now, or wrote until it was killed."""
    return sorted(target.parent.glob(f"{escape(_short(target))}.part-*"))


def _short(path: Path) -> str:
    """The file's name, or a short stand-in where it leaves no room for what is appended."""
    name = os.fsencode(path.name)
    return path.name if len(name) <= 100 else hashlib.sha256(name).hexdigest()[:32]


def _flush(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as wrong:
        if wrong.errno not in _NO_FSYNC:
            raise


def as_json(content: object) -> str:
    """JSON that UTF-8 can hold: characters as they are, half ones written as escapes."""
    text = json.dumps(content, ensure_ascii=False)
    return text if readable(text) == text else json.dumps(content)


def write_text(target: PathLike, text: str) -> None:
    """Write a text file, UTF-8; see `written_whole`."""
    with written_whole(target) as part:
        part.write_text(text, encoding="utf-8")
