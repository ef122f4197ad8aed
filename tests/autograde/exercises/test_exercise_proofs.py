"""The proofs that design asks of every exercise: stub, mistakes, right answers, framing."""

import html
import re

import numpy as np
import pytest

from autograde.checking.catalogue import catalogue
from autograde.checking.check import examine, seed_of
from autograde.checking.exercise import Exercise, Mistake
from autograde.checking.report import prose

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
    assert len(exercise.mistakes) >= 3
    assert exercise.right_answers
    assert 1 <= exercise.difficulty <= 5
    assert 1 <= exercise.importance <= 5
    assert exercise.points > 0
    assert exercise.minutes > 0
    assert all(mistake.hint in (None, 1, 2, 3) for mistake in exercise.mistakes)


@every_exercise
def test_the_stub_earns_nothing_and_is_told_kindly(exercise: Exercise) -> None:
    def stub(*args: object) -> None:
        raise NotImplementedError

    report = examine(exercise, stub)
    assert report.points == 0
    assert "Not started yet" in report.message
    assert exercise.id in report.message


@every_exercise
@every_seed
def test_every_right_answer_earns_everything(exercise: Exercise, choice: str | int) -> None:
    answers = {"the reference": exercise.reference, **exercise.right_answers}
    for name, answer in answers.items():
        report = examine(exercise, answer, seed(exercise, choice))
        assert report.points == exercise.points, f"{name}:\n{report.text()}"


@every_mistake
@every_seed
def test_every_mistake_loses_points_and_is_named(
    exercise: Exercise, mistake: Mistake, choice: str | int
) -> None:
    report = examine(exercise, mistake.answer, seed(exercise, choice))
    assert report.points < exercise.points
    assert report.mistake is not None, report.text()
    assert (report.mistake.name, report.certain) == (mistake.name, True)
    assert mistake.says in report.text()
    words = re.sub("<[^>]+>", "", html.unescape(report.html()))
    assert re.sub("<[^>]+>", "", html.unescape(prose(mistake.says))) in words


@every_exercise
def test_nonsense_earns_nothing(exercise: Exercise) -> None:
    for nonsense in (lambda *a: None, lambda *a: "text", lambda *a: object(), lambda *a: 1 / 0):
        assert examine(exercise, nonsense).points == 0
    kind = "class" if isinstance(exercise.reference, type) else "function"
    for thing in (None, 3, "text", np.zeros(3)):
        report = examine(exercise, thing)
        assert report.points == 0
        assert f"should be a {kind}, and it is" in report.message
