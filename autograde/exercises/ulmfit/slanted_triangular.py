"""Exercise `slanted_triangular`: the paper's schedule, with its second slope derived anew."""

import math

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, plain, returned
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.ulmfit import LESSON
from elmo_mini.models.ulmfit import slanted_triangular


@Case.drawn
def _run_of(rng: Random, steps: int, cut_share: float = 0.1, ratio: float = 32.0) -> Inputs:
    return {"steps": steps, "cut_share": cut_share, "ratio": ratio}


@Case.drawn
def _by_default(rng: Random, steps: int) -> Inputs:
    return {"steps": steps}


@Case.drawn
def _any_run(rng: Random) -> Inputs:
    """A run of other numbers for every class and every student."""
    steps, cut_share = int(rng.integers(40, 90)), float(rng.uniform(0.1, 0.4))
    return {"steps": steps, "cut_share": cut_share, "ratio": float(rng.uniform(5.0, 50.0))}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The factor at every step of a run."""
    factors = [plain(returned(answer(t, *inputs.values()))) for t in range(inputs["steps"])]
    for factor in factors:
        if isinstance(factor, bool) or not isinstance(factor, int | float):
            raise AnswerRefused("Return one number, the factor at this step.")
    return factors


def _factor(step: int, steps: int, cut_share: float = 0.1, ratio: float = 32) -> float:
    cut = int(steps * cut_share)
    height = step / cut if step < cut else 1 - (step - cut) / (steps - cut)
    return (1 + height * (ratio - 1)) / ratio


def _from_the_end(step: int, steps: int, cut_share: float = 0.1, ratio: float = 32) -> float:
    cut, low = math.floor(steps * cut_share), 1 / ratio
    rising, falling = (step, cut), (steps - step, steps - cut)
    part, whole = rising if step < cut else falling
    return low + (1 - low) * part / whole


def _as_the_lower(step: int, steps: int, cut_share: float = 0.1, ratio: float = 32) -> float:
    cut = int(steps * cut_share)
    height = (steps - step) / (steps - cut)
    if cut:
        height = min(step / cut, height)
    return height + (1 - height) / ratio


SLIPS = """
--- hint 1
the printed formula: (steps - cut) -> (cut * (1 / cut_share - 1))
    This is the formula as it is printed. Where `steps * cut_share` is not whole, its second slope
    is too steep, and the last rates fall below zero. How many steps does the fall have?
the printed formula, its end cut off: 1 - (step - cut) / (steps - cut) \
        -> max(0, 1 - (step - cut) / (cut * (1 / cut_share - 1)))
    You cut off what falls below zero. Then the last steps stand still at the lowest rate. Mend the
    slope: it must reach 1/ratio at `steps`, not before.
the printed formula, made positive: (steps - cut) -> (cut * (1 / cut_share - 1)) \
        && (1 + height * (ratio - 1)) / ratio -> abs((1 + height * (ratio - 1)) / ratio)
the printed formula, made positive, short runs apart: \
        (steps - cut) -> (cut * (1 / cut_share - 1) or steps) \
        && (1 + height * (ratio - 1)) / ratio -> abs((1 + height * (ratio - 1)) / ratio)
the printed formula, short runs apart: (steps - cut) -> (cut * (1 / cut_share - 1) or steps)
    Your fall has the printed slope, which is too steep where `steps * cut_share` is not whole. A
    patch at its end does not mend it. How many steps does the fall have?
the fall as if nothing were rounded: (step - cut) / (steps - cut) \
        -> (step - cut) / (steps - steps * cut_share)
    Your fall begins at the rounded cut and ends as if the cut had not been rounded. Its length is
    `steps - cut`, with the same cut.
the slope of the fall is that of the whole run: (step - cut) / (steps - cut) -> (step - cut) / steps
    Your fall is too flat: it has `steps - cut` steps, not `steps`.
the fall counts from the first step: (step - cut) / (steps - cut) -> step / steps
    Your fall counts from the start of the run. It begins at the top, at step `cut`.
the share of the fall rounded down: (step - cut) / (steps - cut) -> (step - cut) // (steps - cut)
    Your fall stays at the top: `//` rounds its share down to 0. Divide with `/`.
the rates rise again: 1 - (step - cut) / (steps - cut) -> (step - cut) / (steps - cut)
    After the cut your rate starts low and rises. There it falls: 1 minus the share of the fall.
--- hint 2
at the lowest rate one step early: (steps - cut) -> (steps - cut - 1)
    Your last step has the lowest rate already. The line reaches 1/ratio at `steps`, one step after
    the last: divide by `steps - cut`.
one step too late: (step - cut) / (steps - cut) -> (step - cut) / (steps - cut + 1)
    Your fall is one step too long: it reaches 1/ratio at `steps`.
the cut rounded to the nearest: int(steps * cut_share) -> round(steps * cut_share)
    You round the cut to the nearest whole number. It is rounded *down*: `int(...)` or
    `math.floor(...)`.
the cut rounded up: int(steps * cut_share) -> math.ceil(steps * cut_share)
    You round the cut up. It is rounded down: `int(...)` or `math.floor(...)`.
the cut is not rounded: int(steps * cut_share) -> steps * cut_share
    Your cut is no whole number. Round it down: `int(...)` or `math.floor(...)`.
no triangle where nothing rises: else 1 - (step - cut) / (steps - cut) \
        -> else 1 - bool(cut) * (step - cut) / (steps - cut)
    Where the cut is 0 your rate stands still at 1. It begins there, and falls like any other.
at least one step rises: int(steps * cut_share) -> max(1, int(steps * cut_share))
    You make the cut 1 where it is 0. Nothing must be divided by it there: with cut 0 no step comes
    before it, and the rate begins at the top.
the cut is always a tenth: int(steps * cut_share) -> int(steps * 0.1)
    Your cut is a tenth of the run. The share is an argument, `cut_share`.
the cut counts from the end: int(steps * cut_share) -> steps - int(steps * cut_share)
    You rise for most of the run. Only the first `cut_share` of the steps rises.
the step at the cut still rises: step < cut -> step <= cut
    At step `cut` you still divide by the cut, which fails where it is 0. The rise is for steps
    *before* the cut.
the rise starts at one step: step / cut -> (step + 1) / cut
    Your rise is one step ahead: step 0 has 1/ratio, and step `cut` has 1.
the steps are counted from 1: height = -> step += 1 ⏎height =
    Your run is one step ahead, rise and fall. Steps are counted from 0: step 0 has 1/ratio.
the rise over one step less: step / cut -> step / (cut - 1)
    Your rate is at its top one step before the cut. It is at 1 at step `cut`: divide by `cut`.
--- hint 3
down to zero: (1 + height * (ratio - 1)) / ratio -> height
    You return the height of the triangle. The rates lie between 1/ratio and 1, not between 0 and 1.
the height over the ratio: (1 + height * (ratio - 1)) / ratio -> height / ratio
    Your factors lie between 0 and 1/ratio. Height 0 is 1/ratio, and height 1 is 1.
the rate in place of the factor: (1 + height * (ratio - 1)) / ratio \
        -> 0.01 * (1 + height * (ratio - 1)) / ratio
    You return a rate. Return the factor alone: the highest rate comes later, with the groups.
the lowest rate comes on top: (1 + height * (ratio - 1)) / ratio -> height + 1 / ratio
    Your top is above 1. Height 0 is 1/ratio and height 1 is 1: from one to the other it is (ratio -
    1) / ratio, not 1.
the ratio itself: (1 + height * (ratio - 1)) / ratio -> 1 + height * (ratio - 1)
    Your factors lie between 1 and `ratio`. They lie between 1/ratio and 1: divide by `ratio`.
the fall ends at zero: (1 + height * (ratio - 1)) / ratio \
        -> (1 + height * (ratio - 1)) / ratio if step < cut else height
    Your fall ends at 0. Height 0 is 1/ratio, on the way down as on the way up.
the rise begins at zero: (1 + height * (ratio - 1)) / ratio \
        -> height if step < cut else (1 + height * (ratio - 1)) / ratio
    Your rise begins at 0. Height 0 is 1/ratio, on the way up as on the way down.
the height times the ratio, without its bracket: (1 + height * (ratio - 1)) / ratio \
        -> 1 + height * (ratio - 1) / ratio
    You divide `height * (ratio - 1)` by the ratio, and then add 1. Put a bracket round the sum:
    `(1 + height * (ratio - 1)) / ratio`.
the ratio is always 32: (1 + height * (ratio - 1)) / ratio -> (1 + height * 31) / 32
    Your ratio is 32. It is an argument, `ratio`.
never below the lowest rate: (1 + height * (ratio - 1)) / ratio -> max(height, 1 / ratio)
    You cut the triangle off at 1/ratio. Its sides are straight lines from 1/ratio up to 1 and back.
the top comes at the lowest place: height * -> (1 - height) *
    You turned the triangle upside down: the run begins at 1. Height 1 is the highest rate.
"""

EXERCISE = Exercise(
    id="slanted_triangular",
    title="A slanted triangle (derive it)",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=9,
    reference=slanted_triangular,
    run=_run,
    cases=(
        Case("100 steps, nothing else said", _by_default(100)),
        Case("109 steps", _run_of(109), weight=2),
        Case("103 steps", _run_of(103)),
        Case("46 steps, a quarter of them up, ratio 10", _run_of(46, 0.25, 10.0), weight=2),
        Case("other steps, another share, another ratio", _any_run()),
        Case(
            "7 steps",
            _run_of(7),
            edge=True,
            asks="A tenth of 7 steps, rounded down, is 0: no step rises, and the first has the "
            "highest rate.",
        ),
    ),
    mistakes=slips(_factor, SLIPS),
    right_answers={
        "if and else": _factor,
        "counted from the end": _from_the_end,
        "the lower of two lines": _as_the_lower,
    },
)
