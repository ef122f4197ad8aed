"""Exercise `lstm_step`: one word through an LSTM with a projection."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    as_tensors,
    plain,
)
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.bilm.plain import LSTM

Step = tuple[Tensor, Tensor]


def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, W_0: Tensor, B: Tensor, W_P_0: Tensor, clip: float
) -> Step:
    """One word: x (B, H), h (B, H) and c (B, C) to the next h and c, as `plain.LSTM.step`."""
    cell = SimpleNamespace(W_0=W_0, B=B, W_P_0=W_P_0, clip=clip)
    return LSTM.step(cast(LSTM, cell), x, h, c)


def _cell(sentences: int, hidden: int, cells: int, clip: float, scale: float = 1.0) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        def normal(*shape: int) -> np.ndarray:
            return scale * rng.standard_normal(shape)

        return {
            "x": normal(sentences, hidden),
            "h": normal(sentences, hidden),
            "c": normal(sentences, cells),
            "W_0": normal(2 * hidden, 4 * cells),
            "B": normal(4 * cells),
            "W_P_0": normal(cells, hidden),
            "clip": clip,
        }

    return make


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The two states, and how both move with everything that goes in."""
    tensors = {name: as_tensors(value) for name, value in inputs.items()}
    leaves = [value.requires_grad_() for value in tensors.values() if isinstance(value, Tensor)]
    came = answer(*tensors.values())
    if came is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused("Return two things, the new h and the new c: `return h, c`.")
    if not all(isinstance(state, Tensor) for state in came):
        raise AnswerRefused("Return h and c as tensors: the network learns through them.")
    for name, value in tensors.items():
        if not np.array_equal(plain(value), inputs[name]):  # type: ignore[arg-type]
            raise AnswerRefused(
                f"Your answer changed its argument `{name}`. Work on a copy: whoever called the "
                "function still needs the original."
            )
    total = sum((state * (1 + torch.arange(state.numel()).view_as(state))).sum() for state in came)
    learns = isinstance(total, Tensor) and total.requires_grad
    gradient = torch.autograd.grad(total, leaves, allow_unused=True) if learns else ()
    return {
        "h": plain(came[0]),
        "c": plain(came[1]),
        "the gradient reaches": [float((g**2).sum()) if g is not None else 0.0 for g in gradient],
    }


def _step(
    x: Tensor,
    h: Tensor,
    c: Tensor,
    W_0: Tensor,
    B: Tensor,
    W_P_0: Tensor,
    clip: float,
    *,
    order: str = "igfo",
    one: str = "f",
    outside: bool = False,
    h_first: bool = False,
    bias: bool = True,
    candidate: Any = torch.tanh,
    inner: Any = torch.tanh,
    clip_c: bool = True,
    clip_h: bool = True,
    clip_late: bool = False,
    upper_only: bool = False,
    squash: bool = False,
    out: bool = True,
    take_in: bool = True,
    forget: bool = True,
    project: bool = True,
) -> Step:
    """The step, with one thing done otherwise."""

    def clipped(y: Tensor) -> Tensor:
        if squash:
            return clip * torch.tanh(y / clip)
        return y.clamp(max=clip) if upper_only else y.clamp(-clip, clip)

    both = torch.cat([h, x] if h_first else [x, h], -1) @ W_0
    parts = dict(zip(order, (both + B if bias else both).chunk(4, -1), strict=True))
    gate = {name: torch.sigmoid(parts[name] + (name == one)) for name in "ifo"}
    if outside:
        gate["f"] = torch.sigmoid(parts["f"]) + 1
    kept = gate["f"] * c if forget else c
    new = kept + (gate["i"] if take_in else 1) * candidate(parts["g"])
    seen = new if clip_late or not clip_c else clipped(new)
    state = (gate["o"] if out else 1) * inner(seen)
    if project:
        state = state @ W_P_0
    return clipped(state) if clip_h else state, clipped(new) if clip_c else new


def _by_gate(
    x: Tensor, h: Tensor, c: Tensor, W_0: Tensor, B: Tensor, W_P_0: Tensor, clip: float
) -> Step:
    hidden, cells = x.shape[1], c.shape[1]
    parts = []
    for k in range(4):
        columns = slice(k * cells, (k + 1) * cells)
        parts.append(x @ W_0[:hidden, columns] + h @ W_0[hidden:, columns] + B[columns])
    i, g, f, o = parts
    c = torch.clip(1 / (1 + torch.exp(-f - 1)) * c + i.sigmoid() * g.tanh(), -clip, clip)
    return torch.clip((o.sigmoid() * c.tanh()) @ W_P_0, -clip, clip), c


def _by_einsum(
    x: Tensor, h: Tensor, c: Tensor, W_0: Tensor, B: Tensor, W_P_0: Tensor, clip: float
) -> Step:
    gates = torch.einsum("bi,ij->bj", torch.hstack([x, h]), W_0) + B
    i, g, f, o = gates.unflatten(-1, (4, -1)).unbind(1)
    c = functional.hardtanh(
        torch.addcmul(torch.sigmoid(f + 1.0) * c, i.sigmoid(), g.tanh()), -clip, clip
    )
    return functional.hardtanh(functional.linear(o.sigmoid() * c.tanh(), W_P_0.T), -clip, clip), c


def _by_sentence(
    x: Tensor, h: Tensor, c: Tensor, W_0: Tensor, B: Tensor, W_P_0: Tensor, clip: float
) -> Step:
    rows = [
        _step(x[b : b + 1], h[b : b + 1], c[b : b + 1], W_0, B, W_P_0, clip) for b in range(len(x))
    ]
    return torch.cat([row[0] for row in rows]), torch.cat([row[1] for row in rows])


def _swapped_states(*arguments: Any) -> Step:
    h, c = _step(*arguments)
    return c, h


def _cut_off(*arguments: Any) -> Step:
    h, c = _step(*arguments)
    return h.detach(), c.detach()


EXERCISE = Exercise(
    id="lstm_step",
    title="One word through the cell",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
    reference=lstm_step,
    run=_run,
    cases=(
        Case("one sentence, nothing to clip", _cell(1, 2, 3, 100.0)),
        Case("three sentences", _cell(3, 3, 4, 50.0), weight=2),
        Case("cells and states that must be clipped", _cell(6, 2, 5, 0.5, 2.5), weight=2),
        Case("as many cells as outputs", _cell(2, 3, 3, 0.7, 1.3), edge=True),
    ),
    mistakes=(
        Mistake(
            "the forget gate without its 1",
            lambda *a: _step(*a, one=""),
            "The 1 in the forget gate is missing: `torch.sigmoid(f + 1)`. The weights were "
            "trained with it, so without it every cell forgets too fast.",
            hint=2,
        ),
        Mistake(
            "the 1 is outside the sigmoid",
            lambda *a: _step(*a, outside=True),
            "You add the 1 to the gate itself, so the notes grow. It is added to f *inside* the "
            "sigmoid: `torch.sigmoid(f + 1)`.",
            hint=2,
        ),
        Mistake(
            "the 1 is in the input gate",
            lambda *a: _step(*a, one="i"),
            "You add the 1 to the input gate. It belongs to the forget gate: it keeps the *old* "
            "notes while the weights are small.",
            hint=2,
        ),
        Mistake(
            "the order of PyTorch",
            lambda *a: _step(*a, order="ifgo"),
            "You cut the four blocks in the order i, f, g, o of `torch.nn.LSTM`. The official "
            "files have i, g, f, o.",
            hint=2,
        ),
        Mistake(
            "the old order i, f, o, g",
            lambda *a: _step(*a, order="ifog"),
            "You cut the four blocks in the order i, f, o, g. The official files have i, g, f, o.",
            hint=2,
        ),
        Mistake(
            "nothing is clipped",
            lambda *a: _step(*a, clip_c=False, clip_h=False),
            "Nothing is clipped. Both c and the projected h are kept between -clip and clip: "
            "`.clamp(-clip, clip)`.",
            hint=3,
        ),
        Mistake(
            "the clip is always 3",
            lambda x, h, c, W_0, B, W_P_0, clip: _step(x, h, c, W_0, B, W_P_0, 3.0),
            "You clip at 3. The width is an argument: `.clamp(-clip, clip)`.",
            hint=3,
        ),
        Mistake(
            "c is not clipped",
            lambda *a: _step(*a, clip_c=False),
            "Your h is clipped and your c is not. Clip c too, before it is used and handed on.",
            hint=3,
        ),
        Mistake(
            "h is not clipped",
            lambda *a: _step(*a, clip_h=False),
            "Your c is clipped and your h is not. Clip h after the projection.",
            hint=3,
        ),
        Mistake(
            "c is clipped too late",
            lambda *a: _step(*a, clip_late=True),
            "You clip the c that you return, and h is made from the one before clipping. Clip "
            "first, then take the tanh.",
            hint=3,
        ),
        Mistake(
            "clipped on one side",
            lambda *a: _step(*a, upper_only=True),
            "You clip at the top only. Numbers below -clip come up to -clip: "
            "`.clamp(-clip, clip)`.",
            hint=3,
        ),
        Mistake(
            "squashed in place of clipped",
            lambda *a: _step(*a, squash=True),
            "You press all numbers together with a tanh. Clipping leaves those between -clip and "
            "clip as they are: `.clamp(-clip, clip)`.",
            hint=3,
        ),
        Mistake(
            "h before x",
            lambda *a: _step(*a, h_first=True),
            "You put h in front of x. The upper rows of `W_0` are for x: `torch.cat([x, h], -1)`.",
            hint=2,
        ),
        Mistake(
            "no projection",
            lambda *a: _step(*a, project=False),
            "Your h has one number for each cell. `W_P_0` brings it from C numbers to H.",
            hint=1,
        ),
        Mistake(
            "the bias is missing",
            lambda *a: _step(*a, bias=False),
            "`B` is never added. It belongs to all four blocks, right after the product.",
            hint=2,
        ),
        Mistake(
            "sigmoid for the candidate",
            lambda *a: _step(*a, candidate=torch.sigmoid),
            "The new notes g go through a sigmoid, so they can only add. They go through a tanh.",
            hint=2,
        ),
        Mistake(
            "the candidate without tanh",
            lambda *a: _step(*a, candidate=lambda g: g),
            "The new notes g are written down as they are. They go through a tanh first.",
            hint=2,
        ),
        Mistake(
            "c without tanh on its way out",
            lambda *a: _step(*a, inner=lambda c: c),
            "On its way to h, c goes through a tanh: `torch.sigmoid(o) * torch.tanh(c)`.",
            hint=3,
        ),
        Mistake(
            "no output gate",
            lambda *a: _step(*a, out=False),
            "The output gate o is never used. It decides how much of each cell is shown: "
            "`torch.sigmoid(o) * torch.tanh(c)`.",
            hint=3,
        ),
        Mistake(
            "no input gate",
            lambda *a: _step(*a, take_in=False),
            "The input gate i is never used. It decides how much of the new notes is written "
            "down: `torch.sigmoid(i) * torch.tanh(g)`.",
            hint=2,
        ),
        Mistake(
            "nothing is forgotten",
            lambda *a: _step(*a, forget=False),
            "The old c is kept whole. Multiply it by the forget gate, `torch.sigmoid(f + 1)`.",
            hint=2,
        ),
        Mistake(
            "c before h",
            _swapped_states,
            "The two states are right, in the wrong order. Return h first, then c.",
            hint=3,
        ),
        Mistake(
            "cut off from autograd",
            _cut_off,
            "The numbers are right, and nothing can be learnt through them. Leave out "
            "`.detach()`, `.data` and `torch.no_grad()`.",
            hint=3,
        ),
    ),
    right_answers={
        "one gate after the other": _by_gate,
        "einsum, addcmul, hardtanh": _by_einsum,
        "one sentence after the other": _by_sentence,
        "the definition": _step,
    },
)
