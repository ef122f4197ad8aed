"""Exercise `lstm_step`: one word through an LSTM with a projection."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.differentiable import slopes
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
    returned,
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
    leaves = {
        name: value.requires_grad_() for name, value in tensors.items() if isinstance(value, Tensor)
    }
    came = returned(answer(*tensors.values()))
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
    found = slopes(total, leaves) if isinstance(total, Tensor) and total.requires_grad else {}
    return {
        "h": plain(came[0]),
        "c": plain(came[1]),
        "the gradient reaches": [
            float((g**2).sum()) if g is not None else 0.0 for g in found.values()
        ],
    }


def _forget_gate(f: Tensor) -> Tensor:
    return torch.sigmoid(f + 1)


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
    i: Any = torch.sigmoid,
    g: Any = torch.tanh,
    f: Any = _forget_gate,
    o: Any = torch.sigmoid,
    shown_by: str = "o",
    reads: str = "xh",
    bias: bool = True,
    inner: Any = torch.tanh,
    clip_c: bool = True,
    clip_h: bool = True,
    clip_late: bool = False,
    coupled: bool = False,
    upper_only: bool = False,
    at_the_clip: str = "",
    squash: bool = False,
    project: bool = True,
    shows_old: bool = False,
    clip_below: bool = True,
    interleaved: bool = False,
) -> Step:
    """The step, with one thing done otherwise.

    `order` is that of the blocks, and `i`, `g`, `f`, `o` say what becomes of each; `reads` are
    the rows of `W_0`, a dot for zeros; `at_the_clip` are the states whose lower bound is the upper.
    """

    def clipped(y: Tensor, state: str) -> Tensor:
        if squash:
            return clip * torch.tanh(y / clip)
        least = clip if state in at_the_clip else -clip
        return y.clamp(max=clip) if upper_only else y.clamp(least, clip)

    rows = {"x": x, "h": h, ".": torch.zeros_like(x)}
    both = torch.cat([rows[name] for name in reads], -1) @ W_0
    summed = both + B if bias else both
    parts = summed.view(len(x), -1, 4).unbind(-1) if interleaved else summed.chunk(4, -1)
    blocks = dict(zip(order, parts, strict=True))
    gate = {name: become(blocks[name]) for name, become in zip("igfo", (i, g, f, o), strict=True)}
    new = gate["f"] * c + (1 - gate["f"] if coupled else gate["i"]) * gate["g"]
    seen = new if clip_late or not clip_c else clipped(new, "c")
    shown_part = gate["o"] if shown_by == "o" else torch.sigmoid(blocks[shown_by])
    state = shown_part * inner(c if shows_old else seen)
    if project:
        state = state @ W_P_0
    if not clip_below:
        return state.clamp(max=clip), clipped(new, "c")
    return clipped(state, "h") if clip_h else state, clipped(new, "c") if clip_c else new


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


def _as_it_is(block: Tensor) -> Tensor:
    return block


def _bare(gate: str) -> Answer:
    return lambda *arguments: _step(*arguments, **{gate: _as_it_is})  # type: ignore[arg-type]


def _shown_by(block: str) -> Answer:
    return lambda *arguments: _step(*arguments, shown_by=block)


def _cut_off(states: str) -> Answer:
    def answer(*arguments: Any) -> Step:
        h, c = _step(*arguments)
        return h.detach() if "h" in states else h, c.detach() if "c" in states else c

    return answer


SIGMOID_BY_HAND = (
    "Your forget gate closes as f grows. The sigmoid has a minus, which stands before the whole "
    "sum: `1 / (1 + torch.exp(-(f + 1)))`, or `torch.sigmoid(f + 1)`."
)
LOWER_BOUND = (
    "The lower bound has lost its minus, so every number is lifted to the clip: "
    "`.clamp(-clip, clip)`."
)
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
            lambda *a: _step(*a, f=torch.sigmoid),
            "The 1 in the forget gate is missing: `torch.sigmoid(f + 1)`. The weights were "
            "trained with it, so without it every cell forgets too fast.",
            hint=2,
        ),
        Mistake(
            "the 1 is outside the sigmoid",
            lambda *a: _step(*a, f=lambda f: torch.sigmoid(f) + 1),
            "You add the 1 to the gate itself, so the notes grow. It is added to f *inside* the "
            "sigmoid: `torch.sigmoid(f + 1)`.",
            hint=2,
        ),
        Mistake(
            "the 1 is in the input gate",
            lambda *a: _step(*a, i=_forget_gate, f=torch.sigmoid),
            "You add the 1 to the input gate. It belongs to the forget gate: it keeps the *old* "
            "notes while the weights are small.",
            hint=2,
        ),
        Mistake(
            "the 1 is in the output gate, too",
            lambda *a: _step(*a, o=_forget_gate),
            "You add 1 in the output gate as well. Only the forget gate has it.",
            hint=2,
        ),
        Mistake(
            "the 1 is in the output gate",
            lambda *a: _step(*a, o=_forget_gate, f=torch.sigmoid),
            "You add the 1 to the output gate. It belongs to the forget gate: it keeps the *old* "
            "notes while the weights are small.",
            hint=2,
        ),
        Mistake(
            "the 1 is in the output gate, and the candidate has no tanh",
            lambda *a: _step(*a, o=_forget_gate, f=torch.sigmoid, g=_as_it_is),
            "Two things. You add the 1 to the output gate, and it belongs to the forget gate. And "
            "the new notes g are written down as they are: they go through a tanh first.",
            hint=2,
        ),
        Mistake(
            "the 1 is in all gates",
            lambda *a: _step(*a, i=_forget_gate, o=_forget_gate, g=lambda g: torch.tanh(g + 1)),
            "You add the 1 to all four blocks. It belongs to f alone: `torch.sigmoid(f + 1)`.",
            hint=2,
        ),
        Mistake(
            "the 1 is in the three gates",
            lambda *a: _step(*a, i=_forget_gate, o=_forget_gate),
            "You add the 1 to all three gates. It belongs to f alone: `torch.sigmoid(f + 1)`.",
            hint=2,
        ),
        Mistake(
            "the forget gate decides what is written",
            lambda *a: _step(*a, coupled=True),
            "You write down as much as is forgotten, 1 minus the forget gate. Here the input gate "
            "decides that, `torch.sigmoid(i)`: it has numbers of its own.",
            hint=2,
        ),
        Mistake(
            "the 1 is subtracted",
            lambda *a: _step(*a, f=lambda f: torch.sigmoid(f - 1)),
            "Your forget gate is sigmoid(f - 1). The 1 is added: `torch.sigmoid(f + 1)`. If you "
            "wrote the sigmoid yourself, the minus stands before both: `torch.exp(-(f + 1))`.",
            hint=2,
        ),
        Mistake(
            "the sigmoid without its minus",
            lambda *a: _step(*a, f=lambda f: 1 / (1 + torch.exp(f + 1))),
            SIGMOID_BY_HAND,
            hint=2,
        ),
        Mistake(
            "the sigmoid without one of its minuses",
            lambda *a: _step(*a, f=lambda f: 1 / (1 + torch.exp(f - 1))),
            SIGMOID_BY_HAND,
            hint=2,
        ),
        Mistake(
            "2 is added",
            lambda *a: _step(*a, f=lambda f: torch.sigmoid(f + 2)),
            "Your forget gate is sigmoid(f + 2). Add 1, once: `torch.sigmoid(f + 1)`.",
            hint=2,
        ),
        *(
            Mistake(
                f"the {name} gate without its sigmoid",
                _bare(name[0]),
                f"The {name} gate {name[0]} is used as it is. A gate lies between 0 and 1: put it "
                "through `torch.sigmoid` first.",
                hint=2,
            )
            for name in ("input", "forget", "output")
        ),
        *(
            Mistake(
                f"{wrong} in place of the output gate",
                _shown_by(wrong),
                f"How much of c is shown, your {wrong} decides. It is the output gate: "
                "`torch.sigmoid(o) * torch.tanh(c)`.",
                hint=3,
            )
            for wrong in "igf"
        ),
        Mistake(
            "the new notes are subtracted",
            lambda *a: _step(*a, g=lambda g: -torch.tanh(g)),
            "You subtract the new notes from the old ones. They are added: "
            "`... + torch.sigmoid(i) * torch.tanh(g)`.",
            hint=2,
        ),
        Mistake(
            "no new notes",
            lambda *a: _step(*a, g=torch.zeros_like),
            "Nothing new is written down: c keeps only what it does not forget. Add "
            "`torch.sigmoid(i) * torch.tanh(g)`.",
            hint=2,
        ),
        Mistake(
            "the input gate without the notes",
            lambda *a: _step(*a, g=torch.ones_like),
            "You add the input gate itself. It decides how much of the new notes is written down: "
            "`torch.sigmoid(i) * torch.tanh(g)`.",
            hint=2,
        ),
        Mistake(
            "the old notes are lost",
            lambda *a: _step(*a, f=torch.zeros_like),
            "Your c holds the new notes only. What the forget gate leaves of the old c belongs to "
            "it: `torch.sigmoid(f + 1) * c + ...`.",
            hint=2,
        ),
        Mistake(
            "x is not read",
            lambda *a: _step(*a, reads=".h"),
            "The word x never enters. Both x and h are multiplied with `W_0`: "
            "`torch.cat([x, h], -1) @ W_0`.",
            hint=2,
        ),
        Mistake(
            "h is not read",
            lambda *a: _step(*a, reads="x."),
            "The state h never enters. Both x and h are multiplied with `W_0`: "
            "`torch.cat([x, h], -1) @ W_0`.",
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
            "f and o in each other's place",
            lambda *a: _step(*a, order="igof"),
            "You cut the four blocks in the order i, g, o, f. The official files have i, g, f, o.",
            hint=2,
        ),
        Mistake(
            "f and o in each other's place, and no bias",
            lambda *a: _step(*a, order="igof", bias=False),
            "Two things. You cut the four blocks in the order i, g, o, f, and the files have "
            "i, g, f, o. And `B` is never added.",
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
            "Your c is clipped, and what comes out of the projection is not. Project first, then "
            "clip.",
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
            "h is not clipped, and c has no tanh",
            lambda *a: _step(*a, clip_h=False, inner=_as_it_is),
            "Two things. What comes out of the projection is not clipped: project first, then "
            "clip. And on its way to h, c goes through a tanh: `torch.sigmoid(o) * torch.tanh(c)`.",
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
            "h is clipped on one side",
            lambda *a: _step(*a, clip_below=False),
            "You clip h at the top only. Numbers below -clip come up to -clip: "
            "`.clamp(-clip, clip)`.",
            hint=3,
        ),
        Mistake(
            "h is made from the old c",
            lambda *a: _step(*a, shows_old=True),
            "Your h shows the notes from before this word. Make the new c first, then h from it: "
            "`torch.sigmoid(o) * torch.tanh(c)` with the new, clipped c.",
            hint=3,
        ),
        Mistake(
            "every fourth column",
            lambda *a: _step(*a, interleaved=True),
            "You deal the columns out in turn, so each block gets every fourth one. The blocks "
            "stand one after the other, C columns each: `.chunk(4, -1)`.",
            hint=2,
        ),
        Mistake(
            "c at the clip everywhere",
            lambda *a: _step(*a, at_the_clip="c"),
            LOWER_BOUND,
            hint=3,
        ),
        Mistake(
            "h at the clip everywhere",
            lambda *a: _step(*a, at_the_clip="h"),
            LOWER_BOUND,
            hint=3,
        ),
        Mistake(
            "both at the clip everywhere",
            lambda *a: _step(*a, at_the_clip="ch"),
            LOWER_BOUND,
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
            lambda *a: _step(*a, reads="hx"),
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
            lambda *a: _step(*a, g=torch.sigmoid),
            "The new notes g go through a sigmoid, so they can only add. They go through a tanh.",
            hint=2,
        ),
        Mistake(
            "the candidate without tanh",
            lambda *a: _step(*a, g=_as_it_is),
            "The new notes g are written down as they are. They go through a tanh first.",
            hint=2,
        ),
        Mistake(
            "c without tanh on its way out",
            lambda *a: _step(*a, inner=_as_it_is),
            "On its way to h, c goes through a tanh: `torch.sigmoid(o) * torch.tanh(c)`.",
            hint=3,
        ),
        Mistake(
            "no output gate",
            lambda *a: _step(*a, o=torch.ones_like),
            "The output gate o is never used. It decides how much of each cell is shown: "
            "`torch.sigmoid(o) * torch.tanh(c)`.",
            hint=3,
        ),
        Mistake(
            "no input gate",
            lambda *a: _step(*a, i=torch.ones_like),
            "The input gate i is never used. It decides how much of the new notes is written "
            "down: `torch.sigmoid(i) * torch.tanh(g)`.",
            hint=2,
        ),
        Mistake(
            "nothing is forgotten",
            lambda *a: _step(*a, f=torch.ones_like),
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
            _cut_off("hc"),
            "The numbers are right, and nothing can be learnt through them. Leave out "
            "`.detach()`, `.data` and `torch.no_grad()`.",
            hint=3,
        ),
        *(
            Mistake(
                f"{state} is cut off from autograd",
                _cut_off(state),
                f"The numbers are right, and nothing can be learnt through your {state}. Leave out "
                "`.detach()` and `.data`.",
                hint=3,
            )
            for state in "hc"
        ),
    ),
    right_answers={
        "one gate after the other": _by_gate,
        "einsum, addcmul, hardtanh": _by_einsum,
        "one sentence after the other": _by_sentence,
        "the definition": _step,
    },
)
