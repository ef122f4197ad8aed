import numpy as np
import pytest
import torch
from torch.nn import functional

from elmo_mini.errors import ConfigurationError
from elmo_mini.training.pretraining.softmax import (
    AdaptiveSoftmax,
    FullSoftmax,
    SampledSoftmax,
    build_softmax,
    log_expected_count,
    log_uniform_sample,
)

HIDDEN, WORDS = 6, 40


@pytest.fixture
def positions() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(30, HIDDEN), torch.randint(WORDS, (30,))


def test_full_softmax_is_the_formula(positions: tuple[torch.Tensor, torch.Tensor]) -> None:
    hidden, targets = positions
    softmax = FullSoftmax(HIDDEN, WORDS).double()
    torch.nn.init.normal_(softmax.bias)
    scores = np.exp(
        hidden.double().numpy() @ softmax.weight.detach().numpy().T + softmax.bias.detach().numpy()
    )
    p = scores / scores.sum(1, keepdims=True)
    expected = -np.log(p[np.arange(30), targets.numpy()])
    found = softmax(hidden.double(), targets).detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["full", "sampled", "adaptive"])
def test_every_kind_is_a_distribution_over_all_words(kind: str) -> None:
    torch.manual_seed(0)
    softmax = build_softmax(kind, HIDDEN, WORDS, sampled=8)
    hidden = torch.randn(1, HIDDEN).expand(WORDS, HIDDEN)
    p = torch.exp(-softmax.exact(hidden, torch.arange(WORDS)))
    assert p.min() > 0
    assert p.sum().item() == pytest.approx(1, abs=1e-5)


def test_log_uniform_probabilities_sum_to_one_and_fall() -> None:
    one_draw = log_expected_count(torch.arange(WORDS), WORDS, tries=1).exp()
    assert one_draw.sum().item() == pytest.approx(1, abs=1e-5)
    assert (one_draw[1:] < one_draw[:-1]).all()
    expected = np.log((7 + 2) / (7 + 1)) / np.log(WORDS + 1)
    assert one_draw[7].item() == pytest.approx(expected, rel=1e-5)


def test_the_sample_is_distinct_and_as_frequent_as_expected() -> None:
    random = np.random.default_rng(0)
    seen, expected = np.zeros(WORDS), np.zeros(WORDS)
    for _ in range(3000):
        drawn, tries = log_uniform_sample(10, WORDS, random)
        assert len(set(drawn.tolist())) == 10
        assert tries >= 10
        seen[drawn] += 1
        expected += log_expected_count(torch.arange(WORDS), WORDS, tries).exp().numpy()
    np.testing.assert_allclose(seen, expected, rtol=0.2)


def test_the_number_of_tries_is_that_of_the_last_word_kept() -> None:
    drawn, tries = log_uniform_sample(3, 5, np.random.default_rng(1))
    uniform = np.random.default_rng(1).random(6)
    stream = np.floor(np.exp(uniform * np.log(6))).astype(int) - 1
    distinct = list(dict.fromkeys(stream.tolist()))[:3]
    assert drawn.tolist() == distinct
    assert len(set(stream[:tries].tolist())) == 3
    assert len(set(stream[: tries - 1].tolist())) == 2


def test_sampled_loss_is_the_softmax_over_target_and_corrected_negatives(
    positions: tuple[torch.Tensor, torch.Tensor],
) -> None:
    hidden, targets = positions
    torch.manual_seed(3)
    softmax = SampledSoftmax(HIDDEN, WORDS, sampled=12)
    torch.nn.init.normal_(softmax.bias)
    drawn, tries = log_uniform_sample(12, WORDS, np.random.default_rng(5))
    logits = functional.linear(hidden, softmax.weight, softmax.bias)
    logits = logits - log_expected_count(torch.arange(WORDS), WORDS, tries)
    losses = softmax(hidden, targets, seed=5)
    assert set(drawn.tolist()) & set(targets.tolist())  # a negative is some position's target
    for row, target in enumerate(targets.tolist()):
        candidates = [target, *(word for word in drawn.tolist() if word != target)]
        expected = -torch.log_softmax(logits[row, candidates], 0)[0]
        assert losses[row].item() == pytest.approx(expected.item(), abs=1e-5)


def test_the_true_distribution_is_where_the_sampled_loss_is_flat() -> None:
    torch.manual_seed(0)
    p = torch.softmax(torch.randn(WORDS) / 2 - torch.arange(WORDS) * 0.06, 0)
    softmax = SampledSoftmax(HIDDEN, WORDS, sampled=12)
    nothing, targets = torch.zeros(WORDS, HIDDEN), torch.arange(WORDS)

    def slope(bias: torch.Tensor) -> float:
        softmax.bias.data.copy_(bias)
        softmax.bias.grad = None
        for seed in range(500):
            (softmax(nothing, targets, seed) * p).sum().div(500).backward()
        return softmax.bias.grad.abs().sum().item()  # type: ignore[union-attr]

    assert slope(p.log()) < 0.1
    # Without the correction, training would end here.
    assert slope(p.log() - log_expected_count(targets, WORDS, tries=30)) > 0.3


def test_only_the_drawn_words_and_the_targets_get_a_gradient(
    positions: tuple[torch.Tensor, torch.Tensor],
) -> None:
    hidden, targets = positions
    softmax = SampledSoftmax(HIDDEN, WORDS, sampled=5)
    softmax(hidden[:4], targets[:4], seed=2).sum().backward()
    drawn, _ = log_uniform_sample(5, WORDS, np.random.default_rng(2))
    assert softmax.weight.grad is not None
    touched = set(softmax.weight.grad.abs().sum(1).nonzero().flatten().tolist())
    assert touched == set(drawn.tolist()) | set(targets[:4].tolist())


def test_settings_that_cannot_work_are_named() -> None:
    with pytest.raises(ConfigurationError, match="lower the number"):
        SampledSoftmax(HIDDEN, 10, sampled=10)
    with pytest.raises(ConfigurationError, match="at least 16"):
        AdaptiveSoftmax(HIDDEN, 9)
    with pytest.raises(ConfigurationError, match="at least 4 dimensions"):
        AdaptiveSoftmax(3, WORDS)
    with pytest.raises(ConfigurationError, match="full, sampled, adaptive"):
        build_softmax("hierarchical", HIDDEN, WORDS)


def test_the_adaptive_loss_and_its_gradient_are_those_of_pytorchs_module() -> None:
    torch.manual_seed(4)
    softmax = build_softmax("adaptive", 16, 40)
    hidden = torch.randn(200, 16, requires_grad=True)
    targets = torch.randint(40, (200,))
    ours = softmax(hidden, targets)
    theirs = -softmax.clusters(hidden, targets).output  # type: ignore[union-attr]
    torch.testing.assert_close(ours, theirs)
    (gradient,) = torch.autograd.grad(ours.mean(), hidden, retain_graph=True)
    torch.testing.assert_close(gradient, torch.autograd.grad(theirs.mean(), hidden)[0])


def test_losses_are_float32_where_products_are_bfloat16() -> None:
    for kind in ("full", "sampled", "adaptive"):
        softmax = build_softmax(kind, 16, 40, sampled=20)
        hidden, targets = torch.randn(30, 16), torch.randint(40, (30,))
        exact = softmax.exact(hidden, targets)
        with torch.autocast("cpu", torch.bfloat16):
            rough = softmax.exact(hidden, targets)
            assert softmax(hidden, targets).dtype == torch.float32
        torch.testing.assert_close(rough, exact, atol=0.1, rtol=0)
        assert (rough != exact).any()
