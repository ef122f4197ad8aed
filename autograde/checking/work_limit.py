"""How much an answer may compute in one call, counted in operations rather than seconds."""

import copy
import functools
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograde.checking.answers import Answer, AnswerRefused

NOT_COUNTED = ("torch", "autograde.proving")


class TooMuchWork(AnswerRefused):
    """An answer has passed its limit; the text is the limit's ``sentence``."""


@dataclass(frozen=True)
class WorkLimit:
    """Refuses an answer whose work grows out of all bounds, on every machine alike.

    Parameters
    ----------
    sentence : what the answer is told
    steps : PyTorch's functions in one call
    numbers : in the largest tensor
    calls : of functions in plain Python
    bytes_at_once : of NumPy and Python, together; 0 for no limit. PyTorch's are not counted
    """

    sentence: str
    steps: int = 50_000
    numbers: int = 100_000
    calls: int = 200_000
    bytes_at_once: int = 0

    def __call__(self, answer: Answer) -> Answer:
        """The answer, which raises `TooMuchWork` where it passes the limit."""

        @functools.wraps(answer)
        def limited(*arguments: Any, **named: Any) -> Any:
            work = functools.partial(answer, *arguments, **named)
            if not self.bytes_at_once:
                with _Counting(self):
                    return work()
            again = copy.deepcopy((arguments, named))
            with _Counting(self):
                result, needed = _measured(work)
            if needed > self.bytes_at_once:  # once more: modules may have been loaded
                _, needed = _measured(lambda: answer(*again[0], **again[1]))
            if needed > self.bytes_at_once:
                raise TooMuchWork(self.sentence)
            return result

        return limited


class _Counting(TorchFunctionMode):
    def __init__(self, limit: WorkLimit) -> None:
        super().__init__()
        self.limit, self.steps, self.calls = limit, 0, 0

    def __enter__(self) -> Any:
        self._before = sys.getprofile()
        sys.setprofile(self._count)
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        sys.setprofile(self._before)
        super().__exit__(*error)

    def _count(self, frame: Any, event: str, argument: Any) -> None:
        """Count the calls of a search in plain Python, which PyTorch does not see."""
        of_others = frame.f_globals.get("__name__", "").startswith(NOT_COUNTED)
        self.calls += event in ("call", "c_call") and not of_others
        if self.calls > self.limit.calls:
            raise TooMuchWork(self.limit.sentence)

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        self.steps += 1
        result = func(*args, **(kwargs or {}))
        large = isinstance(result, Tensor) and result.numel() > self.limit.numbers
        if self.steps > self.limit.steps or large:
            raise TooMuchWork(self.limit.sentence)
        return result


def _measured(work: Callable[[], Any]) -> tuple[Any, int]:
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        result = work()
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        if not running:
            tracemalloc.stop()
