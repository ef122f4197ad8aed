"""Files of a corpus: found on this machine, and read as text from a zip or a folder."""

import importlib.util
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from elmo_mini.extras import brought_by, missing


class CorpusMissing(LookupError):
    """A corpus that is not on this machine. The message says how to fetch it."""


class CorpusDamaged(ValueError):
    """A file that cannot be read as the text it should be. The message names file and way out."""


@dataclass(frozen=True)
class Store:
    """The files of one corpus, in the zip or the folder at `path`."""

    name: str
    path: Path

    def names(self) -> list[str]:
        """The corpus's files, relative to its own folder, in alphabetical order."""
        with reading(self.path, self.name):
            if self.path.is_dir():
                files = (p for p in self.path.rglob("*") if p.is_file())
                return sorted(p.relative_to(self.path).as_posix() for p in files)
            with zipfile.ZipFile(self.path) as archive:
                start = f"{self.name}/"
                members = (m for m in archive.namelist() if m.startswith(start) and m[-1] != "/")
                return sorted(m.removeprefix(start) for m in members)

    def texts(self, names: list[str], *encodings: str) -> Iterator[tuple[str, str]]:
        """``(name, text)`` of each file, in the first of `encodings` that fits all of its bytes.

        Raises
        ------
        CorpusDamaged
            If the zip is cut off, a file is missing or empty, or no encoding fits.
        """
        with reading(self.path, self.name):
            archive = None if self.path.is_dir() else zipfile.ZipFile(self.path)
        try:
            for name in names:
                with reading(self.path, self.name, name):
                    content = (
                        archive.read(f"{self.name}/{name}")
                        if archive
                        else (self.path / name).read_bytes()
                    )
                    text = _decode(content, encodings)
                    if not text.strip():
                        raise CorpusDamaged(damage(self.path, self.name, name, "it is empty"))
                yield name, text.replace("\r\n", "\n")
        finally:
            if archive:
                archive.close()

    def text(self, name: str, *encodings: str) -> str:
        """The text of one file; see `texts`."""
        return next(self.texts([name], *encodings))[1]

    def verify(self) -> None:
        """Check every file of a zip against its checksum.

        Raises
        ------
        CorpusDamaged
            If one does not agree.
        """
        if self.path.is_file():
            with reading(self.path, self.name), zipfile.ZipFile(self.path) as archive:
                if bad := archive.testzip():
                    raise zipfile.BadZipFile(bad)


def find(name: str, folders: Iterable[Path] | None = None) -> Store:
    """The NLTK corpus of this name, from these folders or those of `search_path`.

    The zip is preferred, because it carries checksums; a broken zip gives way to a folder.

    Raises
    ------
    CorpusMissing
        If it is in none of them.
    """
    for folder in search_path() if folders is None else folders:
        archive, unpacked = folder / "corpora" / f"{name}.zip", folder / "corpora" / name
        if archive.is_file() and (zipfile.is_zipfile(archive) or not unpacked.is_dir()):
            return Store(name, archive)
        if unpacked.is_dir():
            return Store(name, unpacked)
    raise CorpusMissing(
        f"The corpus {name!r} is not on this machine; fetch it with `{fetch_command(name)}`."
    )


def find_lee() -> Store:
    """The Lee corpus among gensim's test data.

    Raises
    ------
    CorpusMissing
        If gensim is not installed or came without its test data.
    """
    spec = importlib.util.find_spec("gensim")
    if spec is None:
        raise CorpusMissing(f"The Lee corpus comes with gensim. {missing('gensim', 'experiments')}")
    for folder in spec.submodule_search_locations or []:
        path = Path(folder) / "test" / "test_data"
        if (path / "lee_background.cor").is_file():
            return Store("lee", path)
    raise CorpusMissing(
        "The Lee corpus comes with gensim, but gensim's test data is not here; "
        "reinstall it with `pip install --force-reinstall gensim`."
    )


def search_path() -> list[Path]:
    """The folders that may hold NLTK data: those of ``NLTK_DATA`` now, then NLTK's own list."""
    with brought_by("experiments"):
        import nltk.data

    named = os.environ.get("NLTK_DATA", "").split(os.pathsep)
    return [Path(folder) for folder in dict.fromkeys([*named, *nltk.data.path]) if folder]


def fetch_command(name: str) -> str:
    """The command that downloads this corpus."""
    return f"python -m elmo_mini corpora --download {name}"


@contextmanager
def reading(path: Path, corpus: str, member: str = "") -> Iterator[None]:
    """Turn what goes wrong while a corpus's file is read into `CorpusDamaged`."""
    try:
        yield
    except CorpusDamaged:
        raise
    except UnicodeDecodeError as error:
        what = f"byte {error.start:,} is not {error.encoding.upper()} text"
        raise CorpusDamaged(damage(path, corpus, member, what)) from error
    except (KeyError, FileNotFoundError) as error:
        raise CorpusDamaged(damage(path, corpus, member, "it is not there")) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        what = "the zip is cut off or altered"
        raise CorpusDamaged(damage(path, corpus, member, what)) from error
    except (SyntaxError, AssertionError, IndexError, ValueError) as error:
        what = "its contents are not in the expected format"
        raise CorpusDamaged(damage(path, corpus, member, what)) from error
    except OSError as error:
        what = error.strerror or "it cannot be read"
        raise CorpusDamaged(damage(path, corpus, member, what)) from error


def _decode(content: bytes, encodings: tuple[str, ...]) -> str:
    for encoding in encodings[:-1]:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode(encodings[-1])


def damage(path: Path, corpus: str, member: str, what: str) -> str:
    """The one sentence that names a damaged file, what is wrong with it, and the way out."""
    inside = f", file {member}" if member else ""
    way_out = (
        "reinstall gensim" if corpus == "lee" else f"delete it and run `{fetch_command(corpus)}`"
    )
    return f"The corpus {corpus!r} is damaged at {path}{inside}: {what}; {way_out}."
