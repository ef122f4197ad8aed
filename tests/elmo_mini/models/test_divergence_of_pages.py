"""Each loop on the pages stops at the step whose loss is no number, before weights take it in."""

from collections.abc import Callable
from itertools import count

import pytest
import torch
from torch import Tensor, nn

from elmo_mini.divergence import FEWEST, expected
from elmo_mini.models.fine_tuning import CausalLM, Classifier, tune
from elmo_mini.models.glove import train_glove
from elmo_mini.models.lstm_language_model import LSTMLanguageModel, train_windows
from elmo_mini.models.skip_gram import sgns_step, train_skip_gram
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


def rises() -> Callable[..., Tensor]:
    """A loss that is 1 larger at each step."""
    steps = count(1)
    return lambda x, *_: (x.float() ** 2).mean() * 0 + next(steps)


def rising_fine_tuned() -> None:
    model, loss = nn.Linear(2, 2), rises()
    groups = [{"params": list(model.parameters()), "lr": 0.1}]
    fine_tune(model, [[1] * 5], lambda _: loss(model.weight), lambda _: groups, constant)


def rising_windows() -> None:
    model = LSTMLanguageModel(4, 3, 3)
    pair = torch.ones(1, 2).long(), torch.ones(1, 2).long()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    train_windows(model, [pair] * 5, rises(), optimiser, 1.0, lambda _: None)


def rising_tuned() -> None:
    model = Classifier(CausalLM(5, dim=4, heads=1, layers=1, longest=3), 2)
    ids = torch.ones(2, 3).long()
    batches = [(ids, ids.bool(), torch.tensor([label, label])) for label in (0, 1, 1, 1, 1)]
    with torch.no_grad():
        model.head.weight.zero_()
        model.head.bias.copy_(torch.tensor([5.0, 0.0]))
    tune(model, batches, torch.optim.SGD(model.parameters(), lr=0.0), 1, 0.0)


def rising_glove() -> None:
    train_glove(torch.ones(3, 3), rises(), 2, 5, 0.1, lambda *_: None)


@pytest.mark.parametrize("loop", [rising_tuned, rising_fine_tuned, rising_windows, rising_glove])
def test_a_loop_whose_loss_rises_says_so(loop: Callable[[], object]) -> None:
    with pytest.warns(UserWarning, match="the loss rose .* training has diverged; lower"):
        loop()


def skip_gram(rate: float) -> list[float]:
    torch.manual_seed(0)
    pairs, noise = torch.tensor([[0, 1], [2, 3]]).repeat(2 * FEWEST, 1), torch.full((4,), 0.25)
    return train_skip_gram(pairs, noise, sgns_step, 4, 2, 4, rate, lambda *_: None)[2]


def test_a_skip_gram_that_is_no_number_any_more_is_told_and_returned() -> None:
    with pytest.warns(UserWarning, match=r"the loss is (nan|inf); lower rate=1e\+30"):
        losses = skip_gram(1e30)
    assert len(losses) == FEWEST


def test_a_skip_gram_that_learns_nothing_says_so(recwarn: pytest.WarningsRecorder) -> None:
    skip_gram(0.5)
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"nothing was learnt; lower rate=0\.0"):
        skip_gram(0.0)


def test_a_planted_fault_is_not_told(recwarn: pytest.WarningsRecorder) -> None:
    with expected():
        skip_gram(0.0)
        skip_gram(1e30)
    assert not recwarn.list
