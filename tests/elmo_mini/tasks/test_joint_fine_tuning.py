"""The loop that watches, and the weight of the old loss."""

import pytest
import torch
from torch import Tensor, nn

from elmo_mini.tasks.joint_fine_tuning import safe_weight, tune_and_watch


def test_it_looks_before_within_and_after() -> None:
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    steps: list[int] = []

    def loss_of(batch: int) -> Tensor:
        assert model.training
        steps.append(batch)
        return model(torch.tensor([[1.0, float(batch)]])).square().sum()

    def watch() -> tuple[int, bool, bool]:
        return len(steps), model.training, torch.is_grad_enabled()

    losses, seen = tune_and_watch(model, [5, 6, 7, 8, 9], loss_of, 0.01, watch, 2)
    assert steps == [5, 6, 7, 8, 9]
    assert len(losses) == 5
    assert seen == [(at, False, False) for at in (0, 2, 4, 5)]
    assert not model.training


def test_an_old_loss_holds_what_the_task_would_move() -> None:
    ends = {}
    for weight in (0.0, 50.0):
        value = nn.Linear(1, 1, bias=False)
        nn.init.zeros_(value.weight)
        tune_and_watch(
            value,
            [None] * 60,
            lambda _, value=value: (value.weight - 1).square().sum(),  # type: ignore[misc]
            0.05,
            lambda: None,
            60,
            lambda value=value: value.weight.square().sum(),  # type: ignore[misc]
            weight,
        )
        ends[weight] = value.weight.item()
    assert ends[0.0] > 0.7
    assert abs(ends[50.0]) < 0.1


@pytest.mark.parametrize("along", [-2.0, -0.1, 0.0, 3.0])
def test_a_small_step_with_the_safe_weight_leaves_the_old_loss(along: float) -> None:
    torch.manual_seed(1)
    at = torch.randn(6, dtype=torch.float64, requires_grad=True)
    aim = torch.randn(6, dtype=torch.float64)

    def old_loss(x: Tensor) -> Tensor:
        return (x - aim).square().sum()

    (old,) = torch.autograd.grad(old_loss(at), at)
    aside = torch.randn(6, dtype=torch.float64)
    task = along * old + aside - (aside @ old) / (old @ old) * old
    weight = safe_weight([task[:2], task[2:]], [old[:2], old[2:]])
    assert weight == pytest.approx(max(0.0, -along))
    rate = 1e-7
    change = old_loss(at - rate * (task + weight * old)) - old_loss(at)
    slope = change.item() / rate
    assert slope == pytest.approx(-max(0.0, along) * float(old @ old), abs=1e-4)
