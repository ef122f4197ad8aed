"""The builder: same source, same bytes; stale or unfit notebooks are named."""

import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_output

from autograde.__main__ import main
from autograde.building import executed_notebook
from autograde.building.build import Builder
from autograde.building.hints import folded_hints
from autograde.building.lesson_source import read_lesson
from autograde.building.student_version import student_version
from autograde.checking.model_answer import FILE as MODEL_ANSWERS
from autograde.grading.instructor_notes import TIMES
from tests.autograde.building.test_build_refusals import COMPLETE, LESSON

REPOSITORY = Path(__file__).resolve().parents[3]
# The check is a stand-in: these tests are about notebooks, and torch takes seconds to import.
SOURCE = COMPLETE.replace(
    "from autograde import check",
    "def check(name, answer):\n    return float(answer(1))",
)


def _find(name: str) -> SimpleNamespace:
    return {
        "double": SimpleNamespace(lesson=LESSON, points=2, difficulty=1, importance=4, minutes=3)
    }[name]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    _write_source(tmp_path, SOURCE)
    return tmp_path


def _write_source(root: Path, source: str) -> Path:
    path = root / "solutions" / LESSON / "small.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return path


def _build(root: Path, *, execute: bool = False, budget: float = 90.0) -> list[str]:
    builder = Builder(root, _find)
    for source in builder.sources():
        builder.build(source, execute=execute, budget=budget)
    return builder.problems


def _check(root: Path) -> list[str]:
    builder = Builder(root, _find)
    for source in builder.sources():
        builder.check(source)
    builder.check_for_orphans()
    return builder.problems


def _solution(root: Path) -> Path:
    return root / "solutions" / LESSON / "small.ipynb"


def _lesson(root: Path) -> Path:
    return root / "lessons" / LESSON / "small.ipynb"


def _cells(path: Path) -> dict[str, nbformat.NotebookNode]:
    return _cells_of(nbformat.read(path, as_version=4))


def _cells_of(notebook: nbformat.NotebookNode) -> dict[str, nbformat.NotebookNode]:
    return {cell["id"]: cell for cell in notebook.cells}


def _change(path: Path, change: Callable[[nbformat.NotebookNode], None]) -> None:
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder whose one lesson has been run; copy it before changing it."""
    root = tmp_path_factory.mktemp("executed")
    _write_source(root, SOURCE)
    assert _build(root, execute=True) == []
    return root


@pytest.fixture
def fresh(executed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(executed, tmp_path / "course"))


def test_building_twice_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    assert _build(root) == []
    first = _solution(root).read_bytes(), _lesson(root).read_bytes()
    _solution(root).unlink()
    _lesson(root).unlink()
    _build(root)
    assert (_solution(root).read_bytes(), _lesson(root).read_bytes()) == first


def test_only_notebooks_and_data_reach_the_lesson(root: Path) -> None:
    (root / "solutions" / LESSON / "words.tsv").write_text("a\tb\n")
    (root / "solutions" / LESSON / "scratch.ipynb").write_text("{}")
    _build(root)
    names = sorted(path.name for path in (root / "lessons" / LESSON).iterdir())
    assert names == [".model_answers.json", "small.ipynb", "words.tsv"]
    assert not (root / "gradebook.db").exists()


def test_the_solution_says_what_each_cell_is(root: Path) -> None:
    _build(root)
    cells = _cells(_solution(root))
    answer, check, why = (cells[name] for name in ("double", "check_double", "why"))
    common = {"schema_version": 3, "task": False}
    assert answer.metadata.nbgrader == {
        **common,
        "grade_id": "double",
        "grade": False,
        "solution": True,
        "locked": False,
    }
    assert check.metadata.nbgrader == {
        **common,
        "grade_id": "check_double",
        "grade": True,
        "solution": False,
        "locked": True,
        "points": 2,
    }
    assert why.metadata.nbgrader == {
        **common,
        "grade_id": "why",
        "grade": True,
        "solution": True,
        "locked": False,
        "points": 2,
    }
    notes = [cell for cell in cells.values() if "instructor" in cell.metadata.get("tags", [])]
    assert [cell.source for cell in notes] == ["Two minutes.", "Because."]
    assert notes[0].metadata.slideshow.slide_type == "notes"
    title = next(cell for cell in cells.values() if cell.source == "# Small")
    assert title.metadata.slideshow.slide_type == "slide"
    assert any(cell.metadata.get("tags") == ["road"] for cell in cells.values())


def test_the_student_gets_stubs_frame_and_hints(root: Path) -> None:
    _build(root)
    cells = _cells(_lesson(root))
    assert cells["double"].source == (
        "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    )
    assert cells["check_double"].metadata.editable is False
    assert cells["why"].source == "YOUR ANSWER HERE"
    assert cells["double-statement"].source.splitlines()[:3] == [
        "### Double it",
        "",
        "*Difficulty 1 of 5 ●○○○○ · Importance 4 of 5 ●●●●○ · about 3 minutes · 2 points*",
    ]
    assert cells["double-hints"].source.count("<details><summary>Hint ") == 3
    text = _lesson(root).read_text()
    for secret in (
        "BEGIN SOLUTION",
        "2 * x\n",
        "Because.",
        "Two minutes.",
        "instructor",
        "One point",
    ):
        assert secret not in text


SWITCHED_OFF = (
    "from autograde.grading.nbgrader_settings import configure\n"
    "configure(get_config())\n"
    "get_config().ReleaseModelAnswers.enabled = False\n"
)


def test_model_answers_lie_hidden_beside_the_lesson_and_a_cell_below_offers_each(
    root: Path,
) -> None:
    _build(root)
    answers = json.loads((_lesson(root).parent / MODEL_ANSWERS).read_text())
    assert answers == {
        "double": {
            "of": "exercise",
            "answer": "```python\ndef double(x):\n    return 2 * x\n```",
        },
        "why": {"of": "discussion", "answer": "Because."},
    }
    ids = [cell["id"] for cell in nbformat.read(_lesson(root), as_version=4).cells]
    for below, key in (("double-hints", "double"), ("why", "why")):
        assert ids[ids.index(below) + 1] == f"model_answer_{key}"
    assert not [name for name in _cells(_solution(root)) if name.startswith("model_answer_")]


def test_why_an_exercises_answer_is_so_stands_below_its_code(root: Path) -> None:
    _write_source(root, SOURCE + '\n# %% [markdown] model_answer="double"\n# Two of a kind.\n')
    _build(root)
    answers = json.loads((_lesson(root).parent / MODEL_ANSWERS).read_text())
    assert answers["double"]["answer"].endswith("\n```\n\nTwo of a kind.")


def test_one_setting_switches_model_answers_off(root: Path) -> None:
    _build(root)
    (root / "nbgrader_config.py").write_text(SWITCHED_OFF)
    problems = _check(root)
    assert any(f"{MODEL_ANSWERS}: is released, but switched off" in p for p in problems), problems
    _build(root)
    assert [path.name for path in _lesson(root).parent.iterdir()] == ["small.ipynb"]
    assert "model_answer" not in _lesson(root).read_text()
    assert not [problem for problem in _check(root) if "lessons/" in problem]


def test_each_check_imports_what_it_calls_so_that_it_runs_after_a_restart(root: Path) -> None:
    _build(root)
    assert _cells(_lesson(root))["check_double"].source == 'check("double", double)'
    _write_source(root, COMPLETE)
    _build(root)
    for path in (_lesson(root), _solution(root)):
        assert _cells(path)["check_double"].source == (
            'from autograde import check\n\ncheck("double", double)'
        )


def test_hints_keep_several_paragraphs_and_code() -> None:
    source = "nudge: one\n\ntwo\n\nidea: a `x`\n\noutline:\n```python\nidea = 1\n```"
    assert folded_hints(source).split("\n\n") == [
        "<details><summary>Hint 1: a nudge</summary>",
        "one",
        "two",
        "</details>",
        "<details><summary>Hint 2: the idea</summary>",
        "a `x`",
        "</details>",
        "<details><summary>Hint 3: an outline</summary>",
        "```python\nidea = 1\n```",
        "</details>",
    ]


def test_ids_are_unique_and_stay_when_another_cell_changes(root: Path) -> None:
    twice = SOURCE + "\n# %%\n1 + 1\n\n# %%\n1 + 1\n"
    _write_source(root, twice)
    _build(root)
    ids = [cell["id"] for cell in nbformat.read(_solution(root), as_version=4).cells]
    assert len(set(ids)) == len(ids)
    _write_source(root, twice.replace("# # Small", "# # Smaller"))
    _build(root)
    after = [cell["id"] for cell in nbformat.read(_solution(root), as_version=4).cells]
    assert after[1:] == ids[1:]
    assert after[0] != ids[0]


def test_a_run_leaves_outputs_and_nothing_volatile(executed: Path) -> None:
    assert _check(executed) == []
    notebook = nbformat.read(_solution(executed), as_version=4)
    assert _cells(_solution(executed))["check_double"].outputs[0].data["text/plain"] == "2.0"
    assert all("execution" not in cell.metadata for cell in notebook.cells)
    assert set(notebook.metadata) == {"kernelspec", "language_info", TIMES}
    assert "version" not in notebook.metadata.language_info
    assert "outputs" in _lesson(executed).read_text()
    assert all(not c.get("outputs") for c in nbformat.read(_lesson(executed), as_version=4).cells)


def test_what_a_run_took_is_kept_for_instructors(fresh: Path) -> None:
    taken = nbformat.read(_solution(fresh), as_version=4).metadata[TIMES]
    assert taken["lesson"] >= 0
    assert 0 < len(taken["slowest cells"]) <= executed_notebook.SLOWEST
    assert taken["slowest cells"].keys() <= _cells(_solution(fresh)).keys()
    assert taken["longest silences"].keys() <= _cells(_solution(fresh)).keys()
    assert TIMES not in _lesson(fresh).read_text()

    def other_times(notebook: nbformat.NotebookNode) -> None:
        notebook.metadata[TIMES] = {"lesson": 80.0, "slowest cells": {}}

    _change(_solution(fresh), other_times)
    assert _check(fresh) == []
    assert _build(fresh) == []
    assert nbformat.read(_solution(fresh), as_version=4).metadata[TIMES]["lesson"] == 80


def test_how_long_a_cell_takes_stands_above_it_in_both_notebooks(fresh: Path) -> None:
    def long(notebook: nbformat.NotebookNode) -> None:
        notebook.metadata[TIMES]["slowest cells"] = {"check_double": 31.0}

    _change(_solution(fresh), long)
    assert any("another source" in problem for problem in _check(fresh))
    assert _build(fresh) == []
    assert _check(fresh) == []
    for path in (_solution(fresh), _lesson(fresh)):
        (told,) = [cell for cell in _cells(path).values() if "⏱ About 30 s." in cell.source]
        assert told.cell_type == "markdown"


def test_nbgraders_own_release_leaves_the_times_out(fresh: Path) -> None:
    solution = nbformat.read(_solution(fresh), as_version=4)
    assert TIMES in solution.metadata
    (source,) = Builder(fresh, _find).sources()
    released = student_version(read_lesson(source), solution)
    assert TIMES not in released[Path("small.ipynb")].decode()


def test_a_build_keeps_the_outputs_of_unchanged_cells(fresh: Path) -> None:
    _write_source(fresh, SOURCE.replace("return 2 * x", "return x + x"))
    assert any("is stale" in p and "small.ipynb" in p for p in _check(fresh))
    assert _build(fresh) == []
    cells = _cells(_solution(fresh))
    assert cells["double"].execution_count is None
    assert cells["check_double"].outputs
    problems = _check(fresh)
    assert len(problems) == 1
    assert "has not been run since it was changed" in problems[0]
    assert f"python -m autograde build --execute {LESSON}" in problems[0]


def test_other_outputs_do_not_make_a_notebook_stale(fresh: Path) -> None:
    def other_output(notebook: nbformat.NotebookNode) -> None:
        for cell in notebook.cells:
            if cell["id"] == "check_double":
                cell.outputs[0].data["text/html"] = "a report in other words"

    _change(_solution(fresh), other_output)
    assert _check(fresh) == []


def _edit_first(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[0].source = "# Mine"


def _drop_last(notebook: nbformat.NotebookNode) -> None:
    notebook.cells.pop()


def _add_tag(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[1].metadata["tags"] = ["mine"]


def _add_version(notebook: nbformat.NotebookNode) -> None:
    notebook.metadata.language_info["version"] = "3.11.1"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_edit_first, "has another source"),
        (_drop_last, "cells, the source gives"),
        (_add_tag, "has another metadata"),
        (_add_version, "notebook metadata"),
    ],
)
@pytest.mark.parametrize("which", [_solution, _lesson])
def test_a_notebook_edited_by_hand_is_stale(
    which: Callable[[Path], Path],
    change: Callable[[nbformat.NotebookNode], None],
    says: str,
    fresh: Path,
) -> None:
    _change(which(fresh), change)
    (problem,) = _check(fresh)
    assert problem.startswith(f"{which(fresh).relative_to(fresh)}: is stale: ")
    assert says in problem
    assert f"python -m autograde build{' --execute' if which is _solution else ''}" in problem


def test_outputs_in_the_lesson_make_it_stale(fresh: Path) -> None:
    def run(notebook: nbformat.NotebookNode) -> None:
        notebook.cells[1].outputs = [new_output("stream", text="x")]

    _change(_lesson(fresh), run)
    assert "holds outputs" in _check(fresh)[0]


@pytest.mark.parametrize("content", ["", "[]", "<<<<<<< HEAD\n{}", '{"cells": [{"source": 1}]}'])
def test_a_damaged_notebook_is_named_and_left_alone(content: str, fresh: Path) -> None:
    """Its outputs are nowhere else, and a merge is no reason to lose them."""
    _solution(fresh).write_text(content)
    for problems in (_check(fresh), _build(fresh)):
        (problem,) = problems
        assert "small.ipynb: is no notebook, or a damaged one. Restore it with git, or" in problem
        assert f"python -m autograde build --execute {LESSON}" in problem
    assert _solution(fresh).read_text() == content
    assert _build(fresh, execute=True) == []
    assert _check(fresh) == []


def test_missing_and_orphaned_notebooks_are_named(fresh: Path) -> None:
    _lesson(fresh).unlink()
    orphan = fresh / "lessons" / "99_gone" / "gone.ipynb"
    orphan.parent.mkdir(parents=True)
    orphan.write_text("{}")
    problems = _check(fresh)
    assert any(p.startswith(f"lessons/{LESSON}/small.ipynb: does not exist") for p in problems)
    assert any("lessons/99_gone/gone.ipynb: has no source" in p for p in problems)


def _output(cell_id: str, **data: object) -> Callable[[nbformat.NotebookNode], None]:
    def change(notebook: nbformat.NotebookNode) -> None:
        cell = next(cell for cell in notebook.cells if cell["id"] == cell_id)
        cell.outputs.append(nbformat.from_dict(data))

    return change


PICTURE = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo="}}
FAULTS = {
    "ends in ValueError": {
        "output_type": "error",
        "ename": "ValueError",
        "evalue": "no",
        "traceback": [],
    },
    "writes to stderr in a check cell": {
        "output_type": "stream",
        "name": "stderr",
        "text": "warning",
    },
    "earns 1 of 2 points": {
        "output_type": "execute_result",
        "execution_count": 1,
        "metadata": {},
        "data": {"text/plain": "1.0"},
    },
    "an output of type image/png without alt text": PICTURE,
    "an <img> without alt text": {
        **PICTURE,
        "data": {"text/html": "<img src='x'>", "text/plain": "a picture"},
    },
    "an <svg> without aria-label or <title>": {
        **PICTURE,
        "data": {"text/html": "<svg><path/></svg>"},
    },
    "of this machine": {"output_type": "stream", "name": "stdout", "text": "/tmp/run_x/a.txt"},
}


@pytest.mark.parametrize("says", FAULTS)
def test_an_unfit_output_is_named_with_the_cells_line(says: str, fresh: Path) -> None:
    _change(_solution(fresh), _output("check_double", **FAULTS[says]))
    (problem,) = _check(fresh)
    line = SOURCE[: SOURCE.index('# %% check="double"')].count("\n") + 1
    assert problem.startswith(f"solutions/{LESSON}/small.py:{line}: cell check_double ")
    assert says in problem


@pytest.mark.parametrize(
    "output",
    [
        {**PICTURE, "metadata": {"image/png": {"alt": "a curve that falls"}}},
        {**PICTURE, "data": {"text/html": '<img src="x" alt="a curve">', "image/png": "iVBO"}},
        {**PICTURE, "data": {"text/html": "<svg><title>a curve</title><path/></svg>"}},
    ],
)
def test_described_pictures_are_fit(output: dict[str, object], fresh: Path) -> None:
    _change(_solution(fresh), _output("check_double", **output))
    assert _check(fresh) == []


def test_an_error_on_purpose_is_fit(root: Path) -> None:
    _write_source(root, SOURCE + '\n# %% tags=["raises-exception"]\n1 / 0\n')
    assert _build(root, execute=True) == []
    assert _check(root) == []


def test_a_large_notebook_is_refused(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executed_notebook, "MAX_KILOBYTES", 1)
    (problem,) = _check(fresh)
    assert problem.startswith(f"solutions/{LESSON}/small.ipynb: the executed notebook has ")


def test_a_cell_that_fails_is_named_with_its_line(root: Path) -> None:
    source = SOURCE + "\n# %%\n{}['key']\n"
    _write_source(root, source)
    (problem,) = _build(root, execute=True)
    line = len(source.splitlines()) - 1
    assert problem.startswith(f"solutions/{LESSON}/small.py:{line}: ")
    assert "does not run: KeyError: 'key'" in problem


BUSY = """
import time

begin = time.process_time()
while time.process_time() - begin < 1:
    pass
"""
BUSIER = BUSY.replace("< 1:", "< 1 + begin:")  # than all cells before, on any processor
CHILD_AT_WORK = f"""
import subprocess, sys, time

work = {BUSY!r}.replace("< 1:", f"< {{1 + time.process_time()}}:")
done = subprocess.run([sys.executable, "-c", work])
"""


@pytest.mark.parametrize("work", [BUSIER, CHILD_AT_WORK], ids=["the cell", "a process it starts"])
def test_a_lesson_over_its_budget_is_refused(
    work: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write_source(root, SOURCE + "\n# %%" + work)
    (problem,) = _build(root, execute=True, budget=0.7)
    assert "s of processor time, more than 0.7; this cell is the slowest" in problem
    line = SOURCE.count("\n") + 2
    assert problem.startswith(f"solutions/{LESSON}/small.py:{line}: ")
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{LESSON}: ")
    assert "budget 0.7" in said[0]
    assert f"line {line} " in said[1]


def test_how_long_a_cell_showed_nothing_is_kept_apart_from_how_long_it_took(root: Path) -> None:
    spoke = f"{BUSY}print('half')\n{BUSY}"
    _write_source(root, f"{SOURCE}\n# %%{spoke}\n# %%{BUSY}")
    assert _build(root, execute=True) == []
    notebook = nbformat.read(_solution(root), as_version=4)
    taken, (first, second) = notebook.metadata[TIMES], [c["id"] for c in notebook.cells[-2:]]
    silent = taken["longest silences"]
    assert silent[first] >= 1
    assert silent[second] >= 1
    assert taken["slowest cells"][first] >= silent[first] + 0.8  # the other half


def test_a_cell_that_is_silent_for_long_is_refused(fresh: Path) -> None:
    def silent(notebook: nbformat.NotebookNode) -> None:
        notebook.metadata[TIMES]["longest silences"] = {"check_double": 10.4}

    _change(_solution(fresh), silent)
    (problem,) = _check(fresh)
    assert "cell check_double shows nothing for 10 s of processor time, more than 10" in problem


def test_a_figure_that_cannot_be_read_is_refused(fresh: Path) -> None:
    def pale(notebook: nbformat.NotebookNode) -> None:
        (output,) = _cells_of(notebook)["check_double"].outputs
        output.metadata[executed_notebook.UNREADABLE] = ["'a' and 'b' overlap"]

    _change(_solution(fresh), pale)
    (problem,) = _check(fresh)
    assert "cell check_double draws a figure in which 'a' and 'b' overlap" in problem


def test_bars_that_were_overwritten_are_not_kept(root: Path) -> None:
    bar = """
from elmo_mini.progress import progress_bar

for _ in progress_bar(range(3), "work"):
    pass
"""
    _write_source(root, f"{SOURCE}\n# %%{bar}\n# %%\nprint('done'){bar}")
    assert _build(root, execute=True) == []
    silent, speaking = nbformat.read(_solution(root), as_version=4).cells[-2:]
    assert silent.outputs == []
    (output,) = speaking.outputs
    assert (output.name, output.text.strip()) == ("stdout", "done")


def test_a_cell_that_waits_takes_nothing_of_the_budget(root: Path) -> None:
    """So a machine that others use does not make a lesson slow."""
    _write_source(root, SOURCE + "\n# %%\nimport time\n\ntime.sleep(8)\n")
    assert _build(root, execute=True, budget=7.9) == []


def test_a_cell_that_never_ends_is_ended(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write_source(root, SOURCE + "\n# %%\nwhile True:\n    pass\n")
    run = functools.partial(executed_notebook.execute, timeout=2)
    monkeypatch.setattr(executed_notebook, "execute", run)
    (problem,) = _build(root, execute=True)
    assert "does not run: no end after 2 s" in problem


def test_of_a_progress_bar_its_last_line_is_kept(root: Path) -> None:
    bar = """
# %%
import sys
import time

for done in range(3):
    print(f"\\r{done} of 2", end="", file=sys.stderr, flush=True)
    time.sleep(0.3)
"""
    _write_source(root, SOURCE + bar)
    assert _build(root, execute=True) == []
    *_, cell = nbformat.read(_solution(root), as_version=4).cells
    assert [output.text for output in cell.outputs] == ["2 of 2"]


def test_data_files_lie_beside_the_running_notebook(root: Path) -> None:
    (root / "solutions" / LESSON / "words.tsv").write_text("here")
    _write_source(root, SOURCE + '\n# %%\nopen("words.tsv").read()\n')
    assert _build(root, execute=True) == []


def test_a_refused_source_writes_nothing(root: Path) -> None:
    _write_source(root, SOURCE.replace(" points=2", ""))
    assert len(_build(root)) == 1
    assert not _solution(root).exists()
    assert not (root / "lessons").exists()


def test_an_unknown_lesson_is_named_with_those_there_are(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "--check", "--root", str(root), "42"]) == 1
    assert f"There is no lesson '42'. There are: {LESSON}." in capsys.readouterr().out


@pytest.mark.parametrize("name", ["07", LESSON, f"solutions/{LESSON}", f"solutions/{LESSON}/s.py"])
def test_a_lesson_is_found_by_number_name_or_path(name: str, root: Path) -> None:
    assert [path.parent.name for path in Builder(root, _find).sources([name])] == [LESSON]


def test_committed_notebooks_are_plain_json() -> None:
    for path in sorted(REPOSITORY.glob("*s/[0-9][0-9]_*/*.ipynb")):
        assert json.loads(path.read_text(encoding="utf-8"))["nbformat"] == 4
