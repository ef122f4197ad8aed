"""A command in any terminal: version, a code page of few letters, a closed pipe, a full disk."""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from elmo_mini import __version__
from elmo_mini.__main__ import main
from elmo_mini.arguments import typed
from elmo_mini.commands.run import run_command

COMMAND = """
def add_arguments(parser):
    pass

def run(args):
    for number in range(20_000):
        print("银", number)
"""
PROGRAM = """
from elmo_mini.commands.run import run_command
commands = {"talk": ("talk", "talks")}
raise SystemExit(run_command("prog", "", commands, ["talk"], refusals=(OSError,)))
"""


def start(folder: Path, encoding: str, stdout: object) -> subprocess.Popen[bytes]:
    (folder / "talk.py").write_text(COMMAND, encoding="utf-8")
    paths = [str(folder), os.environ.get("PYTHONPATH", ""), str(Path(__file__).parents[3])]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONIOENCODING": encoding,
        "PYTHONUTF8": "0",
    }
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        stdout=stdout,  # type: ignore[arg-type]
        stderr=subprocess.PIPE,
    )


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"elmo_mini {__version__}\n"


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("cp1252", b"\\u94f6 0"), ("ascii", b"\\u94f6 0"), ("utf-8", "银 0".encode())],
)
def test_a_letter_that_the_terminal_lacks_is_written_in_another_way(
    tmp_path: Path, encoding: str, written: bytes
) -> None:
    out, said = start(tmp_path, encoding, subprocess.PIPE).communicate()
    assert said == b""
    assert out.splitlines()[0] == written
    assert len(out.splitlines()) == 20_000


def test_whoever_stops_reading_ends_the_command_in_silence(tmp_path: Path) -> None:
    running = start(tmp_path, "utf-8", subprocess.PIPE)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.readline()
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        said = start(tmp_path, "utf-8", full).communicate()[1]
    assert said.decode() == "prog talk: no space left on device\n"


SMALL = [
    "--steps=2",
    "--cells=8",
    "--projection=4",
    "--batch-size=4",
    "--bptt=5",
    "--validation=0.2",
]
NOWHERE = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.skipif(os.name == "nt", reason="a locale of POSIX")
@pytest.mark.parametrize(
    ("command", "written"),
    [
        (["neighbours", "Élodie joue .", "Élodie", "--text=été.txt"], r"[\xc9lodie] joue"),
        (["pretrain", "--text=été.txt", "--output=né", *SMALL], "The model is"),
    ],
)
def test_without_a_locale_words_and_names_are_utf_8(
    tmp_path: Path, command: list[str], written: str
) -> None:
    text = "\n\n".join(f"Élodie joue w{number} ." for number in range(40))
    (tmp_path / "été.txt").write_text(text, encoding="utf-8")
    paths = [os.environ.get("PYTHONPATH", ""), str(Path(__file__).parents[3])]
    environment = {**os.environ, **NOWHERE, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    environment.pop("PYTHONIOENCODING", None)
    done = subprocess.run(
        [sys.executable, "-m", "elmo_mini", *command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert written in done.stdout
    if "pretrain" in command:
        card = (tmp_path / "né" / "README.md").read_text("utf-8")
        assert "the text file été.txt" in card
        assert "--output=né" in card


def test_an_argument_of_another_encoding_is_refused() -> None:
    assert typed("Élodie") == "Élodie"
    with pytest.raises(argparse.ArgumentTypeError, match="is no UTF-8 text"):
        typed(os.fsdecode(b"\xc9lodie") if os.name != "nt" else "\ud800")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "not enough memory\n"),
        (MemoryError("Unable to allocate 8 GiB"), "not enough memory: Unable to allocate 8 GiB\n"),
        (RuntimeError("can't allocate memory: 9 bytes"), "not enough memory: can't allocate"),
        (RuntimeError("other"), None),
        (RecursionError("asked for"), "asked for\n"),
        (ValueError("wrong"), "wrong\n"),
    ],
)
def test_too_little_memory_is_one_sentence_and_a_fault_of_the_program_is_none(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    said: str | None,
) -> None:
    def run(args: argparse.Namespace) -> int:
        raise error

    talk = ModuleType("talk")
    vars(talk).update(add_arguments=lambda parser: None, run=run)
    monkeypatch.setitem(sys.modules, "talk", talk)
    refusals = (ValueError, RecursionError)

    def ask() -> int:
        return run_command("prog", "", {"talk": ("talk", "")}, ["talk"], refusals=refusals)

    if said is None:
        with pytest.raises(RuntimeError, match="other"):
            ask()
        return
    assert ask() == 2
    assert capsys.readouterr().err.startswith(f"prog talk: {said}")
