"""Planted faults show the symptoms that a lesson speaks of, each its own."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from course.bilm_from_scratch.broken_bilms import RUNS, TARGETS, Symptoms, broken, symptoms
from course.bilm_from_scratch.word_bilm import MEET, PADDING, POINTS, WordBiLM, losses_of, trained
from tests.course.texts.test_small_text import text

SENTENCE, LONGER, OTHER = (
    torch.tensor([1, 2, 3, 1]),
    torch.tensor([2, 4, 3, 1, 5, 2]),
    torch.tensor(6),
)


def moved(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    changed = ids.clone()
    changed[:, t] = other
    pairs = zip(model(ids)[0], model(changed)[0], strict=True)
    far = torch.stack([(b - a)[0].abs().unflatten(-1, (2, -1)).amax(-1) for a, b in pairs])
    return far.transpose(1, 2) > 1e-6


def seen(fault: str) -> Symptoms:
    torch.manual_seed(0)
    model = WordBiLM(6, 4, fault)
    return symptoms(model, np.zeros((2, 2)), moved, SENTENCE, LONGER, OTHER)


def test_a_sound_model_leaks_nothing_and_does_not_know_its_neighbours() -> None:
    sound = seen("")
    assert (sound.ahead == np.triu(np.ones((4, 4), bool))).all()
    assert (sound.behind == np.tril(np.ones((4, 4), bool))).all()
    assert sound.alone.max() < 1e-5


def test_directions_that_meet_leak_everywhere() -> None:
    assert seen(MEET).ahead.all()
    assert seen(MEET).behind.all()


def test_padding_shows_in_the_backward_states_of_a_batch_only() -> None:
    ill = seen(PADDING)
    assert not np.tril(ill.ahead, -1).any()
    assert ill.alone[0] < 1e-5 < 1e-3 < ill.alone[1]


def test_a_wrong_target_is_copied_after_some_steps() -> None:
    small = text()
    assert RUNS["A"] == TARGETS
    model, wrong = broken("A", len(small.vocabulary), 8)
    held_out = small.words(small.held_out)
    batches = map(small.words, small.batches(3))
    points = trained(model, batches, held_out, 120, wrong_target=wrong, progress=False)
    assert points.shape == (POINTS, 2)
    assert points[-1, 1] < points[0, 1] / 2
    torch.testing.assert_close(
        losses_of(model, *held_out, wrong_target=True)[0], losses_of(model, *held_out)[0]
    )


def test_a_run_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError):
        broken("D", 6, 4)
