"""Exercise `best_log_odds`: the score that no judge of sentence pairs can beat."""

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.both_sides_at_once import LESSON

Floats = NDArray[np.float64]


def best_log_odds(counts: Floats, false: float) -> Floats:
    """(A, B): log of the odds that a pair is true, given how often b followed a."""
    joint = counts / counts.sum()
    first = joint.sum(1, keepdims=True)
    second = joint.sum(0, keepdims=True)
    return np.log((1 - false) * joint) - np.log(false * first * second)


def _by_bayes(counts: Floats, false: float) -> Floats:
    pairs = counts.sum()
    true = (1 - false) * counts / pairs
    drawn = false * np.outer(counts.sum(1), counts.sum(0)) / pairs**2
    chance = true / (true + drawn)
    return np.log(chance / (1 - chance))


def _by_conditional(counts: Floats, false: float) -> Floats:
    after = counts / counts.sum(1)[:, None]
    alone = counts.sum(0) / counts.sum()
    return np.log(after / alone) + np.log((1 - false) / false)


@Case.drawn
def _counts(rng: Random, shape: tuple[int, int], false: float) -> Inputs:
    return {"counts": rng.integers(1, 40, shape).astype(float), "false": false}


@Case.drawn
def _independent(rng: Random, false: float) -> Inputs:
    counts = np.outer([2.0, 3.0, 5.0], [4.0, 1.0, 6.0, 2.0])
    return {"counts": counts, "false": false}


SLIPS = """
--- hint 2
the chance and not its odds: \
        return np.log((1 - false) * joint) - np.log(false * first * second) \
        -> true, drawn = (1 - false) * joint, false * first * second \
        ⏎return np.log(true / (true + drawn))
    You return the log of the chance that the pair is true. Odds are that chance against its
    opposite: p / (1 - p).
upside down: np.log((1 - false) * joint) - np.log(false * first * second) \
        -> np.log(false * first * second) - np.log((1 - false) * joint)
    Your odds stand upside down: a pair that is likely to be true has a positive score.
the share of false pairs is left out: np.log((1 - false) * joint) - np.log(false * first * second) \
        -> np.log(joint) - np.log(first * second)
    The share of false pairs is missing. Where more pairs are false, every score is lower.
the two shares are swapped: (1 - false) * joint -> false * joint \
        && false * first -> (1 - false) * first
    The two shares are swapped: true pairs make up 1 - `false` of all.
the share of the true ones is missing, and that of the false upside down: \
        (1 - false) * joint -> false * joint && false * first * second -> first * second
    The odds that a pair is true, before anybody reads it, are (1 - f) / f. You multiply by f.
the share of the true ones is missing: (1 - false) * joint -> joint
    True pairs make up 1 - `false` of all, and that factor is missing.
the share of the false ones is missing: false * first -> first
    False pairs make up `false` of all, and that factor is missing.
against all that is not this true pair: np.log(false * first * second) \
        -> np.log(1 - (1 - false) * joint)
    You set this true pair against everything else. Given a and b, two cases are left: this pair is
    true, or this pair is false, and the second has a share of its own.
divided by the joint chance: (1 - false) * joint -> (1 - false) / joint
    You divide by p(a, b). A true pair comes with chance (1 - f) p(a, b): multiply.
--- hint 3
p(a) from the columns: joint.sum(1, keepdims=True) -> joint.sum(0, keepdims=True)
    You take p(b) twice. p(a) is the sum of a row: axis 1.
p(b) from the rows: joint.sum(0, keepdims=True) -> joint.sum(1, keepdims=True)
    You take p(a) twice. p(b) is the sum of a column: axis 0.
the second one is drawn evenly: * second) -> / counts.shape[1])
    In your false pairs each second sentence is as likely as any other. It is drawn as often as it
    occurs.
the first one is left out: false * first * second -> false * second
    In a false pair the first sentence has its chance, too: p(a) p(b).
the second one is left out: false * first * second -> false * first
    In a false pair the second sentence has its chance, too: p(a) p(b).
the sums run along the wrong axes: \
        joint.sum(1, keepdims=True) -> joint.sum(0, keepdims=True)[:, :1] \
        && joint.sum(0, keepdims=True) -> joint.sum(1, keepdims=True)[:1]
    Your sums run along the wrong axis: p(a) is the sum of a row.
counts in place of shares: joint = counts / counts.sum() -> joint = counts
    You put counts where probabilities belong: divide by their sum first.
the chance of b after a: joint = counts / counts.sum() \
        -> joint = counts / counts.sum() ⏎joint = joint / joint.sum(1, keepdims=True)
    You divide each row by its sum before you add up the columns, so every first sentence weighs the
    same. The chance of b is its share of all pairs.
counts of the true ones: (1 - false) * joint -> (1 - false) * counts
    Your true pairs are counts, and your false ones probabilities. Divide `counts` by their sum
    there, too.
without a logarithm: return np.log((1 - false) * joint) - np.log(false * first * second) \
        -> return (1 - false) * joint / (false * first * second)
    These are the odds. Return their logarithm.
b given a: (1 - false) * joint -> (1 - false) * joint / first
    You take p(b | a) for the true pairs, and p(a) p(b) for the false ones. Take p(a, b), or leave
    p(a) out of both.
without the logarithm of the false ones: - np.log(false * first * second) \
        -> - false * first * second
    Both parts stand in the logarithm. You subtract the share of the false pairs itself.
without the logarithm of the true ones: np.log((1 - false) * joint) -> (1 - false) * joint
    Both parts stand in the logarithm. You subtract from the share of the true pairs itself.
--- no hint
means in place of sums: joint.sum(1, keepdims=True) -> joint.mean(1, keepdims=True) \
        && joint.sum(0, keepdims=True) -> joint.mean(0, keepdims=True)
    You take the means of rows and columns. p(a) and p(b) are their sums.
one is added to each count: joint = counts / counts.sum() \
        -> joint = (counts + 1) / (counts + 1).sum()
    You add one to each count. The counts are the chances here, as they are.
of base 2: np.log((1 - false) * joint) - np.log(false * first * second) \
        -> np.log2((1 - false) * joint) - np.log2(false * first * second)
    You take the logarithm of base 2. It is the natural one, as in the loss.
of base 10: np.log((1 - false) * joint) - np.log(false * first * second) \
        -> np.log10((1 - false) * joint) - np.log10(false * first * second)
    You take the logarithm of base 10. It is the natural one, as in the loss.
"""

SLIPS_OF_BAYES = """
--- hint 2
the true over the false, and its odds: true / (true + drawn) -> true / drawn
    You divide the true by the false ones, and these are the odds already. Take their logarithm, and
    do not make odds of them once more.
the chance itself: np.log(chance / (1 - chance)) -> chance
    You return the chance that the pair is true. Return the logarithm of its odds, p / (1 - p).
the chance against the false: chance / (1 - chance) -> chance / (1 - drawn)
    Odds are the chance against its opposite, 1 - p, with the same p.
--- hint 3
one pair in all: pairs = counts.sum() -> pairs = counts
    You divide each count by itself. Divide by the sum of all counts.
e in place of the logarithm: np.log(chance / (1 - chance)) -> np.exp(chance / (1 - chance))
    You raise e to the odds. Take their logarithm.
"""

EXERCISE = Exercise(
    id="best_log_odds",
    title="The best judge of pairs (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=3,
    minutes=15,
    reference=best_log_odds,
    cases=(
        Case("two by three, five of six pairs false", _counts((2, 3), 5 / 6), weight=2),
        Case("four by five, one pair in five false", _counts((4, 5), 0.2), weight=2),
        Case("sentences that know nothing of each other", _independent(0.7)),
        Case("half of the pairs false", _counts((3, 4), 0.5)),
    ),
    mistakes=(*slips(best_log_odds, SLIPS), *slips(_by_bayes, SLIPS_OF_BAYES)),
    right_answers={"Bayes": _by_bayes, "b after a": _by_conditional},
)
