"""Every exercise has a table of its mutants that is fresh, closed, and as good as it says."""

import pytest
from autograde.proving.mutants import lines, narrow
from autograde.proving.tables import faults, stored, table

from autograde.checking import check
from autograde.checking.catalogue import catalogue, find
from autograde.checking.exercise import Exercise
from autograde.checking.observing.observed import observation
from autograde.proving import tables
from autograde.proving.verdicts import Verdict, chosen, verdicts

EXERCISES = list(catalogue().values())


@pytest.fixture(autouse=True)
def loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check goes on without an observation that fails; here it should be seen."""
    monkeypatch.setattr(check, "_observed", observation)


# A mutant may do what NumPy warns of; its learner would read it in the report.
quiet_mutants = pytest.mark.filterwarnings("ignore:Mean of empty slice")
every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)


@every_exercise
def test_the_table_is_fresh_and_nothing_is_open(exercise: Exercise) -> None:
    assert faults(exercise) == []


@quiet_mutants
def test_a_cheap_exercise_gives_its_stored_table() -> None:
    exercise = find("relative_frequency")
    assert table(exercise, verdicts(exercise)) == stored(exercise.id)


@pytest.mark.slow
@quiet_mutants
@every_exercise
@pytest.mark.timeout(600)
def test_every_exercise_gives_its_stored_table(exercise: Exercise) -> None:
    assert table(exercise, verdicts(exercise)) == stored(exercise.id)


def test_faults_are_said_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = find("relative_frequency")
    bad = {
        "fingerprint": "another",
        "share_told": 0.5,
        "why_below": "",
        "equivalent": {"1 → 2": "", "1 → 3": "the order does not matter"},
    }
    monkeypatch.setattr(tables, "stored", lambda exercise_id: bad)
    stale, open_survivor, low = faults(exercise)
    assert stale.endswith("run `python -m autograde mutants relative_frequency --store`")
    assert "1 → 2" in open_survivor
    assert "50%" in low
    bad["why_below"] = "most are nonsense"
    assert len(faults(exercise)) == 2
    monkeypatch.setattr(tables, "stored", lambda exercise_id: {})
    assert "has no table" in faults(exercise)[0]


def test_a_touched_part_changes_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = find("relative_frequency")
    before = tables.fingerprint(exercise)
    monkeypatch.setattr(tables.inspect, "getsource", lambda thing: "other")
    assert tables.fingerprint(exercise) != before


def test_the_choice_is_fixed_and_shows_every_operator() -> None:
    exercise = find("perplexity")
    once, again = (chosen(exercise, 40) for _ in range(2))
    assert [m.change for m in once] == [m.change for m in again]
    assert len(once) == 40
    everything = {mutant.operator for mutant in chosen(exercise, 10_000)}
    assert {mutant.operator for mutant in once} == everything


def test_the_table_is_readable() -> None:
    shared = "a" * 40, "b" * 40
    change = " → ".join(digit.join(shared) for digit in "12")
    found = [
        Verdict((change,), "unnamed", 0.5, "a case", "The result is 2, not 1."),
        Verdict(("x → y",), "kept", 1.0, "", ""),
    ]
    text = lines("made_up", found, 0.0)
    assert text[0].startswith("made_up: 2 mutants, 2 outcomes")
    assert "  They keep all points:" in text
    assert "  They are not told why:" in text
    ends = "…" + "a" * 24, "b" * 24 + "…"
    assert narrow(change) == f"{'1'.join(ends)} → {'2'.join(ends)}"
    assert narrow("x → y") == "x → y"


def test_a_table_in_which_no_mutant_is_wrong_and_runs_has_its_shares() -> None:
    exercise = find("relative_frequency")
    kept, crashed = (
        Verdict(("1 → 2",), "kept", 1.0, "", ""),
        Verdict(("", ""), "crashed", 0, "", ""),
    )
    assert table(exercise, [kept])["share_told"] == 1.0
    assert table(exercise, [kept, crashed])["share_told_of_those_that_ran"] == 1.0
