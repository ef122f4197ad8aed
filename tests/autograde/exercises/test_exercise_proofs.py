"""Every exercise keeps its promises: those of `autograde.proving.proofs`, one test for each."""

from collections.abc import Iterator

import pytest

from autograde.checking.catalogue import catalogue
from autograde.checking.check import seed_of
from autograde.checking.exercise import Exercise
from autograde.proving import proofs

FURTHER_SEEDS = (1, 20261121)
every_exercise = pytest.mark.parametrize("exercise", catalogue().values(), ids=lambda e: e.id)


@every_exercise
def test_framing_is_complete(exercise: Exercise) -> None:
    assert list(proofs.framing(exercise)) == []


@every_exercise
def test_the_stub_earns_nothing_and_is_told_kindly(exercise: Exercise) -> None:
    assert list(proofs.stub(exercise)) == []


def refused(exercise: Exercise, seed: int) -> Iterator[str]:
    for name, answer in proofs.right_answers(exercise):
        yield from proofs.right_answer(exercise, name, answer, seed)


def unnamed(exercise: Exercise, seed: int) -> Iterator[str]:
    for mistake in exercise.mistakes:
        yield from proofs.named(exercise, mistake, seed)


@every_exercise
def test_every_right_answer_earns_everything(exercise: Exercise) -> None:
    assert list(refused(exercise, seed_of(exercise.id))) == []


@every_exercise
def test_every_mistake_loses_points_and_is_named(exercise: Exercise) -> None:
    assert list(unnamed(exercise, seed_of(exercise.id))) == []


@every_exercise
@pytest.mark.slow
@pytest.mark.by_reach("further seeds", seconds=4)
def test_the_same_holds_on_further_seeds(exercise: Exercise) -> None:
    for seed in FURTHER_SEEDS:
        assert [*refused(exercise, seed), *unnamed(exercise, seed)] == [], f"seed {seed}"


@every_exercise
def test_nonsense_earns_nothing(exercise: Exercise) -> None:
    assert list(proofs.nonsense(exercise)) == []


@every_exercise
@pytest.mark.slow
@pytest.mark.by_reach("rounding", seconds=8)
def test_rounding_tips_nothing(exercise: Exercise) -> None:
    assert list(proofs.rounding(exercise, seed_of(exercise.id))) == []
