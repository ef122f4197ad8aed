"""Harmless forgeries of answers that make modules, and of answers that are handed live objects.

Each would gain points where a judge believed what it is told of a module, or trained in the
answer's own process. They are bounded, and stay in the process of the answer.
"""

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.marking.asking.gradients import Graph
from autograde.marking.asking.peer import Peer
from autograde.marking.asking.stand_ins import ModuleThere, OptimiserThere

Made = Callable[..., Any]


class Lying(Tensor):
    """Close to everything, whoever asks."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True

    def __eq__(self, other: object) -> Any:
        return True

    __hash__ = Tensor.__hash__


class Parts(nn.Module):
    """The weights of the exercise `LSTM`, and an answer that each forgery writes."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.gates = nn.Linear(inputs + hidden, 4 * hidden)

    def zeros(self, x: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Of the right shapes, with a gradient."""
        nothing = 0 * self.gates.weight.sum() + 0 * x.sum()
        state = torch.zeros(len(x), self.hidden) + nothing
        return torch.zeros(*x.shape[:2], self.hidden) + nothing, (state, state)


class LyingTensors(Parts):
    def forward(self, x: Tensor, state: Any = None) -> Any:
        found, _ = self.zeros(x)
        lying = found.detach().as_subclass(Lying)
        return lying, (lying, lying)


class LooksAtFrames(Parts):
    def forward(self, x: Tensor, state: Any = None) -> Any:
        frame: Any = sys._getframe()
        while frame:
            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                if hasattr(value, "expected") or hasattr(value, "known_outcome"):
                    return value
            frame = frame.f_back
        return self.zeros(x)


class LooksThroughMemory(Parts):
    def forward(self, x: Tensor, state: Any = None) -> Any:
        for value in gc.get_objects():
            if type(value).__name__ == "Outcome":
                return value.view
        return self.zeros(x)


class Patches(Parts):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__(inputs, hidden)
        torch.allclose = torch.equal = lambda *given, **named: True  # type: ignore[assignment]
        torch.autograd.grad = lambda a, b, *given, **named: [torch.ones_like(x) for x in b]  # type: ignore[assignment, misc]
        np.array_equal = np.allclose = lambda *given, **named: True  # type: ignore[assignment]

    def forward(self, x: Tensor, state: Any = None) -> Any:
        return self.zeros(x)


class FromACache(Parts):
    kept: Any = None

    def forward(self, x: Tensor, state: Any = None) -> Any:
        if FromACache.kept is None:
            FromACache.kept = self.zeros(x)
        return FromACache.kept


class LiesOfItsState(Parts):
    def named_parameters(self, *given: Any, **named: Any) -> Any:
        return iter([("gates.weight", torch.ones(3)), ("gates.bias", torch.ones(10**6))])

    def state_dict(self, *given: Any, **named: Any) -> Any:
        return {"points": torch.tensor(5.0)}

    def forward(self, x: Tensor, state: Any = None) -> Any:
        return self.zeros(x)


class InventsGradients(Parts):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__(inputs, hidden)
        Graph.slopes = lambda self, number, outputs, grads, inputs: [  # type: ignore[method-assign]
            torch.ones(()) for _ in inputs
        ]

    def forward(self, x: Tensor, state: Any = None) -> Any:
        return self.zeros(x)


class NeverEnds(Parts):
    def forward(self, x: Tensor, state: Any = None) -> Any:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class Huge(Parts):
    def forward(self, x: Tensor, state: Any = None) -> Any:
        return torch.zeros(150_000_000), (x, x)


class ManyParts(Parts):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__(inputs, hidden)
        self.more = nn.ModuleList(nn.Identity() for _ in range(5_000))


class InItself(Parts):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__(inputs, hidden)
        self._modules["itself"] = self

    def forward(self, x: Tensor, state: Any = None) -> Any:
        return self.zeros(x)


class OfNoSize(Parts):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__(inputs, hidden)
        self.layer = nn.LSTM(2, 2)
        self.layer.num_layers = 10**9


def answers(value: Any) -> type[Parts]:
    """A module that gives this, whatever it is asked."""

    class Fixed(Parts):
        def forward(self, x: Tensor, state: Any = None) -> Any:
            return value

    return Fixed


def is_no_module(inputs: int, hidden: int) -> str:
    """Text in place of a module."""
    return "a module"


def a_layer_of_gigabytes(words: int, size: int, lstm: Any) -> Any:
    """The class that it is given, at a size that would fill the memory of the one who judges."""
    return lstm(12_000, 12_000)


MODULES: dict[str, Made] = {
    "lying tensors": LyingTensors,
    "frames": LooksAtFrames,
    "the garbage collector": LooksThroughMemory,
    "patched functions": Patches,
    "a cache": FromACache,
    "a state that lies": LiesOfItsState,
    "gradients of its own making": InventsGradients,
    "a forward without an end": NeverEnds,
    "a huge result": Huge,
    "thousands of parts": ManyParts,
    "a module in itself": InItself,
    "a layer of no size": OfNoSize,
    "text": answers("right"),
    "the class of the answer": answers(Parts),
    "nothing": answers(None),
    "a module for a tensor": answers(nn.Linear(2, 2)),
    "numbers that are none": answers((torch.tensor(float("nan")), (torch.ones(1), torch.ones(1)))),
    "no module": is_no_module,
}


def the_losses_alone(model: Any, windows: Any, *given: Any) -> list[float]:
    """Of a training that never took place."""
    return [2.0 - number / 100 for number in range(len(windows))]


def the_loop_without_steps(
    model: Any, windows: Any, loss_of: Any, optimiser: Any, clip: float, look: Any
) -> list[float]:
    """All calls in their order, and `step` is one of its own."""
    OptimiserThere.step = lambda self, closure=None: None  # type: ignore[method-assign]
    losses, state = [], None
    for number, (x, y) in enumerate(windows):
        logits, state = model(x, state)
        state = tuple(part.detach() for part in state)
        loss = loss_of(logits, y)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        look(number + 1)
        losses.append(loss.item())
    return losses


def a_model_of_its_own(model: Any, windows: Any, *given: Any) -> list[float]:
    """A forward that tells the course nothing."""
    ModuleThere.forward = lambda self, *a, **k: (torch.zeros(1, 1, 7), None)  # type: ignore[method-assign]
    return the_losses_alone(model, windows)


def writes_the_weights(model: Any, windows: Any, *given: Any) -> list[float]:
    """Huge, of other shapes, no numbers."""
    for number, part in enumerate(model.parameters()):
        part.data = torch.full((3,) if number else part.shape, float("inf"))
    return the_losses_alone(model, windows)


def asks_without_an_end(model: Any, windows: Any, *given: Any) -> list[float]:
    """Call after call."""
    while True:
        model(windows[0][0])


def asks_for_much(
    model: Any, windows: Any, loss_of: Any, optimiser: Any, clip: float, look: Any
) -> list[float]:
    """Sizes that would fill the memory of the one who judges."""
    for _ in range(20):
        loss_of(torch.zeros(20_000_000, 1, 1), torch.zeros(1, dtype=torch.long))
    return the_losses_alone(model, windows)


def asks_for_the_answer(model: Any, windows: Any, *given: Any) -> Any:
    """Whatever the other end would tell."""
    peer = next(found for found in gc.get_objects() if isinstance(found, Peer))
    for name in ("__class__", "__globals__", "windows", "states", "reference"):
        try:
            return peer.attribute(model, name)
        except AttributeError:
            continue
    return peer.ask("expected")


def gives_back_a_model(model: Any, windows: Any, *given: Any) -> Any:
    """An object in place of numbers."""
    return model


def takes_a_part_away(model: Any, windows: Any, *given: Any) -> list[float]:
    """The judge's own model, without what it needs."""
    del model.table, model.lstm
    return the_losses_alone(model, windows)


def ends_in_a_callback(model: Any, windows: Any, *given: Any) -> list[float]:
    """The process is gone while the other end waits."""
    import os

    model.register_forward_pre_hook(lambda *_: os._exit(0))
    model(windows[0][0])
    return []


HANDED: dict[str, Made] = {
    "the losses alone": the_losses_alone,
    "a step of its own": the_loop_without_steps,
    "a model of its own": a_model_of_its_own,
    "the weights are written": writes_the_weights,
    "calls without an end": asks_without_an_end,
    "calls with huge arguments": asks_for_much,
    "it asks for the answer": asks_for_the_answer,
    "a model in place of losses": gives_back_a_model,
    "a part is taken away": takes_a_part_away,
    "the end of the process": ends_in_a_callback,
}
