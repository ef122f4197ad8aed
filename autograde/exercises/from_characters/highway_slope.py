"""Exercise `highway_slope`: the derivative of a highway unit, by pen and paper."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograde.checking.answers import Answer, AnswerRefused, Plain, call_with_tensors, refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.from_characters import LESSON

FOLLOWED = (Tensor.requires_grad_, vars(torch._C.TensorBase)["requires_grad"].__set__)


def reference(
    x: Tensor, w_transform: Tensor, b_transform: Tensor, w_carry: Tensor, b_carry: Tensor
) -> Tensor:
    """dy/dx = (1 - g) + g t' + g' (t - x), with g' = w_carry g (1 - g)."""
    g = torch.sigmoid(w_carry * x + b_carry)
    t = torch.relu(w_transform * x + b_transform)
    slope_of_t = w_transform * (t > 0)
    slope_of_g = w_carry * g * (1 - g)
    return (1 - g) + g * slope_of_t + slope_of_g * (t - x)


def _in_numpy(x: Any, w: Any, b: Any, v: Any, c: Any) -> Any:
    x, w, b, v, c = (np.asarray(value) for value in (x, w, b, v, c))
    g = 1 / (1 + np.exp(-(v * x + c)))
    new, slope = np.maximum(w * x + b, 0), np.where(w * x + b > 0, w, 0.0)
    return g * (1 - g) * v * new + g * slope + (1 - g) - g * (1 - g) * v * x


def _sorted_by_gate(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
    g, new = torch.sigmoid(v * x + c), torch.clamp(w * x + b, min=0)
    old_part = (1 - g) * (1 - v * g * x)
    new_part = g * ((new > 0) * w + v * (1 - g) * new)
    return old_part + new_part


class _ByPen(TorchFunctionMode):
    """Refuses the derivative that autograd finds, and the one of a complex step."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        if func in FOLLOWED or (kwargs or {}).get("requires_grad"):
            raise AnswerRefused(
                "You let autograd find the slope. It finds the right one, and it is what you open "
                "up here: derive the three terms with pen and paper, and write them down."
            )
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor) and result.is_complex():
            raise AnswerRefused(
                "You measure the slope with a complex step. It finds the right one, and no "
                "formula: derive the three terms with pen and paper, and write them down."
            )
        return result


def _a_list(came: Any) -> str | None:
    return LISTED if isinstance(came, list | tuple) else None


def _run(answer: Answer, inputs: Inputs) -> Plain:
    with _ByPen():
        return refusing(_a_list, call_with_tensors)(answer, inputs)


@Case.drawn
def _units(rng: Random, count: int, *, shift: float = 0.0, closed: bool = False) -> Inputs:
    names = ("x", "w_transform", "b_transform", "w_carry", "b_carry")
    inputs = {name: rng.standard_normal(count) for name in names}
    inputs["b_transform"] += shift * np.abs(inputs["w_transform"] * inputs["x"])
    if closed:
        inputs["b_carry"] -= 12.0
    return inputs


def _far_out(rng: Random) -> Inputs:
    """x of 20 digits: x + 1e-2 is rounded back to x, on every processor."""
    inputs: Inputs = _units(4, shift=3.0)(rng)
    inputs["x"] *= 1e20
    inputs["b_transform"] *= 1e20
    inputs["w_carry"] /= 1e20
    return inputs


def _off_and_full(rng: Random) -> Inputs:
    """Two units whose t is 0 whatever x is, and two whose gate has a score of a thousand."""
    inputs: Inputs = _units(4, shift=3.0)(rng)
    inputs["w_transform"][:2], inputs["b_transform"][:2] = 0.0, 0.0
    inputs["b_carry"][2:] += np.array([1000, -1000])
    return inputs


def _at_the_bend(rng: Random) -> Inputs:
    """Units whose relu bends 3e-7 right or left of x, and lets x through or does not."""
    inputs: Inputs = _units(4)(rng)
    inputs["w_transform"] = np.abs(inputs["w_transform"]) * np.array([1, 1, -1, -1])
    x, w = inputs["x"], inputs["w_transform"]
    inputs["b_transform"] = -w * (x + 3e-7 * np.array([1, -1, 1, -1]))
    return inputs


def _measured(step: float, before: float) -> Answer:
    """The slope from y at two places, so far after x and before it."""

    def answer(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
        def y(x: Tensor) -> Tensor:
            return torch.lerp(x, torch.relu(w * x + b), torch.sigmoid(v * x + c))

        return (y(x + step) - y(x - before)) / (step + before)

    return answer


def _on_the_way(inputs: Inputs) -> dict[str, np.ndarray]:
    """Terms with the sign that they have in the slope: what is said of them depends on it."""
    x, w, b, v, c = inputs.values()
    g = 1 / (1 + np.exp(-(v * x + c)))
    new, slope = np.maximum(w * x + b, 0), np.where(w * x + b > 0, w, 0.0)
    gate_slope = v * g * (1 - g)
    return {
        "1 − g": 1 - g,
        "g t": g * new,
        "g t′": g * slope,
        "g′": gate_slope,
        "g′ t": gate_slope * new,
        "(−g′ x)": -gate_slope * x,
        "g′ (t − x)": gate_slope * (new - x),
        "w_carry g t": v * g * new,
        "w_carry (1 − g) t": v * (1 - g) * new,
        "(−w_carry g x)": -v * g * x,
        "(−w_carry (1 − g) x)": -v * (1 - g) * x,
        "g (1 − g) t": g * (1 - g) * new,
        "(−g (1 − g) x)": -g * (1 - g) * x,
        "g (1 − g) t / w_carry": g * (1 - g) * new / v,
        "(−g (1 − g) x / w_carry)": -g * (1 - g) * x / v,
        "g² (1 − g) t": g * g * (1 - g) * new,
        "(−g² (1 − g) x)": -g * g * (1 - g) * x,
    }


LISTED = (
    "You return a list of slopes. Return one tensor: `torch.stack(slopes)`, or "
    "`torch.tensor(slopes)` where they are plain numbers."
)
MEASURED = (
    "You measure the slope with a small step. That is rough: at relu's bend the step reaches to "
    "both sides, and beside a large x it is lost in rounding. Derive the three terms with pen and "
    "paper, and write them down."
)
BEND = (
    "relu's bend is a third of a millionth away from x. Each side has a slope of its own, and a "
    "small step takes both sides in."
)
FAR_OUT = "x is a number of 20 digits. Beside it rounding swallows a small step."
SLIPS = f"""
--- hint 1
the gate counts as a constant: + slope_of_g * (t - x) ->
    You treat the gate as a constant. It depends on x as well, so both products give two terms each:
    the third way goes through g.
only the carried half: + g * slope_of_t + slope_of_g * (t - x) ->
    1 − g alone is the slope of the carried half with the gate held still. Two more ways lead from x
    to y.
the unit itself: (1 - g) + g * slope_of_t + slope_of_g * (t - x) -> g * t + (1 - g) * x
    That is y. Asked for is how much y moves when x moves: dy/dx.
the slopes of two factors multiplied: \
        (1 - g) + g * slope_of_t + slope_of_g * (t - x) -> slope_of_g * (slope_of_t - 1)
    You multiply the slopes of the two factors. The product rule adds: the first's slope times the
    second, plus the first times the second's slope.
the carried half's gate counts as a constant: (t - x) -> t
    In the first product you let the gate move, in the second not. (1 − g) x depends on x twice,
    too: its gate moves by −g′.
the new half's gate counts as a constant: (t - x) -> -x
    In the second product you let the gate move, in the first not. g t depends on x twice, too:
    there is a term g′ t.
--- hint 2
the carried half is missing: (1 - g) + ->
    The term 1 − g is missing. It is the slope of the half that is carried, and the reason for the
    whole construction.
the way through the new is missing: + g * slope_of_t ->
    The way through the new is missing: g times the slope of relu(w x + b).
the carried half for its slope: (1 - g) + -> (1 - g) * x +
    One term holds (1 − g) x, which is no slope yet. With the gate held still its slope is 1 − g.
the slope of the new is not gated: g * slope_of_t -> slope_of_t
    The slope of the new comes through whole. Only the share g of the new reaches y: g times its
    slope.
w_transform twice in the slope of the new: g * slope_of_t -> w_transform * slope_of_t
    You multiply the slope of the new by `w_transform` a second time. It belongs times g.
1 for x in the last term: t - x -> t - 1
    The last term has t − 1 where t − x belongs. In (1 − g) x the gate moves by −g′, and that is
    multiplied by x.
the way through the gate has the wrong sign: + slope_of_g -> - slope_of_g
    The sign of the last term is turned. A wider gate gives more of the new and less of the old: g′
    times (t − x).
t + x in the last term: t - x -> t + x
    The last term has t + x where t − x belongs. A wider gate gives more of t and less of x: the 1 −
    g before x moves by −g′.
g for 1 - g: (1 - g) + -> g +
    You add g for the carried half. Its slope, with the gate held still, is 1 − g.
the new for its slope: g * slope_of_t -> g * t
    One term holds g t, which is no slope yet. The way through the new is g times the slope of t.
the new's inner slope is missing: w_transform * (t > 0) -> (t > 0)
    The chain rule is missing inside relu: the slope of w x + b is w.
the gate's inner slope is missing: w_carry * g -> g
    The chain rule is missing inside the sigmoid: g′ = w_carry · g (1 − g).
the gate's slope is that of tanh: g * (1 - g) -> (1 - g**2)
    1 − g² is the slope of tanh. That of the sigmoid is g (1 − g).
the gate's slope is 1 − g: g * (1 - g) -> (1 - g)
    The slope of the sigmoid is g (1 − g): a factor g is missing.
the gate's slope is g: g * (1 - g) -> g
    The slope of the sigmoid is g (1 − g): the factor 1 − g is missing.
the gate's slope is g times g: g * (1 - g) -> g * g
    You multiply g by g. The slope of the sigmoid is g (1 − g).
w_transform for w_carry in the gate's slope: w_carry * g -> w_transform * g
    The inner slope of your gate is `w_transform`. The gate is made with `w_carry`: g′ = w_carry ·
    g (1 − g).
the gate's slope at x: w_carry * g * (1 - g) -> w_carry * torch.sigmoid(x) * (1 - torch.sigmoid(x))
    You take the sigmoid's slope at x. Take it at w_carry x + b_carry: there it is g (1 − g).
the bias in the gate's inner slope: w_carry * g -> (w_carry + b_carry) * g
    `b_carry` stays as it is when x moves. The inner slope of the gate is `w_carry` alone.
x for w_carry in the gate's slope: w_carry * g -> x * g
    The inner slope of your gate is x, and that is what it would be if `w_carry` moved. Here x
    moves: g′ = w_carry · g (1 − g).
the sigmoid has no slope of its own: w_carry * g * (1 - g) -> w_carry
    You have the slope inside the sigmoid, and not the sigmoid's own, g (1 − g).
t and its slope in each other's place: g * slope_of_t -> g * t && t - x -> slope_of_t - x
    t and its slope stand in each other's place: it is g′ times t, and g times the slope of t.
the carried half has a minus: return (1 - g) -> return -(1 - g)
    The term 1 − g has the wrong sign. (1 − g) x falls with g, and rises with x.
the whole old half has a minus: return (1 - g) -> return -(1 - g) && t - x -> t + x
    The slope of (1 − g) x has the wrong sign. Both of its terms are added: 1 − g, and −g′ x.
relu always lets through: * (t > 0) ->
    Where w x + b is negative, relu is flat and its slope is 0. Yours is always w.
t divided by what is inside relu: w_transform * (t > 0) \
        -> w_transform * t / (w_transform * x + b_transform)
    You divide by w x + b, and where that is 0 you get no number. Ask whether it is above 0.
relu of the slope: w_transform * (t > 0) -> torch.relu(w_transform)
    You take relu of the weight. The slope of relu(w x + b) is w where w x + b is above 0, also for
    a w below 0, and 0 elsewhere.
relu is asked about x: t > 0 -> x > 0
    You ask whether x is positive. relu looks at w x + b: compare that, or t, with 0.
--- hint 3
relu is forgotten in the last term: t - x -> w_transform * x + b_transform - x
    The last term has w x + b where t belongs. t is its relu, 0 where it is negative.
the gate's slope by exponentials: w_carry * g * (1 - g) -> w_carry \
        * torch.exp(-(w_carry * x + b_carry)) / (1 + torch.exp(-(w_carry * x + b_carry))) ** 2
    The formula is right, and for large scores it divides infinity by infinity. Take g (1 − g), with
    g from `torch.sigmoid`.
the gate and its slope by exponentials: g = torch.sigmoid(w_carry * x + b_carry) \
        -> e = torch.exp(w_carry * x + b_carry)⏎g = e / (1 + e)
    The formula is right, and for large scores it divides infinity by infinity. Take
    `torch.sigmoid`.
--- no hint
no sigmoid: torch.sigmoid( -> (
no sigmoid, nor its slope: torch.sigmoid( -> ( && w_carry * g * (1 - g) -> w_carry
    Your gate has no sigmoid: g = sigmoid(w_carry x + b_carry).
no w_carry inside the gate: w_carry * x -> x
    Your gate has no `w_carry` inside: g = sigmoid(w_carry x + b_carry).
the sigmoid is turned over: \
        torch.sigmoid(w_carry * x + b_carry) -> 1 + torch.exp(-(w_carry * x + b_carry))
    Your gate is 1 + exp(−s). The sigmoid is 1 divided by that.
g and 1 - g change places: w_carry * x + b_carry -> -(w_carry * x + b_carry)
    g and 1 − g are in each other's place in your first two terms, which are (1 − g) + g t′. Either
    you wrote them so, or your sigmoid lacks the minus in its exponential: 1 / (1 + exp(−s)).
the two lanes change places: (1 - g) + g * slope_of_t + slope_of_g * (t - x) \
        -> g + (1 - g) * slope_of_t + slope_of_g * (x - t)
    This is the slope of g x + (1 − g) t. Here g goes with the new: y = g t + (1 − g) x.
a list: (1 - g) + g * slope_of_t + slope_of_g * (t - x) -> \
        ((1 - g) + g * slope_of_t + slope_of_g * (t - x)).tolist()
    {LISTED}
the minimum for the maximum: \
        torch.relu(w_transform * x + b_transform) -> (w_transform * x + b_transform).clamp(max=0) \
        && t > 0 -> w_transform * x + b_transform > 0
the minimum for the maximum, and its slope: \
        torch.relu(w_transform * x + b_transform) -> (w_transform * x + b_transform).clamp(max=0) \
        && t > 0 -> t < 0
    Your t is the smaller of w x + b and 0. relu takes the larger.
one number for all units: (1 - g) + g * slope_of_t + slope_of_g * (t - x) -> \
        ((1 - g) + g * slope_of_t + slope_of_g * (t - x)).sum()
    You add up the units. Return one slope for each.
"""

EXERCISE = Exercise(
    id="highway_slope",
    title="The slope of a highway",
    lesson=LESSON,
    points=2,
    difficulty=3,
    importance=4,
    minutes=12,
    reference=reference,
    run=_run,
    on_the_way=_on_the_way,
    cases=(
        Case("one unit, its relu open", _units(1, shift=3.0)),
        Case("eight units", _units(8), weight=2),
        Case("relu shut: the new is 0", _units(4, shift=-3.0)),
        Case("the gate nearly shut", _units(4, closed=True), edge=True),
        Case(
            "units that are off, and scores of a thousand",
            _off_and_full,
            edge=True,
            asks="Two units have w_transform and b_transform 0, two a b_carry of ±1000.",
        ),
        Case("close to relu's bend", _at_the_bend, edge=True, asks=BEND),
        Case("x of 20 digits", _far_out, edge=True, asks=FAR_OUT),
    ),
    mistakes=(
        *slips(reference, SLIPS),
        *(
            Mistake(
                f"measured with a step of {step:g}, {sides}", _measured(*ends), MEASURED, hint=1
            )
            for step in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
            for sides, ends in (("on both sides", (step, step)), ("on one side", (step, 0.0)))
        ),
    ),
    right_answers={"NumPy, the product rule twice": _in_numpy, "sorted by g": _sorted_by_gate},
)
