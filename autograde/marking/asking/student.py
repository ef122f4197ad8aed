"""The student's end of the line: it calls the answer, and says where an error arose."""

import inspect
from collections.abc import Callable
from typing import Any

from autograde.checking.outcomes import _line_of, _not_written, said
from autograde.checking.report import shown
from autograde.checking.work_limit import WorkLimit
from autograde.marking.asking.peer import Peer
from autograde.marking.asking.wire import Line


class StudentPeer(Peer):
    """Answers for one exercise.

    Parameters
    ----------
    name : the exercise's id, for the sentences
    case : called before each case
    """

    def __init__(
        self, line: Line, name: str, answer: Any, case: Callable[[], None] = lambda: None
    ) -> None:
        self.id, self.answer, self.case = name, answer, case
        super().__init__(line, strict=False, explain=self._words)

    def other(self, kind: str, *arguments: Any) -> Any:
        """Begin a case, or say whether the answer can be called."""
        if kind == "begin":
            self.forget()
            self.case()
            return WorkLimit(**arguments[0])(self.answer) if arguments[0] else self.answer
        if kind == "about":
            return self._about([str(name) for name in arguments[0]])
        return super().other(kind, *arguments)

    def _about(self, names: list[str]) -> dict[str, Any]:
        if not callable(self.answer):
            return {"callable": False, "shown": shown(self.answer)}
        try:
            inspect.signature(self.answer).bind(*names)
        except TypeError:
            return {"callable": True, "binds": False}
        except Exception:  # it hides its signature; calling it will tell
            pass
        return {"callable": True, "binds": True}

    def _words(self, error: BaseException) -> dict[str, Any]:
        try:
            if isinstance(error, NotImplementedError):
                return {"sentence": _not_written(self, error, self.answer)}  # type: ignore[arg-type]
            return {"line": _line_of(error, self.answer), "said": said(error)}
        except Exception:
            return {}
