"""Exercise `memory_left`: what is left of a note after T words, derived."""

import numpy as np
import torch
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON
from autograde.exercises.bilm_from_scratch.stacked import stacked

Numbers = NDArray[np.float64]
BY_AUTOGRAD = (
    "You let autograd find the slope. Derive it, and write the formula in NumPy: autograd is "
    "switched off here."
)


def memory_left(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    """(T, C) of d c_t / d c_0: the product of the forget gates, 0 once a cell was clipped."""
    left, c, rows = np.ones_like(c_0), c_0, []
    for i_t, g_t, f_t in zip(i, g, f, strict=True):
        gate = _sigmoid(f_t + 1)
        new = gate * c + _sigmoid(i_t) * np.tanh(g_t)
        left = left * gate * (np.abs(new) < clip)
        c = np.clip(new, -clip, clip)
        rows.append(left)
    return np.array(rows)


def _sigmoid(x: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-x)))


def _run(answer: Answer, inputs: Inputs) -> Plain:
    try:
        with torch.no_grad():
            return stacked(call(answer, inputs))
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise AnswerRefused(BY_AUTOGRAD) from error


@Case.drawn
def _gates(rng: Random, steps: int, cells: int, clip: float, scale: float = 1.0) -> Inputs:
    i, g, f = scale * rng.standard_normal((3, steps, cells))
    c_0 = rng.uniform(-0.9, 0.9, cells)
    if clip < 2:  # cell 0 is clipped at the second word and comes back; cell 1 at the last
        i[:, :2], g[:, :2], f[:, :2] = 1.0, [-1.0, 0.2], 1.0
        i[:2, 0], g[:2, 0], f[:2, 0] = 3.0, 2.0, 2.0
        i[-1, 1], g[-1, 1] = 4.0, 4.0
        c_0[:2] = 0.0, 0.5
        g[:, 2:] *= 0.1
    return {"i": i, "g": g, "f": f, "c_0": c_0, "clip": clip}


def _clipped_anywhere(rng: Random) -> Inputs:
    """Some cells never reach the clip, others do at some word; cell 0 above, cell 1 below.

    Cell 2 reaches it at once, and would not if its gate lacked the 1. Cell 3 does not, and would
    if its input gate had a 1.
    """
    i, f = 1 + rng.standard_normal((2, 6, 10))
    g = rng.standard_normal((6, 10))
    i[3, :2], f[3, :2], g[3, :2] = 4.0, 4.0, [4.0, -4.0]
    i[:3, :2] = -3.0
    c_0 = rng.uniform(-0.5, 0.5, 10)
    i[0, 2], g[0, 2], f[0, 2], c_0[2] = 0.0, 0.83, 2.0, 0.5
    i[0, 3], g[0, 3], f[0, 3], c_0[3] = 0.0, 1.19, 2.0, 0.3
    return {"i": i, "g": g, "f": f, "c_0": c_0, "clip": 0.8}


def _by_autograd(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    i_, g_, f_ = map(torch.tensor, (i, g, f))
    start = torch.tensor(c_0, requires_grad=True)
    c, rows = start, []
    for t in range(len(f)):
        c = (torch.sigmoid(f_[t] + 1) * c + torch.sigmoid(i_[t]) * torch.tanh(g_[t])).clamp(
            -clip, clip
        )
        rows.append(torch.autograd.grad(c.sum(), start, retain_graph=True)[0].numpy())
    return np.array(rows).reshape(f.shape)


def _by_cumprod(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    gates, c, free = _sigmoid(f + 1), c_0, []
    for gate, note in zip(gates, _sigmoid(i) * np.tanh(g), strict=True):
        new = gate * c + note
        free.append(np.abs(new) < clip)
        c = np.clip(new, -clip, clip)
    return np.asarray(np.cumprod(gates, 0) * np.cumprod(free, 0))


def _in_logs(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    c, free = c_0, np.ones(f.shape)
    for t, gate in enumerate(_sigmoid(f + 1)):
        c = gate * c + _sigmoid(i[t]) * np.tanh(g[t])
        free[t:, np.abs(c) > clip] = 0
    return free * np.exp(-np.logaddexp(0, -1 - f).cumsum(0))


SLIPS = """
--- hint 1
times the slope of tanh: left * gate -> left * gate * (1 - np.tanh(new) ** 2)
    You multiply by the slope of a tanh, too. From cell to cell c goes through none: the one that
    you think of stands between c and h.
the slope of the sigmoid: left * gate -> left * gate * (1 - gate)
    You differentiate the sigmoid. The gate does not depend on c here: it is a plain factor in front
    of c, and the derivative of a * c is a.
the new notes are counted, too: left * gate -> left * (gate + _sigmoid(i_t) * np.tanh(g_t))
    You add sigmoid(i) tanh(g) to the factor. It does not depend on c_0, so its derivative is 0.
times the slope on the way out: rows.append(left) -> rows.append(left * (1 - np.tanh(c) ** 2))
    You multiply by the slope of the tanh between c and h. What is asked is how c moves, and no tanh
    stands between one c and the next.
the input gate is added: left * gate -> left * gate + _sigmoid(i_t)
    You add the input gate. It lets new notes in, which do not depend on c_0: their derivative is 0.
--- hint 2
a tanh in place of the sigmoid: _sigmoid(f_t + 1) -> np.tanh(f_t + 1)
    Your gate is a tanh. The forget gate is sigmoid(f + 1), between 0 and 1.
the 1 is missing: left * gate -> left * _sigmoid(f_t)
the 1 is missing in c, too: f_t + 1 -> f_t
    Your gates are sigmoid(f). In this cell the forget gate is sigmoid(f + 1).
the 1 is subtracted: f_t + 1 -> f_t - 1
    Your gates are sigmoid(f - 1). The 1 is added: sigmoid(f + 1) keeps the old notes while the
    weights are small.
what is forgotten: left * gate -> left * (1 - gate)
what is forgotten, in c, too: gate = _sigmoid(f_t + 1) -> gate = 1 - _sigmoid(f_t + 1)
the sigmoid with the wrong sign: np.exp(-x) -> np.exp(x)
    Your factor is 1 - sigmoid(f + 1), the share that is forgotten. What is left is sigmoid(f + 1).
    If you wrote the sigmoid yourself: `1 / (1 + np.exp(-x))`.
nothing is forgotten: _sigmoid(f_t + 1) -> np.ones_like(f_t)
    Your c goes on whole, so all of it is left. Each word multiplies it by the forget gate,
    sigmoid(f + 1).
both gates are open: 1 / (1 + np.exp(-x)) -> x / x
    Your gates are 1 whatever comes in. Put i and f + 1 through the sigmoid: `1 / (1 + np.exp(-x))`.
2 is added: f_t + 1 -> f_t + 2
    Your gates are sigmoid(f + 2). Add 1, once: sigmoid(f + 1).
the forget gate without its sigmoid: _sigmoid(f_t + 1) -> f_t + 1
    You multiply by f + 1 as it is. The gate is sigmoid(f + 1), between 0 and 1.
the sigmoid without its exp: np.exp(-x) -> -x
    Your sigmoid has lost its exponential: `1 / (1 + np.exp(-x))`.
the 1 is outside the sigmoid: _sigmoid(f_t + 1) -> _sigmoid(f_t) + 1
    You add the 1 to the gate itself, so what is left grows. It is added inside: sigmoid(f + 1).
times the input gate: left * gate -> left * gate * _sigmoid(i_t)
    You multiply by the input gates, too. They let new notes in, which do not depend on c_0: the
    forget gates alone are multiplied.
the input gate: left * gate -> left * _sigmoid(i_t)
    You multiply the input gates. Old notes pass through the forget gate, sigmoid(f + 1).
the clip is forgotten: * (np.abs(new) < clip) ->
    Your product is right while nothing is clipped. A cell that stands at the clip no longer moves
    when c_0 moves a little: from there on the derivative is 0. (If you ask for that after clipping,
    ask with `<`: no clipped cell is beyond the clip.)
{what} is left at the clip: left * gate * (np.abs(new) < clip) \
        -> np.where(np.abs(new) < clip, left * gate, {number}) \
        | what number = all 1.0, clip clip
    A clipped cell stands still when c_0 moves a little: its derivative is 0, not {number}.
what is left is clipped: left * gate * (np.abs(new) < clip) -> np.clip(left * gate, -clip, clip)
    You clip the share that is left. It is the cell c that is clipped: where it goes beyond the
    clip, the slope is 0, and nothing is left.
--- hint 3
c stays at c_0: c = np.clip(new, -clip, clip) -> pass
    You ask at each word whether c_0 would reach the clip. Walk along: the c of each word is made
    from the one before, clipped.
one clipped cell stops all: np.abs(new) -> np.abs(new).max()
    When one cell is clipped, you set all to 0. Each cell is on its own: compare each with the clip.
clipped on one side: np.abs(new) -> new
    You look for cells above the clip only. A cell below -clip stands still as well: `np.abs(c) <
    clip`.
what stands in the cell, over c_0: rows.append(left) -> rows.append(c / c_0)
    You divide the cell by c_0. New notes have come in since; what is asked is by how much c moves
    when c_0 moves a little.
one word late: gate = -> rows.append(left) ⏎gate = && rows.append(left) -> pass
    Row 0 of yours is 1: nothing forgotten yet. Row 0 is for the cell *after* the first word, so it
    already holds one gate.
every row is the last one: left = left * -> left *=
    All your rows are the last one. `left *= ...` changes the array that you have appended before,
    and the list holds it many times. Make a new one: `left = left * ...`.
the clip of the word before: np.abs(new) -> np.abs(c)
    You ask whether the *old* c stands at the clip. The slope is 0 where the new c, before clipping,
    goes beyond it.
the last word only: np.array(rows) -> rows[-1]
    You return the last row. Return one row for each word, (T, C).
--- no hint
the 1 in the input gate, too: _sigmoid(i_t) -> _sigmoid(i_t + 1)
    You add 1 in the input gate as well, so the wrong cells are clipped. It belongs to the forget
    gate alone.
the input gate without its sigmoid: _sigmoid(i_t) -> i_t
    Your products are right, and your c is not, so the wrong cells are clipped. The new notes are
    sigmoid(i) tanh(g): i goes through the sigmoid.
c holds the new notes only: gate * c + ->
    Your c has lost the old notes, so the wrong cells are clipped. It is sigmoid(f + 1) c +
    sigmoid(i) tanh(g), then clipped.
the candidate in place of the forget gate in c: gate * c -> g_t * c
    In your c, the old notes are multiplied by g. Multiply them by the forget gate, sigmoid(f + 1).
"""

SLIPS_OF_CUMPROD = """
--- hint 2
the sum of the gates: np.cumprod(gates, 0) -> np.cumsum(gates, 0)
    You add the gates up. Each step multiplies what is left by its gate, so the chain rule gives a
    product.
the last gate alone: np.cumprod(gates, 0) -> gates
    You give d c_t / d c_(t-1), one step. From c_0 to c_t lie t steps: multiply their gates,
    `np.cumprod(..., axis=0)`.
0 at the clipped word only: np.cumprod(free, 0) -> free
    You write 0 at the word where the cell is clipped, and the memory comes back at the next one.
    What is lost stays lost: every later product has that 0 in it.
--- hint 3
c runs on without being clipped: np.clip(new, -clip, clip) -> new && np.cumprod(free, 0) -> free
    You look whether c is beyond the clip, and let it run on unclipped. Hand on the clipped c, and
    keep the 0 from then on.
the product over the cells: np.cumprod(gates, 0) -> np.cumprod(gates, 1)
    You multiply along the cells. Each cell has a memory of its own; multiply along the words,
    `axis=0`.
"""

EXERCISE = Exercise(
    id="memory_left",
    title="What is left of a note (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=memory_left,
    run=_run,
    cases=(
        Case("one cell, one word", _gates(1, 1, 100.0)),
        Case("three cells, six words, nothing clipped", _gates(6, 3, 100.0), weight=2),
        Case("cells that are clipped on the way", _gates(6, 4, 1.0), weight=2),
        Case("a narrow clip, and cells that reach it at any word", _clipped_anywhere),
        Case("a sentence of sixty words", _gates(60, 2, 100.0, 0.5), edge=True),
    ),
    mistakes=(
        *slips(memory_left, SLIPS, _sigmoid),
        *slips(_by_cumprod, SLIPS_OF_CUMPROD),
        Mistake("by autograd", _by_autograd, BY_AUTOGRAD, hint=1),
    ),
    right_answers={"logarithms": _in_logs, "cumprod": _by_cumprod},
)
