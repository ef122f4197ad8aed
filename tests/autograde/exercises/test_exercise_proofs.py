"""Every exercise keeps its promises: those of `autograde.proving.proofs`, one test for each."""

import pytest

from autograde.checking.catalogue import catalogue
from autograde.checking.check import seed_of
from autograde.checking.exercise import Exercise, Mistake
from autograde.proving import proofs

EXERCISES = list(catalogue().values())
SEEDS = ("self-study", *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 20261121)))


def seed(exercise: Exercise, choice: str | int) -> int:
    return seed_of(exercise.id) if isinstance(choice, str) else choice


every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
every_seed = pytest.mark.parametrize("choice", SEEDS)
every_mistake = pytest.mark.parametrize(
    ("exercise", "mistake"),
    [
        pytest.param(exercise, mistake, id=f"{exercise.id}: {mistake.name}")
        for exercise in EXERCISES
        for mistake in exercise.mistakes
    ],
)


@every_exercise
def test_framing_is_complete(exercise: Exercise) -> None:
    assert list(proofs.framing(exercise)) == []


@every_exercise
def test_the_stub_earns_nothing_and_is_told_kindly(exercise: Exercise) -> None:
    assert list(proofs.stub(exercise)) == []


@every_exercise
@every_seed
def test_every_right_answer_earns_everything(exercise: Exercise, choice: str | int) -> None:
    for name, answer in proofs.right_answers(exercise):
        assert list(proofs.right_answer(exercise, name, answer, seed(exercise, choice))) == []


@every_mistake
@every_seed
def test_every_mistake_loses_points_and_is_named(
    exercise: Exercise, mistake: Mistake, choice: str | int
) -> None:
    assert list(proofs.named(exercise, mistake, seed(exercise, choice))) == []


@every_exercise
def test_nonsense_earns_nothing(exercise: Exercise) -> None:
    assert list(proofs.nonsense(exercise)) == []


@every_exercise
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_rounding_tips_nothing(exercise: Exercise) -> None:
    assert list(proofs.rounding(exercise, seed_of(exercise.id))) == []
