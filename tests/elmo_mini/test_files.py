"""Files that are there, and files that appear whole or not at all."""

import errno
import os
import re
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from elmo_mini.errors import ConfigurationError
from elmo_mini.files import (
    KeptElsewhere,
    as_path,
    beside,
    check_not_read,
    existing_file,
    make_folder,
    naming,
    ready_to_write,
    unfinished,
    write_text,
    written_whole,
)


def test_a_file_that_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("here")
    assert existing_file(str(tmp_path / "a.txt")) == tmp_path / "a.txt"
    with pytest.raises(FileNotFoundError, match=r"there is no text file .*b\.txt$"):
        existing_file(tmp_path / "b.txt", "text file")
    with pytest.raises(IsADirectoryError, match="is a folder; name one text file"):
        existing_file(tmp_path, "text file")


def test_text_is_replaced_whole_and_its_folder_is_made(tmp_path: Path) -> None:
    target = tmp_path / "not" / "yet" / "a.json"
    write_text(target, "old")
    write_text(target, "new")
    assert target.read_text() == "new"
    assert [p.name for p in target.parent.iterdir()] == ["a.json"]


def test_what_goes_wrong_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    write_text(target, "old")

    def dies() -> None:
        with written_whole(target) as part:
            part.write_text("half a fi")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        dies()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_writers_at_once_do_not_meet(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    with written_whole(target) as first:
        first.write_text("first")
        with written_whole(target) as second:
            second.write_text("second")
        assert target.read_text() == "second"
        assert first.read_text() == "first"
    assert target.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    with written_whole(target) as part:
        part.touch()
        own = f"+{os.getpid()}+"
        assert unfinished(target) == [part]
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    dead = part.with_name(part.name.replace(own, f"+{killed.pid}+"))
    running = part.with_name(part.name.replace(own, f"+{os.getppid()}+"))
    elsewhere = part.with_name(dead.name.replace(".part-", ".part-another"))
    stranger = tmp_path / "a.json.part-time"
    for left in (dead, running, elsewhere, stranger):
        left.touch()
    write_text(target, "new")
    assert set(tmp_path.iterdir()) == {target, running, elsewhere, stranger}


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("of value")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(OSError, match=f"^the folder {folder} cannot be made: a file is in its"):
            make_folder(folder)
    with pytest.raises(OSError, match="cannot be made: file name too long"):
        make_folder(tmp_path / ("x" * 300))
    with pytest.raises(IsADirectoryError, match="is a folder; name a file to write"):
        write_text(tmp_path, "x")


def test_an_address_is_no_path() -> None:
    for refused in (existing_file, as_path, lambda name: write_text(name, "text")):
        with pytest.raises(
            FileNotFoundError, match=r"^https://a\.org/x is an address; fetch the f"
        ):
            refused("https://a.org/x")


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    write_text("~/models/a.json", "here")
    assert existing_file("~/models/a.json") == tmp_path / "models" / "a.json"
    assert as_path("~nobody-of-that-name/a") == Path("~nobody-of-that-name/a")
    with pytest.raises(ConfigurationError, match="is to be written, but it is the file"):
        check_not_read("~/models/a.json", [tmp_path / "models" / "a.json"])


@pytest.mark.skipif(sys.platform == "win32", reason="plays Windows and odd drives on POSIX")
def test_other_drives_and_systems_write_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def only_writable(descriptor: int) -> None:
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "played: Windows")

    def unknown(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "played: no such call on this drive")

    monkeypatch.setattr(os, "fsync", only_writable)
    write_text(tmp_path / "a", "1")
    monkeypatch.setattr(os, "fsync", unknown)
    monkeypatch.setattr(os, "chmod", unknown)
    write_text(tmp_path / "a", "2")
    assert (tmp_path / "a").read_text() == "2"

    def broken(_: int) -> None:
        raise OSError(errno.EIO, "played: a dying disk")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="dying disk"):
        write_text(tmp_path / "a", "3")
    assert (tmp_path / "a").read_text() == "2"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_names_of_windows_devices_and_streams_are_written_elsewhere_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = ("CON.hdf5", "nul", "aux .txt", "com1.safetensors", "notes.txt:vectors")
    even = ("console.hdf5", "a.con", "nul_1", "com.txt", "com10.txt")
    with monkeypatch.context() as windows:
        windows.setattr("platform.system", lambda: "Windows")
        for name in odd:
            with pytest.raises(OSError, match="cannot be written on Windows, to which"):
                write_text(tmp_path / name / "a.txt", "lost")
            with pytest.raises(OSError, match="cannot be written on Windows, to which"):
                write_text(tmp_path / name, "lost")
        assert not list(tmp_path.iterdir())
        for name in even:
            write_text(tmp_path / name, "kept")
    if sys.platform != "win32":
        write_text(tmp_path / "nul", "kept")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "disk" / "a", tmp_path / "a"
    write_text(target, "1")
    target.chmod(0o600)
    link.symlink_to(target)
    write_text(link, "2")
    assert link.is_symlink()
    assert target.read_text() == "2"
    assert target.stat().st_mode & 0o777 == 0o600
    umask = os.umask(0o027)
    try:
        write_text(tmp_path / "b", "1")
    finally:
        os.umask(umask)
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe is no ordinary file; name a file to write"):
        write_text(tmp_path / "pipe", "x")


def test_a_write_protected_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("of value")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write all
    with pytest.raises(PermissionError, match="a is write-protected; unlock it"):
        write_text(tmp_path / "a", "x")
    assert (tmp_path / "a").read_text() == "of value"


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    for name in ("a" * 250, "银" * 80):
        write_text(tmp_path / name, "1")
        assert (tmp_path / name).read_text() == "1"


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    def refused() -> None:
        with written_whole(tmp_path / "a") as part:
            raise PermissionError(errno.EACCES, "Permission denied", str(part))

    with pytest.raises(PermissionError) as caught:
        refused()
    assert caught.value.filename == str(tmp_path / "a")


@pytest.mark.parametrize("scheme", ["https", "s3", "gs", "hf", "file", "hdfs"])
def test_an_address_of_a_store_is_no_path(scheme: str) -> None:
    with pytest.raises(FileNotFoundError, match=f"{scheme}://x/y.hdf5 is an address"):
        as_path(f"{scheme}://x/y.hdf5")
    assert str(as_path("c:/x")) == str(Path("c:/x"))


def test_what_is_a_path_and_what_is_none(tmp_path: Path) -> None:
    assert as_path(os.fsencode(tmp_path)) == tmp_path  # type: ignore[arg-type]
    for wrong in (3, None, ["a"], {"a": 1}):
        with pytest.raises(TypeError, match="a path is needed here, and this is"):
            as_path(wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="zero byte"):
        as_path("a\0b")


def test_a_file_that_may_not_be_read_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret.safetensors"
    file.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK)  # as for all but root
    with pytest.raises(PermissionError, match=r"secret\.safetensors may not be read"):
        existing_file(file)


def written_beside(target: Path, how: str, **settings: Any) -> Path:
    """What a writer leaves in whose way "theirs" was written meanwhile."""

    def write() -> None:
        with written_whole(target, **settings) as part:
            part.write_text("ours")
            target.write_text("theirs") if how == "file" else target.mkdir()

    with pytest.raises(KeptElsewhere) as caught:
        write()
    (kept,) = set(target.parent.iterdir()) - {target}
    assert re.fullmatch(
        f"{re.escape(str(target))} has come from elsewhere .* in {re.escape(str(kept))}: .*",
        str(caught.value),
    )
    assert kept.read_text() == "ours"
    return kept


@pytest.mark.parametrize("drive", ["with hard links", "without"])
def test_a_file_that_comes_meanwhile_stays_and_so_does_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drive: str
) -> None:
    def none(*_: object) -> None:
        raise PermissionError(errno.EPERM, "played: no such call on this drive")

    if drive == "without":
        monkeypatch.setattr(os, "link", none)
    target = tmp_path / "v.hdf5"
    with written_whole(target, overwrite=False) as part:
        part.write_text("nobody came")
    assert target.read_text() == "nobody came"
    with pytest.raises(FileExistsError, match="is there already; overwrite=True replaces it"):
        ready_to_write(target, overwrite=False)
    target.unlink()
    kept = written_beside(target, "file", overwrite=False)
    assert kept.name == "v-2.hdf5"
    assert target.read_text() == "theirs"
    target.unlink()
    with (
        pytest.raises(KeptElsewhere, match=r"in .*v-3\.hdf5"),
        written_whole(target, overwrite=False),
    ):
        target.write_text("theirs")
    assert kept.read_text() == "ours"


def test_what_may_not_be_replaced_is_asked_at_the_end(tmp_path: Path) -> None:
    """Even with `overwrite`: a folder never is, nor what `replaces` refuses."""
    assert written_beside(tmp_path / "v", "folder").name == "v-2"
    folder = tmp_path / "deeper"
    folder.mkdir()
    written_beside(folder / "v", "file", replaces=lambda _: False)
    long = tmp_path / "longer" / ("x" * 250 + ".vec")
    long.parent.mkdir()
    assert written_beside(long, "file", overwrite=False).suffix == ".vec"
    with written_whole(tmp_path / "w") as part:
        part.write_text("ours")
        (tmp_path / "w").write_text("theirs")
    assert (tmp_path / "w").read_text() == "ours"


def test_of_two_who_finish_at_once_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other comes between the last look and the renaming."""
    target, real = tmp_path / "v", os.path.lexists

    def look(path: object) -> bool:
        found = real(path)  # type: ignore[arg-type]
        if path == target and not found:
            target.write_text("theirs")
        return found

    monkeypatch.setattr(os.path, "lexists", look)
    real_link = os.link

    def link(part: Path, path: Path) -> None:
        look(path)
        real_link(part, path)

    monkeypatch.setattr(os, "link", link)
    written_late = pytest.raises(KeptElsewhere)
    with written_late, written_whole(target, overwrite=False) as part:
        part.write_text("ours")
    assert target.read_text() == "theirs"


def test_what_killed_writers_left_goes_whatever_became_of_their_numbers(tmp_path: Path) -> None:
    target = tmp_path / "v"
    with written_whole(target) as part:
        zombie = subprocess.Popen([sys.executable, "-c", ""])
        while sys.platform != "win32" and (
            psutil.Process(zombie.pid).status() != psutil.STATUS_ZOMBIE
        ):
            time.sleep(0.01)
        if sys.platform == "win32":
            zombie.wait()
        own = f"+{os.getpid()}+"
        reused = part.with_name(f"{part.name.split(own)[0]}{own}01234567")
        unwaited = part.with_name(part.name.replace(own, f"+{zombie.pid}+"))
        for left in (reused, unwaited):  # they come while we write, and go when we are done
            left.touch()
    zombie.wait()
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(sys.platform == "win32", reason="links and devices of POSIX")
def test_each_kind_of_output_is_defined(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "there").symlink_to(tmp_path / "back")
    (tmp_path / "back").symlink_to(tmp_path / "there")
    (tmp_path / "folder").mkdir()
    (tmp_path / "to a folder").symlink_to(tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to a pipe").symlink_to(tmp_path / "pipe")
    before = {path: path.lstat().st_mode for path in tmp_path.iterdir()}
    for name, complaint in (
        ("loop", "leads back to itself"),
        ("there", "leads back to itself"),
        ("folder", "is a folder; name a file"),
        ("to a folder", "is a folder; name a file"),
        ("pipe", "is no ordinary file"),
        ("to a pipe", "is no ordinary file"),
        (os.devnull, "is no ordinary file"),
    ):
        for overwrite in (False, True):
            with (
                pytest.raises(OSError, match=complaint),
                written_whole(tmp_path / name, overwrite=overwrite),
            ):
                pytest.fail("must not be written")
    assert before == {path: path.lstat().st_mode for path in tmp_path.iterdir()}
    (tmp_path / "dangling").symlink_to(tmp_path / "new" / "file")
    with written_whole(tmp_path / "dangling", overwrite=False) as part:
        part.write_text("here")
    assert (tmp_path / "dangling").is_symlink()
    assert (tmp_path / "new" / "file").read_text() == "here"
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="/dev of POSIX")
@pytest.mark.parametrize("into", ["a file", "a pipe"])
def test_the_output_of_a_program_is_no_file_to_write(tmp_path: Path, into: str) -> None:
    code = (
        "from elmo_mini.files import write_text\n"
        "try: write_text('/dev/stdout', 'lost')\n"
        "except OSError as wrong: print(wrong)"
    )
    command, root = [sys.executable, "-c", code], Path(__file__).parents[2]
    if into == "a file":
        with (tmp_path / "out").open("w") as out:
            subprocess.run(command, stdout=out, check=True, cwd=root)
        said = (tmp_path / "out").read_text()
    else:
        said = subprocess.run(command, capture_output=True, check=True, cwd=root, text=True).stdout
    expected = {"a file": "is where this program's own words go", "a pipe": "is no ordinary file"}
    assert said.startswith(f"/dev/stdout {expected[into]}; name ") or expected[into] in said


def test_an_empty_path_is_one_sentence() -> None:
    for refused in (existing_file, as_path, lambda name: write_text(name, "text")):
        with pytest.raises(
            ConfigurationError, match=r"^a path is needed here, and this one is emp"
        ):
            refused("")


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    for number, named in ((errno.ENOSPC, True), (errno.EIO, False)):  # that may be of a read
        with pytest.raises(OSError) as caught, written_whole(tmp_path / "v"):  # noqa: PT011
            raise OSError(number, os.strerror(number))
        assert caught.value.filename == (str(tmp_path / "v") if named else None)
    with pytest.raises(OSError) as caught, naming(tmp_path / "v"):  # noqa: PT011
        raise OSError(errno.EFBIG, "too large")
    assert caught.value.filename == str(tmp_path / "v")


def test_a_name_beside_a_long_one_is_short(tmp_path: Path) -> None:
    assert beside(tmp_path / "v.hdf5", ".resume") == tmp_path / "v.hdf5.resume"
    for name in ("a" * 255, "银" * 85):
        beside(tmp_path / name, ".resume").touch()
    assert len(list(tmp_path.iterdir())) == 2


def test_what_cannot_replace_a_file_is_kept_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows replaces no file that is open; in a folder such as /tmp, nobody another user's."""

    def refused(part: Path, target: Path) -> None:
        raise PermissionError(errno.EACCES, "Access is denied", str(part), None, str(target))

    target = tmp_path / "v.hdf5"
    target.write_text("open elsewhere")
    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(KeptElsewhere, match=r"cannot be replaced: .* in .*v-2\.hdf5"):
        write_text(target, "hours of work")
    assert target.read_text() == "open elsewhere"
    assert (tmp_path / "v-2.hdf5").read_text() == "hours of work"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_may_not_be_written_to_is_said_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").touch()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, how: path != tmp_path and allowed(path, how))
    for name in ("new", "old"):
        with pytest.raises(PermissionError, match="may not be written to; name another folder"):
            ready_to_write(tmp_path / name)
