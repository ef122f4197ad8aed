"""Exercise `transition_slope`: the slope of the CRF's loss for its transitions, derived."""

from itertools import pairwise, product

import numpy as np
import torch
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON

Paths = NDArray[np.int64]
Floats = NDArray[np.float64]
BY_AUTOGRAD = (
    "You let autograd find the slope. Derive it, and write the formula in NumPy: autograd is "
    "switched off here."
)


def transition_slope(paths: Paths, scores: Floats, gold: Paths, count: int) -> Floats:
    """(K, K) of d (log Z - s(gold)) / d A, from all paths (N, T) and their scores (N,)."""
    chances = np.exp(scores - scores.max())
    chances = chances / chances.sum()
    slope = np.zeros((count, count))
    for path, chance in zip(paths, chances, strict=True):
        for before, after in pairwise(path):
            slope[before, after] += chance
    for before, after in pairwise(gold):
        slope[before, after] -= 1
    return slope


def _at_once(paths: Paths, scores: Floats, gold: Paths, count: int) -> Floats:
    chances = np.exp(scores - np.logaddexp.reduce(scores))
    slope = np.zeros((count, count))
    np.add.at(slope, (paths[:, :-1], paths[:, 1:]), chances[:, None])
    np.subtract.at(slope, (gold[:-1], gold[1:]), 1.0)
    return slope


@Case.drawn
def _sentence(
    rng: Random, words: int, labels: int, *, scale: float = 1.0, shift: float = 0.0
) -> Inputs:
    paths = np.array(list(product(range(labels), repeat=words)))
    return {
        "paths": paths,
        "scores": shift + scale * rng.standard_normal(len(paths)),
        "gold": paths[int(rng.integers(len(paths)))],
        "count": labels,
    }


def _repeated(rng: Random) -> Inputs:
    drawn = _sentence(5, 2)(rng)
    return drawn | {"gold": np.array([0, 0, 0, 1, 0])}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    try:
        with torch.no_grad():
            return call(answer, inputs)
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise AnswerRefused(BY_AUTOGRAD) from error


SLIPS = """
--- hint 2
not divided by Z: chances = chances / chances.sum() -> pass
    Your weights do not sum to 1. The slope of log Z has 1 / Z in front: divide by the sum of all.
upside down: chances / chances.sum() -> chances.sum() / chances
    Your fraction stands upside down. The weight of a path is e to its score, divided by Z.
multiplied by Z: chances / chances.sum() -> chances * chances.sum()
    You multiply by Z. The slope of log Z has 1 / Z in front: divide.
divided by the mean: chances.sum() -> chances.mean()
    You divide by the mean of the weights. Divide by Z, their sum.
without the exponential: np.exp(scores - scores.max()) -> scores - scores.max()
    You weigh with the scores themselves. The weight of a path is e to its score, divided by Z.
the sign of the score is turned: scores - scores.max() -> scores.max() - scores
    Your weights fall as the scores rise: the sign in the exponential is turned.
transposed: slope[before, after] += chance -> slope[after, before] += chance \
        && slope[before, after] -= 1 -> slope[after, before] -= 1
    Your table is transposed: `transitions[j, k]` is for label k right *after* label j.
only the gold moves are transposed: slope[before, after] -= 1 -> slope[after, before] -= 1
    You enter the moves of the gold path the wrong way round: `[before, after]`.
only the moves of all paths are transposed: slope[before, after] += chance \
        -> slope[after, before] += chance
    You enter the moves of the paths the wrong way round: `[before, after]`.
the gold path alone: slope[before, after] += chance -> pass
    This is the slope of minus the gold path's score. log Z depends on the transitions, too.
the mean over the paths: chances / chances.sum() -> chances / len(chances)
    You divide by the number of paths. The slope of log Z has 1 / Z in front: divide by the sum of
    all.
the gold path is left out of Z: chances = chances / chances.sum() \
        -> chances = chances / chances.sum() * (paths != gold).any(1)
    You leave the gold path out of log Z. Z sums over all paths, the gold one too.
the gold path counts with its chance: slope[before, after] -= 1 \
        -> slope[before, after] -= chances[(paths == gold).all(1)][0]
    Your gold path counts with its probability. Its score is subtracted whole: each move counts -1.
every path counts the same: slope[before, after] += chance -> slope[before, after] += 1 / len(paths)
    Each path counts the same in yours. By the chain rule, a path counts with its probability.
the paths are not weighted at all: slope[before, after] += chance -> slope[before, after] += 1
    Each path counts 1 in yours. By the chain rule, a path counts with its probability.
the score as the weight: chances = chances / chances.sum() -> chances = scores
    Your paths count with their scores. By the chain rule, a path counts with e to its score,
    divided by Z.
only the best path: chances = chances / chances.sum() \
        -> chances = (scores == scores.max()).astype(float)
    You count the moves of the best path. In log Z all paths count, each with its probability.
a move counts once in a path: in pairwise(path): -> in set(pairwise(path.tolist())):
    A path may make the same move several times, and its score holds the transition each time.
    Count every move.
divided by the number of moves: return slope -> return slope / (len(gold) - 1)
    You divide by the number of moves. The score of a path is a sum.
the gold moves are divided by their number: slope[before, after] -= 1 \
        -> slope[before, after] -= 1 / (len(gold) - 1)
    You divide the moves of the gold path by their number. Each counts 1.
divided by the number of moves, if there are any: return slope \
        -> return slope / max(1, len(gold) - 1)
    You divide by the number of moves. The score of a path is a sum.
the last word goes on to the first: in pairwise(path): \
        -> in zip(path, np.roll(path, -1), strict=True): \
        && in pairwise(gold): -> in zip(gold, np.roll(gold, -1), strict=True):
    You count a move from the last word back to the first, as `np.roll` gives it. A path ends: take
    `path[:-1]` and `path[1:]`.
the logarithm of the chance plus {tiny}: slope[before, after] += chance \
        -> slope[before, after] += np.log(chance + {tiny}) | tiny = 0, 1e-12
    Your paths count with the logarithms of their probabilities. Each counts with its probability.
a table of whole numbers: np.zeros((count, count)) -> np.zeros((count, count), dtype=int)
    Your table holds whole numbers, and a probability that is added to one is cut down to 0. Make a
    table of floats: `np.zeros((count, count))`.
words in place of moves: in pairwise(path): -> in zip(path, path, strict=True): \
        && in pairwise(gold): -> in zip(gold, gold, strict=True):
    You count labels, not moves. A transition belongs to two neighbours.
--- hint 3
a gold move counts once: in pairwise(gold): -> in set(pairwise(gold.tolist())):
    A gold move that comes again counts once in yours. Count each time: with `-=` in a loop, or with
    `np.subtract.at`. (With lists of positions as an index, `-=` counts a position only once.)
the counts are set, not added: slope[before, after] += chance -> slope[before, after] = chance
    A move that comes again overwrites what was there. Count each time: with `+=` in a loop, or with
    `np.add.at`. (With lists of positions as an index, `+=` counts a position only once.)
the gold counts are set: slope[before, after] -= 1 -> slope[before, after] = -1
    A move of the gold path overwrites what was there. Subtract: `-=`.
the first move is left out: in pairwise(path): -> in pairwise(path[1:]):
    The first move of each path is missing.
the last move is left out: in pairwise(path): -> in pairwise(path[:-1]):
    The last move of each path is missing.
the first gold move is left out: in pairwise(gold): -> in pairwise(gold[1:]):
    The first move of the gold path is missing.
the last gold move is left out: in pairwise(gold): -> in pairwise(gold[:-1]):
    The last move of the gold path is missing.
gold moves from a label to itself: slope[before, after] -= 1 -> slope[before, before] -= 1
    You enter each move of the gold path as one from a label to itself. It leads to the next label.
the first path alone: slope[before, after] += chance \
        -> slope[before, after] += chance * (path == paths[0]).all()
    Only the first path counts in yours. A `return` or `break` may stand too far in: go through all.
the gold path is not counted: slope[before, after] -= 1 -> pass
    This is the slope of log Z alone. The loss is log Z minus the score of the gold path, and each
    move of the gold path has a slope of its own.
the gold path is added: slope[before, after] -= 1 -> slope[before, after] += 1
    You add the moves of the gold path. Its score is subtracted in the loss, so they count -1.
the sign is turned: return slope -> return -slope
    This is the slope of the gold path's score minus log Z. The loss is the other way round.
without the largest taken out: np.exp(scores - scores.max()) -> np.exp(scores)
    Right for small scores; e to a thousand is infinite, and e to minus a thousand is 0. Take the
    largest score out before the exponential: it cancels when you divide.
scores are cut off: np.exp(scores - scores.max()) -> np.exp(np.clip(scores, -500, 500))
    You cut the scores off, and all beyond count the same. Take the largest score out before the
    exponential, with nothing cut off: it cancels when you divide.
`nan_to_num` over the division: np.exp(scores - scores.max()) -> np.exp(scores) \
        && chances / chances.sum() -> np.nan_to_num(chances / chances.sum())
    `nan_to_num` puts 0 where infinity was divided by infinity, so the best paths count nothing.
    Take the largest score out before the exponential: it cancels when you divide.
"""

EXERCISE = Exercise(
    id="transition_slope",
    title="What a transition learns (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=4,
    minutes=12,
    reference=transition_slope,
    run=_run,
    cases=(
        Case("two words, two labels", _sentence(2, 2)),
        Case("three words, three labels", _sentence(3, 3), weight=2),
        Case("five words, two labels, a move made twice", _repeated),
        Case("four words, four labels", _sentence(4, 4)),
        Case("scores of a thousand", _sentence(3, 2, scale=2.0, shift=1000.0), edge=True),
        Case("scores of minus a thousand", _sentence(3, 2, scale=2.0, shift=-1000.0), edge=True),
        Case("scores that lie far apart", _sentence(3, 2, scale=900.0), edge=True),
        Case(
            "a sentence of one word",
            _sentence(1, 3),
            weight=0.5,
            edge=True,
            asks="One word makes no move, so no transition has a slope.",
        ),
    ),
    mistakes=slips(transition_slope, SLIPS),
    right_answers={"all paths at once": _at_once},
)
