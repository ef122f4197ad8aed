"""What survives has a reason written by hand, and nine in ten of the rest are told their cause."""

import json
from pathlib import Path

import pytest

from autograde.checking import check
from autograde.checking.catalogue import catalogue, find, places
from autograde.checking.exercise import Exercise
from autograde.proving import reasons
from autograde.proving.reasons import FOLDER, open_questions, renew, share_told
from autograde.proving.verdicts import Verdict, chosen, verdicts

EXERCISES = list(catalogue().values())
KEPT, TOLD, UNNAMED = (
    Verdict(("1 → 2", "1 → 3"), "kept", 1.0, "", ""),
    Verdict(("1 → 4",), "told", 0.0, "a case", "The result is None."),
    Verdict(("1 → 5",), "unnamed", 0.0, "a case", "The result is 2, not 1."),
)


@pytest.fixture(autouse=True)
def loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check goes on without an observation that fails; here it should be seen."""
    monkeypatch.setattr(check, "_observed", check.what_is_seen)


# A mutant may do what NumPy warns of; its learner would read it in the report.
quiet_mutants = pytest.mark.filterwarnings("ignore:Mean of empty slice")


@quiet_mutants
@pytest.mark.parametrize("name", ["relative_frequency", "softmax_cost"])
def test_a_cheap_exercise_leaves_no_question_open(name: str) -> None:
    assert list(open_questions(name, verdicts(find(name)))) == []


@pytest.mark.slow
@pytest.mark.by_reach("mutants", seconds=6)
@quiet_mutants
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
@pytest.mark.timeout(1800)
def test_no_exercise_leaves_a_question_open(exercise: Exercise) -> None:
    assert list(open_questions(exercise.id, verdicts(exercise))) == []


def test_every_file_is_of_an_exercise_and_every_reason_is_given() -> None:
    for path in FOLDER.glob("*.json"):
        assert path.stem in places()
        equivalent, why_below = reasons.reasons(path.stem)
        assert equivalent or why_below
        assert all(equivalent.values())


def test_a_survivor_without_a_reason_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reasons, "FOLDER", tmp_path)
    one, other, low = open_questions("perplexity", [KEPT, TOLD, UNNAMED])
    assert "1 → 2" in one
    assert "1 → 3" in other
    assert low.startswith("50% of the wrong mutants are told")
    renew("perplexity", [KEPT, TOLD])
    written = json.loads((tmp_path / "perplexity.json").read_text())
    assert written == {"equivalent": {"1 → 2": "", "1 → 3": ""}}
    assert len(list(open_questions("perplexity", [KEPT, TOLD]))) == 2


def test_reasons_are_kept_where_they_are_still_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reasons, "FOLDER", tmp_path)
    said = {"why_below": "nonsense", "equivalent": {"1 → 2": "twice the same", "gone": "once"}}
    (tmp_path / "perplexity.json").write_text(json.dumps(said))
    questions = list(open_questions("perplexity", [KEPT, TOLD, UNNAMED]))
    assert len(questions) == 2
    assert "1 → 3" in questions[0]
    assert questions[1].endswith("not made any more: gone")
    renew("perplexity", [KEPT, TOLD, UNNAMED])
    renewed = {"why_below": "nonsense", "equivalent": {"1 → 2": "twice the same", "1 → 3": ""}}
    assert json.loads((tmp_path / "perplexity.json").read_text()) == renewed
    renew("perplexity", [TOLD])
    assert not (tmp_path / "perplexity.json").exists()


def test_the_share_counts_the_wrong_ones_alone() -> None:
    assert share_told([KEPT]) == 1.0
    assert share_told([KEPT, TOLD, UNNAMED]) == 0.5


def test_the_choice_is_fixed_and_shows_every_operator() -> None:
    exercise = find("perplexity")
    once, again = (chosen(exercise, 40) for _ in range(2))
    assert [m.change for m in once] == [m.change for m in again]
    assert len(once) == 40
    everything = {mutant.operator for mutant in chosen(exercise, 10_000)}
    assert {mutant.operator for mutant in once} == everything
