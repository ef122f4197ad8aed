"""Running an answer whose result must carry gradients."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    call_with_tensors,
    returned,
)

NO_TENSOR = (
    "Your answer leaves PyTorch. The network goes on from here and learns through your function: "
    "stay with `torch`, without NumPy."
)


def tensor_of(answer: Callable[[], Any], otherwise: str = NO_TENSOR) -> Tensor:
    """The one tensor that an answer gives.

    Parameters
    ----------
    otherwise : what is said of anything else; ``{kind}`` stands for its type

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
    if not isinstance(result, Tensor):
        raise AnswerRefused(otherwise.format(kind=type(result).__name__))
    return result


def run_differentiably(answer: Answer, inputs: Inputs) -> Plain:
    """As `call_with_tensors`, for an answer that a network is trained through."""

    def followed(*arguments: Any) -> Any:
        for value in arguments:
            if value.is_floating_point():
                value.requires_grad_()
        result = tensor_of(lambda: answer(*arguments))
        if not result.requires_grad:
            raise AnswerRefused(
                "Autograd cannot follow your answer back to what came in, so nothing below it "
                "would ever learn. Leave out `.detach()`, `.data` and `torch.no_grad()`."
            )
        return result

    return call_with_tensors(followed, inputs)
