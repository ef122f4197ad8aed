"""Exercise `highway_slope`: the derivative of a highway unit, by pen and paper."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call_with_tensors,
)
from autograde.exercises.from_characters import LESSON


def reference(
    x: Tensor, w_transform: Tensor, b_transform: Tensor, w_carry: Tensor, b_carry: Tensor
) -> Tensor:
    """dy/dx = (1 - g) + g t' + g' (t - x), with g' = w_carry g (1 - g)."""
    g = torch.sigmoid(w_carry * x + b_carry)
    new = torch.relu(w_transform * x + b_transform)
    slope_of_new = w_transform * (new > 0)
    slope_of_gate = w_carry * g * (1 - g)
    return (1 - g) + g * slope_of_new + slope_of_gate * (new - x)


def _with_gate(g: Tensor, x: Tensor, w: Tensor, b: Tensor, v: Tensor) -> Tensor:
    new = torch.relu(w * x + b)
    return (1 - g) + g * w * (new > 0) + v * g * (1 - g) * (new - x)


def varied_slope(
    x: Tensor,
    w: Tensor,
    b: Tensor,
    v: Tensor,
    c: Tensor,
    *,
    carry: float = 1.0,
    through_new: float = 1.0,
    through_gate: float = 1.0,
    kink: bool = True,
    with_w: bool = True,
    with_v: bool = True,
    gate_slope: str = "g(1-g)",
    kink_of_x: bool = False,
    moved: str = "t-x",
) -> Tensor:
    """The slope with one thing done otherwise: the wrong answers are built from this."""
    g, new = torch.sigmoid(v * x + c), torch.relu(w * x + b)
    new_slope = (w if with_w else 1.0) * (((x if kink_of_x else new) > 0).to(x) if kink else 1.0)
    gate = {"g(1-g)": g * (1 - g), "1-g^2": 1 - g**2, "1-g": 1 - g, "g": g, "1": g * 0 + 1}
    gate |= {"g^2": g**2, "x": x * g * (1 - g)}
    slope_of_gate = gate[gate_slope] * (v if with_v else 1.0)
    between = {"t-x": new - x, "t": new, "-x": -x, "t+x": new + x, "no relu": w * x + b - x}[moved]
    return carry * (1 - g) + through_new * g * new_slope + through_gate * slope_of_gate * between


FOLLOWED = (Tensor.requires_grad_, vars(torch._C.TensorBase)["requires_grad"].__set__)


class _ByPen(TorchFunctionMode):
    """Refuses the derivative that autograd finds."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        if func in FOLLOWED or (kwargs or {}).get("requires_grad"):
            raise AnswerRefused(
                "You let autograd find the slope. It finds the right one, and it is what you open "
                "up here: derive the three terms with pen and paper, and write them down."
            )
        return func(*args, **(kwargs or {}))


def _run(answer: Answer, inputs: Inputs) -> Plain:
    def slopes(*arguments: Tensor) -> Any:
        came = answer(*arguments)
        if isinstance(came, list | tuple):
            raise AnswerRefused(LISTED)
        return came

    with _ByPen():
        return call_with_tensors(slopes, inputs)


def _in_numpy(x: Any, w: Any, b: Any, v: Any, c: Any) -> Any:
    x, w, b, v, c = (np.asarray(value) for value in (x, w, b, v, c))
    g = 1 / (1 + np.exp(-(v * x + c)))
    new, slope = np.maximum(w * x + b, 0), np.where(w * x + b > 0, w, 0.0)
    return g * (1 - g) * v * new + g * slope + (1 - g) - g * (1 - g) * v * x


def _units(count: int, *, shift: float = 0.0, closed: bool = False) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        names = ("x", "w_transform", "b_transform", "w_carry", "b_carry")
        inputs = {name: rng.standard_normal(count) for name in names}
        inputs["b_transform"] += shift * np.abs(inputs["w_transform"] * inputs["x"])
        if closed:
            inputs["b_carry"] -= 12.0
        return inputs

    return make


def _far_out(rng: np.random.Generator) -> Inputs:
    """x of hundreds of millions: x + 1e-6 is rounded back to x, or to a number far from it."""
    inputs: Inputs = _units(4, shift=3.0)(rng)
    inputs["x"] *= 1e8
    inputs["b_transform"] *= 1e8
    inputs["w_carry"] /= 1e8
    return inputs


def _at_the_bend(rng: np.random.Generator) -> Inputs:
    """Units whose relu bends three millionths from x, to the left or to the right of it."""
    inputs: Inputs = _units(4)(rng)
    x, w = inputs["x"], inputs["w_transform"]
    inputs["b_transform"] = -w * (x + 3e-6 * np.array([1, -1, 1, -1]))
    return inputs


def _measured(step: float, before: float) -> Answer:
    """The slope from y at two places, so far after x and before it."""

    def answer(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
        def y(x: Tensor) -> Tensor:
            g = torch.sigmoid(v * x + c)
            return g * torch.relu(w * x + b) + (1 - g) * x

        return (y(x + step) - y(x - before)) / (step + before)

    return answer


def _sorted_by_gate(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
    g, new = torch.sigmoid(v * x + c), torch.clamp(w * x + b, min=0)
    old_part = (1 - g) * (1 - v * g * x)
    new_part = g * ((new > 0) * w + v * (1 - g) * new)
    return old_part + new_part


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
    "relu's bend is three millionths away from x. If you measure the slope with a small step, it "
    "takes both sides in: derive it in place of that. If not, look at which side of the bend has "
    "the slope 0."
)
FAR_OUT = (
    "x is a number of hundreds of millions. If you measure the slope with a small step, rounding "
    "swallows the step: derive it in place of that."
)
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
        Case("close to relu's bend", _at_the_bend, edge=True, asks=BEND),
        Case("x of hundreds of millions", _far_out, edge=True, asks=FAR_OUT),
    ),
    mistakes=(
        Mistake(
            "the gate counts as a constant",
            lambda *a: varied_slope(*a, through_gate=0.0),
            "You treat the gate as a constant. It depends on x as well, so both products give two "
            "terms each: the third way goes through g.",
            hint=1,
        ),
        Mistake(
            "the gate counts as a constant, and relu always lets through",
            lambda *a: varied_slope(*a, through_gate=0.0, kink=False),
            "Two things are missing. The gate depends on x as well, so there is a third way, "
            "through g. And where w x + b is negative, relu is flat: its slope is 0 there.",
            hint=1,
        ),
        Mistake(
            "the carried half is missing",
            lambda *a: varied_slope(*a, carry=0.0),
            "The term 1 − g is missing. It is the slope of the half that is carried, and the "
            "reason for the whole construction.",
            hint=2,
        ),
        Mistake(
            "the way through the new is missing",
            lambda *a: varied_slope(*a, through_new=0.0),
            "The way through the new is missing: g times the slope of relu(w x + b).",
            hint=2,
        ),
        Mistake(
            "the carried half for its slope",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, carry=0.0) + (1 - torch.sigmoid(v * x + c)) * x
            ),
            "One term holds (1 − g) x, which is no slope yet. With the gate held still its slope "
            "is 1 − g.",
            hint=2,
        ),
        Mistake(
            "the slope of the new is not gated",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, through_new=0.0) + w * (w * x + b > 0)
            ),
            "The slope of the new comes through whole. Only the share g of the new reaches y: g "
            "times its slope.",
            hint=2,
        ),
        Mistake(
            "w_transform twice in the slope of the new",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, through_new=0.0) + w * w * (w * x + b > 0)
            ),
            "You multiply the slope of the new by `w_transform` a second time. It belongs times g.",
            hint=2,
        ),
        Mistake(
            "1 for x in the last term",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, moved="t")
                - torch.sigmoid(v * x + c) * torch.sigmoid(-v * x - c) * v
            ),
            "The last term has t − 1 where t − x belongs. In (1 − g) x the gate moves by −g′, and "
            "that is multiplied by x.",
            hint=2,
        ),
        Mistake(
            "only the carried half",
            lambda *a: varied_slope(*a, through_new=0.0, through_gate=0.0),
            "1 − g alone is the slope of the carried half with the gate held still. Two more ways "
            "lead from x to y.",
            hint=1,
        ),
        Mistake(
            "the way through the gate has the wrong sign",
            lambda *a: varied_slope(*a, through_gate=-1.0),
            "The sign of the last term is turned. A wider gate gives more of the new and less of "
            "the old: g′ times (t − x).",
            hint=2,
        ),
        Mistake(
            "t + x in the last term",
            lambda *a: varied_slope(*a, moved="t+x"),
            "The last term has t + x where t − x belongs. A wider gate gives more of t and less of "
            "x: the 1 − g before x moves by −g′.",
            hint=2,
        ),
        Mistake(
            "g for 1 - g",
            lambda x, w, b, v, c: varied_slope(x, w, b, v, c, carry=0.0) + torch.sigmoid(v * x + c),
            "You add g for the carried half. Its slope, with the gate held still, is 1 − g.",
            hint=2,
        ),
        Mistake(
            "the new for its slope",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, through_new=0.0)
                + torch.sigmoid(v * x + c) * torch.relu(w * x + b)
            ),
            "One term holds g t, which is no slope yet. The way through the new is g times the "
            "slope of t.",
            hint=2,
        ),
        Mistake(
            "no sigmoid",
            lambda x, w, b, v, c: _with_gate(v * x + c, x, w, b, v),
            "Your gate has no sigmoid: g = sigmoid(w_carry x + b_carry).",
            hint=3,
        ),
        Mistake(
            "no sigmoid, nor its slope",
            lambda x, w, b, v, c: (
                (1 - v * x - c)
                + (v * x + c) * w * (w * x + b > 0)
                + v * (torch.relu(w * x + b) - x)
            ),
            "Your gate has no sigmoid: g = sigmoid(w_carry x + b_carry).",
            hint=3,
        ),
        Mistake(
            "no w_carry inside the gate",
            lambda x, w, b, v, c: _with_gate(torch.sigmoid(x + c), x, w, b, v),
            "Your gate has no `w_carry` inside: g = sigmoid(w_carry x + b_carry).",
            hint=3,
        ),
        Mistake(
            "the sigmoid is turned over",
            lambda x, w, b, v, c: _with_gate(1 + torch.exp(-(v * x + c)), x, w, b, v),
            "Your gate is 1 + exp(−s). The sigmoid is 1 divided by that.",
            hint=3,
        ),
        Mistake(
            "the sigmoid the other way round",
            lambda x, w, b, v, c: _with_gate(torch.sigmoid(-(v * x + c)), x, w, b, v),
            "Your gate is 1 − g: the exponential in the sigmoid has a minus, 1 / (1 + exp(−s)).",
            hint=3,
        ),
        Mistake(
            "relu always lets through",
            lambda *a: varied_slope(*a, kink=False),
            "Where w x + b is negative, relu is flat and its slope is 0. Yours is always w.",
            hint=3,
        ),
        Mistake(
            "the new's inner slope is missing",
            lambda *a: varied_slope(*a, with_w=False),
            "The chain rule is missing inside relu: the slope of w x + b is w.",
            hint=2,
        ),
        Mistake(
            "the gate's inner slope is missing",
            lambda *a: varied_slope(*a, with_v=False),
            "The chain rule is missing inside the sigmoid: g′ = w_carry · g (1 − g).",
            hint=2,
        ),
        Mistake(
            "the gate's slope is that of tanh",
            lambda *a: varied_slope(*a, gate_slope="1-g^2"),
            "1 − g² is the slope of tanh. That of the sigmoid is g (1 − g).",
            hint=2,
        ),
        Mistake(
            "the gate's slope is 1 − g",
            lambda *a: varied_slope(*a, gate_slope="1-g"),
            "The slope of the sigmoid is g (1 − g): a factor g is missing.",
            hint=2,
        ),
        Mistake(
            "the gate's slope is g",
            lambda *a: varied_slope(*a, gate_slope="g"),
            "The slope of the sigmoid is g (1 − g): the factor 1 − g is missing.",
            hint=2,
        ),
        Mistake(
            "the gate's slope is g times g",
            lambda *a: varied_slope(*a, gate_slope="g^2"),
            "You multiply g by g. The slope of the sigmoid is g (1 − g).",
            hint=2,
        ),
        Mistake(
            "x for w_carry in the gate's slope",
            lambda *a: varied_slope(*a, gate_slope="x", with_v=False),
            "The inner slope of your gate is x, and that is what it would be if `w_carry` moved. "
            "Here x moves: g′ = w_carry · g (1 − g).",
            hint=2,
        ),
        Mistake(
            "the gate's inner slope is missing, and the sign is turned",
            lambda *a: varied_slope(*a, with_v=False, through_gate=-1.0),
            "Two things are wrong in the last term. The chain rule is missing inside the sigmoid: "
            "g′ = w_carry · g (1 − g). And its sign is turned: g′ times (t − x).",
            hint=2,
        ),
        *(
            Mistake(
                f"measured with a step of {step:g}, {sides}", _measured(*ends), MEASURED, hint=1
            )
            for step in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
            for sides, ends in (("on both sides", (step, step)), ("on one side", (step, 0.0)))
        ),
        Mistake(
            "a list",
            lambda *a: reference(*a).tolist(),
            LISTED,
            hint=3,
        ),
        Mistake(
            "the sigmoid has no slope of its own",
            lambda *a: varied_slope(*a, gate_slope="1"),
            "You have the slope inside the sigmoid, and not the sigmoid's own, g (1 − g).",
            hint=2,
        ),
        Mistake(
            "the carried half's gate counts as a constant",
            lambda *a: varied_slope(*a, moved="t"),
            "In the first product you let the gate move, in the second not. (1 − g) x depends on x "
            "twice, too: its gate moves by −g′.",
            hint=2,
        ),
        Mistake(
            "the new half's gate counts as a constant",
            lambda *a: varied_slope(*a, moved="-x"),
            "In the second product you let the gate move, in the first not. g t depends on x "
            "twice, too: there is a term g′ t.",
            hint=2,
        ),
        Mistake(
            "relu is forgotten in the last term",
            lambda *a: varied_slope(*a, moved="no relu"),
            "The last term has w x + b where t belongs. t is its relu, 0 where it is negative.",
            hint=3,
        ),
        Mistake(
            "relu is asked about x",
            lambda *a: varied_slope(*a, kink_of_x=True),
            "You ask whether x is positive. relu looks at w x + b: compare that, or t, with 0.",
            hint=3,
        ),
        Mistake(
            "t and its slope in each other's place",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, through_new=0.0, moved="-x")
                + torch.sigmoid(v * x + c) * torch.relu(w * x + b)
                + torch.sigmoid(v * x + c) * torch.sigmoid(-v * x - c) * v * w * (w * x + b > 0)
            ),
            "t and its slope stand in each other's place: it is g′ times t, and g times the slope "
            "of t.",
            hint=2,
        ),
        Mistake(
            "the minimum for the maximum",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, moved="-x")
                + torch.sigmoid(v * x + c)
                * torch.sigmoid(-v * x - c)
                * v
                * torch.clamp(w * x + b, max=0)
            ),
            "Your t is the smaller of w x + b and 0. relu takes the larger.",
            hint=3,
        ),
        Mistake(
            "the carried half has a minus",
            lambda *a: varied_slope(*a, carry=-1.0),
            "The term 1 − g has the wrong sign. (1 − g) x falls with g, and rises with x.",
            hint=2,
        ),
        Mistake(
            "the whole old half has a minus",
            lambda *a: varied_slope(*a, carry=-1.0, moved="t+x"),
            "The slope of (1 − g) x has the wrong sign. Both of its terms are added: 1 − g, and "
            "−g′ x.",
            hint=2,
        ),
        Mistake(
            "the unit itself",
            lambda x, w, b, v, c: (
                torch.sigmoid(v * x + c) * torch.relu(w * x + b)
                + (1 - torch.sigmoid(v * x + c)) * x
            ),
            "That is y. Asked for is how much y moves when x moves: dy/dx.",
            hint=1,
        ),
        Mistake(
            "one number for all units",
            lambda *a: varied_slope(*a).sum(),
            "You add up the units. Return one slope for each.",
            hint=3,
        ),
        Mistake(
            "the slopes of two factors multiplied",
            lambda x, w, b, v, c: (
                varied_slope(x, w, b, v, c, carry=0.0, through_new=0.0, through_gate=0.0)
                + torch.sigmoid(v * x + c)
                * (1 - torch.sigmoid(v * x + c))
                * v
                * (w * (w * x + b > 0) - 1)
            ),
            "You multiply the slopes of the two factors. The product rule adds: the first's slope "
            "times the second, plus the first times the second's slope.",
            hint=1,
        ),
    ),
    right_answers={"NumPy, the product rule twice": _in_numpy, "sorted by g": _sorted_by_gate},
)
