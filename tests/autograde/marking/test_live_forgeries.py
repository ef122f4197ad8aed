"""Answers that make modules or are handed them: every exercise is asked over the line."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from autograde.checking import catalogue
from autograde.checking.case_inputs import case_inputs
from autograde.checking.check import examine
from autograde.checking.exercise import Exercise
from autograde.checking.outcomes import alike, known_outcome
from autograde.checking.safe_state import safe_state
from autograde.marking.asking.outcomes import asked_outcome
from tests.autograde.marking.asked_there import judged_there, peer_for
from tests.autograde.marking.live_attacks import HANDED, MODULES, a_layer_of_gigabytes

LIVE = frozenset(
    (
        *("LSTM", "LanguageModel", "train_windows", "LSTMClassifier", "start_from", "fit", "BiLM"),
        *("tune_and_watch", "decode_step", "CRF", "with_lm", "CharCNN", "TwoWay", "moved", "embed"),
        *("ScalarMix", "train_mix", "with_elmo", "WeightDrop", "train_epoch", "fine_tune", "tune"),
        *("read_in_chunks", "train_blanks", "MultiHead", "Block", "CausalLM", "scrambled"),
    )
)
SECONDS = 4
FEW = ("lying tensors", "a cache", "gradients of its own making", "a model of its own")
FEW += ("a step of its own", "it asks for the answer", "a module in itself", "a part is taken away")


def _slowly(names: Any) -> Iterator[Any]:
    for name in names:
        yield pytest.param(name, marks=[] if name in FEW else [pytest.mark.slow])


def _every_exercise() -> Iterator[Any]:
    for name in catalogue.catalogue():
        yield pytest.param(name, id=name, marks=[] if name in LIVE else [pytest.mark.slow])


@pytest.mark.parametrize("name", [*_every_exercise()])
def test_every_exercise_is_judged_outside_the_process_of_the_answer(name: str) -> None:
    """The reference gives over the line what it gives here, in a case of each exercise."""
    exercise = catalogue.find(name)
    index = min(1, len(exercise.cases) - 1)
    with safe_state(), peer_for(exercise.reference, name) as (peer, _):
        there = asked_outcome(peer, exercise, index, 3)
        assert not there.failure
        assert alike(exercise, known_outcome(exercise, exercise.reference, index, 3), there)
    known_outcome.cache_clear()
    case_inputs.cache_clear()


@pytest.mark.parametrize("name", [*_slowly(MODULES)])
def test_a_forged_module_earns_nothing(name: str) -> None:
    """And a sentence says what came."""
    report = judged_there(catalogue.find("LSTM"), MODULES[name], SECONDS)
    assert report.points == 0
    assert report.message
    assert torch.allclose(torch.ones(1), torch.ones(1)) is True


@pytest.mark.parametrize("name", [*_slowly(HANDED)])
def test_a_forged_training_earns_nothing(name: str) -> None:
    """What is trained is the judge's own model."""
    report = judged_there(catalogue.find("train_windows"), HANDED[name], SECONDS)
    assert report.points == 0
    assert report.message


def test_what_would_fill_the_memory_of_the_judge_is_refused() -> None:
    """The process that judges goes on."""
    report = judged_there(catalogue.find("LanguageModel"), a_layer_of_gigabytes)
    assert report.points == 0
    assert "more memory than there is" in report.message


def test_honest_answers_earn_everything_over_the_line() -> None:
    """A module, and a training."""
    for name in ("LSTM", "train_windows"):
        exercise = catalogue.find(name)
        assert judged_there(exercise, exercise.reference).points == exercise.points


LIMITED = [exercise for exercise in catalogue.catalogue().values() if exercise.work_limit]


@pytest.mark.parametrize("exercise", LIMITED, ids=lambda exercise: exercise.id)
def test_a_limit_of_work_holds_over_the_line(exercise: Exercise) -> None:
    """The same operations are counted there, so a search of all paths is told the same."""
    assert exercise.work_limit is not None
    sentence = exercise.work_limit.sentence
    every = [mistake for mistake in exercise.mistakes if mistake.says == sentence]
    for mistake in every:
        here = examine(exercise, mistake.answer, 5)
        there = judged_there(exercise, mistake.answer)
        assert there.mistake is not None
        assert (there.points, there.mistake.name) == (here.points, mistake.name)
    assert judged_there(exercise, exercise.reference).points == exercise.points


def test_there_are_limits_of_work() -> None:
    assert {exercise.id for exercise in LIMITED} >= {"log_partition", "viterbi"}
