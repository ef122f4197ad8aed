"""Calls between two processes, both ways, with gradients through them.

The same class stands on both sides. A call sends arguments and waits for a result; while it waits,
it answers calls that come back, such as those of a function that was handed over as an argument.
What a call has written into its arguments comes back with the result. A tensor that a gradient is
wanted for asks the other side for it (a vector-Jacobian product) when autograd reaches it.
"""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn

from autograde.marking.asking.changes import merge
from autograde.marking.asking.errors import rebuilt, told
from autograde.marking.asking.gradients import Graph
from autograde.marking.asking.identity import Buffers, CannotCross
from autograde.marking.asking.live import Live
from autograde.marking.asking.stand_ins import Asked, offered
from autograde.marking.asking.state import State
from autograde.marking.asking.values import Values
from autograde.marking.asking.wire import BadMessage, Gone, Line, Waited

MOST_NESTED = 40
Explain = Callable[[BaseException], dict[str, Any]]


class Peer(Asked):
    """One end of the line.

    Parameters
    ----------
    strict : whether this is the course's side, which hands over nothing unknown
    explain : adds words to an error that is sent, such as its line
    """

    def __init__(self, line: Line, *, strict: bool, explain: Explain | None = None) -> None:
        self.line, self.strict = line, strict
        self._explain: Explain = explain or (lambda error: {})
        self._nested = 0
        self._raised: list[BaseException] = []
        self._state = State()
        self.forget()

    def forget(self) -> None:
        """Begin anew: no object is known on the other side."""
        self.values = Values(self._function, self.strict)
        self.live = Live(self.values, self)
        self.graph = Graph(self.values, self.live, self._slopes_of)
        self._calls = 0

    def serve(self) -> None:
        """Answer what is asked until the line ends."""
        while True:
            self._answer(*self.line.receive())

    def ask(self, what: str, *arguments: Any) -> Any:
        """Send a request, and its answer, or raise what the other side has raised."""
        buffers: Buffers = []
        tree = [self.values.write(argument, buffers) for argument in arguments]
        self._send(what, tree, buffers)
        return self._wait(None, ())

    def _function(self, handle: int, name: str) -> Callable[..., Any]:
        def there(*arguments: Any, **named: Any) -> Any:
            return self.call(there, arguments, named)

        there.__name__ = there.__qualname__ = name if name.isidentifier() else "function"
        vars(there)["asked_of"] = self  # the same in all cases, where `there` is another
        return there

    def call(self, there: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """Call what this stands for on the other side."""
        buffers: Buffers = []
        tree = self.values.write([list(arguments), dict(named)], buffers)
        self._calls += 1
        number, since = self._calls, len(self.graph.lent)
        self._send("call", [-self.values.handle(there), number, tree], buffers)
        return self._wait((number, since), (arguments, named))

    def attribute(self, there: Any, name: str) -> Any:
        """What an object of the other side has under this name."""
        return self.ask("attribute", there, name)

    def copied(self, there: Any) -> Any:
        """A copy of a module of the other side, there."""
        return self.ask("copy", there)

    def _slopes_of(self, number: int, outputs: list[int], grads: Any, inputs: list[Tensor]) -> Any:
        handles = [self.values.handle(value) for value in inputs]
        return self.ask("slopes", number, outputs, grads, handles)

    def _send(self, kind: str, body: Any, buffers: Buffers) -> None:
        state = self._state.write(self.live, buffers)
        self.line.send([kind, body, state], buffers)

    def _wait(self, call: tuple[int, int] | None, given: Any) -> Any:
        while True:
            header, buffers = self.line.receive()
            try:
                kind, body, state = header
            except (TypeError, ValueError):
                raise BadMessage("no message of this protocol") from None
            if kind not in ("return", "raise"):
                self._answer(header, buffers)
                continue
            self._state.take(state, self.live, buffers)
            if not isinstance(body, dict):
                raise BadMessage("no answer")
            value = None
            if kind == "return":  # it was written first, so what is also an argument is new in it
                if call is not None:
                    self._followed(body.get("value"), buffers, given, *call)
                value = self.values.read(body.get("value"), buffers)
            if "arguments" in body and given:
                _written_back(given, self.values.read(body["arguments"], buffers))
            if kind == "raise":
                raise self._rebuilt(body)
            return value

    def _followed(self, tree: Any, buffers: Buffers, given: Any, number: int, since: int) -> None:
        try:
            self.graph.follow(tree, buffers, given, number, since)
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
            raise BadMessage(f"no result ({type(error).__name__})") from None

    def _answer(self, header: Any, buffers: Buffers) -> None:
        if self.line.watch is not None:
            self.line.watch()
        since, number = len(self.values.touched), 0
        given: Any = None
        self._nested += 1
        try:
            kind, tree, state = header
            if self._nested > MOST_NESTED:
                raise RecursionError("calls between the processes, nested without an end")
            self._state.take(state, self.live, buffers)
            if kind == "call":
                handle, number, arguments = tree
                target = self.values.mine[handle]
                given = self.values.read(arguments, buffers)
                positional, named = (self.graph.leaves(part, number) for part in given)
                value = target(*positional, **named)
            else:
                value = self.other(kind, *[self.values.read(part, buffers) for part in tree])
        except (BadMessage, Gone, Waited):
            raise
        except BaseException as error:
            self._reply("raise", {"raised": self._told(error)}, given, since, number)
        else:
            self._reply("return", {"value": value}, given, since, number)
        finally:
            self._nested -= 1
            del self.values.touched[since:]

    def other(self, kind: str, *arguments: Any) -> Any:
        """What this side does when it is asked for something that is no call."""
        if kind == "slopes":
            return self.graph.slopes(*arguments)
        if kind == "attribute":
            return self._attribute(*arguments)
        if kind == "copy" and isinstance(arguments[0], nn.Module):
            return copy.deepcopy(arguments[0])
        raise BadMessage(f"no request: {kind[:40]}")

    def _attribute(self, owner: Any, name: str) -> Any:
        if self.strict and not offered(owner, name):
            kind = type(owner).__name__
            raise AttributeError(f"'{kind}' object has no attribute '{str(name)[:80]}'")
        return getattr(owner, name)

    def _reply(self, kind: str, body: dict[str, Any], given: Any, since: int, number: int) -> None:
        buffers: Buffers = []
        answer: dict[str, Any] = {}
        try:
            if "value" in body:
                answer["value"] = self.values.write(body["value"], buffers)
                self.graph.ends(answer["value"], number)
            else:
                answer.update(body)
            if given is not None and self.values.changed(since):
                answer["arguments"] = self.values.write(given, buffers)
            self._send(kind, answer, buffers)
        except CannotCross:
            if self.strict:
                raise
            error = TypeError("what was returned cannot leave the process")
            self.line.send(["raise", {"raised": self._told(error)}, {}])
        except BadMessage as large:
            too_large = MemoryError(f"what was returned is too large: {large}")
            self.line.send(["raise", {"raised": self._told(too_large)}, {}])

    def _told(self, error: BaseException) -> dict[str, Any]:
        yours = getattr(error, "of_the_other_side", None)
        if isinstance(yours, int):
            return self._explain(error) | {"yours": yours}
        self._raised.append(error)
        return {"id": len(self._raised) - 1} | told(error) | self._explain(error)

    def _rebuilt(self, body: dict[str, Any]) -> BaseException:
        found = body.get("raised")
        if not isinstance(found, dict):
            raise BadMessage("no error")
        if "yours" in found:
            number = found["yours"]
            if type(number) is not int or not 0 <= number < len(self._raised):
                raise BadMessage("no error")
            self._raised[number].told = found  # type: ignore[attr-defined]
            return self._raised[number]
        return rebuilt(found)


def _written_back(given: Any, came: Any) -> None:
    arguments, named = given
    if not (isinstance(came, list) and len(came) == 2):
        raise BadMessage("no arguments")
    for own, new in zip(arguments, came[0], strict=False):
        merge(own, new)
    merge(dict(named), came[1])
