"""The CRF against enumeration of every label sequence, in float64."""

from itertools import pairwise, product

import pytest
import torch
from torch import Tensor

from elmo_mini.models.crf import (
    forward_step,
    log_partition,
    negative_log_likelihood,
    path_score,
    viterbi,
    viterbi_step,
)

CLOSE = {"rtol": 0.0, "atol": 1e-10}


class Drawn:
    """A batch with padding, K labels, drawn by a seed."""

    def __init__(self, lengths: list[int], k: int, seed: int, scale: float = 1.0) -> None:
        draw = torch.Generator().manual_seed(seed)

        def normal(*shape: int) -> Tensor:
            return scale * torch.randn(*shape, generator=draw, dtype=torch.float64)

        self.lengths, self.k = lengths, k
        self.mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
        self.emissions = normal(len(lengths), max(lengths), k)
        self.labels = torch.randint(k, self.mask.shape, generator=draw)
        self.rest = (normal(k, k), normal(k), normal(k))

    def paths(self, row: int) -> dict[tuple[int, ...], Tensor]:
        """Every label sequence of one sentence and its score, added up number by number."""
        transitions, start, end = self.rest
        found = {}
        for path in product(range(self.k), repeat=self.lengths[row]):
            score = start[path[0]] + end[path[-1]]
            for t, label in enumerate(path):
                score = score + self.emissions[row, t, label]
            for before, after in pairwise(path):
                score = score + transitions[before, after]
            found[path] = score
        return found


@pytest.fixture(params=[([4, 1, 3], 3, 0), ([2, 5], 4, 1), ([1], 2, 2), ([6, 6], 2, 3)])
def drawn(request: pytest.FixtureRequest) -> Drawn:
    return Drawn(*request.param)


def test_path_scores_are_those_of_the_enumeration(drawn: Drawn) -> None:
    scores = path_score(drawn.emissions, drawn.labels, drawn.mask, *drawn.rest)
    for row, n in enumerate(drawn.lengths):
        expected = drawn.paths(row)[tuple(drawn.labels[row, :n].tolist())]
        torch.testing.assert_close(scores[row], expected, **CLOSE)


def test_log_partition_sums_over_every_path(drawn: Drawn) -> None:
    found = log_partition(drawn.emissions, drawn.mask, *drawn.rest)
    for row in range(len(drawn.lengths)):
        every = torch.stack(list(drawn.paths(row).values()))
        torch.testing.assert_close(found[row], every.exp().sum().log(), **CLOSE)


def test_the_probabilities_of_every_path_sum_to_one() -> None:
    drawn = Drawn([3], 3, 5)
    total = 0.0
    for path in product(range(3), repeat=3):
        labels = torch.tensor([path])
        nll = negative_log_likelihood(drawn.emissions, labels, drawn.mask, *drawn.rest)
        assert nll.item() > 0
        total += (-nll).exp().item()
    assert total == pytest.approx(1, abs=1e-10)


def test_viterbi_finds_the_best_of_every_path(drawn: Drawn) -> None:
    found, scores = viterbi(drawn.emissions, drawn.mask, *drawn.rest)
    for row in range(len(drawn.lengths)):
        paths = drawn.paths(row)
        best = max(paths, key=lambda path: paths[path].item())
        assert found[row] == list(best)
        torch.testing.assert_close(scores[row], paths[best], **CLOSE)


@pytest.mark.parametrize("seed", range(8))
def test_of_equally_good_paths_the_one_with_the_smallest_last_labels_wins(seed: int) -> None:
    drawn = Drawn([4, 2], 3, seed)
    drawn.emissions = drawn.emissions.round()
    drawn.rest = tuple(scores.round() for scores in drawn.rest)  # type: ignore[assignment]
    found, _ = viterbi(drawn.emissions, drawn.mask, *drawn.rest)
    for row in range(2):
        paths = drawn.paths(row)
        top = max(score.item() for score in paths.values())
        tied = [path for path, score in paths.items() if score.item() == top]
        assert found[row] == list(min(tied, key=lambda path: path[::-1]))


def test_some_of_those_draws_are_tied() -> None:
    ties = 0
    for seed in range(8):
        drawn = Drawn([4], 3, seed)
        drawn.emissions = drawn.emissions.round()
        drawn.rest = tuple(scores.round() for scores in drawn.rest)  # type: ignore[assignment]
        scores = torch.stack(list(drawn.paths(0).values()))
        ties += int((scores == scores.max()).sum() > 1)
    assert ties >= 2


def test_steps_are_sums_and_maxima_over_the_label_before() -> None:
    drawn = Drawn([2, 2], 4, 7)
    transitions = drawn.rest[0]
    alpha, here = drawn.emissions[:, 0], drawn.emissions[:, 1]
    summed = forward_step(alpha, here, transitions)
    best, back = viterbi_step(alpha, here, transitions)
    for b, j in product(range(2), range(4)):
        arriving = [alpha[b, i] + transitions[i, j] for i in range(4)]
        expected = sum(a.exp() for a in arriving).log() + here[b, j]  # type: ignore[union-attr]
        torch.testing.assert_close(summed[b, j], expected, **CLOSE)
        assert best[b, j] == max(arriving) + here[b, j]
        assert arriving[back[b, j]] == max(arriving)


def test_padding_changes_nothing(drawn: Drawn) -> None:
    more = torch.full((len(drawn.lengths), 3), False)
    mask = torch.cat([drawn.mask, more], 1)
    labels = torch.cat([drawn.labels, torch.full_like(more, 1, dtype=torch.int64)], 1)
    noise = torch.full((*more.shape, drawn.k), 1e4, dtype=torch.float64)
    emissions = torch.cat([drawn.emissions, noise], 1)
    torch.testing.assert_close(
        negative_log_likelihood(emissions, labels, mask, *drawn.rest),
        negative_log_likelihood(drawn.emissions, drawn.labels, drawn.mask, *drawn.rest),
        **CLOSE,
    )
    assert (
        viterbi(emissions, mask, *drawn.rest)[0]
        == (viterbi(drawn.emissions, drawn.mask, *drawn.rest)[0])
    )


def test_log_space_survives_scores_that_exp_does_not() -> None:
    drawn = Drawn([30], 4, 0, scale=1000.0)
    emissions = drawn.emissions.float()
    rest = [scores.float() for scores in drawn.rest]
    found = log_partition(emissions, drawn.mask, *rest)
    _, best = viterbi(emissions, drawn.mask, *rest)
    assert found.isfinite().all()
    torch.testing.assert_close(found, best, rtol=1e-3, atol=0.0)


def test_gradients_of_the_loss_are_right() -> None:
    drawn = Drawn([3, 2], 3, 4)
    inputs = [t.requires_grad_() for t in (drawn.emissions, *drawn.rest)]

    def loss(emissions: Tensor, *rest: Tensor) -> Tensor:
        return negative_log_likelihood(emissions, drawn.labels, drawn.mask, *rest).sum()

    assert torch.autograd.gradcheck(loss, inputs)


@pytest.mark.parametrize("mask", [[[False, False]], [[False, True]], [[1, 1]], [[True]]], ids=str)
def test_bad_masks_are_refused(mask: list[list[int]]) -> None:
    drawn = Drawn([2], 3, 0)
    for call in (log_partition, viterbi):
        with pytest.raises(ValueError, match=r"mask is|padding before"):
            call(drawn.emissions, torch.tensor(mask), *drawn.rest)


def test_sentences_without_any_word_are_refused() -> None:
    drawn = Drawn([2], 3, 0)
    for call in (log_partition, viterbi):
        with pytest.raises(ValueError, match="a sentence has no word"):
            call(drawn.emissions[:, :0], drawn.mask[:, :0], *drawn.rest)
