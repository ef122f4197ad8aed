"""A full answer is kept as a file; an edited file is not lost; nothing here costs a point."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from autograde.checking import catalogue, kept_part
from autograde.checking.answers import Answer, Inputs, Plain, plain
from autograde.checking.check import check
from autograde.checking.exercise import Exercise
from autograde.checking.mine import mine
from autograde.workspace import parts, results
from tests.autograde.checking.made_up import double, exercise

Write = Callable[..., Answer]
RIGHT = "def double(values):\n    return 2 * values\n"
PLUS = "def double(values):\n    return values + values\n"


@pytest.fixture
def registered(registered: Exercise) -> Exercise:
    """With as much time as other exercises have."""
    sys.modules["made_up"].EXERCISE = exercise()
    return catalogue.find("double")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """``write(source)``: the answer that a script of this source defines."""
    number = iter(range(100))

    def written(source: str, name: str = "double") -> Answer:
        file = tmp_path / f"script_{next(number)}.py"
        file.write_text(source, encoding="utf-8")
        namespace: dict[str, Answer] = {}
        exec(compile(source, str(file), "exec"), namespace)
        return namespace[name]

    return written


@pytest.fixture
def file(workspace: Path) -> Path:
    return parts.file_of(workspace, "double")


def test_a_full_answer_is_kept_and_taken_up(
    registered: Exercise, file: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mine("double") is double
    assert "you have not passed it yet" in capsys.readouterr().out
    score = check("double", write(RIGHT))
    assert score == 4
    assert score.report.note == "Kept for later lessons: `work/my_parts/double.py`."
    assert "work/my_parts/double.py" in capsys.readouterr().out
    assert "Kept for later lessons" in score.report.html()
    text = file.read_text("utf-8")
    assert text.startswith("# double, an exercise of lesson 00_test, kept on ")
    assert text.endswith("\n\n" + RIGHT)
    own = mine("double")
    assert own is not double
    assert own(np.ones(1)) == 2
    assert "`double` is yours, kept on " in capsys.readouterr().out
    assert mine("double") is own


def test_less_than_full_points_keep_nothing_but_the_result(
    registered: Exercise, workspace: Path, file: Path, write: Write
) -> None:
    assert check("double", write("def double(values):\n    return values\n")).report.note == ""
    assert not file.exists()
    assert results.results(workspace)["double"].tries == 1


NO_TRIES = {
    "a stub": "def double(values):\n    raise NotImplementedError\n",
    "no function": "double = 3\n",
    "a mistake that is shown": "def hasty(values):\n    return values\ndouble = hasty\n",
}


@pytest.mark.parametrize("answer", NO_TRIES.values(), ids=NO_TRIES.keys())
def test_what_is_no_try_is_not_recorded(
    registered: Exercise, workspace: Path, write: Write, answer: str
) -> None:
    """Else running all cells of a lesson would begin every exercise in it."""
    check("double", write(answer))
    assert results.results(workspace) == {}


def test_the_same_answer_writes_nothing_and_a_new_one_takes_its_place(
    registered: Exercise, file: Path, write: Write
) -> None:
    check("double", write(RIGHT))
    before = file.stat().st_mtime_ns
    assert check("double", write(RIGHT)).report.note == ""
    assert file.stat().st_mtime_ns == before
    check("double", write(PLUS))
    assert parts.body_of(file.read_text()) == PLUS
    assert len([*file.parent.glob("double*")]) == 1


def test_an_edited_part_stays_until_there_is_a_new_answer_and_is_kept_beside_it(
    registered: Exercise, file: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    check("double", write(RIGHT))
    file.write_text(file.read_text() + "# my remark\n")
    assert check("double", write(RIGHT)).report.note.endswith("stays as you edited it.")
    assert "my remark" in file.read_text()
    mine("double")
    assert "`double` is yours, as you edited it." in capsys.readouterr().out
    note = check("double", write(PLUS)).report.note
    (beside,) = file.parent.glob("double (before *).py")
    assert beside.name in note
    assert "my remark" in beside.read_text()
    assert parts.body_of(file.read_text()) == PLUS


def test_without_the_journal_every_file_counts_as_edited(
    registered: Exercise, workspace: Path, file: Path, write: Write
) -> None:
    check("double", write(RIGHT))
    (workspace / results.FILE).unlink()
    check("double", write(PLUS))
    assert len([*file.parent.glob("double (before *).py")]) == 1


@pytest.mark.parametrize("nbgrader", ["validate", "autograde"])
def test_under_nbgrader_nothing_is_kept_and_the_courses_is_used(
    registered: Exercise,
    workspace: Path,
    file: Path,
    write: Write,
    nbgrader: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    check("double", write(RIGHT))
    before = (workspace / results.FILE).read_text()
    monkeypatch.setenv("NBGRADER_EXECUTION", nbgrader)
    assert check("double", write(PLUS)).report.note == ""
    assert (workspace / results.FILE).read_text() == before
    assert parts.body_of(file.read_text()) == RIGHT
    capsys.readouterr()
    assert mine("double") is double
    assert capsys.readouterr().out == ""


def test_without_a_workspace_nothing_is_kept_and_nothing_is_said(
    registered: Exercise,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert check("double", write(RIGHT)).report.note == ""
    assert not [*tmp_path.glob("**/my_*")]
    capsys.readouterr()
    assert mine("double") is double
    assert capsys.readouterr().out == ("`double` is the course's: nothing of yours is kept here.\n")


def test_what_cannot_be_kept_is_said_and_costs_nothing(
    registered: Exercise, file: Path, write: Write
) -> None:
    score = check("double", write("import torch\nw = torch.ones(1)\n" + RIGHT + "    w\n"))
    assert score == 4
    assert score.report.note == (
        "Your answer counts, but it is not kept for later lessons: `w` is an object of type Tensor."
    )
    assert not file.exists()


def test_an_answer_that_fails_alone_is_not_kept(
    registered: Exercise, file: Path, write: Write
) -> None:
    """Its default was made from a constant that has changed since."""
    answer = write("BY = 2\ndef double(values, by=BY):\n    return by * values\n")
    answer.__globals__["BY"] = 3  # type: ignore[attr-defined]
    score = check("double", answer)
    assert score == 4
    assert "on its own, without this notebook, it does not pass" in score.report.note
    assert not file.exists()


def test_a_folder_that_cannot_be_written_costs_no_point(
    registered: Exercise, workspace: Path, file: Path, write: Write
) -> None:
    """Root may write everywhere, so something of the wrong kind is in the way."""
    (workspace / "my_parts").write_text("")
    score = check("double", write(RIGHT))
    assert score == 4
    assert "not kept for later lessons: work/my_parts cannot be written (" in score.report.note
    (workspace / "my_parts").unlink()
    (workspace / results.FILE).unlink()
    (workspace / results.FILE).mkdir()
    score = check("double", write(RIGHT))
    assert score == 4
    assert file.exists()
    assert "Your progress cannot be kept: work cannot be written (" in score.report.note


BROKEN = {
    "cannot be loaded (SyntaxError": "def double(:\n",
    "cannot be loaded (SystemExit": "import sys\nsys.exit(1)\n",
    "cannot be loaded (KeyboardInterrupt": "raise KeyboardInterrupt\n",
    "cannot be loaded (ModuleNotFoundError: No module named 'no_such": "import no_such_package\n",
    "cannot be loaded (AttributeError": "x = 1\n",
    "cannot be loaded (still running": "while True:\n    pass\n",
    "cannot be loaded (SyntaxError: (unicode": b"# \xff\nx = '\xff'\n",
    "cannot be loaded (ImportError": "from my_parts.double import double\n",
    "no longer passes (The result is None": "def double(values):\n    return None\n",
    "no longer passes (`double` should be a function": "double = 3\n",
    "no longer passes (Your function was still": "def double(values):\n    while True: pass\n",
    "no longer passes (Your function stopped": "def double(values):\n    raise SystemExit\n",
}


@pytest.mark.parametrize(("says", "source"), BROKEN.items(), ids=BROKEN.keys())
def test_a_broken_part_gives_way_to_the_courses(
    registered: Exercise,
    file: Path,
    write: Write,
    says: str,
    source: str | bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    check("double", write(RIGHT))
    file.write_bytes(source if isinstance(source, bytes) else source.encode())
    capsys.readouterr()
    with monkeypatch.context() as impatient:
        if "still" in says:
            impatient.setattr(kept_part, "LOAD_SECONDS", 0.5)
            impatient.setattr(sys.modules["made_up"], "EXERCISE", exercise(seconds=0.5))
        assert mine("double") is double
    said = capsys.readouterr().out
    assert says in said
    assert said.endswith("so the course's is used.\n")
    assert said.count("\n") == 1
    file.write_text(RIGHT)
    assert mine("double") is not double


def test_a_part_that_was_removed_is_said_to_be(
    registered: Exercise, file: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    check("double", write(RIGHT))
    file.unlink()
    assert mine("double") is double
    assert "work/my_parts/double.py is not there" in capsys.readouterr().out


def test_parts_import_one_another_and_are_one_package(
    workspace: Path, file: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {name: exercise(id=name) for name in ("double", "twice")}
    monkeypatch.setattr(catalogue, "find", made.__getitem__)
    check("double", write("class Twice:\n    by = 2\n\n\n" + RIGHT))
    twice = write(RIGHT + "def twice(values):\n    return double(values)\n", "twice")
    check("twice", twice)
    assert "from my_parts.double import double" in file.with_name("twice.py").read_text()
    code = "from my_parts.twice import twice; assert twice(2) == 4"
    assert subprocess.run([sys.executable, "-c", code], cwd=workspace, check=False).returncode == 0
    one, other = mine("double"), mine("twice")
    assert other.__globals__["double"] is one  # type: ignore[attr-defined]
    file.write_text("from math import tau\n" + PLUS)
    other = mine("twice")
    assert other.__globals__["double"].__globals__["tau"]  # type: ignore[attr-defined]
    assert check("twice", other).report.note == ""  # it comes from its own file


def test_a_class_imports_its_base_from_the_bases_own_file(
    file: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(answer: Answer, inputs: Inputs) -> Plain:
        return plain(answer().forward(inputs["values"]))

    class Reference:
        def forward(self, values: np.ndarray) -> np.ndarray:
            return 2 * values

    made = {
        name: exercise(id=name, reference=Reference, run=run, mistakes=())
        for name in ("Base", "Double")
    }
    monkeypatch.setattr(catalogue, "find", made.__getitem__)
    base = (
        "from torch import nn\n\n\nclass Base(nn.Module):\n    factor = 2\n\n"
        "    def forward(self, values):\n        return self.factor * values\n"
    )
    above = (
        "class Double(Base):\n    def forward(self, values):\n"
        "        return super().forward(values)\n"
    )
    assert check("Base", write(base, "Base")).report.note.startswith("Kept")
    assert check("Double", write(base + above, "Double")).report.note.startswith("Kept")
    text = parts.body_of(file.with_name("Double.py").read_text())
    assert text == f"from my_parts.Base import Base\n\n\n{above}"
    assert issubclass(mine("Double"), mine("Base"))  # type: ignore[arg-type]


def test_a_package_of_the_same_name_is_not_shadowed(
    registered: Exercise,
    file: Path,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "elsewhere/my_elmo").mkdir(parents=True)
    (tmp_path / "elsewhere/my_elmo/__init__.py").write_text("HERE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    import my_elmo  # type: ignore[import-not-found]

    check("double", write(RIGHT))
    assert mine("double") is not double
    import my_elmo as again

    assert again is my_elmo
