"""Exercise `lstm_step`: one word through an LSTM with a projection."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    as_tensors,
    plain,
    refuse_changed,
    returned,
)
from autograde.checking.differentiable import slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.models.elmo import LSTM

Step = tuple[Tensor, Tensor]


def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, W_0: Tensor, B: Tensor, W_P_0: Tensor, clip: float
) -> Step:
    """One word: x (B, H), h (B, H) and c (B, C) to the next h and c, as `plain.LSTM.step`."""
    cell = SimpleNamespace(W_0=W_0, B=B, W_P_0=W_P_0, clip=clip)
    return LSTM.step(cast(LSTM, cell), x, h, c)


@Case.drawn
def _cell(
    rng: Random, sentences: int, hidden: int, cells: int, clip: float, scale: float = 1.0
) -> Inputs:
    def normal(*shape: int) -> np.ndarray:
        return (scale * rng.standard_normal(shape)).astype(np.float32)

    return {
        "x": normal(sentences, hidden),
        "h": normal(sentences, hidden),
        "c": normal(sentences, cells),
        "W_0": normal(2 * hidden, 4 * cells),
        "B": normal(4 * cells),
        "W_P_0": normal(cells, hidden),
        "clip": clip,
    }


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
    refuse_changed(inputs, tensors)
    total = sum((state * (1 + torch.arange(state.numel()).view_as(state))).sum() for state in came)
    found = slopes(total, leaves) if isinstance(total, Tensor) and total.requires_grad else {}
    return {
        "h": plain(came[0]),
        "c": plain(came[1]),
        "the gradient reaches": [
            float((g**2).sum()) if g is not None else 0.0 for g in found.values()
        ],
    }


def _step(
    x: Tensor, h: Tensor, c: Tensor, W_0: Tensor, B: Tensor, W_P_0: Tensor, clip: float
) -> Step:
    i, g, f, o = (torch.cat([x, h], -1) @ W_0 + B).chunk(4, -1)
    new = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g)
    new = new.clamp(-clip, clip)
    h = (torch.sigmoid(o) * torch.tanh(new)) @ W_P_0
    return h.clamp(-clip, clip), new


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


SLIPS = """
--- hint 1
no projection: @ W_P_0 ->
    Your h has one number for each cell. `W_P_0` brings it from C numbers to H.
the {gate} gate without its sigmoid: torch.sigmoid({inside}) -> {block} \
        | gate block inside = input i i, forget f f+1, output o o
    The {gate} gate {block} is used as it is. A gate lies between 0 and 1: put it through
    `torch.sigmoid` first.
sigmoid for the candidate: tanh(g) -> sigmoid(g)
    The new notes g go through a sigmoid, so they can only add. They go through a tanh.
the candidate without tanh: torch.tanh(g) -> g
    The new notes g are written down as they are. They go through a tanh first.
--- hint 2
the forget gate without its 1: f + 1 -> f
    The 1 in the forget gate is missing: `torch.sigmoid(f + 1)`. The weights were trained with it,
    so without it every cell forgets too fast.
the 1 is outside the sigmoid: torch.sigmoid(f + 1) -> (torch.sigmoid(f) + 1)
    You add the 1 to the gate itself, so the notes grow. It is added to f *inside* the sigmoid:
    `torch.sigmoid(f + 1)`.
the 1 is in the {gate} gate: f + 1 -> f && sigmoid({letter}) -> sigmoid({letter} + 1) \
        | gate letter = input i, output o
    You add the 1 to the {gate} gate. It belongs to the forget gate: it keeps the *old* notes while
    the weights are small.
the 1 is in the output gate, too: sigmoid(o) -> sigmoid(o + 1)
    You add 1 in the output gate as well. Only the forget gate has it.
the 1 is in all gates: sigmoid(o) -> sigmoid(o + 1) && sigmoid(i) -> sigmoid(i + 1) \
        && tanh(g) -> tanh(g + 1)
    You add the 1 to all four blocks. It belongs to f alone: `torch.sigmoid(f + 1)`.
the 1 is in the three gates: sigmoid(o) -> sigmoid(o + 1) && sigmoid(i) -> sigmoid(i + 1)
    You add the 1 to all three gates. It belongs to f alone: `torch.sigmoid(f + 1)`.
the 1 is subtracted: f + 1 -> f - 1
    Your forget gate is sigmoid(f - 1). The 1 is added: `torch.sigmoid(f + 1)`. If you wrote the
    sigmoid yourself, the minus stands before both: `torch.exp(-(f + 1))`.
the sigmoid without its minus: f + 1 -> -f - 1
the sigmoid without one of its minuses: f + 1 -> 1 - f
    Your forget gate closes as f grows. The sigmoid has a minus, which stands before the whole sum:
    `1 / (1 + torch.exp(-(f + 1)))`, or `torch.sigmoid(f + 1)`.
2 is added: f + 1 -> f + 2
    Your forget gate is sigmoid(f + 2). Add 1, once: `torch.sigmoid(f + 1)`.
{block} is not read: [x, h] -> [{rows}] \
        | block kind rows = x word torch.zeros_like(x),h, h state x,torch.zeros_like(h)
    The {kind} {block} never enters. Both x and h are multiplied with `W_0`: `torch.cat([x, h], -1)
    @ W_0`.
every fourth column: .chunk(4, -1) -> .view(len(x), -1, 4).unbind(-1)
    You deal the columns out in turn, so each block gets every fourth one. The blocks stand one
    after the other, C columns each: `.chunk(4, -1)`.
h before x: [x, h] -> [h, x]
    You put h in front of x. The upper rows of `W_0` are for x: `torch.cat([x, h], -1)`.
--- hint 3
{block} in place of the output gate: sigmoid(o) -> sigmoid({block}) | block = i, g, f
    How much of c is shown, your {block} decides. It is the output gate: `torch.sigmoid(o) *
    torch.tanh(c)`.
nothing is clipped: every .clamp(-clip, clip) ->
    Nothing is clipped. Both c and the projected h are kept between -clip and clip: `.clamp(-clip,
    clip)`.
the clip is always 3: every -clip, clip -> -3, 3
    You clip at 3. The width is an argument: `.clamp(-clip, clip)`.
c is not clipped: new.clamp(-clip, clip) -> new
    Your h is clipped and your c is not. Clip c too, before it is used and handed on.
h is not clipped: h.clamp(-clip, clip) -> h
    Your c is clipped, and what comes out of the projection is not. Project first, then clip.
the {page} that came is clipped: i, g, f, o = -> {page} = {page}.clamp(-clip, clip)⏎i, g, f, o = \
        && {new}.clamp(-clip, clip) -> {new} | page new = c new, h h
    You clip the {page} that came, and not the new one. Clip what the step makes.
c has lost its sign at the clip: new.clamp(-clip, clip) -> torch.where(new.abs() > clip, clip, new)
both have lost their signs at the clip: \
        new.clamp(-clip, clip) -> torch.where(new.abs() > clip, clip, new) \
        && h.clamp(-clip, clip) -> torch.where(h.abs() > clip, clip, h)
    What lies below -clip becomes +clip in yours. `.clamp(-clip, clip)` keeps the sign.
c is 0 beyond the clip: new.clamp(-clip, clip) -> torch.where(new.abs() > clip, 0.0, new)
both are 0 beyond the clip: \
        new.clamp(-clip, clip) -> torch.where(new.abs() > clip, 0.0, new) \
        && h.clamp(-clip, clip) -> torch.where(h.abs() > clip, 0.0, h)
    You set to 0 what lies beyond the clip. It becomes -clip or clip: `.clamp(-clip, clip)`.
the new notes alone are clipped: torch.sigmoid(i) * torch.tanh(g) \
        -> (torch.sigmoid(i) * torch.tanh(g)).clamp(-clip, clip) && new.clamp(-clip, clip) -> new
    You clip the new notes before they are added. What is clipped is the new c, the sum of old and
    new.
the c that is returned is not clipped: new = new.clamp(-clip, clip) \
        -> raw, new = new, new.clamp(-clip, clip) && return h.clamp(-clip, clip), new \
        -> return h.clamp(-clip, clip), raw
    Your h is made from the clipped c, and you return the c before clipping. The next word reads the
    clipped one.
the scores are clipped: W_0 + B) -> W_0 + B).clamp(-clip, clip)
    You clip the scores of the gates. What is clipped is the new c, and h after the projection.
cut off below 0: every -clip, clip -> 0, clip
    You cut off at 0. Both pages are kept between -clip and clip: `.clamp(-clip, clip)`.
c is clipped too late: new.clamp(-clip, clip) -> new \
        && h.clamp(-clip, clip), new -> h.clamp(-clip, clip), new.clamp(-clip, clip)
    You clip the c that you return, and h is made from the one before clipping. Clip first, then
    take the tanh.
clipped on one side: every -clip, clip -> max=clip
    You clip at the top only. Numbers below -clip come up to -clip: `.clamp(-clip, clip)`.
c is clipped on one side: new.clamp(-clip, clip) -> new.clamp(max=clip)
    You clip c at the top only. Numbers below -clip come up to -clip: `.clamp(-clip, clip)`.
h is clipped on one side: h.clamp(-clip, clip) -> h.clamp(max=clip)
    You clip h at the top only. Numbers below -clip come up to -clip: `.clamp(-clip, clip)`.
h is made from the old c: tanh(new) -> tanh(c)
    Your h shows the notes from before this word. Make the new c first, then h from it:
    `torch.sigmoid(o) * torch.tanh(c)` with the new, clipped c.
c at the clip everywhere: new.clamp(-clip -> new.clamp(clip
h at the clip everywhere: h.clamp(-clip -> h.clamp(clip
both at the clip everywhere: every -clip, clip -> clip, clip
    The lower bound has lost its minus, so every number is lifted to the clip: `.clamp(-clip,
    clip)`.
squashed in place of clipped: new.clamp(-clip, clip) -> clip * torch.tanh(new / clip) \
        && h.clamp(-clip, clip) -> clip * torch.tanh(h / clip)
    You press all numbers together with a tanh. Clipping leaves those between -clip and clip as they
    are: `.clamp(-clip, clip)`.
c is squashed in place of clipped: new.clamp(-clip, clip) -> clip * torch.tanh(new / clip)
h is squashed in place of clipped: h.clamp(-clip, clip) -> clip * torch.tanh(h / clip)
    You press the numbers together with a tanh. Clipping leaves those between -clip and clip as they
    are: `.clamp(-clip, clip)`.
c without tanh on its way out: torch.tanh(new) -> new
    On its way to h, c goes through a tanh: `torch.sigmoid(o) * torch.tanh(c)`.
the output gate through tanh: torch.sigmoid(o) -> torch.tanh(o)
    Your output gate o goes through a tanh. A gate lies between 0 and 1: `torch.sigmoid(o)`.
the forget gate over the sum: torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g) \
        -> torch.sigmoid(f + 1) * (c + torch.sigmoid(i) * torch.tanh(g))
    Your forget gate multiplies the new notes, too. It decides about the old c alone.
no output gate: torch.sigmoid(o) * ->
    The output gate o is never used. It decides how much of each cell is shown: `torch.sigmoid(o) *
    torch.tanh(c)`.
the forget gate decides what is written: torch.sigmoid(i) -> (1 - torch.sigmoid(f + 1))
    You write down as much as is forgotten, 1 minus the forget gate. Here the input gate decides
    that, `torch.sigmoid(i)`: it has numbers of its own.
the input gate decides what is kept: torch.sigmoid(f + 1) -> (1 - torch.sigmoid(i))
    You keep as much as is not written, 1 minus the input gate. Here the forget gate decides that,
    `torch.sigmoid(f + 1)`: it has numbers of its own.
the new notes are subtracted: c + torch -> c - torch
    You subtract the new notes from the old ones. They are added: `... + torch.sigmoid(i) *
    torch.tanh(g)`.
no new notes: + torch.sigmoid(i) * torch.tanh(g) ->
    Nothing new is written down: c keeps only what it does not forget. Add `torch.sigmoid(i) *
    torch.tanh(g)`.
the input gate without the notes: * torch.tanh(g) ->
    You add the input gate itself. It decides how much of the new notes is written down:
    `torch.sigmoid(i) * torch.tanh(g)`.
the old notes are lost: torch.sigmoid(f + 1) * c + ->
    Your c holds the new notes only. What the forget gate leaves of the old c belongs to it:
    `torch.sigmoid(f + 1) * c + ...`.
the order of PyTorch: i, g, f, o = -> i, f, g, o =
    You cut the four blocks in the order i, f, g, o of `torch.nn.LSTM`. The official files have i,
    g, f, o.
the old order i, f, o, g: i, g, f, o = -> i, f, o, g =
    You cut the four blocks in the order i, f, o, g. The official files have i, g, f, o.
f and o in each other's place: i, g, f, o = -> i, g, o, f =
    You cut the four blocks in the order i, g, o, f. The official files have i, g, f, o.
back to front: i, g, f, o = -> o, f, g, i =
    You cut the four blocks in the order o, f, g, i. The official files have i, g, f, o.
no input gate: torch.sigmoid(i) * ->
    The input gate i is never used. It decides how much of the new notes is written down:
    `torch.sigmoid(i) * torch.tanh(g)`.
nothing is forgotten: torch.sigmoid(f + 1) * ->
    The old c is kept whole. Multiply it by the forget gate, `torch.sigmoid(f + 1)`.
--- no hint
the bias is missing: + B ->
    `B` is never added. It belongs to all four blocks, right after the product.
the bias twice: + B -> + 2 * B
    `B` is added twice. It is added once, to the whole product.
c is clipped behind autograd's back: new = new.clamp(-clip, clip) -> new.data.clamp_(-clip, clip)
both are clipped behind autograd's back: \
        new = new.clamp(-clip, clip) -> new.data.clamp_(-clip, clip) \
        && return h.clamp(-clip, clip), new -> h.data.clamp_(-clip, clip)⏎return h, new
    The numbers are right, and the gradient goes through the clip as if nothing were cut off there.
    Leave out `.data` and `.detach()`: `c = c.clamp(-clip, clip)`.
the old c is cut off from autograd: sigmoid(f + 1) * c -> sigmoid(f + 1) * c.detach()
the old h is cut off from autograd: torch.cat([x, h], -1) -> torch.cat([x, h.detach()], -1)
    The numbers are right, and nothing is learnt from the words before through one of the states
    that come in: you detach it. Leave out `.detach()`.
the new c is cut off from autograd: new = new.clamp(-clip, clip) \
        -> new = new.clamp(-clip, clip).detach()
    The numbers are right, and nothing can be learnt through the new c. Leave out `.detach()` and
    `.data`.
c before h: h.clamp(-clip, clip), new -> new, h.clamp(-clip, clip)
    The two states are right, in the wrong order. Return h first, then c.
cut off from autograd: h.clamp(-clip, clip), new -> h.clamp(-clip, clip).detach(), new.detach()
    The numbers are right, and nothing can be learnt through them. Leave out `.detach()`, `.data`
    and `torch.no_grad()`.
the old states are cut off from autograd: torch.cat([x, h], -1) -> torch.cat([x, h.detach()], -1) \
        && sigmoid(f + 1) * c -> sigmoid(f + 1) * c.detach()
    The numbers are right, and nothing is learnt from the words before: you detach the states that
    come in. Leave out `.detach()`.
h is cut off from autograd: return h.clamp(-clip, clip) -> return h.clamp(-clip, clip).detach()
    The numbers are right, and nothing can be learnt through your h. Leave out `.detach()` and
    `.data`.
c is cut off from autograd: h.clamp(-clip, clip), new -> h.clamp(-clip, clip), new.detach()
    The numbers are right, and nothing can be learnt through your c. Leave out `.detach()` and
    `.data`.
"""

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
    mistakes=slips(_step, SLIPS),
    right_answers={"one gate after the other": _by_gate, "einsum, addcmul, hardtanh": _by_einsum},
)
