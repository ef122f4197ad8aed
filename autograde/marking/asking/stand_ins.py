"""What stands on one side for a module or an optimiser that lives on the other.

A module of PyTorch's own is made anew, with the same weights. Of any other only its weights and its
parts are here; what it computes is asked for there.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograde.checking.descent import PlainOptimizer
from autograde.marking.asking.wire import BadMessage

MOST = 1_000_000
MOST_LAYERS = 16
_RECURRENT = (
    *("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout"),
    "bidirectional",
)
AS_THEY_ARE: Mapping[type[nn.Module], tuple[str, ...]] = {
    nn.Linear: ("in_features", "out_features"),
    nn.Embedding: ("num_embeddings", "embedding_dim", "padding_idx"),
    nn.LayerNorm: ("normalized_shape", "eps"),
    nn.Dropout: ("p", "inplace"),
    nn.LSTM: (*_RECURRENT, "proj_size"),
    nn.LSTMCell: ("input_size", "hidden_size"),
    nn.GRU: _RECURRENT,
    nn.ModuleList: (),
    nn.ModuleDict: (),
    nn.Sequential: (),
    nn.Tanh: (),
    nn.ReLU: (),
}
_BY_NAME = {kind.__name__: kind for kind in AS_THEY_ARE}


class Asked:
    """What a stand-in asks the other side for."""

    call: Callable[[Any, tuple[Any, ...], Mapping[str, Any]], Any]
    attribute: Callable[[Any, str], Any]
    copied: Callable[[Any], Any]


class ModuleThere(nn.Module):
    """Stands for a module of the other side: its weights are here, its `forward` is there."""

    def __init__(self, there: Asked) -> None:
        super().__init__()
        self._there = there

    def forward(self, *arguments: Any, **named: Any) -> Any:
        """What the module gives there."""
        return self._there.call(self, arguments, named)

    def __getattr__(self, name: str) -> Any:
        """A weight or a part, which are here, or what is asked for there."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
        return self._there.attribute(self, name)

    def __deepcopy__(self, memo: Any) -> Any:
        """A copy, which is made there."""
        return self._there.copied(self)


class OptimiserThere(PlainOptimizer):
    """Stands for an optimiser of the other side, which takes the steps there."""

    def __init__(self, there: Asked, groups: list[dict[str, Any]]) -> None:
        self._there = there
        super().__init__(groups, {})

    def step(self, closure: Any = None) -> Any:
        """One step with the gradients that are here."""
        with torch.enable_grad():
            loss = closure() if closure is not None else None
        self._there.attribute(self, "step")()
        return loss


def described(module: nn.Module) -> list[Any] | None:
    """How a module of PyTorch's own is made again: its kind and its arguments; hooks stay here."""
    kind = type(module)
    if kind not in AS_THEY_ARE or module._forward_pre_hooks or module._forward_hooks:
        return None
    found = [getattr(module, name) for name in AS_THEY_ARE[kind]]
    plain = [list(value) if isinstance(value, tuple) else value for value in found]
    if kind is nn.Linear:
        plain.append(module.bias is not None)
    return [kind.__name__, plain]


def stand_in(there: Asked, name: str, described: Any) -> nn.Module:
    """A module without weights that stands for one of the other side.

    Raises
    ------
    BadMessage
        If what should make one of PyTorch's own does not.
    """
    if described is None:
        name = name[:80] if name.isidentifier() else "Module"
        made: nn.Module = type(name, (ModuleThere,), {})(there)
        return made
    try:
        kind, arguments = _BY_NAME[described[0]], list(described[1])
        sizes = [size for part in arguments for size in (part if type(part) is list else [part])]
        layers = arguments[2] if issubclass(kind, nn.RNNBase) else 0
        if any(type(size) is int and not -MOST < size < MOST for size in sizes):
            raise BadMessage("a module of no size")
        if any(size is not None and type(size) not in (bool, int, float) for size in sizes):
            raise BadMessage("a module of no size")
        if not 0 <= layers <= MOST_LAYERS:
            raise BadMessage("a module of many layers")
        device = {"device": "meta"} if "device" in inspect.signature(kind).parameters else {}
        if issubclass(kind, nn.RNNBase):
            named = dict(zip(AS_THEY_ARE[kind], arguments, strict=True))
            return kind(**named, device="meta")
        return kind(*arguments, **device)
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, AssertionError) as error:
        raise BadMessage(f"no module ({type(error).__name__})") from None


def put(module: nn.Module, kind: str, name: str, value: Any) -> None:
    """Set a weight, a buffer or a part of a stand-in, whatever its name is; None takes it away."""
    flat = getattr(module, "_flat_weights_names", ())
    if kind == "parameters" and name in flat and isinstance(value, nn.Parameter):
        setattr(module, name, value)  # an RNN has a second list of them
        return
    parts: dict[str, Any] = getattr(module, f"_{kind}")
    parts[name] = value


def offered(owner: Any, name: str) -> bool:
    """Whether the course's side tells of this attribute of an object of its own."""
    if isinstance(owner, torch.optim.Optimizer):
        return name == "step"
    if name.startswith("_") or not isinstance(owner, nn.Module):
        return False
    of_the_course = type(owner).__mro__[: type(owner).__mro__.index(nn.Module)]
    if any(name in vars(kind) for kind in of_the_course):
        return inspect.isfunction(getattr(type(owner), name, None))
    return type(vars(owner).get(name)) in (bool, int, float, str)


def weights_of(module: nn.Module) -> list[Tensor]:
    """The parameters and buffers of a module, without those of its parts."""
    parts = [*module._parameters.values(), *module._buffers.values()]
    return [part for part in parts if part is not None]
