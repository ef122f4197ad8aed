"""Exercise `read_on`: readers that begin where the last sentence ended."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch.lstm_step import lstm_step
from autograde.exercises.scalar_mix_and_elmo import LESSON
from course.scalar_mix_and_elmo.read_on import Layer, State, Step, read_on

PAIRS = (
    "Return two things: the list of the layers' outputs, and the list of the layers' new states, "
    "each a pair (h, c)."
)


def _row_by_row(
    x: Tensor, lengths: Tensor, stack: Sequence[Layer], states: Sequence[State], step: Step
) -> tuple[list[Tensor], list[State]]:
    """Without padding: each sentence alone."""
    outputs = [torch.zeros_like(x) for _ in stack]
    ends = [(h.clone(), c.clone()) for h, c in states]
    for row, n in enumerate(lengths.tolist()):
        inner = x[row : row + 1, :n]
        for j, layer in enumerate(stack):
            h, c = (state[row : row + 1] for state in states[j])
            found = []
            for t in range(n):
                h, c = step(inner[:, t], h, c, **layer, clip=3.0)
                found.append(h)
            ends[j][0][row], ends[j][1][row] = h[0], c[0]
            shown = torch.stack(found, 1)
            inner = shown if j == 0 else shown + inner
            outputs[j][row, :n] = inner[0]
    return outputs, ends


def _frozen_at_padding(
    x: Tensor, lengths: Tensor, stack: Sequence[Layer], states: Sequence[State], step: Step
) -> tuple[list[Tensor], list[State]]:
    """At padding the old state stays."""
    outputs: list[Tensor] = []
    ends: list[State] = []
    for layer, (h, c) in zip(stack, states, strict=True):
        found = []
        for t in range(x.shape[1]):
            new_h, new_c = step(x[:, t], h, c, **layer, clip=3.0)
            there = (t < lengths)[:, None]
            h, c = torch.where(there, new_h, h), torch.where(there, new_c, c)
            found.append(h)
        shown = torch.stack(found, dim=1)
        x = shown if not outputs else shown + x
        outputs.append(x)
        ends.append((h, c))
    return outputs, ends


@Case.drawn
def _reading(
    rng: Random,
    lengths: tuple[int, ...],
    layers: int = 2,
    *,
    fresh: bool = False,
    loud: float = 1.0,
) -> Inputs:
    hidden, cells, rows = 2, 3, len(lengths)
    shapes = {"W_0": (2 * hidden, 4 * cells), "B": (4 * cells,), "W_P_0": (cells, hidden)}
    there = np.arange(max(lengths)) < np.array(lengths)[:, None]
    x = rng.standard_normal((rows, max(lengths), hidden))
    return {
        "x": np.where(there[..., None], x, 2.0).astype(np.float32),
        "lengths": np.array(lengths),
        "stack": [
            {
                name: (loud * rng.standard_normal(shape)).astype(np.float32)
                for name, shape in shapes.items()
            }
            for _ in range(layers)
        ],
        "states": [
            tuple(
                ((0.0 if fresh else 0.8 * loud) * rng.standard_normal((rows, size))).astype(
                    np.float32
                )
                for size in (hidden, cells)
            )
            for _ in range(layers)
        ],
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The outputs at tokens, and the new states."""
    stack = [{name: torch.from_numpy(a.copy()) for name, a in x.items()} for x in inputs["stack"]]
    states = [tuple(torch.from_numpy(a.copy()) for a in pair) for pair in inputs["states"]]
    x, lengths = (torch.from_numpy(inputs[name].copy()) for name in ("x", "lengths"))
    came = returned(answer(x, lengths, stack, states, lstm_step))
    refuse_changed(inputs, {"x": x, "lengths": lengths, "stack": stack, "states": states})
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused(PAIRS)
    outputs, ends = came
    if isinstance(outputs, Tensor):
        outputs = list(outputs)
    if not isinstance(ends, tuple | list) or not all(
        isinstance(pair, tuple | list | Tensor) and len(pair) == 2 for pair in ends
    ):
        raise AnswerRefused(PAIRS)
    there = torch.arange(x.shape[1]) < lengths[:, None]
    return {
        "outputs": [
            plain(h * there[..., None] if h.shape[:2] == there.shape else h) for h in outputs
        ],
        "new h": [plain(h) for h, _ in ends],
        "new c": [plain(c) for _, c in ends],
    }


SLIPS = """
--- hint 1
the old states again: return outputs, ends -> return outputs, list(states)
    You return the states that came in. Return those in which this sentence has ended.
--- hint 2
the state after the padding: shown[rows, lengths - 1], kept[rows, lengths - 1] -> \
        shown[:, -1], kept[:, -1]
    In a short sentence your state has gone on through the padding. Each row ends at its own last
    token, position `lengths - 1`.
h after the padding: shown[rows, lengths - 1] -> shown[:, -1]
    Your c is right. Your h has gone on through the padding of the short sentences.
c after the padding: kept[rows, lengths - 1] -> kept[:, -1]
    Your h is right. Your c has gone on through the padding of the short sentences: keep the c of
    every step, too.
one token too early: every lengths - 1 -> lengths - 2
    Your states are those of the last word. The reader has read the boundary after it as well: the
    last token stands at `lengths - 1`.
the first token: every lengths - 1 -> lengths - lengths
    Your states are those after the first token. The next sentence begins where this one ended.
one token too late: every lengths - 1 -> lengths.clamp(max=x.shape[1] - 1)
    Your states have read one token too many, which is padding in a short row. A row's last token
    stands at `lengths - 1`, so a state moves as long as `t < lengths`.
the first sentence ends all: every lengths - 1 -> lengths[:1] - 1
    All your rows end where the first sentence does. Each row ends at its own last token.
the shortest sentence ends all: every lengths - 1 -> lengths.min() - 1
    All your rows end where the shortest sentence does. Each row ends at its own last token.
what went in is in the state: ends.append((shown[rows, lengths - 1], -> \
        ends.append(((shown + x if outputs else shown)[rows, lengths - 1],
    What went in is part of your h. It is added to the layer's output; the state itself does not
    hold it.
added inside the loop: notes.append(h) -> h = h + x_t if outputs else h ⏎notes.append(h) \
        && x = shown + x if outputs else shown -> x = shown
    You add what went in to h inside the loop, so the next step starts from the sum. The state stays
    the LSTM's own: add what went in to the layer's output, after the loop.
--- hint 3
nothing is added: x = shown + x if outputs else shown -> x = shown
    From the second layer on, what went in is added to the output.
added in the first layer alone: x = shown + x if outputs else shown -> \
        x = shown if outputs else shown + x
    You add what went in to the first layer alone. It is the other way round: from the second on.
subtracted: x = shown + x if outputs else shown -> x = shown - x if outputs else shown
    You subtract what went in. It is added.
the bare states are handed on: x = shown + x if outputs else shown \
        -> shown, x = shown + x if outputs else shown, shown && outputs.append(x) \
        -> outputs.append(shown)
    You show the sum and hand on the bare states. The next layer reads the sum.
the words are added: x = shown + x if outputs else shown -> \
        x = shown + start if outputs else shown \
        && rows = -> start = x ⏎rows =
    You add the words to each layer from the second on. What is added is what went into that layer:
    the output of the layer below.
a layer goes on from the state of the layer below: notes, cells = [], [] -> \
        if outputs: h, c = last⏎notes, cells = [], [] && x = shown + x -> last = h, c⏎x = shown + x
    Each layer of yours goes on with the last state of the layer below. Begin each with its own pair
    from `states`.
handed up as it is: x = shown + x if outputs else shown -> x = x if outputs else shown
    Your second layer's output is its input. Its states come on top.
added in the first layer, too: x = shown + x if outputs else shown -> x = shown + x
    You add what went in to the first layer, too. Only from the second on.
every layer reads the words: x.unbind(1) -> start.unbind(1) && rows = -> start = x ⏎rows =
    All your layers read the words. A layer reads the output of the one below.
h and c are swapped: ends.append((shown[rows, lengths - 1], kept[rows, lengths - 1])) -> \
        ends.append((kept[rows, lengths - 1], shown[rows, lengths - 1]))
    Your new states are (c, h). They go in as (h, c).
the top layer's state alone: return outputs, ends -> return outputs, ends[-1:]
    You return one pair of states. Each layer has its own: return the list of all.
the top layer alone: return outputs, ends -> return outputs[-1:], ends
    You return the top layer's output alone. Return the list of all layers.
the layers from the top: return outputs, ends -> return outputs[::-1], ends
    Your outputs begin with the top layer. Begin with the first.
from right to left: x.unbind(1) -> x.unbind(1)[::-1]
    You read from the last position to the first. Whoever calls you has turned the sentence round
    already, for the backward reader.
each sentence begins with zeros: notes, cells = [], [] -> \
        notes, cells = [], [] ⏎h, c = torch.zeros_like(h), torch.zeros_like(c)
    You begin with zeros again. Begin each layer with its pair from `states`.
c begins with zeros: notes, cells = [], [] -> notes, cells = [], [] ⏎c = torch.zeros_like(c)
    Your cells begin with zeros. Both pages are carried, h and c.
h begins with zeros: notes, cells = [], [] -> notes, cells = [], [] ⏎h = torch.zeros_like(h)
    Your h begins with zeros. Both pages are carried, h and c.
the given states are changed: ends.append((shown[rows, lengths - 1], kept[rows, lengths - 1])) \
        -> ends.append((shown[rows, lengths - 1], kept[rows, lengths - 1])) \
        ⏎states[len(ends) - 1] = ends[-1]
    You change the list `states`, or what stands in it, and whoever called the function still needs
    it. Make a new list, and new tensors.
every layer begins with the first one's state: notes, cells = [], [] -> \
        notes, cells = [], [] ⏎h, c = states[0]
    Every layer of yours begins with the state of the first. Each layer has a pair of its own.
"""

EXERCISE = Exercise(
    id="read_on",
    title="Begin where the last sentence ended",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=3,
    minutes=15,
    reference=read_on,
    run=_run,
    cases=(
        Case("one sentence, one layer, from zeros", _reading((3,), 1, fresh=True)),
        Case("one sentence, one layer, from a state", _reading((3,), 1)),
        Case("two sentences of one length, two layers", _reading((4, 4))),
        Case("sentences of different lengths", _reading((3, 5, 2)), weight=2),
        Case("states that reach the clip", _reading((4, 3), loud=4.0), edge=True),
        Case("three layers", _reading((4, 2), 3), edge=True),
        Case("a sentence of one token", _reading((1, 3)), edge=True),
    ),
    mistakes=slips(read_on, SLIPS),
    right_answers={"row by row": _row_by_row, "a state that stays": _frozen_at_padding},
    atol=1e-5,
)
