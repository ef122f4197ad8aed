"""The student's end of the line: it calls the answer, and says where an error arose."""

from typing import Any

from autograde.checking.outcomes import _line_of, _not_written, said
from autograde.marking.asking.peer import Peer
from autograde.marking.asking.wire import BadMessage, Line


class StudentPeer(Peer):
    """Answers for one exercise.

    Parameters
    ----------
    name : the exercise's id, for the sentences
    """

    def __init__(self, line: Line, name: str, answer: Any) -> None:
        self.id, self.answer = name, answer
        super().__init__(line, strict=False, explain=self._words)

    def other(self, kind: str, *arguments: Any) -> Any:
        """Begin a case."""
        if kind != "begin":
            raise BadMessage(f"no request: {kind[:40]}")
        self.forget()
        return self.answer

    def _words(self, error: BaseException) -> dict[str, Any]:
        try:
            if isinstance(error, NotImplementedError):
                return {"sentence": _not_written(self, error, self.answer)}  # type: ignore[arg-type]
            return {"line": _line_of(error, self.answer), "said": said(error)}
        except Exception:
            return {}
