"""GloVe's counts by brute force, its loss by hand and by autograd."""

import math

import numpy as np
import pytest
import torch

from elmo_mini.models.glove import cooccurrence_counts, glove_loss, glove_weight


def test_counts_of_one_sentence_by_hand() -> None:
    counts = cooccurrence_counts([[0, 1, 2, 0]], 3, window=2)
    # 0-1 at distances 1 and 2 (place 3 and 1), 0-2 at 2 and 1, 1-2 at 1; 0-0 is three apart.
    np.testing.assert_allclose(counts, [[0, 1.5, 1.5], [1.5, 0, 1], [1.5, 1, 0]])


def test_a_word_beside_itself_counts_for_both_places() -> None:
    assert cooccurrence_counts([[0, 0]], 1, window=3)[0, 0] == 2.0


def test_no_pair_crosses_a_sentence() -> None:
    assert cooccurrence_counts([[0], [1], []], 2, window=5).sum() == 0


def test_weight_rises_to_one_and_stays() -> None:
    weights = glove_weight(np.array([0.0, 1.0, 16.0, 100.0, 1e6]), x_max=100.0, alpha=0.75)
    np.testing.assert_allclose(weights, [0, 100**-0.75, 0.16**0.75, 1, 1])
    assert glove_weight(np.array([25.0]), x_max=100.0, alpha=0.5)[0] == pytest.approx(0.5)


def test_loss_is_the_double_sum_of_the_paper() -> None:
    generator = torch.Generator().manual_seed(0)
    w, c = (torch.randn(n, 3, generator=generator, dtype=torch.float64) for n in (4, 5))
    b, d = (torch.randn(n, generator=generator, dtype=torch.float64) for n in (4, 5))
    counts = torch.tensor(np.random.default_rng(1).integers(0, 20, (4, 5)).astype(float))
    counts[1, 2] = 0.0
    by_hand = 0.0
    for i in range(4):
        for j in range(5):
            x = float(counts[i, j])
            if x:
                error = float(w[i] @ c[j] + b[i] + d[j]) - math.log(x)
                by_hand += min(1.0, (x / 10) ** 0.75) * error**2
    assert float(glove_loss(w, c, b, d, counts, x_max=10.0)) == pytest.approx(by_hand)


def test_the_gradient_survives_pairs_that_never_occur() -> None:
    w = torch.randn(3, 2, requires_grad=True)
    counts = torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    glove_loss(w, torch.randn(3, 2), torch.zeros(3), torch.zeros(3), counts).backward()
    assert w.grad is not None
    assert bool(torch.isfinite(w.grad).all())
    assert float(w.grad[2].abs().max()) == 0
