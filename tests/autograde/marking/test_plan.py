"""What is executed of a notebook, and what the packages in the sandbox are without."""

import re

import nbformat
import pytest

from autograde.marking.names import needed, pieces
from autograde.marking.oracles import given_back, module_of, oracles, without
from autograde.marking.plan import plan
from tests.autograde.marking.submissions import ROOT, release_of, right, submission

LESSON = "01_word2vec"
LESSONS = sorted(path.parent.name for path in ROOT.glob("solutions/*/*.py"))
WORD2VEC = "elmo_mini.models.skip_gram"


def test_what_binds_or_changes_a_needed_name_is_taken_and_nothing_else() -> None:
    """A dict that is filled later is filled; a figure is left out."""
    source = (
        "import plots\nA = 1\nB = {}\nB['x'] = A\nB.update(y=2)\nplots.draw(B)\n"
        "C = slow()\ndef f():\n    return B\n"
    )
    parts = pieces(source)
    taken, _ = needed(parts, {"f"})
    assert [parts[place].text.split("\n")[0] for place in sorted(taken)] == [
        *("A = 1", "B = {}", "B['x'] = A", "B.update(y=2)", "def f():")
    ]


def test_a_comprehension_binds_nothing_outside_itself() -> None:
    """Else a cell with `for step in` is taken for whoever needs another `step`."""
    (part,) = pieces("A = [(x, (seen := y)) for x, z[0] in f() for y in x if y]")
    assert part.binds == {"A", "seen"}
    assert part.reads >= {"f"}


def test_no_training_of_a_lesson_is_run() -> None:
    """The right answers of lesson 01 lean on imports and on each other."""
    released = nbformat.reads(release_of(LESSON), 4)
    notebook = nbformat.reads(submission(LESSON, right(LESSON)).decode(), 4)
    steps = plan(notebook, released)
    given = [step.source for step in steps if step.kind == "given"]
    assert not any("learn(" in source or "figures." in source for source in given)
    assert 'sgns_loss = or_reference("sgns_loss", sgns_loss)' in given
    assert sum(step.kind == "check" for step in steps) == 12
    everything = plan(notebook, released, everything=True)
    assert any("learn(" in step.source for step in everything)


@pytest.mark.parametrize("lesson", LESSONS)
def test_answers_without_their_imports_run_no_more_of_a_lesson(lesson: str) -> None:
    """Once everything that calls a function of `F` was run, since no import of it was left."""
    released = nbformat.reads(release_of(lesson), 4)
    answers = right(lesson)
    bare = {name: re.sub(r"(?m)^(import|from) .*\n", "", text) for name, text in answers.items()}
    few, no_more = (
        sum(step.kind == "given" for step in plan(nbformat.reads(made.decode(), 4), released))
        for made in (submission(lesson, answers), submission(lesson, bare))
    )
    assert no_more <= few


@pytest.fixture(scope="module")
def gone() -> set[tuple[str, str]]:
    """What a build is without while `sgns_loss` and `sgns_step` are marked."""
    return oracles([(WORD2VEC, "sgns_loss"), (WORD2VEC, "sgns_step")])


def test_whatever_calls_a_reference_is_left_out(gone: set[tuple[str, str]]) -> None:
    """And what does not stays."""
    source = without(module_of(WORD2VEC), gone)
    assert "def sgns_loss" not in source
    assert "def sgns_step" not in source
    assert "def noise_distribution" in source
    for module in {name for name, _ in gone}:
        compile(without(module_of(module), gone), module, "exec")


def test_a_reference_is_given_back_with_what_it_calls(gone: set[tuple[str, str]]) -> None:
    """So that it runs in a build without it."""
    parts, came = given_back((WORD2VEC, "sgns_step"), gone)
    assert came >= {(WORD2VEC, "sgns_step"), (WORD2VEC, "sgns_loss")}
    assert parts[-1].source.startswith("def sgns_step")
