"""Does a model run where its parameters are? Asked on a machine that has a CPU only."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

ROOMS = (
    "elmo_mini.models",
    "elmo_mini.tagging",
    "elmo_mini.tasks",
    "elmo_mini.text",
    "elmo_mini.training.steps",
)


class DevicesNamed(TorchFunctionMode):
    """Refuses a tensor that the lesson models' rooms make without saying on which device."""

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        caller = sys._getframe(1)
        if function in _device_constructors() and kwargs.get("device") is None:
            place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
            assert not caller.f_globals["__name__"].startswith(ROOMS), f"no device: {place}"
        return function(*args, **kwargs)


def computes_on_meta(call: Callable[[], object]) -> None:
    """Asserts that a model on the meta device computes until it asks for a number.

    Meta tensors have shapes and no numbers. A tensor on another device stops it before.
    """
    asked = r"item\(\) cannot be called on meta|Cannot copy out of meta|torch.nonzero\(\)"
    with pytest.raises((RuntimeError, NotImplementedError), match=asked):
        call()
