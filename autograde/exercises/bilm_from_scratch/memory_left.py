"""Exercise `memory_left`: what is left of a note after T words, derived."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call,
)
from autograde.exercises.bilm_from_scratch import LESSON
from autograde.exercises.bilm_from_scratch.stacked import stacked

Numbers = NDArray[np.float64]


def memory_left(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    """(T, C) of d c_t / d c_0: the product of the forget gates, 0 once a cell was clipped."""
    left, c, rows = np.ones_like(c_0), c_0, []
    for i_t, g_t, f_t in zip(i, g, f, strict=True):
        gate = _sigmoid(f_t + 1)
        new = gate * c + _sigmoid(i_t) * np.tanh(g_t)
        left = left * gate * (np.abs(new) < clip)
        c = np.clip(new, -clip, clip)
        rows.append(left)
    return np.array(rows).reshape(f.shape)


def _sigmoid(x: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-x)))


def _run(answer: Answer, inputs: Inputs) -> Plain:
    try:
        with torch.no_grad():
            return stacked(call(answer, inputs))
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise AnswerRefused(
            "You let autograd find the slope. Derive it, and write the formula in NumPy: autograd "
            "is switched off here."
        ) from error


def _gates(steps: int, cells: int, clip: float, scale: float = 1.0) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        i, g, f = scale * rng.standard_normal((3, steps, cells))
        c_0 = rng.uniform(-0.9, 0.9, cells)
        if clip < 2:  # cell 0 is clipped at the second word and comes back; cell 1 at the last
            i[:, :2], g[:, :2], f[:, :2] = 1.0, [-1.0, 0.2], 1.0
            i[:2, 0], g[:2, 0], f[:2, 0] = 3.0, 2.0, 2.0
            i[-1, 1], g[-1, 1] = 4.0, 4.0
            c_0[:2] = 0.0, 0.5
            g[:, 2:] *= 0.1
        return {"i": i, "g": g, "f": f, "c_0": c_0, "clip": clip}

    return make


def _clipped_anywhere(rng: np.random.Generator) -> Inputs:
    """Some cells never reach the clip, others do at some word; cell 0 above, cell 1 below."""
    i, f = 1 + rng.standard_normal((2, 6, 10))
    g = rng.standard_normal((6, 10))
    i[3, :2], f[3, :2], g[3, :2] = 4.0, 4.0, [4.0, -4.0]
    i[:3, :2] = -3.0
    return {"i": i, "g": g, "f": f, "c_0": rng.uniform(-0.5, 0.5, 10), "clip": 0.8}


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


def _in_logs(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    return np.asarray(
        np.exp(np.cumsum(np.log(_sigmoid(f + 1)), 0)) * _unclipped(i, g, f, c_0, clip)
    )


def _by_cumprod(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    return np.asarray(np.cumprod(_sigmoid(f + 1), 0) * _unclipped(i, g, f, c_0, clip))


def _unclipped(
    i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float, *, always: bool = False
) -> Numbers:
    """(T, C): 1 while a cell has not been clipped up to t; or, with `always`, where it is not."""
    c, rows = c_0, []
    for i_t, g_t, f_t in zip(i, g, f, strict=True):
        new = _sigmoid(f_t + 1) * c + _sigmoid(i_t) * np.tanh(g_t)
        rows.append((np.abs(new) < clip).astype(float))
        c = np.clip(new, -clip, clip)
    free = np.array(rows).reshape(f.shape)
    return free if always else np.cumprod(free, 0)


def _shifted(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    whole = _by_cumprod(i, g, f, c_0, clip)
    return np.concatenate([np.ones((1, f.shape[1])), whole[:-1]])


def _in_place_of_the_gate(change: Any) -> Any:
    def answer(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
        return np.asarray(np.cumprod(change(i, g, f), 0) * _unclipped(i, g, f, c_0, clip))

    return answer


def _is_clipped(new: Numbers, clip: float) -> Any:
    return np.abs(new) >= clip


def _same_row(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    return np.repeat(_by_cumprod(i, g, f, c_0, clip)[-1:], len(f), 0)


def _gate(f: Numbers) -> Numbers:
    return _sigmoid(f + 1)


def _notes(i: Numbers, g: Numbers) -> Numbers:
    return np.asarray(_sigmoid(i) * np.tanh(g))


def _walk(
    gate: Any = _gate,
    *,
    stays: bool = False,
    clipped: Any = _is_clipped,
    old: bool = False,
    notes: Any = _notes,
    in_c: Any = None,
) -> Any:
    """By the definition, with one thing done otherwise.

    With `stays`, c is c_0 at each word; with `old`, the c from before the word says whether a cell
    is clipped. `notes` is what is written down, `in_c` another factor of the old c, of f and g.
    """

    def answer(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
        left, c, rows = np.ones_like(c_0), c_0, []
        for i_t, g_t, f_t in zip(i, g, f, strict=True):
            kept = gate(f_t) if in_c is None else in_c(f_t, g_t)
            new = kept * c + notes(i_t, g_t)
            left = left * gate(f_t) * ~clipped(c if old else new, clip)
            c = c if stays else np.clip(new, -clip, clip)
            rows.append(left)
        return np.array(rows).reshape(f.shape)

    return answer


def _never_clipped_on_the_way(
    i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float
) -> Numbers:
    c, rows = c_0, []
    for i_t, g_t, f_t in zip(i, g, f, strict=True):
        c = _sigmoid(f_t + 1) * c + _sigmoid(i_t) * np.tanh(g_t)
        rows.append(np.abs(c) < clip)
    return np.asarray(np.cumprod(_sigmoid(f + 1), 0) * np.array(rows))


def _left_is_clipped(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    left, rows = np.ones_like(c_0), []
    for f_t in f:
        left = np.clip(left * _gate(f_t), -clip, clip)
        rows.append(left)
    return np.array(rows).reshape(f.shape)


def _through_tanh(i: Numbers, g: Numbers, f: Numbers, c_0: Numbers, clip: float) -> Numbers:
    left, c, rows = np.ones_like(c_0), c_0, []
    for i_t, g_t, f_t in zip(i, g, f, strict=True):
        new = _gate(f_t) * c + _notes(i_t, g_t)
        left = left * _gate(f_t) * (np.abs(new) < clip) * (1 - np.tanh(new) ** 2)
        c = np.clip(new, -clip, clip)
        rows.append(left)
    return np.array(rows).reshape(f.shape)


ONE_MISSING = "Your gates are sigmoid(f). In this cell the forget gate is sigmoid(f + 1)."
FORGOTTEN = (
    "Your factor is 1 - sigmoid(f + 1), the share that is forgotten. What is left is "
    "sigmoid(f + 1). If you wrote the sigmoid yourself: `1 / (1 + np.exp(-x))`."
)
EXERCISE = Exercise(
    id="memory_left",
    title="What is left of a note (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=3,
    minutes=12,
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
        Mistake(
            "the 1 is missing",
            _in_place_of_the_gate(lambda i, g, f: _sigmoid(f)),
            ONE_MISSING,
            hint=2,
        ),
        Mistake("the 1 is missing in c, too", _walk(_sigmoid), ONE_MISSING, hint=2),
        Mistake(
            "the 1 is subtracted",
            _walk(lambda f: _sigmoid(f - 1)),
            "Your gates are sigmoid(f - 1). The 1 is added: sigmoid(f + 1) keeps the old notes "
            "while the weights are small.",
            hint=2,
        ),
        Mistake(
            "what is forgotten",
            _in_place_of_the_gate(lambda i, g, f: 1 - _sigmoid(f + 1)),
            FORGOTTEN,
            hint=2,
        ),
        Mistake(
            "what is forgotten, in c, too", _walk(lambda f: 1 - _sigmoid(f + 1)), FORGOTTEN, hint=2
        ),
        Mistake(
            "the sigmoid with the wrong sign",
            lambda i, g, f, c_0, clip: _walk(lambda f: 1 - _sigmoid(f + 1))(-i, g, f, c_0, clip),
            FORGOTTEN,
            hint=2,
        ),
        Mistake(
            "nothing is forgotten",
            _walk(np.ones_like),
            "Your c goes on whole, so all of it is left. Each word multiplies it by the forget "
            "gate, sigmoid(f + 1).",
            hint=2,
        ),
        Mistake(
            "both gates are open",
            _walk(np.ones_like, notes=lambda i, g: np.tanh(g)),
            "Your gates are 1 whatever comes in. Put i and f + 1 through the sigmoid: "
            "`1 / (1 + np.exp(-x))`.",
            hint=2,
        ),
        Mistake(
            "2 is added",
            _walk(lambda f: _sigmoid(f + 2)),
            "Your gates are sigmoid(f + 2). Add 1, once: sigmoid(f + 1).",
            hint=2,
        ),
        Mistake(
            "the forget gate without its sigmoid",
            _walk(lambda f: f + 1),
            "You multiply by f + 1 as it is. The gate is sigmoid(f + 1), between 0 and 1.",
            hint=2,
        ),
        Mistake(
            "the sigmoid without its exp",
            _walk(lambda f: -1 / f, notes=lambda i, g: np.tanh(g) / (1 - i)),
            "Your sigmoid has lost its exponential: `1 / (1 + np.exp(-x))`.",
            hint=2,
        ),
        Mistake(
            "the input gate without its sigmoid",
            _walk(notes=lambda i, g: i * np.tanh(g)),
            "Your products are right, and your c is not, so the wrong cells are clipped. The new "
            "notes are sigmoid(i) tanh(g): i goes through the sigmoid.",
            hint=3,
        ),
        Mistake(
            "c holds the new notes only",
            _walk(in_c=lambda f, g: 0),
            "Your c has lost the old notes, so the wrong cells are clipped. It is "
            "sigmoid(f + 1) c + sigmoid(i) tanh(g), then clipped.",
            hint=3,
        ),
        Mistake(
            "the candidate in place of the forget gate in c",
            _walk(in_c=lambda f, g: g),
            "In your c, the old notes are multiplied by g. Multiply them by the forget gate, "
            "sigmoid(f + 1).",
            hint=3,
        ),
        Mistake(
            "c stays at c_0",
            _walk(stays=True),
            "You ask at each word whether c_0 would reach the clip. Walk along: the c of each "
            "word is made from the one before, clipped.",
            hint=3,
        ),
        Mistake(
            "the sum of the gates",
            lambda i, g, f, c_0, clip: (
                np.cumsum(_sigmoid(f + 1), 0) * _unclipped(i, g, f, c_0, clip)
            ),
            "You add the gates up. Each step multiplies what is left by its gate, so the chain "
            "rule gives a product.",
            hint=2,
        ),
        Mistake(
            "the 1 is outside the sigmoid",
            _walk(lambda f: _sigmoid(f) + 1),
            "You add the 1 to the gate itself, so what is left grows. It is added inside: "
            "sigmoid(f + 1).",
            hint=2,
        ),
        Mistake(
            "the 1 is missing, and the clip is forgotten",
            lambda i, g, f, c_0, clip: np.cumprod(_sigmoid(f), 0),
            f"Two things. {ONE_MISSING} And a cell that stands at the clip no longer moves: from "
            "there on the derivative is 0.",
            hint=2,
        ),
        Mistake(
            "the 1 is missing, and clipped on one side",
            _walk(_sigmoid, clipped=lambda new, clip: new >= clip),
            f"Two things. {ONE_MISSING} And a cell below -clip stands still as well: "
            "`np.abs(c) < clip`.",
            hint=2,
        ),
        Mistake(
            "times the input gate",
            lambda i, g, f, c_0, clip: memory_left(i, g, f, c_0, clip) * np.cumprod(_sigmoid(i), 0),
            "You multiply by the input gates, too. They let new notes in, which do not depend on "
            "c_0: the forget gates alone are multiplied.",
            hint=1,
        ),
        Mistake(
            "times the slope of tanh",
            _through_tanh,
            "You multiply by the slope of a tanh, too. From cell to cell c goes through none: the "
            "one that you think of stands between c and h.",
            hint=1,
        ),
        Mistake(
            "one clipped cell stops all",
            _walk(clipped=lambda new, clip: np.max(np.abs(new)) >= clip),
            "When one cell is clipped, you set all to 0. Each cell is on its own: compare each "
            "with the clip.",
            hint=3,
        ),
        Mistake(
            "one clipped cell stops all, and the last word only",
            lambda *a: _walk(clipped=lambda new, clip: np.max(np.abs(new)) >= clip)(*a)[-1],
            "Two things. You return the last row: return one for each word, (T, C). And when one "
            "cell is clipped, you set all to 0: each is on its own.",
            hint=3,
        ),
        Mistake(
            "the last gate alone",
            lambda i, g, f, c_0, clip: _sigmoid(f + 1) * _unclipped(i, g, f, c_0, clip),
            "You give d c_t / d c_(t-1), one step. From c_0 to c_t lie t steps: multiply their "
            "gates, `np.cumprod(..., axis=0)`.",
            hint=2,
        ),
        Mistake(
            "the slope of the sigmoid",
            _in_place_of_the_gate(lambda i, g, f: _sigmoid(f + 1) * (1 - _sigmoid(f + 1))),
            "You differentiate the sigmoid. The gate does not depend on c here: it is a plain "
            "factor in front of c, and the derivative of a * c is a.",
            hint=1,
        ),
        Mistake(
            "the clip is forgotten",
            lambda i, g, f, c_0, clip: np.cumprod(_sigmoid(f + 1), 0),
            "Your product is right while nothing is clipped. A cell that stands at the clip no "
            "longer moves when c_0 moves a little: from there on the derivative is 0. (If you ask "
            "for that after clipping, ask with `<`: no clipped cell is beyond the clip.)",
            hint=3,
        ),
        Mistake(
            "what is left is clipped",
            _left_is_clipped,
            "You clip the share that is left. It is the cell c that is clipped: where it goes"
            " beyond the clip, the slope is 0, and nothing is left.",
            hint=3,
        ),
        Mistake(
            "clipped on one side",
            _walk(clipped=lambda new, clip: new >= clip),
            "You look for cells above the clip only. A cell below -clip stands still as well: "
            "`np.abs(c) < clip`.",
            hint=3,
        ),
        Mistake(
            "0 at the clipped word only",
            lambda i, g, f, c_0, clip: (
                np.cumprod(_sigmoid(f + 1), 0) * _unclipped(i, g, f, c_0, clip, always=True)
            ),
            "You write 0 at the word where the cell is clipped, and the memory comes back at the "
            "next one. What is lost stays lost: every later product has that 0 in it.",
            hint=3,
        ),
        Mistake(
            "c runs on without being clipped",
            _never_clipped_on_the_way,
            "You look whether c is beyond the clip, and let it run on unclipped. Hand on the "
            "clipped c, and keep the 0 from then on.",
            hint=3,
        ),
        Mistake(
            "the new notes are counted, too",
            _in_place_of_the_gate(lambda i, g, f: _sigmoid(f + 1) + _sigmoid(i) * np.tanh(g)),
            "You add sigmoid(i) tanh(g) to the factor. It does not depend on c_0, so its "
            "derivative is 0.",
            hint=1,
        ),
        Mistake(
            "the input gate",
            _in_place_of_the_gate(lambda i, g, f: _sigmoid(i)),
            "You multiply the input gates. Old notes pass through the forget gate, sigmoid(f + 1).",
            hint=1,
        ),
        Mistake(
            "one word late",
            _shifted,
            "Row 0 of yours is 1: nothing forgotten yet. Row 0 is for the cell *after* the first "
            "word, so it already holds one gate.",
            hint=3,
        ),
        Mistake(
            "every row is the last one",
            _same_row,
            "All your rows are the last one. `left *= ...` changes the array that you have "
            "appended before, and the list holds it many times. Make a new one: "
            "`left = left * ...`.",
            hint=3,
        ),
        Mistake(
            "the clip of the word before",
            _walk(old=True),
            "You ask whether the *old* c stands at the clip. The slope is 0 where the new c, "
            "before clipping, goes beyond it.",
            hint=3,
        ),
        Mistake(
            "by autograd",
            _by_autograd,
            "You let autograd find the slope. Derive it, and write the formula in NumPy: autograd "
            "is switched off here.",
            hint=1,
        ),
        Mistake(
            "the product over the cells",
            lambda i, g, f, c_0, clip: (
                np.cumprod(_sigmoid(f + 1), 1) * _unclipped(i, g, f, c_0, clip)
            ),
            "You multiply along the cells. Each cell has a memory of its own; multiply along the "
            "words, `axis=0`.",
            hint=3,
        ),
        Mistake(
            "the last word only",
            lambda i, g, f, c_0, clip: memory_left(i, g, f, c_0, clip)[-1],
            "You return the last row. Return one row for each word, (T, C).",
            hint=3,
        ),
    ),
    right_answers={
        "logarithms": _in_logs,
        "cumprod": _by_cumprod,
    },
)
