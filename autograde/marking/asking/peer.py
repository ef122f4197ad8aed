"""Calls between two processes, both ways, with gradients through them.

The same class stands on both sides. A call sends arguments and waits for a result; while it waits it
answers calls that come back, such as those of a function that was handed over as an argument. What a
call has written into its arguments comes back with the result. A tensor that a gradient is wanted
for asks the other side for it (a vector-Jacobian product) when autograd reaches it.
"""

import builtins
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.marking.asking.values import Buffers, CannotCross, Tree, Values, merge
from autograde.marking.asking.wire import BadMessage, Gone, Line, Waited

MOST_NESTED = 40
TOLD = 2_000
_SAME_NAME = {
    name: error
    for name, error in vars(builtins).items()
    if isinstance(error, type)
    and issubclass(error, Exception)
    and not issubclass(error, UnicodeError | StopIteration | StopAsyncIteration | Warning)
}
Explain = Callable[[BaseException], dict[str, Any]]


class Raised(Exception):
    """What another process has raised, in so far as it has a type of its own there."""


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
        found = {id(leaf): leaf for leaf in _tensors(value) if leaf.requires_grad}
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
        new = [node for node in _nodes(tree) if node.get("g") and node["h"] > 0]
        new = [node for node in new if node["h"] not in self.values.theirs]
        if not new or not torch.is_grad_enabled():
            return
        for node in new:
            if type(node["b"]) is not int or not buffers[node["b"]].dtype.kind == "f":
                raise BadMessage("a gradient of no real number")
        plain = [torch.from_numpy(buffers[node["b"]]).clone() for node in new]
        handles = [node["h"] for node in new]
        outputs = _There.apply(self, number, handles, plain, *(inputs or [torch.ones(())]))
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
            error = MemoryError(f"what was returned is too large: {large}")
            self.line.send(["raise", {"raised": self._told(error)}, {}])

    def _told(self, error: BaseException) -> dict[str, Any]:
        yours = getattr(error, "of_the_other_side", None)
        if isinstance(yours, int):
            return {"yours": yours}
        self._raised.append(error)
        try:
            text = "" if isinstance(error, SystemExit) and error.code is None else str(error)
        except BaseException:
            text = ""
        told = {"type": type(error).__name__, "text": text[:TOLD], "id": len(self._raised) - 1}
        return told | self._explain(error)

    def _rebuilt(self, body: dict[str, Any]) -> BaseException:
        told = body.get("raised")
        if not isinstance(told, dict):
            raise BadMessage("no error")
        if "yours" in told:
            number = told["yours"]
            if type(number) is not int or not 0 <= number < len(self._raised):
                raise BadMessage("no error")
            return self._raised[number]
        name = str(told.get("type"))
        if name not in _SAME_NAME and not name.isidentifier():
            name = "Exception"
        kind = _SAME_NAME.get(name) or type(name[:80], (Raised,), {})
        text = str(told.get("text"))[:TOLD]
        try:
            error: BaseException = kind(text)
        except TypeError:
            error = Raised(text)
        if kind is KeyError:
            error = type("KeyError", (LookupError,), {})(text)  # whose text has quotes already
        error.told = told  # type: ignore[attr-defined]
        error.of_the_other_side = told.get("id")  # type: ignore[attr-defined]
        return error

    def _state(self, buffers: Buffers) -> dict[str, Any]:
        """How gradients are switched, and the random states that have moved since the last message."""
        state: dict[str, Any] = {"grad": torch.is_grad_enabled()}
        for name, now in _random_states().items():
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
                    _set_random_state(name, raw)
                except (IndexError, TypeError, ValueError, RuntimeError, OverflowError):
                    raise BadMessage("no random state") from None
                self._states[name] = raw


class _There(torch.autograd.Function):
    """Tensors that were computed in the other process, and the way back to their inputs."""

    @staticmethod
    def forward(ctx: Any, peer: Peer, number: int, handles: list[int], values: Any, *inputs: Tensor) -> Any:
        ctx.peer, ctx.number, ctx.handles, ctx.inputs = peer, number, handles, inputs
        ctx.set_materialize_grads(False)
        return tuple(values)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        found = ctx.peer.slopes(ctx.number, ctx.handles, list(grads), list(ctx.inputs))
        slopes = []
        for slope, leaf in zip(found, ctx.inputs, strict=True):
            if slope is not None and (not isinstance(slope, Tensor) or slope.shape != leaf.shape):
                raise BadMessage("no gradient")
            slopes.append(slope)
        return (None, None, None, None, *slopes)


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, list | tuple | Mapping):
        return [leaf for part in parts for leaf in _tensors(part)]
    return []


def _nodes(tree: Tree) -> list[dict[str, Any]]:
    """The tensors of a tree."""
    if isinstance(tree, list):
        return [node for part in tree for node in _nodes(part)]
    if isinstance(tree, dict):
        if tree.get("t") == "T" and type(tree.get("h")) is int:
            return [tree]
        return _nodes(tree.get("v"))
    return []


def _written_back(given: Any, came: Any) -> None:
    arguments, named = given
    if not (isinstance(came, list) and len(came) == 2):
        raise BadMessage("no arguments")
    for own, new in zip(arguments, came[0], strict=False):
        merge(own, new)
    merge(dict(named), came[1])


def _random_states() -> dict[str, bytes]:
    legacy = np.random.get_state(legacy=True)
    key = np.asarray(legacy[1], np.uint32).tobytes()
    tail = np.array([legacy[2], legacy[3]], np.int64).tobytes() + np.float64(legacy[4]).tobytes()
    return {
        "torch": torch.get_rng_state().numpy().tobytes(),
        "numpy": key + tail,
        "python": np.array(random.getstate()[1], np.uint32).tobytes(),
    }


def _set_random_state(name: str, raw: bytes) -> None:
    if name == "torch":
        torch.set_rng_state(torch.frombuffer(bytearray(raw), dtype=torch.uint8))
    elif name == "numpy":
        key, tail = np.frombuffer(raw[:2496], np.uint32), np.frombuffer(raw[2496:2512], np.int64)
        gauss = float(np.frombuffer(raw[2512:], np.float64)[0])
        position, has_gauss = int(tail[0]), int(tail[1])
        if len(key) != 624 or not 0 <= position <= 624:
            raise ValueError
        np.random.set_state(("MT19937", key, position, int(bool(has_gauss)), gauss))
    else:
        words = np.frombuffer(raw, np.uint32).tolist()
        random.setstate((3, tuple(words), None))
