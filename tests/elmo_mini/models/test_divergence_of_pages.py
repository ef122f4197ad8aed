"""Each loop on the pages stops at the step whose loss is no number, before weights take it in."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from elmo_mini.models.fine_tuning import CausalLM, Classifier, tune
from elmo_mini.models.glove import train_glove
from elmo_mini.models.lstm_language_model import LSTMLanguageModel, train_windows
from elmo_mini.models.ulmfit import constant, fine_tune

STOP = 2


def breaks(value: float) -> Callable[..., Tensor]:
    """A loss of the first tensor's, and this value from step `STOP` on."""
    calls = iter(range(100))

    def loss_of(x: Tensor, *rest: Tensor) -> Tensor:
        return (x.float() ** 2).mean() * (1.0 if next(calls) < STOP else value)

    return loss_of


class Spoilt(Classifier):
    """A classifier whose logits are no numbers from step `STOP` on."""

    calls = 0

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        logits = super().forward(ids, mask)
        self.calls += 1
        return logits if self.calls <= STOP else logits * torch.nan


def tuned(value: float) -> nn.Module:
    model = Spoilt(CausalLM(5, dim=4, heads=1, layers=1, longest=3), 2)
    batch = torch.ones(2, 3).long(), torch.ones(2, 3).bool(), torch.tensor([0, 1])
    tune(model, [batch] * 5, torch.optim.SGD(model.parameters(), lr=0.1), 1, 0.0)
    return model


def fine_tuned(value: float) -> nn.Module:
    model, loss = nn.Linear(2, 2), breaks(value)
    groups = [{"params": list(model.parameters()), "lr": 0.1}]
    fine_tune(model, [[1] * 5], lambda _: loss(model.weight), lambda _: groups, constant)
    return model


def windows(value: float) -> nn.Module:
    model = LSTMLanguageModel(4, 3, 3)
    pair = torch.ones(1, 2).long(), torch.ones(1, 2).long()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    train_windows(model, [pair] * 5, breaks(value), optimiser, 1.0, lambda _: None)
    return model


def glove(value: float) -> None:
    train_glove(torch.ones(3, 3), breaks(value), 2, 5, 0.1, lambda *_: None)


@pytest.mark.parametrize("loop", [tuned, fine_tuned, windows, glove])
@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_loop_says_at_which_step_it_diverged(
    loop: Callable[[float], object], value: float
) -> None:
    torch.manual_seed(0)
    with pytest.raises(
        FloatingPointError, match=rf"^step {STOP}: the loss is (nan|inf); lower the"
    ):
        loop(value)
