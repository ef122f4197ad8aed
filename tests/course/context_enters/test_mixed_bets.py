"""Half of each bet: between a model that knows nothing and counts that do."""

import math

import pytest
import torch
from torch import Tensor

from course.baselines.kneser_ney import KneserNey
from course.context_enters.mixed_bets import mixed_perplexity

WORDS = 4


@pytest.mark.parametrize("width", [2, 64])
def test_the_mean_of_both_bets_is_what_is_scored(width: int) -> None:
    text = [0, 1, 2, 3, 0, 1, 3, 2, 0, 1]
    counts, rows = KneserNey(text, WORDS, order=2), torch.tensor([text[:5], text[5:]])

    def die(ids: Tensor, state: int | None) -> tuple[Tensor, int]:
        assert (state or 0) % width == 0
        return torch.zeros(*ids.shape, WORDS), (state or 0) + ids.shape[1]

    bets = [
        (1 / WORDS + counts.probability(row[:place], row[place])) / 2
        for row in rows.tolist()
        for place in range(1, 5)
    ]
    by_hand = math.exp(-sum(map(math.log, bets)) / len(bets))
    assert mixed_perplexity(die, counts, rows, width) == pytest.approx(by_hand, rel=1e-5)
