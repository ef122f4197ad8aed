"""Running an answer whose result must carry gradients."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import (
    ON_A_COPY,
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    as_tensors,
    call_with_tensors,
    refuse_changed,
    returned,
)
from autograde.checking.judge import with_article

NO_TENSOR = (
    "Your answer leaves PyTorch. The network goes on from here and learns through your function: "
    "stay with `torch`, without NumPy."
)
LISTED = (
    "Return one tensor, not a {kind}: `torch.stack(...)` makes one of tensors that have one shape."
)

GIVEN_FROZEN = (
    "Your answer switches the gradient of `{name}` off, which it was given, and off it stays for "
    "whoever uses it next. Take a copy without a gradient instead: `.detach()`."
)
OWN_FROZEN = (
    "No gradient reaches `{name}`: its `requires_grad` is off, so an optimiser would never change "
    "it. `nn.Embedding.from_pretrained` switches it off unless it is told `freeze=False`."
)
CUT_OFF = (
    "Autograd cannot follow your answer back to `{name}`, so what gives it never learns. Leave out "
    "`.detach()`, `.data` and `torch.no_grad()`."
)
CHANGED_IN_PLACE = (
    "Autograd cannot go back through your answer: a tensor that it needs was changed in place. "
    "Look for `+=`, `x[...] = ` and methods that end in `_`, and make new tensors instead."
)


def slopes(
    total: Tensor, leaves: Mapping[str, Tensor], frozen: str = GIVEN_FROZEN
) -> dict[str, Tensor | None]:
    """The slope of one number for each leaf; None for a leaf that it does not depend on.

    Parameters
    ----------
    leaves : tensors that had ``requires_grad`` on before the answer saw them, by their names
    frozen : what is said of one that has it off now; ``{name}`` stands for its name

    Raises
    ------
    AnswerRefused
        If a leaf has its gradient switched off, or if the way back is broken.
    """
    for name, leaf in leaves.items():
        if not leaf.requires_grad:
            raise AnswerRefused(frozen.format(name=name))
    if not total.requires_grad:
        return dict.fromkeys(leaves)
    try:
        found = torch.autograd.grad(total, [*leaves.values()], allow_unused=True)
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        raise AnswerRefused(CHANGED_IN_PLACE) from error
    return dict(zip(leaves, found, strict=True))


def tensor_of(answer: Callable[[], Any], otherwise: str = NO_TENSOR) -> Tensor:
    """The one tensor that an answer gives.

    Parameters
    ----------
    otherwise : what is said of what is neither one tensor nor several; ``{kind}`` is its type

    Raises
    ------
    AnswerRefused
        If it gives something else, or goes through NumPy.
    """
    try:
        result = returned(answer())
    except RuntimeError as error:
        if "Can't call numpy()" not in str(error):
            raise
        raise AnswerRefused(NO_TENSOR) from error
    if isinstance(result, list | tuple):
        several = bool(result) and all(isinstance(part, Tensor) for part in result)
        if several or otherwise == NO_TENSOR:  # which would speak of NumPy
            kind = "tuple" if isinstance(result, tuple) else "list"
            raise AnswerRefused(LISTED.format(kind=kind))
    if otherwise == NO_TENSOR and isinstance(result, str | bytes | dict | set):
        raise AnswerRefused(f"Return one tensor, not {with_article(type(result).__name__)}.")
    if not isinstance(result, Tensor):
        raise AnswerRefused(otherwise.format(kind=type(result).__name__))
    return result


def loss_and_slopes(
    answer: Answer, inputs: Inputs, *names: str, instead: str = ON_A_COPY
) -> tuple[Tensor, list[Tensor | None]]:
    """The loss that an answer gives, and its slope for each input named; no slopes of no number.

    Parameters
    ----------
    instead : what is said to do instead of changing an argument

    Raises
    ------
    AnswerRefused
        If what it gives is no tensor, if it changes what it was given, or as `slopes` does.
    """
    tensors = {name: as_tensors(value) for name, value in inputs.items()}
    leaves = {name: tensors[name].requires_grad_() for name in names}
    loss = returned(answer(*tensors.values()))
    refuse_changed(inputs, tensors, instead)
    if not isinstance(loss, Tensor):
        number = isinstance(loss, int | float | np.generic)
        way = "the tensor itself, without `.item()` or `float()`" if number else "a tensor"
        raise AnswerRefused(
            f"Your loss is {with_article(type(loss).__name__)}. Return {way}: autograd must be "
            "able to follow it back."
        )
    return loss, [None] * len(leaves) if loss.ndim else [*slopes(loss, leaves).values()]


def lengths_of(found: Mapping[str, Tensor | None]) -> dict[str, float]:
    """The length of each of these `slopes`, in words; 0 where there is none."""
    return {
        gradient_of(name): 0.0 if slope is None else float(slope.square().sum().sqrt())
        for name, slope in found.items()
    }


def gradient_of(name: str) -> str:
    """What is said of a parameter's gradient, lest it be taken for the parameter."""
    return f"length of the gradient for `{name}`"


def run_differentiably(answer: Answer, inputs: Inputs, otherwise: str = NO_TENSOR) -> Plain:
    """As `call_with_tensors`, for an answer that a network is trained through.

    Parameters
    ----------
    otherwise : what is said of what is no tensor, as in `tensor_of`
    """

    def followed(*arguments: Any) -> Any:
        learning = [value.requires_grad_() for value in arguments if value.is_floating_point()]
        result = tensor_of(lambda: answer(*arguments), otherwise)
        if learning and not result.requires_grad:
            raise AnswerRefused(
                "Autograd cannot follow your answer back to what came in, so nothing below it "
                "would ever learn. Leave out `.detach()`, `.data` and `torch.no_grad()`; `argmax`, "
                "comparisons and whole numbers cut it off, too."
            )
        leaves = {
            name: value
            for name, value in zip(inputs, arguments, strict=True)
            if value.is_floating_point()
        }
        for name, slope in slopes(result.sum(), leaves).items():
            if slope is None and _matters(answer, inputs, name, result):
                raise AnswerRefused(CUT_OFF.format(name=name))
        return result

    return call_with_tensors(followed, inputs)


def _matters(answer: Answer, inputs: Inputs, name: str, result: Tensor) -> bool:
    """Whether an answer gives something else where this input is another."""
    arguments = {key: as_tensors(value) for key, value in inputs.items()}
    ripple = torch.arange(arguments[name].numel()).sin().view_as(arguments[name])
    arguments[name] = 2 * arguments[name] + ripple
    with torch.no_grad():
        other = answer(*arguments.values())
    return isinstance(other, Tensor) and not torch.equal(other, result)
