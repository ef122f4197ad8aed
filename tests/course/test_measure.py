"""Stored results are listed, found out of date, and measured again from where a run was stopped."""

import argparse
import importlib
import runpy
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course import measure
from course.__main__ import main
from course.results.reached_code import Command, Project
from course.results.stored import FOLDER, stored_result, write_result
from elmo_mini.records import write_record

ROOT = Path(__file__).resolve().parents[2]
# As `write_result` stores, without PyTorch, which takes seconds to load.
DICE = """
import argparse, json, os, signal, time
from pathlib import Path
from benchmarks import sides
from course.results.reached_code import Command, Project

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--model")
    parser.add_argument("--results", type=Path)
    args = parser.parse_args()
    if args.name == "two" and Path("stop").exists():
        Path("stop").unlink()
        (args.results / "two.json.part-elsewhere").touch()
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(600)
    if args.name == "lame":
        raise SystemExit(3)
    command = f"python -m benchmarks.dice {args.name}"
    result = {
        "title": "A die", "command": command,
        "date": "today", "machine": "this", "versions": {"a": 1},
        "seconds": {"wall": 2, "processor": 1}, "n": sides.SIDES,
        "code": Project().reached(Command.parse(command)).digests,
    }
    (args.results / "new").write_text(json.dumps(result))
    (args.results / "new").replace(args.results / f"{args.name}.json")

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of four results, and a stand-in for the module that measures them."""
    package = tmp_path / "benchmarks"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "dice.py").write_text(DICE)
    (package / "sides.py").write_text("SIDES = 6\n")
    (package / "beside.py").write_text("BESIDE = 1\n")
    folder = tmp_path / "kept"
    for name, options in (("lame", ""), ("one", ""), ("two", ""), ("xl", " --model xl.bin")):
        command = f"python -m benchmarks.dice {name}{options}"
        write_record(folder / f"{name}.json", "A die", {"n": 5}, command=command)
    monkeypatch.setattr("course.results.stored.LOADED", float("inf"))  # nothing is edited later
    monkeypatch.setattr(measure, "FOLDER", folder)
    monkeypatch.setattr(measure.corpora, "available", lambda: {"brown": False, "lee": True})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    return folder


def at_once(folder: Path) -> Callable[[str, Path], tuple[int, int]]:
    """A stand-in for the process that measures."""

    def measured(command: str, results: Path) -> tuple[int, int]:
        name = Command.parse(command).experiment
        write_result(name, "A die", {"n": 6}, command=command, folder=results)
        return 0, 0

    return measured


def test_a_stopped_run_leaves_nothing_half_written_and_goes_on(
    kept: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("stop").touch()
    before = (kept / "two.json").read_text("utf-8")
    assert main(["measure", "one", "two"]) == 128 + signal.SIGTERM
    said = capfd.readouterr().out
    assert "To measure: 2. Last time: not known." in said
    assert "[1 of 2] one: python -m benchmarks.dice one" in said
    assert "other numbers than before" in said
    assert "1 of 2 are stored; two is as it was" in said
    assert (kept / "two.json").read_text("utf-8") == before
    assert sorted(p.name for p in kept.iterdir()) == [
        f"{n}.json" for n in ("lame", "one", "two", "xl")
    ]
    one = stored_result("one", kept)
    assert one.numbers == {"n": 6}
    assert set(one.code or {}) == {"benchmarks.dice", "benchmarks.sides"}

    assert main(["measure", "one", "two"]) == 0
    said = capfd.readouterr().out
    assert "Up to date: one." in said
    assert "[1 of 1] two" in said
    assert stored_result("two", kept).numbers == {"n": 6}


def test_the_list_finds_what_has_changed(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "_measured", at_once(kept))
    took = {"wall": 7230.0, "processor": 80.0}
    monkeypatch.setattr("course.results.stored._seconds", lambda: took)
    assert main(["measure", "--changed"]) == 0
    assert "Of 4 it is not known whether" in capsys.readouterr().out
    assert main(["measure", "one"]) == 0
    capsys.readouterr()

    def row(name: str) -> str:
        assert main(["measure"]) == 0
        lines = capsys.readouterr().out.splitlines()
        return next(" ".join(line.split()) for line in lines if line.startswith(name))

    assert row("one") == "one 2 h 00 min up to date A die"
    assert row("two") == "two not known not known A die"
    assert row("4 results").startswith("4 results: 1 up to date, 3 not known, of 0 the code")
    Path("benchmarks/beside.py").write_text("BESIDE = 2\n")
    assert row("one") == "one 2 h 00 min up to date A die"
    Path("benchmarks/sides.py").write_text("SIDES = 8\n")
    assert row("one") == "one 2 h 00 min code changed: benchmarks.sides A die"
    assert main(["measure", "--changed"]) == 0
    said = capsys.readouterr().out
    assert "To measure: 1. Last time: 2 h 00 min (80 s of processor)." in said
    assert "[1 of 1] one" in said
    assert "code: changed: benchmarks.sides; all from here: 2 h 00 min" in said
    assert main(["measure", "one"]) == 0
    assert "To measure: 0." in capsys.readouterr().out
    assert main(["measure", "one", "--again"]) == 0
    assert "the same numbers as before" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ({"n": [0.1 + 0.2, "a"]}, "the same numbers as before, but for rounding"),
        ({"n": [0.3, "a"]}, "the same numbers as before"),
        ({"n": [0.301, "a"]}, "other numbers than before"),
        ({"n": [0.3, "b"]}, "other numbers than before"),
        ({"n": [0.3, "a"], "m": 1}, "other numbers than before"),
        ({"n": [0.3]}, "other numbers than before"),
    ],
)
def test_it_tells_whether_the_numbers_are_the_same(
    kept: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    after: dict[str, Any],
    told: str,
) -> None:
    command = "python -m benchmarks.dice one"
    write_record(kept / "one.json", "A die", {"n": [0.3, "a"]}, command=command)

    def measured(command: str, folder: Path) -> tuple[int, int]:
        write_result("one", "A die", after, command=command, folder=folder)
        return 0, 0

    monkeypatch.setattr(measure, "_measured", measured)
    assert main(["measure", "one"]) == 0
    assert f"; {told}\n" in capsys.readouterr().out


def test_code_that_changes_while_a_result_is_measured_is_not_stored_with_it(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course.results.stored.LOADED", 0.0)
    write_result("one", "A die", {"n": 6}, command="python -m benchmarks.dice one", folder=kept)
    assert stored_result("one", kept).code is None


def test_what_is_missing_is_named_and_the_others_go_on(
    kept: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "xl", "lame", "one"]) == 1
    said = capfd.readouterr().out
    assert "xl needs xl.bin, which is not in this folder: `python -m elmo_mini pretrain`" in said
    assert "lame was not measured: its command ended with status 3" in said
    assert "Not measured: xl, lame." in said
    assert stored_result("one", kept).numbers == {"n": 6}
    assert stored_result("lame", kept).numbers == {"n": 5}


def test_a_corpus_that_is_missing_is_named(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "_measured", at_once(kept))
    Path("benchmarks/sides.py").write_text("SIDES = len('brown')\n")
    assert main(["measure", "one"]) == 1
    assert "`python -m elmo_mini corpora --download brown` fetches it" in capsys.readouterr().out


def test_another_folder_has_its_own_state(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "_measured", at_once(kept))
    assert main(["measure", "one", "--results", str(tmp_path / "mine")]) == 0
    assert stored_result("one", tmp_path / "mine").numbers == {"n": 6}
    assert stored_result("one", kept).numbers == {"n": 5}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["tow"], "there is no stored result 'tow'; near are two"),
        (["zebra"], "there is no stored result 'zebra'; python -m course measure lists them"),
        (["one", "--all"], "either names, or --all, or --changed"),
    ],
)
def test_what_it_cannot_do_is_told_in_a_sentence(
    kept: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["measure", *words]) == 2
    assert capsys.readouterr().err == f"python -m course measure: {sentence}\n"


class Parsed(Exception):
    """A command line was understood; what it asks for is not done."""


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda p: p.stem)
def test_every_stored_command_is_understood_and_stores_under_its_name(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = stored_result(path.stem).command
    parts = Command.parse(command)
    asked = [*parts.arguments, "--results", str(tmp_path)]
    source = Project().source(parts.module)
    assert source
    if "run_experiments(" in source.read_text("utf-8"):
        _measure_nothing(module := importlib.import_module(parts.module), monkeypatch)
        assert module.main(asked) == 0
        assert stored_result(path.stem, tmp_path).command == command
        return
    parse = argparse.ArgumentParser.parse_args

    def parsed(self: argparse.ArgumentParser, *arguments: Any) -> None:
        parse(self, asked)
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parsed)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")  # one of the modules sets them
    with pytest.raises(Parsed):
        runpy.run_module(parts.module, run_name="__main__")
    assert "--store" in asked or "against_counts" in parts.module


def _measure_nothing(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave of each experiment of a module its name."""
    run = module.run_experiments

    def named(*settings: Any, **more: Any) -> Any:
        start, prefix, about, experiments, _, argv = settings
        empty = dict.fromkeys(experiments, lambda: ("A title", {"n": 1}))
        return run(start, prefix, about, empty, lambda args: ((), {}), argv, **more)

    monkeypatch.setattr(module, "run_experiments", named)
    monkeypatch.setattr("course.results.stored._code", lambda command: None)
