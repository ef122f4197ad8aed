"""Cases hang on the course's secret and the student: last year's results are worth nothing."""

from typing import Any

import pytest

from autograde.checking import catalogue
from autograde.checking.case_inputs import same_for_all, same_inputs
from autograde.checking.check import examine, points_for
from autograde.checking.exercise import Exercise
from autograde.marking.judging import seed_for
from tests.autograde.marking.submissions import answers_of

LAST_YEAR, THIS_YEAR = b"the secret of last year", b"the secret of this year"
# They ask about what is planted in the lesson itself, or take texts that the instructor may change.
ONE_FOR_ALL = {
    *("broken_vectors", "broken_counts", "broken_readers", "broken_translators", "broken_crfs"),
    *("broken_encoders", "broken_runs", "broken_weight_drop", "broken_tunings", "broken_blanks"),
    *("broken_heads", "broken_bodies", "broken_reports", "hand_in"),
}
CLASS = [f"s{number:03}" for number in range(8)]


def _seen_last_year(exercise: Exercise, index: int) -> bool:
    """Whether a student of last year had the inputs that a student of this year gets."""
    now = exercise.inputs(index, seed_for(THIS_YEAR, "anna", exercise.id))
    last_year = (seed_for(LAST_YEAR, who, exercise.id) for who in CLASS)
    return any(same_inputs(exercise.inputs(index, seed), now) for seed in last_year)


@pytest.mark.parametrize("exercise", catalogue.catalogue().values(), ids=lambda e: e.id)
def test_a_table_of_last_years_results_is_worth_nothing(exercise: Exercise) -> None:
    known = [_seen_last_year(exercise, index) for index in range(len(exercise.cases))]
    earned = points_for(exercise, known)
    assert earned == (exercise.points if exercise.id in ONE_FOR_ALL else 0.0)


def test_the_same_case_for_everybody_earns_nothing_alone() -> None:
    """A worked example of the text, answered by heart."""
    exercise = catalogue.find("softmax_cost")
    fixed = sorted(same_for_all(exercise))
    assert fixed
    by_heart = {
        repr(sorted(exercise.inputs(index, 1).items())): exercise.reference(
            **exercise.inputs(index, 1)
        )
        for index in fixed
    }

    def answer(*given: object) -> object:
        named = dict(zip(exercise.parameters(), given, strict=True))
        return by_heart.get(repr(sorted(named.items())))

    report = examine(exercise, answer)
    assert report.points == 0
    assert [case.difference is None for case in report.cases].count(True) == len(fixed)


def test_seeds_hang_on_secret_student_and_exercise() -> None:
    asked = [
        (s, w, e) for s in (LAST_YEAR, THIS_YEAR) for w in CLASS for e in ("sgns_loss", "LSTM")
    ]
    assert len({seed_for(*each) for each in asked}) == len(asked)
    assert seed_for(*asked[0]) == seed_for(*asked[0])


def test_an_elmo_of_any_students_cases_can_be_questioned_in_every_right_way() -> None:
    """With some weights a word left no trace, and one right answer in ten lost points."""
    exercise = catalogue.find("find_fault")
    names: dict[str, Any] = {}
    exec(answers_of("08_scalar_mix_and_elmo")["find_fault"], names)
    for number in range(6):
        seed = seed_for(THIS_YEAR, f"s{number}", exercise.id)
        assert examine(exercise, names["find_fault"], seed).points == exercise.points
