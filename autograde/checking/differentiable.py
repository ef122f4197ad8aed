"""Running an answer whose result must carry gradients."""

from typing import Any

from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    call_with_tensors,
)

NO_TENSOR = (
    "Your answer leaves PyTorch. The network goes on from here and learns through your function: "
    "stay with `torch`, without NumPy."
)


def run_differentiably(answer: Answer, inputs: Inputs) -> Plain:
    """As `call_with_tensors`, for an answer that a network is trained through."""

    def followed(*arguments: Any) -> Any:
        for value in arguments:
            if value.is_floating_point():
                value.requires_grad_()
        try:
            result = answer(*arguments)
        except RuntimeError as error:
            if "Can't call numpy()" not in str(error):
                raise
            raise AnswerRefused(NO_TENSOR) from error
        if result is None:
            raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
        if not isinstance(result, Tensor):
            raise AnswerRefused(NO_TENSOR)
        if not result.requires_grad:
            raise AnswerRefused(
                "Autograd cannot follow your answer back to what came in, so nothing below it "
                "would ever learn. Leave out `.detach()`, `.data` and `torch.no_grad()`."
            )
        return result

    return call_with_tensors(followed, inputs)
