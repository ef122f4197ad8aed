"""Calls between two processes, both ways, with gradients through them.

The same class stands on both sides. A call sends arguments and waits for a result; while it waits,
it answers calls that come back, such as those of a function that was handed over as an argument.
What a call has written into its arguments comes back with the result. A tensor that a gradient is
wanted for asks the other side for it (a vector-Jacobian product) when autograd reaches it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.marking.asking.changes import merge
from autograde.marking.asking.errors import rebuilt, told
from autograde.marking.asking.gradients import There, nodes_in, tensors_in
from autograde.marking.asking.random_states import random_states, set_random_state
from autograde.marking.asking.values import Buffers, CannotCross, Tree, Values
from autograde.marking.asking.wire import BadMessage, Gone, Line, Waited

MOST_NESTED = 40
Explain = Callable[[BaseException], dict[str, Any]]


class Peer:
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
        self._states: dict[str, bytes] = {}
        self.forget()

    def forget(self) -> None:
        """Begin anew: no object is known on the other side."""
        self.values = Values(self._function, self.strict)
        self._cut: dict[tuple[int, int], Tensor] = {}
        self._calls = 0

    def serve(self) -> None:
        """Answer what is asked until the line ends."""
        while True:
            self._answer(*self.line.receive())

    def ask(self, what: str, *arguments: Any) -> Any:
        """Send a request, and its answer, or raise what the other side has raised."""
        buffers: Buffers = []
        tree = [self.values.write(argument, buffers) for argument in arguments]
        self.line.send([what, tree, self._state(buffers)], buffers)
        return self._wait(None, ())

    def export(self, value: Any) -> int:
        """A handle by which the other side can call this."""
        return self.values.handle(value)

    def _function(self, handle: int, name: str) -> Callable[..., Any]:
        def there(*arguments: Any, **named: Any) -> Any:
            return self.call(handle, arguments, named)

        there.__name__ = there.__qualname__ = name if name.isidentifier() else "function"
        return there

    def call(self, handle: int, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """Call what the other side knows by this handle."""
        buffers: Buffers = []
        tree = self.values.write([list(arguments), dict(named)], buffers)
        self._calls += 1
        number = self._calls
        state = self._state(buffers)
        self.line.send(["call", [handle, number, tree], state], buffers)
        followed = self._followed([arguments, named])
        return self._wait((number, followed), (arguments, named))

    def _followed(self, value: Any) -> list[Tensor]:
        """Tensors of these arguments that a gradient is wanted for, and leaves sent before."""
        found = {id(leaf): leaf for leaf in tensors_in(value) if leaf.requires_grad}
        for leaf in self.values.mine.values():
            if isinstance(leaf, Tensor) and leaf.requires_grad and leaf.is_leaf:
                found[id(leaf)] = leaf
        return list(found.values()) if torch.is_grad_enabled() else []

    def _wait(self, call: tuple[int, list[Tensor]] | None, given: Any) -> Any:
        while True:
            header, buffers = self.line.receive()
            try:
                kind, body, state = header
            except (TypeError, ValueError):
                raise BadMessage("no message of this protocol") from None
            if kind not in ("return", "raise"):
                self._answer(header, buffers)
                continue
            self._take_state(state, buffers)
            if not isinstance(body, dict):
                raise BadMessage("no answer")
            if "arguments" in body and given:
                _written_back(given, self.values.read(body["arguments"], buffers))
            if kind == "raise":
                raise self._rebuilt(body)
            if call is not None:
                self._follow(body.get("value"), buffers, *call)
            return self.values.read(body.get("value"), buffers)

    def _follow(self, tree: Tree, buffers: Buffers, number: int, inputs: list[Tensor]) -> None:
        """Tie tensors of a result that carry a gradient to what they were made from."""
        new = [node for node in nodes_in(tree) if node.get("g") and node["h"] > 0]
        new = [node for node in new if node["h"] not in self.values.theirs]
        if not new or not torch.is_grad_enabled():
            return
        for node in new:
            if type(node["b"]) is not int or not buffers[node["b"]].dtype.kind == "f":
                raise BadMessage("a gradient of no real number")
        plain = [torch.from_numpy(buffers[node["b"]]).clone() for node in new]
        handles = [node["h"] for node in new]
        outputs = There.apply(self.slopes, number, handles, plain, *(inputs or [torch.ones(())]))
        if not inputs:
            outputs = [value.requires_grad_() for value in plain]
        for handle, output in zip(handles, outputs, strict=True):
            self.values.adopt(handle, output)

    def slopes(self, number: int, outputs: list[int], grads: Any, inputs: list[Tensor]) -> Any:
        """Ask for the gradient of outputs of the other side with respect to one's own tensors."""
        handles = [self.values.handle(value) for value in inputs]
        return self.ask("slopes", number, outputs, grads, handles)

    def _answer(self, header: Any, buffers: Buffers) -> None:
        since = len(self.values.touched)
        given: Any = None
        self._nested += 1
        try:
            kind, tree, state = header
            if self._nested > MOST_NESTED:
                raise RecursionError("calls between the processes, nested without an end")
            self._take_state(state, buffers)
            if kind == "call":
                handle, number, arguments = tree
                target = self.values.mine[handle]
                given = self.values.read(arguments, buffers)
                positional, named = given
                value = target(*self._leaves(positional, number), **self._leaves(named, number))
            elif kind == "slopes":
                value = self._slopes(*[self.values.read(part, buffers) for part in tree])
            else:
                value = self.other(kind, *[self.values.read(part, buffers) for part in tree])
        except (BadMessage, Gone, Waited):
            raise
        except BaseException as error:
            self._reply("raise", {"raised": self._told(error)}, given, since)
        else:
            self._reply("return", {"value": value}, given, since)
        finally:
            self._nested -= 1
            del self.values.touched[since:]

    def other(self, kind: str, *arguments: Any) -> Any:
        """What this side does when it is asked for something that is no call."""
        raise BadMessage(f"no request: {kind[:40]}")

    def _leaves(self, value: Any, number: int) -> Any:
        """Arguments, in which a tensor of this side's own graph begins a graph of its own."""
        if isinstance(value, Tensor) and value.requires_grad and not value.is_leaf:
            handle = self.values.handle(value)
            if handle > 0:
                leaf = value.detach().requires_grad_()
                self._cut[number, handle] = leaf
                return leaf
        if type(value) in (list, tuple):
            parts = [self._leaves(part, number) for part in value]
            same = all(a is b for a, b in zip(parts, value, strict=True))
            return value if same else type(value)(parts)
        if type(value) is dict:
            made = {key: self._leaves(part, number) for key, part in value.items()}
            return value if all(made[key] is value[key] for key in value) else made
        return value

    def _slopes(self, number: int, outputs: list[int], grads: list[Any], inputs: list[int]) -> Any:
        pairs = zip(outputs, grads, strict=True)
        ends = [(self.values.mine[handle], grad) for handle, grad in pairs if grad is not None]
        leaves = [
            self._cut.get((number, -handle)) if handle < 0 else self.values.theirs[handle]
            for handle in inputs
        ]
        wanted = [leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf.requires_grad]
        found: dict[int, Any] = {}
        if wanted and ends:
            slopes = torch.autograd.grad(
                [end for end, _ in ends],
                wanted,
                [grad for _, grad in ends],
                allow_unused=True,
                retain_graph=True,
            )
            found = dict(zip(map(id, wanted), slopes, strict=True))
        return [None if leaf is None else found.get(id(leaf)) for leaf in leaves]

    def _reply(self, kind: str, body: dict[str, Any], given: Any, since: int) -> None:
        buffers: Buffers = []
        answer: dict[str, Any] = {}
        try:
            if "value" in body:
                answer["value"] = self.values.write(body["value"], buffers)
            else:
                answer.update(body)
            if given is not None and self.values.changed(since):
                answer["arguments"] = self.values.write(given, buffers)
            self.line.send([kind, answer, self._state(buffers)], buffers)
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
            return {"yours": yours}
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
            return self._raised[number]
        return rebuilt(found)

    def _state(self, buffers: Buffers) -> dict[str, Any]:
        """How gradients are switched, and the random states that have moved since the last."""
        state: dict[str, Any] = {"grad": torch.is_grad_enabled()}
        for name, now in random_states().items():
            if self._states.get(name) != now:
                self._states[name] = now
                buffers.append(np.frombuffer(now, np.uint8).copy())
                state[name] = len(buffers) - 1
        return state

    def _take_state(self, state: Any, buffers: Buffers) -> None:
        if not isinstance(state, dict):
            raise BadMessage("no state")
        torch.set_grad_enabled(bool(state.get("grad", True)))
        for name in ("torch", "numpy", "python"):
            if name in state:
                try:
                    raw = buffers[state[name]].tobytes()
                    set_random_state(name, raw)
                except (IndexError, TypeError, ValueError, RuntimeError, OverflowError):
                    raise BadMessage("no random state") from None
                self._states[name] = raw


def _written_back(given: Any, came: Any) -> None:
    arguments, named = given
    if not (isinstance(came, list) and len(came) == 2):
        raise BadMessage("no arguments")
    for own, new in zip(arguments, came[0], strict=False):
        merge(own, new)
    merge(dict(named), came[1])
