"""Exercise `slope_left`: how a gradient shrinks through a scalar recurrence, derived."""

import numpy as np
import torch
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON

Numbers = NDArray[np.float64]
BY_AUTOGRAD = (
    "You let autograd find the slope. Derive it, and write the formula in NumPy: autograd is "
    "switched off here."
)

MEASURED = (
    "You measure the slope with a small step. That is rough, and where h_0 is large the step is "
    "rounded away. Derive the slope, and write the formula."
)


def slope_left(w: float, x: Numbers, h_0: float) -> Numbers:
    """(T,) of d h_t / d h_0 for h_t = tanh(w h_(t-1) + x_t)."""
    left, h, slopes = 1.0, h_0, []
    for x_t in x:
        h = np.tanh(w * h + x_t)
        left = left * w * (1 - h**2)
        slopes.append(left)
    return np.array(slopes)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    try:
        with torch.no_grad():
            came = call(answer, inputs)
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise AnswerRefused(BY_AUTOGRAD) from error
    if isinstance(came, list | tuple) and all(np.ndim(x) == 0 for x in came):
        return np.array(came, float)
    return came


@Case.drawn
def _chain(rng: Random, words: int, w: float, scale: float = 0.7) -> Inputs:
    return {
        "w": w * float(rng.uniform(0.95, 1.05)),
        "x": scale * rng.standard_normal(words),
        "h_0": float(rng.uniform(0.2, 0.6)),
    }


def _whole(rng: Random) -> Inputs:
    return {"w": 0.5, "x": rng.permutation([-1, 0, 1, 1]), "h_0": float(rng.uniform(0.2, 0.6))}


def _far_out(rng: Random) -> Inputs:
    """h_0 + 1e-3 is rounded back to h_0, and w h_0 + x_1 is 0 without rounding."""
    inputs: Inputs = _chain(4, 1.0)(rng)
    inputs["w"] = 0.5
    inputs["h_0"] *= 1e20
    inputs["x"][0] = -0.5 * inputs["h_0"]
    return inputs


def _measured(step: float, before: float) -> Answer:
    """The slope from the states at two places, so far behind h_0 and before it."""

    def answer(w: float, x: Numbers, h_0: float) -> Numbers:
        def states(h: float) -> Numbers:
            return np.array([h := np.tanh(w * h + x_t) for x_t in x])

        return (states(h_0 + step) - states(h_0 - before)) / (step + before)

    return answer


def _by_cumprod(w: float, x: Numbers, h_0: float) -> Numbers:
    states = [h_0]
    for x_t in x:
        states.append(np.tanh(w * states[-1] + x_t))
    factors = w * (1 - np.array(states[1:]) ** 2)
    return np.asarray(np.cumprod(factors))


def _by_autograd(w: float, x: Numbers, h_0: float) -> Numbers:
    start = torch.tensor(float(h_0), dtype=torch.float64, requires_grad=True)
    h, rows = start, []
    for x_t in x:
        h = torch.tanh(w * h + float(x_t))
        rows.append(float(torch.autograd.grad(h, start, retain_graph=True)[0]))
    return np.array(rows)


SLIPS = """
--- hint 1
the weight is forgotten: left * w * (1 - h**2) -> left * (1 - h**2)
    Your steps lack the factor w: inside the tanh, h is multiplied by it (chain rule).
the slope of the tanh is forgotten: left * w * (1 - h**2) -> left * w
    Your steps lack the slope of the tanh, 1 - tanh². Only near 0 is it 1.
the word is not read: w * h + x_t -> w * h
    Your states never read x. They are tanh(w h + x_t).
the word is multiplied: w * h + x_t -> w * (h + x_t)
    You multiply x by w as well. The state is tanh(w h + x_t).
the weight is added in the state: np.tanh(w * h + x_t) -> np.tanh(w + h + x_t)
    You add w to the state. It multiplies: tanh(w h + x_t).
the state is forgotten: np.tanh(w * h + x_t) -> np.tanh(w + x_t)
    Your state never sees the one before: it is tanh(w h + x_t).
no weight in the state: np.tanh(w * h + x_t) -> np.tanh(h + x_t)
    Your states lack the weight: tanh(w h + x_t).
the word is subtracted: np.tanh(w * h + x_t) -> np.tanh(w * h - x_t)
    You subtract x. The state is tanh(w h + x_t).
no tanh in the state: h = np.tanh(w * h + x_t) -> h = w * h + x_t
    Your states lack the tanh: h = tanh(w h + x_t).
--- hint 2
1 minus h: 1 - h**2 -> 1 - h
    The slope of the tanh is 1 - h², with a square.
2 minus h squared: 1 - h**2 -> 2 - h**2
    The slope of the tanh is 1 - h². At h = 0 it is 1.
h squared minus 1: 1 - h**2 -> h**2 - 1
    The slope of the tanh is 1 - h², not h² - 1: it is never below 0.
twice h: 1 - h**2 -> 1 - h * 2
    You double h where it should be squared: 1 - h².
minus h squared: 1 - h**2 -> 0 - h**2
    The 1 is missing in the slope of the tanh: 1 - h².
w in place of h: 1 - h**2 -> 1 - w**2
    You square w. The slope of the tanh is 1 - h², with the new state h.
2 to the power of h: 1 - h**2 -> 1 - 2**h
    You take 2 to the power of h. It is h to the power of 2: 1 - h².
h cubed: 1 - h**2 -> 1 - h**3
    The slope of the tanh is 1 - h², with a square.
1 plus h squared: 1 - h**2 -> 1 + h**2
    The slope of the tanh is 1 *minus* h². It is never above 1.
the slope of the sigmoid: 1 - h**2 -> h * (1 - h)
    h (1 - h) is the slope of the sigmoid. That of the tanh is 1 - h².
the slope for w: left * w * (1 - h**2) -> (old + w * left) * (1 - h**2) \
        && h = np.tanh -> old, h = h, np.tanh && 1.0, h_0 -> 0.0, h_0
    This is the slope for w. Asked for is the slope for h_0: w stays as it is.
the slope at the state itself: 1 - h**2 -> 1 / np.cosh(h) ** 2
    You take the slope of a tanh at the state h itself. It is taken at what goes *into* the tanh,
    and there it is 1 - h².
the state before: h = np.tanh(w * h + x_t) -> old, h = h, np.tanh(w * h + x_t) && h**2 -> old**2
    You take 1 - h² of the state *before* the step. The tanh of this step gave the new state.
what stands inside: h = np.tanh(w * h + x_t) \
        -> inside = w * h + x_t⏎h = np.tanh(inside) && h**2 -> inside**2
    You square what goes into the tanh. With h the state that comes out, its slope is 1 - h².
the weight is added in the slope: left * w * (1 - h**2) -> left * (w + 1 - h**2)
    You add w to the slope of the tanh. By the chain rule they multiply.
the slope is squared: left * w * -> left * left *
    You multiply the slopes of the steps by themselves. Multiply by w in each step.
the weight is squared: left * w * -> left * w**2 *
    You multiply by w twice in each step. Inside the tanh, h is multiplied by it once.
the weight divides: left * w * (1 - h**2) -> left / w * (1 - h**2)
    You divide by w. Inside the tanh, h is multiplied by it, so the slope is, too.
the slope divides: left * w * (1 - h**2) -> left * w / (1 - h**2)
    You divide by the slope of the tanh. By the chain rule it is multiplied.
the weights alone, and no walk: left = left * w * (1 - h**2) -> left = w
    You give w alone. The slope of each step is w times the slope of the tanh, and the slopes of the
    steps multiply.
the steps are added: left * w * (1 - h**2) -> left + w * (1 - h**2)
the steps are added from 0: left, h, slopes = 1.0, -> left, h, slopes = 0.0, \
        && left * w * (1 - h**2) -> left + w * (1 - h**2)
    You add the slopes of the steps. A change goes through one step after the other: they multiply.
one step only: left * w * (1 - h**2) -> w * (1 - h**2)
    You give the slope of the last step alone. From h_0 to h_t lead t steps, and their slopes
    multiply.
the size without its sign: left * w * -> left * abs(w) *
    You take the size of w. With a w below 0 the slope changes its sign at each step.
the first one alone, at each word: slopes.append(left) \
        -> slopes.append(w * (1 - np.tanh(w * h_0 + x[0]) ** 2))
    You give the slope of the first step for every word. From h_0 to h_t lead t steps.
--- hint 3
h stays at h_0: h = np.tanh(w * h + x_t) -> state = np.tanh(w * h_0 + x_t) && h**2 -> state**2
    Your state never leaves h_0. Walk along: each state is made from the one before.
the state stays at h_0: h = np.tanh(w * h + x_t) -> pass
    Your state stays h_0. It is made anew at each word: tanh(w h + x_t).
what is left in place of the state: np.tanh(w * h + x_t) -> np.tanh(w * left + x_t)
    You put what is left of the slope into the tanh. The old state belongs there.
one word late: left = left * w * (1 - h**2) -> slopes.append(left) \
        ⏎left = left * w * (1 - h**2) && slopes.append(left) -> pass
    Your first number is 1, the slope before any word has been read. The first one is that of h_1.
the last one alone: np.array(slopes) -> slopes[-1]
    You return the last slope. Return one for each word, (T,).
the first state's slope: left, h, slopes = 1.0, -> left, h, slopes = 1 - h_0**2,
    Your walk begins with a slope of the tanh at h_0. Nothing has been done to h_0 yet: begin
    with 1.
the two starts change places: left, h, slopes = 1.0, h_0, [] -> left, h, slopes = h_0, 1.0, []
    Your state begins with 1 and your slope with h_0. It is the other way round.
h_0 is multiplied in: left, h, slopes = 1.0, -> left, h, slopes = h_0,
    Your walk begins with h_0 itself. The slope of h_0 for h_0 is 1.
the states: slopes.append(left) -> slopes.append(h)
    You return the states. Return their slopes for h_0.
the first word is left out: for x_t in x: -> for x_t in x[1:]:
    You leave out the first word. There are as many slopes as words.
the last word is left out: for x_t in x: -> for x_t in x[:-1]:
    You leave out the last word. There are as many slopes as words.
the word in place of what is left: left = left * w * -> left = x_t * w *
    You multiply by the word. The slopes of the steps multiply: begin with what is left so far.
--- no hint
as whole as the words: return np.array(slopes) \
        -> out = np.zeros_like(x)⏎out[:] = slopes⏎return out
    `np.zeros_like(x)` has the numbers' kind of x: where these are whole, yours are cut off. Begin
    with `np.zeros(len(x))`.
the other way round: np.array(slopes) -> np.array(slopes[::-1])
    Your slopes come in reverse. The first belongs to the first word.
"""

EXERCISE = Exercise(
    id="slope_left",
    title="How a gradient fades (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=slope_left,
    run=_run,
    cases=(
        Case("one word", _chain(1, 0.8)),
        Case("six words", _chain(6, 1.3), weight=2),
        Case("a weight below 0", _chain(5, -0.9)),
        Case("forty words", _chain(40, 1.1, 0.2), edge=True),
        Case("x of whole numbers", _whole, edge=True),
        Case("h_0 of 20 digits", _far_out, edge=True),
    ),
    mistakes=(
        *slips(slope_left, SLIPS),
        Mistake("by autograd", _by_autograd, BY_AUTOGRAD, hint=1),
        *(
            Mistake(f"a step of {step}, {before} before", _measured(step, before), MEASURED, hint=1)
            for step, before in ((1e-3, 0.0), (1e-6, 1e-6))
        ),
    ),
    right_answers={"cumprod": _by_cumprod},
)
