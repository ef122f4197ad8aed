"""The protocol between the process that judges and the one that answers."""

import socket
import threading
import time
from typing import Any

import numpy as np
import pytest
import torch

from autograde.marking.asking.errors import Raised
from autograde.marking.asking.identity import CannotCross
from autograde.marking.asking.wire import HEAD, MAGIC, BadMessage, Gone, Line, Waited
from tests.autograde.marking.asked_there import asked

VALUES = [
    *(None, True, 3, 2.5, float("inf"), "naïve ☃", [1, 2.0, "x"], (1, (2, 3)), {1, 2}),
    *({"a": [1], 2: (3,)}, np.float32(1.5), np.int64(7), np.array(["a", "bc"]), 10**30),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    """Also its type: an answer that returns a list is not one that returns a tuple."""
    with asked(lambda given: given) as same:
        came = same(value)
    assert type(came) is type(value)
    assert np.array_equal(came, value) if isinstance(value, np.ndarray) else came == value


def test_arrays_and_tensors_keep_their_identity_and_what_is_written_into_them() -> None:
    """A function that works in place works on the caller's own table."""

    def step(table: torch.Tensor, counts: np.ndarray, seen: list[int]) -> torch.Tensor:
        table[0] += 1
        counts[1] = 9
        seen.append(4)
        return table

    table, counts, seen = torch.zeros(2, 2), np.zeros(2), [3]
    with asked(step) as there:
        assert there(table, counts, seen) is table
    assert table.tolist() == [[1, 1], [0, 0]]
    assert counts.tolist() == [0, 9]
    assert seen == [3, 4]


def test_a_pair_in_a_list_may_be_replaced_by_what_is_returned() -> None:
    def step(states: list[tuple[torch.Tensor, int]], h: torch.Tensor) -> list[Any]:
        states[0] = (2 * h, 7)
        states[2] = (states[2][0] + 1, 7)
        return [states[0]]

    h = torch.ones(2, requires_grad=True)
    states = [(torch.zeros(2), number) for number in (7, 7, 7)]
    kept = states[1]
    with asked(step) as there:
        (pair,) = there(states, h)
        (slope,) = torch.autograd.grad(pair[0].sum(), h)
    assert [(state.tolist(), number) for state, number in states] == [
        ([2, 2], 7),
        ([0, 0], 7),
        ([1, 1], 7),
    ]
    assert pair[0] is states[0][0]
    assert states[1] is kept
    assert slope.tolist() == [2, 2]


@pytest.mark.parametrize(
    "window",
    [torch.arange(12).view(3, 4)[:, :2], torch.arange(6).view(2, 3).T, torch.arange(6)[::2]],
)
def test_what_is_not_contiguous_stays_so(window: torch.Tensor) -> None:
    """So that an answer that takes `view` of it fails there, too, and not before other markers."""

    def found(table: torch.Tensor) -> list[object]:
        return [table.is_contiguous(), table.tolist()]

    with asked(found) as there:
        assert there(window) == [False, window.tolist()]
        assert there(window.contiguous()) == [True, window.tolist()]


def test_a_gradient_goes_through_the_other_process() -> None:
    """Backwards it asks for a vector-Jacobian product, and gets that of the function there."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with asked(lambda x: (x**3).sum()) as there:
        (2 * there(x)).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6.0, 24.0]


def test_what_comes_back_twice_learns_in_both_places() -> None:
    """Such as a state that was given in one step, and is read twice in the next."""

    def step(x: torch.Tensor, state: tuple[torch.Tensor, ...] = ()) -> torch.Tensor:
        return x * state[0] if state else 2 * x

    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with asked(step) as there:
        state = there(x)
        there(state, (state,)).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [16.0, 24.0]


def test_what_is_detached_there_carries_no_gradient() -> None:
    """An answer that leaves autograd is seen to."""
    x = torch.ones(2, requires_grad=True)
    with asked(lambda x: x.detach() * 2) as there:
        assert not there(x).requires_grad


def test_a_function_that_is_handed_over_is_called_here() -> None:
    """The black box of a question stays with the one who asks."""
    asked_of: list[int] = []

    def box(number: int) -> int:
        asked_of.append(number)
        return number * 10

    with asked(lambda box: box(1) + box(2)) as there:
        assert there(box) == 30
    assert asked_of == [1, 2]


def test_a_seeded_draw_there_is_the_draw_here() -> None:
    """Exercises seed what draws, on this side."""
    torch.manual_seed(3)
    here = torch.rand(3)
    torch.manual_seed(3)
    with asked(lambda: torch.rand(3)) as there:
        assert torch.equal(there(), here)
    rng = np.random.default_rng(5)
    with asked(lambda rng: rng.random()) as there:
        assert [there(rng), rng.random()] == np.random.default_rng(5).random(2).tolist()


def test_an_error_of_the_course_passes_through_the_answer_unchanged() -> None:
    """A callback may refuse, and its refusal comes out where the answer was called."""

    class Refusal(Exception):
        pass

    refusal = Refusal("no")

    def box() -> None:
        raise refusal

    with asked(lambda box: box()) as there, pytest.raises(Refusal) as caught:
        there(box)
    assert caught.value is refusal


def test_an_error_there_has_its_type_and_text() -> None:
    """One of a type that only they know has its name."""

    def fails() -> None:
        raise type("Strange", (Exception,), {})("very")

    with asked(fails) as there, pytest.raises(Raised, match="very") as caught:
        there()
    assert type(caught.value).__name__ == "Strange"
    with asked(lambda: [][1]) as there, pytest.raises(IndexError):
        there()


def test_an_object_of_their_own_is_a_name() -> None:
    """Nothing of it comes over, so nothing of it runs here."""

    class Liar(float):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = float.__hash__

    with asked(lambda: Liar(2.0)) as there:
        assert type(there()) is float
    with asked(lambda: object()) as there:
        assert type(there()).__name__ == "object"


def test_the_courses_side_hands_over_nothing_that_it_does_not_know() -> None:
    """A live object would have to be guessed at."""
    with asked(lambda given: given) as there, pytest.raises(CannotCross):
        there(object())


def _raw(data: bytes) -> Any:
    ours, theirs = socket.socketpair()
    sender = threading.Thread(target=lambda: (theirs.sendall(data), theirs.close()))
    sender.start()
    try:
        return Line(ours).receive()
    finally:
        sender.join()
        ours.close()


@pytest.mark.parametrize(
    "data",
    [
        b"x" * HEAD.size,
        HEAD.pack(MAGIC, 2**31, 0),
        HEAD.pack(MAGIC, 4, 0) + b"nope",
        HEAD.pack(MAGIC, 10_000, 0) + b"[" * 10_000,
        HEAD.pack(MAGIC, 22, 0) + b'["x",[["<f8",[1,1]]]]\n',
        HEAD.pack(MAGIC, 22, 0) + b'["x",[["<f8",[-1,0]]]]'[:22],
        HEAD.pack(MAGIC, 17, 0) + b'["x",[["O",[1]]]]',
        HEAD.pack(MAGIC, 6, 2) + b"[1,[]]ab",
    ],
    ids=["magic", "large", "text", "deep", "short", "negative", "objects", "left over"],
)
def test_a_message_that_is_none_is_refused(data: bytes) -> None:
    """A hostile peer can be refused, and nothing else."""
    with pytest.raises(BadMessage):
        _raw(data)


def test_a_message_that_ends_early_is_the_end_of_the_line() -> None:
    """Its sender is gone."""
    with pytest.raises(Gone):
        _raw(HEAD.pack(MAGIC, 10, 0) + b"[")


def test_the_other_side_cannot_make_a_line_wait_for_ever() -> None:
    """It may hold this end, too, and set on it what it likes."""
    ours, theirs = socket.socketpair()
    until = time.monotonic() + 0.3

    def watch() -> None:
        ours.setblocking(True)
        if time.monotonic() > until:
            raise Waited

    late = threading.Timer(60, theirs.close)  # so that a fault is told, and no test stands still
    late.start()
    theirs.send(b"B")
    try:
        with pytest.raises(Waited):
            Line(ours, watch).receive()
        with pytest.raises(Waited):
            Line(ours, watch).send(["x" * 10_000_000])
    finally:
        late.cancel()
        ours.close()
        theirs.close()


HALVES = [
    pytest.param(b'"\\ud800 x"', "\ufffd x", id="escaped"),
    pytest.param(b'"\xed\xb0\x80"', "\ufffd", id="raw"),
    pytest.param(
        b'{"t": "O", "\\udfff": "\\ud83d\\ude00"}', {"t": "O", "\ufffd": "\U0001f600"}, id="key"
    ),
    pytest.param(b'"\\\\ud800"', "\\ud800", id="a backslash and letters"),
]


@pytest.mark.parametrize(("text", "found"), HALVES)
def test_text_that_no_file_can_hold_does_not_arrive(text: bytes, found: Any) -> None:
    """It would stop whoever writes a verdict or a page with it, and so the marks of a class."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        body = b"[" + text + b", []]"
        theirs.sendall(HEAD.pack(MAGIC, len(body), 0) + body)
        assert Line(ours).receive() == (found, [])


@pytest.mark.parametrize("code", [0xD800, 0xDFFF, 0x110000])
@pytest.mark.parametrize("order", "<>")
def test_an_array_of_text_holds_letters(code: int, order: str) -> None:
    ours, theirs = socket.socketpair()
    raw = np.array([97, code], f"{order}u4").tobytes()
    with ours, theirs:
        body = f'["x", [["{order}U2", [1]]]]'.encode()
        theirs.sendall(HEAD.pack(MAGIC, len(body), len(raw)) + body + raw)
        with pytest.raises(BadMessage, match="no letters"):
            Line(ours).receive()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_that_nobody_can_write_out_crosses_as_a_large_one(sign: int) -> None:
    with asked(lambda given: sign * 7**20_000) as there:
        came = there(0)
    assert sign * came > 10**1000
