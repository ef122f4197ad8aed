import numpy as np
import pytest
import torch

from elmo_mini.text.batches import (
    LARGEST_GRADIENT,
    batches_of_like_length,
    clipped_step,
    train_on_sentences,
)


def test_batches_hold_every_row_once_and_like_lengths() -> None:
    lengths = np.random.default_rng(1).integers(1, 40, 1003).tolist()
    batches = list(batches_of_like_length(lengths, 10, np.random.default_rng(2)))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1003))
    spread = [max(lengths[r] for r in rows) - min(lengths[r] for r in rows) for rows in batches]
    assert np.mean(spread) < 3


def test_a_step_is_no_longer_than_the_largest_gradient() -> None:
    model = torch.nn.Linear(3, 1, bias=False)
    before = model.weight.detach().clone()
    clipped_step(model, torch.optim.SGD(model.parameters(), lr=1.0), 100 * model.weight.sum())
    assert float((model.weight.detach() - before).norm()) == pytest.approx(
        LARGEST_GRADIENT, rel=1e-4
    )


def test_what_is_minimised_may_hold_more_than_what_is_reported() -> None:
    model = torch.nn.Linear(1, 1)

    def own(rows: list[int]) -> torch.Tensor:
        return 0 * model.weight.sum() + len(rows)

    def more(loss: torch.Tensor) -> torch.Tensor:
        return loss + model.bias.square().sum()

    torch.nn.init.ones_(model.bias)
    losses = train_on_sentences(
        model,
        [3] * 10,
        own,
        epochs=2,
        batch=4,
        learning_rate=0.1,
        seed=0,
        minimised=more,
    )
    assert sorted(losses) == [2, 2, 4, 4, 4, 4]
    assert float(model.bias.detach()) < 0.9
    assert not model.training
