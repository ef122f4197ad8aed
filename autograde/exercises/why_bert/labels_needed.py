"""Exercise `labels_needed`: how many labels one learner needs for what another does with fewer."""

from collections.abc import Sequence

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.why_bert import LESSON
from course.why_bert.labels_saved import labels_needed


def _by_powers(labels: Sequence[float], accuracy: Sequence[float], level: float) -> float:
    reached = np.flatnonzero(np.asarray(accuracy) >= level)
    if not len(reached):
        return float("inf")
    at = int(reached[0])
    if at == 0:
        return float(labels[0])
    share = (level - accuracy[at - 1]) / (accuracy[at] - accuracy[at - 1])
    return float(labels[at - 1] * (labels[at] / labels[at - 1]) ** share)


def _by_numpy(labels: Sequence[float], accuracy: Sequence[float], level: float) -> float:
    before = None
    for number, now in zip(labels, accuracy, strict=True):
        if now >= level:
            if before is None:
                return float(number)
            return float(np.exp(np.interp(level, [before[1], now], np.log([before[0], number]))))
        before = number, now
    return float("inf")


@Case.drawn
def _curve(rng: Random, points: int, *, at: float, dips: bool = False) -> Inputs:
    """A rising curve; the level lies at the share `at` of its height."""
    labels = np.cumprod(np.concatenate([[50], rng.integers(2, 5, points - 1)])).tolist()
    accuracy = 0.2 + 0.6 * np.sort(rng.uniform(0, 1, points))
    if dips:
        accuracy[points // 2 + 1] = accuracy[0]
        at_point = points // 2
        level = float((accuracy[at_point - 1] + accuracy[at_point]) / 2)
    else:
        level = float(accuracy[0] + at * (accuracy[-1] - accuracy[0]))
    return {
        "labels": labels,
        "accuracy": [round(float(r), 4) for r in accuracy],
        "level": round(level, 4),
    }


def _on_a_point(rng: Random) -> Inputs:
    return {"labels": [50, 100, 200, 400], "accuracy": [0.3, 0.375, 0.5, 0.4], "level": 0.5}


def _begins_there(rng: Random) -> Inputs:
    return {"labels": [60, 120, 240], "accuracy": [0.5, 0.375, 0.25], "level": 0.5}


def _comes_back(rng: Random) -> Inputs:
    return {"labels": [50, 200, 800], "accuracy": [0.7, 0.6, 0.8], "level": 0.65}


def _falls_first(rng: Random) -> Inputs:
    return {"labels": [100, 300, 900], "accuracy": [0.5, 0.4, 0.7], "level": 0.6}


def _loses_it(rng: Random) -> Inputs:
    return {"labels": [50, 200, 800], "accuracy": [0.3, 0.6, 0.5], "level": 0.55}


def _flat(rng: Random) -> Inputs:
    return {"labels": [10, 100, 1000], "accuracy": [0.25, 0.25, 0.5], "level": 0.375}


SLIPS = """
--- hint 1
the next number of labels: return math.exp(low + share * (high - low)) -> return float(labels[i])
    You return the first number of labels that was tried and is enough. The curve crosses the level
    before it: go along the line between the two points.
the number of labels before: return math.exp(low + share * (high - low)) \
        -> return float(labels[i - 1])
    You return the last number of labels that is not enough. Go along the line to where it crosses
    the level.
the last crossing: for i in range(1, len(labels)): -> for i in reversed(range(1, len(labels))): \
        && if accuracy[i] >= level: share -> if accuracy[i] >= level > accuracy[i - 1]: ⏎    share
    Your crossing is the last one. Where a curve dips and comes back, the first counts.
from the last point that is enough: for i in range(1, len(labels)): \
        -> for i in reversed(range(1, len(labels))):
    You begin with the last point that is enough. The first one counts, with the point before it.
above in place of reached: if accuracy[0] >= level -> if accuracy[0] > level \
        && if accuracy[i] >= level -> if accuracy[i] > level
above in place of reached, at the first point: if accuracy[0] >= level -> if accuracy[0] > level
above in place of reached, at a later point: if accuracy[i] >= level -> if accuracy[i] > level
    A curve that stands exactly at the level has reached it: compare with `>=`, not `>`.
a line from the first point: every accuracy[i - 1] -> accuracy[0] \
        && math.log(labels[i - 1]) -> math.log(labels[0])
    Your line begins at the first point of all. It runs between neighbours: from the point before
    the one that reaches the level.
the nearest point: if accuracy[0] >= level: return \
        -> if max(accuracy) >= level: \
        return float(labels[int(np.argmin(np.abs(np.asarray(accuracy) - level)))]) \
        ⏎if accuracy[0] >= level: return
    You return the point that lies nearest to the level. The curve crosses the level between two
    points: go along the line to there.
--- hint 2
along the labels: every math.log( -> float( && math.exp(low -> float(low
    You go along a straight line in labels. Labels are worth as much as their ratio: the line is
    straight over their logarithm.
the way from the other end: (level - accuracy[i - 1]) / -> (accuracy[i] - level) /
    Your share of the way is counted from the far point. Where the level is that of the point
    before, the way is 0.
the share of the level: share = (level - accuracy[i - 1]) / (accuracy[i] - accuracy[i - 1]) \
        -> share = level / accuracy[i]
    Your share of the way is a ratio of heights. Take differences: from the point before to the
    level, over that to the next point.
the share by logarithms, too: share = (level - accuracy[i - 1]) / (accuracy[i] - accuracy[i - 1]) \
        -> share = math.log(level / accuracy[i - 1]) / math.log(accuracy[i] / accuracy[i - 1])
    You take logarithms of the shares of right answers, too. Only the labels are taken so.
from the far point, with its sign: (level - accuracy[i - 1]) -> (level - accuracy[i])
    Your share of the way begins at the far point, so it is negative. Begin at the point before.
the height is turned round: / (accuracy[i] - accuracy[i - 1]) -> / (accuracy[i - 1] - accuracy[i])
    The whole way is the next point less the point before. Yours has the wrong sign.
the share is not divided: / (accuracy[i] - accuracy[i - 1]) ->
    Your share of the way is a height. Divide it by the whole height from the point before to the
    next.
over the height of the point before: / (accuracy[i] - accuracy[i - 1]) -> / accuracy[i - 1]
    You divide by the height of the point before. The whole way is from there to the next point.
times the whole way: / (accuracy[i] - accuracy[i - 1]) -> * (accuracy[i] - accuracy[i - 1])
    You multiply by the whole way. A share of it is a quotient.
the ratio times the share: return math.exp(low + share * (high - low)) \
        -> return labels[i - 1] * share * (labels[i] / labels[i - 1])
    You multiply the ratio of both numbers by the share. The share is a power of it.
halfway between them: share = (level - accuracy[i - 1]) / (accuracy[i] - accuracy[i - 1]) \
        -> share = 0.5
    You always go half the way between two points. How far depends on where the level lies between
    the two shares of right answers.
--- hint 3
a crossing downwards counts: if accuracy[0] >= level: return float(labels[0]) -> \
        && if accuracy[i] >= level -> if (accuracy[i] - level) * (accuracy[i - 1] - level) <= 0
    Your curve may cross the level downwards. Where the first point is above it, the first number of
    labels is enough.
the largest so far: if accuracy[0] >= level: return \
        -> accuracy = np.maximum.accumulate(accuracy) ⏎if accuracy[0] >= level: return
    You take the largest share so far in place of the curve. It runs from point to point, and also
    down.
one line through all points: if accuracy[0] >= level: return \
        -> if max(accuracy) >= level: \
        return float(np.exp(np.interp(level, accuracy, np.log(labels)))) \
        ⏎if accuracy[0] >= level: return
    `np.interp` needs heights that rise, and a curve may fall. Find the first pair of points that
    crosses the level, and draw the line between these two.
a search in a curve that falls: for i in range(1, len(labels)): \
        -> for i in range(int(np.searchsorted(accuracy, level)), len(labels)): \
        && if accuracy[0] >= level: return \
        -> if np.searchsorted(accuracy, level) == 0: return
    `np.searchsorted` needs heights that rise, and a curve may fall. Go through the points in their
    order.
judged by the last point: if accuracy[0] >= level: return \
        -> if accuracy[-1] < level: return math.inf ⏎if accuracy[0] >= level: return
    You look at the last point to say whether the curve ever reaches the level. It may reach it and
    fall again.
the largest instead of never: return math.inf -> return float(labels[-1])
    Where the curve never reaches the level, you return the largest number of labels. Nobody knows
    how many it takes: return infinity.
none instead of never: return math.inf -> return 0.0
    Where the curve never reaches the level, return infinity.
the first in place of never: return math.inf -> return float(labels[0])
    Where the curve never reaches the level, you return the first number of labels. `argmax` of
    nothing but False is 0: ask first whether any point reaches the level.
nothing in place of never: return math.inf -> return None
    Where the curve never reaches the level, your function returns None. Return infinity,
    `float("inf")`.
minus infinity: return math.inf -> return -math.inf
    Your infinity has a minus.
the first point is forgotten: if accuracy[0] >= level: return float(labels[0]) \
        -> if accuracy[0] >= level: return 0.0
    Where the first number of labels is enough, return that number: below it nothing was measured.
never, where the first is enough: if accuracy[0] >= level: return float(labels[0]) \
        -> if accuracy[0] >= level: return math.inf
    Where the first number of labels is enough, return that number.
the logarithm is returned: return math.exp(low + share * (high - low)) \
        -> return low + share * (high - low)
    You return the logarithm. Take `exp` of it: a number of labels is asked for.
ten to the power of a natural logarithm: return math.exp(low + share * (high - low)) \
        -> return 10 ** (low + share * (high - low))
    You take the natural logarithm and go back with a power of 10. `exp` undoes `log`.
the first pair is left out: range(1, len(labels)) -> range(2, len(labels))
    You leave out the first pair of points. The curve may cross the level there.
the first point is not looked at: if accuracy[0] >= level: return float(labels[0]) ->
    Where the first point is at the level or above it, you go on to the next pair. Look at the first
    point alone, before the pairs.
"""

EXERCISE = Exercise(
    id="labels_needed",
    title="What are the labels worth?",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
    reference=labels_needed,
    cases=(
        Case("three points", _curve(3, at=0.4)),
        Case("five points", _curve(5, at=0.7), weight=2),
        Case("the curve dips", _curve(6, at=0.0, dips=True)),
        Case("never", _curve(4, at=1.3)),
        Case("the first is enough", _curve(4, at=-0.2)),
        Case("on the highest point", _on_a_point, edge=True),
        Case("begins at the level, and falls", _begins_there, edge=True),
        Case("begins above the level, falls and comes back", _comes_back),
        Case("falls before it rises", _falls_first),
        Case("reaches the level, and loses it", _loses_it),
        Case("a flat piece", _flat, edge=True),
    ),
    mistakes=slips(labels_needed, SLIPS),
    right_answers={"by powers": _by_powers, "NumPy's interp": _by_numpy},
)
