"""Planted faults show the symptoms that a lesson speaks of, each its own."""

import numpy as np
import torch
from torch import Tensor

from course.bilm_from_scratch.broken_bilms import RUNS, TARGETS, four_models
from course.bilm_from_scratch.word_bilm import MEET, PADDING, POINTS, WordBiLM, trained
from elmo_mini.models import elmo as plain
from tests.course.texts.test_small_text import text

SENTENCE = torch.tensor([[1, 2, 3, 1]])
BESIDE = torch.tensor([[1, 2, 3, 1, 0, 0], [2, 4, 3, 1, 5, 2]])
OTHER = 6


def top(fault: str, ids: Tensor) -> Tensor:
    """(T, 2, H): what a fresh reader with that fault knows of the first sentence."""
    torch.manual_seed(0)
    with torch.no_grad():
        return WordBiLM(6, 4, fault)(ids)[0][-1][0].unflatten(-1, (2, -1))


def moved(fault: str) -> Tensor:
    """(2, T, T): whether a state moved, row by row the word that is replaced."""
    rows = []
    for t in range(SENTENCE.shape[1]):
        changed = SENTENCE.clone()
        changed[:, t] = OTHER
        rows.append((top(fault, changed) - top(fault, SENTENCE)).abs().amax(-1) > 1e-6)
    return torch.stack(rows).permute(2, 0, 1)


def alone(fault: str) -> Tensor:
    """(2,): how far forward and backward states move beside a longer sentence."""
    return (top(fault, SENTENCE) - top(fault, BESIDE)[:4]).abs().amax((0, 2))


def test_a_sound_model_leaks_nothing_and_does_not_know_its_neighbours() -> None:
    ahead, behind = moved("")
    assert (ahead.numpy() == np.triu(np.ones((4, 4), bool))).all()
    assert (behind.numpy() == np.tril(np.ones((4, 4), bool))).all()
    assert alone("").max() < 1e-5


def test_directions_that_meet_leak_everywhere() -> None:
    assert moved(MEET).all()


def test_padding_shows_in_the_backward_states_of_a_batch_only() -> None:
    assert not moved(PADDING)[0].tril(-1).any()
    assert alone(PADDING)[0] < 1e-5 < 1e-3 < alone(PADDING)[1]


def loss(top: Tensor, mask: Tensor, words: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return plain.bilm_loss([top], mask, words, weight, bias)


def test_a_wrong_target_is_copied_after_some_steps() -> None:
    small = text()
    models = four_models(len(small.vocabulary), 8, loss)
    assert [*models] == ["sound", *RUNS]
    assert RUNS["A"] == TARGETS
    model, asked = models["A"]
    held_out = small.words(small.held_out)
    first = asked(held_out).detach()
    torch.testing.assert_close(first[0], models["sound"][1](held_out)[0])  # one start for all
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _, batch in zip(range(120), small.batches(3), strict=False):
        optimizer.zero_grad()
        asked(small.words(batch)).mean().backward()
        optimizer.step()
    assert asked(held_out)[1] < first[1] / 2


def test_a_run_is_noted_at_its_points() -> None:
    small = text()
    batches = map(small.words, small.batches(3))
    held_out = small.words(small.held_out)
    torch.manual_seed(0)
    model = WordBiLM(len(small.vocabulary), 8)
    points = trained(model, batches, held_out, 24, progress=False)
    assert points.shape == (POINTS, 2)
    assert points[-1].mean() < points[0].mean()
