"""Modules and optimisers that stand in another process for those of this one, both ways."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograde.marking.asking.stand_ins import ModuleThere
from tests.autograde.marking.asked_there import asked


class Doubled(nn.Module):
    """A layer, and a mode that shows."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        """Twice as much in training."""
        return self.twice(x) if self.training else self.layer(x) * self.scale

    def twice(self, x: Tensor) -> Tensor:
        """A method besides."""
        return 2 * self.scale * self.layer(x)


def _same(model: nn.Module, x: Tensor) -> dict[str, Any]:
    """What is done to a module, there or here."""
    with torch.no_grad():
        for number, weight in enumerate(model.parameters()):
            weight.fill_(number + 0.5)
    x = x.clone().requires_grad_()
    total = model(x).square().sum()
    found = torch.autograd.grad(total, [x, *model.parameters()])
    twin = copy.deepcopy(model)
    with torch.no_grad():
        twin.get_parameter("scale").zero_()
    made: dict[str, Any] = {
        "names": {name: tuple(part.shape) for name, part in model.named_parameters()},
        "total": total.item(),
        "gradients": [slope.tolist() for slope in found],
        "in evaluation": model.eval()(x).tolist(),
        "a method": model.twice(x).tolist(),  # type: ignore[operator]
        "of a copy": twin(x).tolist(),
        "type": type(model).__name__,
    }
    model.double()
    made["in double"] = model(x.double()).tolist()
    model.load_state_dict({name: part + 1 for name, part in model.state_dict().items()})
    return made | {"loaded": model(x.double()).tolist()}


def test_a_module_that_was_made_there_is_used_as_one_of_here() -> None:
    """Weights are set, gradients asked for, modes and number types changed, copies made."""
    x = torch.arange(6.0).view(2, 3)
    with asked(Doubled) as there:
        model = there(3)
        assert isinstance(model, ModuleThere)
        assert _same(model, x) == _same(Doubled(3), x)


def _trained(model: nn.Module, optimiser: Any, x: Tensor, loss_of: Any) -> list[float]:
    losses = []
    model.train()
    for number in range(3):
        loss = loss_of(model(x))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimiser.param_groups[0]["lr"] = 0.1 * (1 + number)
        optimiser.step()
        losses.append(loss.item())
    model.get_parameter("scale").requires_grad_(False)
    model.eval()
    return losses


def test_a_model_and_an_optimiser_of_here_are_trained_from_there() -> None:
    """Each call, gradient and step is one of this side's objects."""
    x, results = torch.arange(6.0).view(2, 3), []
    for far in (False, True):
        torch.manual_seed(1)
        model = Doubled(3)
        rates = []

        class Noted(torch.optim.SGD):
            def step(self, closure: Any = None) -> Any:
                rates.append(self.param_groups[0]["lr"])  # noqa: B023
                return super().step(closure)

        optimiser = Noted(model.parameters(), lr=0.1, momentum=0.5)
        arguments = model, optimiser, x, lambda y: y.square().mean()
        if far:
            with asked(_trained) as there:
                losses = there(*arguments)
        else:
            losses = _trained(*arguments)
        weights = [part.tolist() for part in model.parameters()]
        learns = [part.requires_grad for part in model.parameters()]
        results.append((losses, weights, learns, rates, model.training))
    assert results[0] == results[1]
    assert results[0][3] == pytest.approx([0.1, 0.2, 0.3])


def test_a_part_that_is_put_in_there_is_put_in_here() -> None:
    """One of PyTorch's own, with its weights; and a part of this side's is that part again."""

    def moved(model: nn.Module, other: nn.Module) -> None:
        model.layer = copy.deepcopy(other)
        model.add_module("shared", other)

    model, other = Doubled(2), nn.Linear(2, 2)
    with asked(moved) as there:
        there(model, other)
    assert model.get_submodule("shared") is other
    assert model.layer is not other
    assert torch.equal(model.layer(torch.ones(2)), other(torch.ones(2)))
    assert isinstance(model.layer, nn.Linear)


def test_a_second_way_back_and_a_weight_changed_before_it_are_refused_there_too() -> None:
    """As autograd does in one process; the exercises have sentences for it."""

    def twice(model: nn.Module, x: Tensor) -> None:
        loss = model(x).sum()
        loss.backward()
        loss.backward()

    def too_late(model: nn.Module, optimiser: Any, x: Tensor) -> None:
        loss = model(model(x)).sum()
        loss.backward(retain_graph=True)
        optimiser.step()
        loss.backward()

    model, x = Doubled(2), torch.ones(1, 2)
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    with asked(twice) as there, pytest.raises(RuntimeError, match="second time"):
        there(model, x)
    with asked(too_late) as there, pytest.raises(RuntimeError, match="inplace operation"):
        there(model, optimiser, x)


def test_a_module_of_here_may_be_a_part_of_one_of_there() -> None:
    """A layer, or a class, that an answer builds on: gradients go through both processes."""

    class Around(nn.Module):
        def __init__(self, make: Any) -> None:
            super().__init__()
            self.inner = make(2)
            self.scale = nn.Parameter(torch.tensor(3.0))

        def forward(self, x: Tensor) -> Any:
            return self.inner(x * self.scale)

    slopes = []
    for far in (False, True):
        torch.manual_seed(2)
        x = torch.ones(1, 2)
        if far:
            with asked(Around) as there:
                model = there(Doubled)
                found = torch.autograd.grad(model(x).sum(), [*model.parameters()])
        else:
            model = Around(Doubled)
            found = torch.autograd.grad(model(x).sum(), [*model.parameters()])
        names = [name for name, _ in model.named_parameters()]
        slopes.append({n: s.tolist() for n, s in zip(names, found, strict=True)})
    assert slopes[0] == slopes[1]


@pytest.mark.parametrize("kind", [nn.Linear, nn.LSTM])
def test_a_layer_with_a_hook_stays_here(kind: type[nn.Module]) -> None:
    def refuse(layer: nn.Module, arguments: Any) -> None:
        raise ValueError("not this")

    layer = kind(3, 3)
    layer.register_forward_pre_hook(refuse)
    with asked(lambda model, x: model(x)) as there, pytest.raises(ValueError, match="not this"):
        there(layer, torch.ones(1, 3))


def test_nothing_private_of_an_object_of_here_is_told() -> None:
    """Its weights, parts and methods are; what it was made from, and what it notes, is not."""

    def prying(model: nn.Module) -> list[str]:
        seen = []
        for name in ("notes", "_secret", "__class__", "load_state_dict", "register_buffer"):
            try:
                seen.append(str(model._there.attribute(model, name)))  # type: ignore[operator]
            except AttributeError:
                seen.append("no")
        return seen

    class Noting(Doubled):
        def __init__(self) -> None:
            super().__init__(2)
            self.notes = [1, 2, 3]
            self._secret = 5

    with asked(prying) as there:
        assert there(Noting()) == ["no"] * 5
