"""What is executed is enough: the rest of a lesson changes no mark, right or wrong."""

import os
from pathlib import Path

import nbformat
import pytest

from autograde.marking.limits import Limits
from autograde.marking.plan import plan
from autograde.marking.rehearsal import made
from autograde.marking.verdict import Verdict
from autograde.marking.worker import Task, gone_for, mark
from tests.autograde.marking.graded_classes import SECRET
from tests.autograde.marking.submissions import ROOT, release_of

SOURCES = sorted(ROOT.glob("solutions/*/*.py"))
SEEDED = "rehearsal"


def _marked(lesson: str, data: bytes, everything: bool) -> Verdict:
    released = release_of(lesson)
    limits = Limits(run_everything=everything, memory_mb=6_000, output_kb=2_000)
    gone = gone_for(nbformat.reads(released, 4))
    task = Task(lesson, "anna", data, released, SECRET, limits, gone, seeded=SEEDED)
    verdict = mark(task).verdict
    assert verdict.status == "marked", verdict.reason
    return verdict


def _told(verdict: Verdict) -> dict[str, tuple[float, str, str]]:
    return {e.id: (e.points, e.status, e.mistake) for e in verdict.exercises}


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.by_reach("the rest of a lesson", seconds=250)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_rest_of_a_lesson_changes_no_mark(source: Path) -> None:
    lesson = source.parent.name
    solved = source.with_suffix(".ipynb").read_text("utf-8")
    every = made.read(release_of(lesson), solved, SECRET, SEEDED)
    right = every.second_hand_in()
    (wrong,) = every.mistaken(int(os.environ.get("TEST_TURN", "0")))
    kept = {m.student: _marked(lesson, m.data, everything=False) for m in (right, wrong)}
    whole = {m.student: _marked(lesson, m.data, everything=True) for m in (right, wrong)}
    for m in (right, wrong):
        assert _told(kept[m.student]) == _told(whole[m.student])
        assert {n: p for n, (p, _, _) in _told(kept[m.student]).items()}.items() <= (
            m.must.points.items()
        )
    # It did run: a right notebook stops nowhere.
    assert whole[right.student].notes == ()
    assert whole[right.student].processor_seconds > kept[right.student].processor_seconds


def test_the_rest_of_a_lesson_is_most_of_it() -> None:
    """What is left out, in statements: else the comparison above would say nothing."""
    released = nbformat.reads(release_of("13_attention"), 4)
    few, all_of_it = (len(plan(released, released, everything)) for everything in (False, True))
    assert few < 0.5 * all_of_it
