"""The lesson's functions against autograd, brute force and hand-computed numbers."""

import math

import numpy as np
import pytest
import torch

from elmo_mini.models.skip_gram import (
    dynamic_window_pairs,
    full_softmax_loss,
    keep_probability,
    noise_distribution,
    sgns_gradients,
    sgns_loss,
    sgns_step,
    shifted_pmi,
    softmax_cost,
)


def batch(pairs: int = 5, negatives: int = 3, dimension: int = 4) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(pairs, dimension), (pairs, dimension), (pairs, negatives, dimension)]
    return [torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes]


def test_cost_counts_every_word_against_one_plus_k() -> None:
    assert softmax_cost(30_000, 100, 5) == (3_000_000, 600)


def test_full_softmax_is_minus_log_probability() -> None:
    center, table = batch()[0], batch(pairs=7)[1]
    targets = torch.tensor([0, 6, 3, 3, 1])
    probabilities = torch.softmax(center @ table.T, dim=1)
    by_hand = -sum(math.log(probabilities[i, t]) for i, t in enumerate(targets)) / 5
    assert float(full_softmax_loss(center, table, targets)) == pytest.approx(by_hand)


def test_pairs_at_distance_d_survive_with_the_triangular_probability() -> None:
    rng = np.random.default_rng(0)
    tokens = list(range(40))
    kept = np.zeros(5)
    for _ in range(500):
        for a, b in dynamic_window_pairs(tokens, 4, rng):
            kept[abs(a - b)] += 1
    possible = np.array([1, *(500 * 2 * (40 - d) for d in range(1, 5))])
    np.testing.assert_allclose((kept / possible)[1:], [1, 0.75, 0.5, 0.25], atol=0.02)
    assert kept[0] == 0


def test_window_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="window"):
        dynamic_window_pairs([1, 2], 0, np.random.default_rng(0))


def test_subsampling_figures_of_the_two_formulas() -> None:
    f = np.array([0.01])
    assert keep_probability(f, 1e-3, "paper")[0] == pytest.approx(0.3162, abs=1e-4)
    assert keep_probability(f, 1e-3, "code")[0] == pytest.approx(0.4162, abs=1e-4)
    boundary = (3 + math.sqrt(5)) / 2 * 1e-3  # below 2.618 t the code keeps everything
    assert keep_probability(np.array([boundary * 0.999]), 1e-3)[0] == 1.0
    assert keep_probability(np.array([boundary * 1.01]), 1e-3)[0] < 1.0
    with pytest.raises(ValueError, match="formula"):
        keep_probability(f, 1e-3, "other")  # type: ignore[arg-type]


def test_noise_distribution_flattens() -> None:
    p = noise_distribution(np.array([81, 16, 1]))
    np.testing.assert_allclose(p, np.array([27, 8, 1]) / 36)


def test_loss_of_zero_scores_and_of_huge_ones() -> None:
    zeros = torch.zeros(2, 3), torch.ones(2, 3), torch.ones(2, 4, 3)
    assert float(sgns_loss(*zeros)) == pytest.approx(5 * math.log(2))
    huge = torch.full((1, 1), 200.0), torch.full((1, 1), -1.0), torch.full((1, 1, 1), 1.0)
    assert float(sgns_loss(*huge)) == pytest.approx(400.0)


def test_hand_gradients_equal_autograd() -> None:
    tensors = [t.requires_grad_() for t in batch()]
    (sgns_loss(*tensors) * 5).backward()
    for by_hand, tensor in zip(sgns_gradients(*tensors), tensors, strict=True):
        assert tensor.grad is not None
        torch.testing.assert_close(by_hand.detach(), tensor.grad)


def test_step_sums_the_updates_of_a_repeated_word() -> None:
    generator = torch.Generator().manual_seed(1)
    tables = [torch.randn(6, 4, generator=generator, dtype=torch.float64) for _ in range(2)]
    leaves = [t.clone().requires_grad_() for t in tables]
    centers, contexts = torch.tensor([0, 0, 2]), torch.tensor([1, 1, 3])
    negatives = torch.tensor([[4, 4], [1, 5], [3, 0]])
    loss = sgns_loss(leaves[0][centers], leaves[1][contexts], leaves[1][negatives])
    (loss * 3).backward()
    returned = sgns_step(*tables, centers, contexts, negatives, 0.1)
    assert returned == pytest.approx(float(loss.detach()))
    for table, leaf in zip(tables, leaves, strict=True):
        torch.testing.assert_close(table, leaf.detach() - 0.1 * leaf.grad)


def test_shifted_pmi_is_where_the_expected_loss_is_flat() -> None:
    counts = np.array([[8.0, 2.0], [3.0, 7.0]])
    k = 3
    optimum = torch.tensor(shifted_pmi(counts, k), requires_grad=True)
    total = torch.tensor(counts)
    noise = total.sum(1, keepdim=True) * total.sum(0, keepdim=True) / total.sum()
    log_sigmoid = torch.nn.functional.logsigmoid
    (-(total * log_sigmoid(optimum) + k * noise * log_sigmoid(-optimum)).sum()).backward()
    assert optimum.grad is not None
    assert float(optimum.grad.abs().max()) < 1e-12
    assert shifted_pmi(np.array([[0.0, 1.0], [1.0, 1.0]]), 1)[0, 0] == -np.inf
