"""Whether a file's arrays and a model belong together, said before anything is copied."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM, as_bilm
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.char_cnn_types import parts_of
from elmo_mini.fast.choice import is_of_class
from elmo_mini.fast.projected_lstm import ProjectedLSTM

Model = TypeVar("Model", bound=nn.Module)
SHOWN = 4
PARAMETERS = {"weight", "bias", "projection"}


class _WithoutNumbers(TorchFunctionMode):
    """Draws no start weights: on the meta device, PyTorch needs seconds of imports to draw none."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def planned(make: Callable[[], Model]) -> Model:
    """The model that `make` builds, without numbers: no memory is taken for them."""
    with torch.device("meta"), _WithoutNumbers():
        return make()


def shapes_of(parts: Mapping[str, Tensor]) -> dict[str, tuple[int, ...]]:
    """The shape of each part by its name."""
    return {name: tuple(part.shape) for name, part in parts.items()}


def misfits(
    found: Mapping[str, Any], wanted: Mapping[str, tuple[int, ...]], foreign: Iterable[str] = ()
) -> str:
    """What keeps `found` from being the parts of a model, its first faults in words.

    Parameters
    ----------
    found : name to array or tensor, or to an array of a file, whose numbers are not read
    wanted : name to shape of every part of the model
    foreign : names that must not be there

    Returns
    -------
    such as ``"W_proj (16, 6) is missing; B has shape (40,), not (44,)"``, empty if all fit
    """
    faults = [f"{name} is no part of this model" for name in foreign]
    for name, shape in wanted.items():
        array = found.get(name)
        if array is None:
            faults.append(f"{name} {shape} is missing")
        elif not _is_floating(array):
            kind = getattr(array, "dtype", type(array).__name__)
            faults.append(f"{name} is {kind}, no array of floating-point numbers up to 64 bits")
        elif tuple(array.shape) != shape:
            faults.append(f"{name} has shape {tuple(array.shape)}, not {shape}")
        elif _is_here(array) and not _finite(array):
            faults.append(f"{name} holds numbers that are not finite")
    return "; ".join([*faults[:SHOWN], *(["..."] if len(faults) > SHOWN else [])])


def replaced_parts(bilm: FastBiLM) -> list[str]:
    """The parts that are not of the class they were built with, or have something of their own.

    Their weights alone do not tell what they give. Each is named with its place and its class, and
    with its own methods and clips. What a hook changes is not seen.
    """
    names = {part: name for name, part in bilm.named_modules()}
    parts = list(parts_of(bilm.token_encoder))
    parts += [(layer, ProjectedLSTM) for layer in bilm.layers]
    own = {part: [*_own_methods(part), *_own_clips(part, bilm.options)] for part, _ in parts}
    return [
        " ".join([names[part], type(part).__qualname__, *own[part]])
        for part, kind in parts
        if own[part] or not is_of_class(part, kind)
    ]


def check_weights_are_all(bilm: FastBiLM) -> None:
    """Refuse to write a model that is more than its weights.

    Raises
    ------
    ConfigurationError
        If a part was replaced or has parameters of its own; what reads the file would then make
        another model, or none.
    """
    as_bilm(bilm).check_numbers()
    own = [name for name in bilm.state_dict() if name.rpartition(".")[2] not in PARAMETERS]
    faults = replaced_parts(bilm) or own
    if faults:
        raise ConfigurationError(
            f"this model is more than its weights ({faults[0]}), and the file holds weights alone. "
            "Fold the change into the weights first (merge an adapter, remove_parametrizations, "
            "prune.remove), or keep the model's state_dict together with your own code"
        )


def check_finite_weights(tensors: Mapping[str, Tensor], stored: str = "") -> None:
    """Refuse to write a file that could not be read back.

    Raises
    ------
    ConfigurationError
        If a weight is no finite number as it would be stored.
    """
    for name, tensor in tensors.items():
        if not bool(tensor.isfinite().all()):
            half = tensor.dtype in (torch.float16, torch.bfloat16)
            raise ConfigurationError(
                f"{name} holds numbers that are not finite{stored}, so the file could not be read "
                f"back; {'store it as float32, or ' if half else ''}look for the step at which "
                "training has diverged"
            )


def _own_methods(part: torch.nn.Module) -> list[str]:
    return [f"with its own {name}" for name, value in vars(part).items() if callable(value)]


def _own_clips(part: torch.nn.Module, options: BiLMOptions) -> list[str]:
    names = ("cell_clip", "proj_clip") if isinstance(part, ProjectedLSTM) else ()
    found = [(name, getattr(part, name), getattr(options, name)) for name in names]
    return [f"with {name}={own}" for name, own, built in found if (own or 0) != (built or 0)]


def _is_floating(array: object) -> bool:
    if isinstance(array, Tensor):
        return array.is_floating_point()
    kind = getattr(array, "dtype", None)  # of an array, or of one in a file
    # Not `longdouble`, of another size on every system, which PyTorch does not know.
    return isinstance(kind, np.dtype) and kind.kind == "f" and kind.itemsize <= 8


def _finite(array: Any) -> bool:
    tensor = array if isinstance(array, Tensor) else torch.from_numpy(array)
    return bool(tensor.isfinite().all())


def _is_here(array: object) -> bool:
    """Whether its numbers are in memory, and not in a file or nowhere."""
    return isinstance(array, np.ndarray) or (isinstance(array, Tensor) and not array.is_meta)
