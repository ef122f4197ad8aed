"""Whoever names a wrong fault is not told the right one."""

import pytest

from autograde.checking import catalogue
from autograde.checking.check import examine
from autograde.checking.which_fault import WhichFault

DIAGNOSES = (
    "broken_vectors",
    "broken_counts",
    "broken_readers",
    "broken_runs",
    "broken_encoders",
    "broken_translators",
    "broken_crfs",
    "broken_weight_drop",
    "broken_tunings",
    "broken_blanks",
    "broken_heads",
    "broken_bodies",
    "broken_reports",
)


@pytest.mark.parametrize("name", DIAGNOSES)
def test_a_wrong_number_is_answered_without_the_right_one(name: str) -> None:
    exercise = catalogue.find(name)
    assert isinstance(getattr(exercise.reference, "__self__", None), WhichFault)
    right = exercise.reference()
    for thing, number in right.items():
        report = examine(exercise, lambda t=thing, n=number: {**right, t: n % 3 + 1})
        assert 0 < report.points < exercise.points, report.text()
        assert [key for key, _ in report.detail] == [f"in: {_thing(exercise)}", "came"]
        for shown in (report.text(), report.html(), report.advice):
            assert "expected" not in shown
            assert f"{thing}: {number}" not in shown
            assert f"fault {number}" not in shown


def test_every_diagnosis_is_looked_at() -> None:
    built = {
        name
        for name in catalogue.places()
        if isinstance(getattr(catalogue.find(name).reference, "__self__", None), WhichFault)
    }
    assert built == set(DIAGNOSES)


def _thing(exercise: object) -> str:
    return exercise.reference.__self__.thing  # type: ignore[attr-defined]
