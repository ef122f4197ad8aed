"""Bets of a model, of counts and of a cache, against the same by hand."""

import math

import pytest
import torch
from torch import Tensor

from course.baselines.kneser_ney import KneserNey
from course.context_enters.mixed_bets import (
    bets_perplexity,
    cache_bets,
    counted_bets,
    network_bets,
    with_cache,
)

WORDS = 4
TEXT = [0, 1, 2, 3, 0, 1, 3, 2, 0, 1]
ROWS = torch.tensor([TEXT[:5], TEXT[5:]])


@pytest.mark.parametrize("width", [2, 64])
def test_a_model_reads_on_and_its_bets_are_on_the_next_word(width: int) -> None:
    def copier(ids: Tensor, state: int | None) -> tuple[Tensor, int]:
        assert (state or 0) % width == 0
        logits = torch.full((*ids.shape, WORDS), -10.0)
        return logits.scatter(-1, (ids[..., None] + 1) % WORDS, 10.0), (state or 0) + ids.shape[1]

    bets = network_bets(copier, ROWS, width)
    follows = (ROWS[:, 1:] == (ROWS[:, :-1] + 1) % WORDS).double()
    assert torch.allclose(bets, follows, atol=1e-6)


def test_counts_see_the_words_before_and_no_more_than_their_row() -> None:
    counts = KneserNey(TEXT, WORDS, order=3)
    bets = counted_bets(counts, ROWS)
    assert bets.shape == (2, 4)
    assert bets[1, 0] == pytest.approx(counts.probability(TEXT[5:6], TEXT[6]))
    assert bets[1, 3] == pytest.approx(counts.probability(TEXT[7:9], TEXT[9]))


def test_a_cache_forgets_and_a_mixture_is_a_mean() -> None:
    row = torch.tensor([[1, 1, 2, 1, 3]])
    cached = cache_bets(row, last=2)
    assert cached.tolist() == [[1.0, 0.0, 0.5, 0.0]]
    mixed = with_cache(torch.full((1, 4), 0.25, dtype=torch.float64), cached, 0.2)
    assert mixed.tolist() == [pytest.approx([0.4, 0.2, 0.3, 0.2])]
    by_hand = math.exp(-sum(map(math.log, (0.4, 0.2, 0.3, 0.2))) / 4)
    assert bets_perplexity(mixed) == pytest.approx(by_hand)
