"""Exercise `em`: texts without labels are guessed, and the guesses join the counts."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON
from course.a_hundred_labels.co_training import em, log_shares

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


@Case.drawn
def _texts(
    rng: Random,
    known: int,
    free: int,
    words: int,
    rounds: int,
    classes: int = 2,
    more: int = 0,
    labelled: int | None = None,
) -> Inputs:
    """Texts of which each class has words of its own; class 0 has the most labels.

    So many `more` of the texts without labels join the first shares, as texts of the last class.
    Only the first classes are `labelled`, where that is given.
    """
    own = rng.dirichlet(np.full(words, 0.7), classes)
    share = 0.5 * own / own.mean() * 2.5 / words
    labels = rng.permutation(np.resize(np.array([*range(labelled or classes), 0]), known))
    asked = rng.integers(classes, size=free)
    holds = [rng.random((len(which), words)) < share[which] + 0.05 for which in (labels, asked)]
    tables = [table.astype(float) for table in holds]
    for table in tables:
        empty = np.flatnonzero(table.sum(1) == 0)
        table[empty, rng.integers(words, size=len(empty))] = 1.0
    first = tables[0].T @ np.eye(classes)[labels]
    first[:, -1] += tables[1][:more].sum(0)
    return {
        "w": log_shares(first),
        "known": tables[0],
        "labels": labels,
        "free": tables[1],
        "rounds": rounds,
    }


@Case.drawn
def _long(rng: Random) -> Inputs:
    """Texts of some 210 words, with a probability that is 0 for a computer."""
    known, free = (np.array(rng.random((rows, 300)) < 0.7, dtype=float) for rows in (3, 4))
    labels = np.array([0, 1, 1])
    w = log_shares(known.T @ np.eye(2)[labels])
    return {"w": w, "known": known, "labels": labels, "free": free, "rounds": 1}


@Case.drawn
def _small(rng: Random) -> Inputs:
    """Two known texts, two without labels, and four words: a, b, c and d."""
    known = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    free = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]])
    labels = np.array([0, 1])
    w = log_shares(known.T @ np.eye(2)[labels])
    return {"w": w, "known": known, "labels": labels, "free": free, "rounds": 1}


def _right(w: Floats, known: Floats, labels: Labels, free: Floats, rounds: int = 10) -> Floats:
    given = np.eye(w.shape[1])[labels]
    for _ in range(rounds):
        scores = free @ w
        guess = softmax(scores, axis=1)
        counts = known.T @ given + free.T @ guess
        w = np.log((1 + counts) / (1 + counts).sum(0))
    return w


def _class_by_class(
    w: Floats, known: Floats, labels: Labels, free: Floats, rounds: int = 10
) -> Floats:
    w = w.copy()
    for _ in range(rounds):
        scores = np.einsum("mv,vc->mc", free, w)
        guess = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        for c in range(w.shape[1]):
            counted = known[labels == c].sum(0) + (free * guess[:, [c]]).sum(0) + 1
            w[:, c] = np.log(counted) - np.log(counted.sum())
    return w


def _text_by_text(
    w: Floats, known: Floats, labels: Labels, free: Floats, rounds: int = 10
) -> Floats:
    shares, classes = w.copy(), range(w.shape[1])
    for _ in range(rounds):
        counts = np.ones(w.shape)
        for row, label in zip(known, labels, strict=True):
            counts[:, label] += row
        for row in free:
            words = np.flatnonzero(row)
            scores = np.array([sum(shares[j, c] for j in words) for c in classes])
            odds = np.exp(scores - max(scores))
            counts += np.outer(row, odds / odds.sum())
        shares = np.log(counts / counts.sum(axis=0))
    return shares


SLIPS = """
--- hint 1
the labelled texts are left out: known.T @ given + free.T @ guess -> free.T @ guess
    Your new counts hold the guessed texts alone. The labelled ones join them in every round: their
    labels are the only ones that are known.
whole guesses: guess = softmax(scores, axis=1) -> guess = np.eye(w.shape[1])[scores.argmax(1)]
    Each text joins your counts whole, in its likeliest class. A guess of 0.8 joins them as 0.8 here
    and 0.2 there.
the guesses are taken away: + free.T @ guess -> - free.T @ guess
    You take the guessed texts away from the counts. They join them.
the labelled texts are guessed, too: known.T @ given -> known.T @ softmax(known @ w, axis=1)
    You guess the classes of the labelled texts, too. Theirs are known: each counts whole, in the
    class of its label.
guessed once, before the rounds: for _ in range(rounds): \
        -> guess = softmax(free @ w, axis=1) ⏎for _ in range(rounds): \
        && guess = softmax(scores, axis=1) -> pass
    Your `w` is that of a single round, whatever `rounds` is: you go round once, or you guess before
    the rounds. Every round guesses anew, with the shares of the one before.
counts of all rounds: given = np.eye(w.shape[1])[labels] \
        -> given = np.eye(w.shape[1])[labels] ⏎total = 0 \
        && counts = known.T @ given + free.T @ guess \
        -> total = counts = total + known.T @ given + free.T @ guess
    Your counts go on from round to round, so that early guesses stay in them. Each round counts
    anew.
the labelled texts are counted once, the guesses pile up: \
        given = np.eye(w.shape[1])[labels] \
        -> given = np.eye(w.shape[1])[labels] ⏎total = known.T @ given \
        && counts = known.T @ given + free.T @ guess -> total = counts = total + free.T @ guess
    Your counts keep the guesses of earlier rounds. Each round begins with the labelled texts alone.
added to the first shares: w = np.log((1 + counts) / (1 + counts).sum(0)) \
        -> w = w + np.log((1 + counts) / (1 + counts).sum(0))
    You add the new `w` to the old one. It takes its place.
--- hint 2
the softmax runs over the texts: softmax(scores, axis=1) -> softmax(scores, axis=0)
    Your softmax runs over the texts. For each text, the probabilities of its *classes* add up to 1:
    `axis=1`.
one softmax for the whole table: softmax(scores, axis=1) -> softmax(scores)
    Your softmax makes all numbers of the table add up to 1, over texts and classes together. Each
    text has probabilities of its own: `axis=1`.
sums for probabilities: guess = softmax(scores, axis=1) \
        -> guess = scores / scores.sum(1, keepdims=True)
    Your guesses are sums of logarithms, divided by their own sum. The softmax makes probabilities
    of them.
no probabilities at all: guess = softmax(scores, axis=1) -> guess = scores
    Sums of logarithms join your counts. Make probabilities of them first, with the softmax.
exponentials alone: guess = softmax(scores, axis=1) -> guess = np.exp(scores)
    Your guesses of a text don't add up to 1: divide each by the sum over its classes, or take the
    softmax.
probabilities in place of their logs, to guess: scores = free @ w -> scores = free @ np.exp(w)
    You add up shares. Probabilities of words are multiplied, so their logarithms are added: `w` has
    them already.
an exponential that underflows: guess = softmax(scores, axis=1) \
        -> guess = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
an exponential that underflows, and a divisor that does not: guess = softmax(scores, axis=1) \
        -> guess = np.exp(scores) / (np.exp(scores).sum(1, keepdims=True) + 1e-12)
    In a long text your exponentials are all 0: the computer has no number that small. Take the
    softmax: it first subtracts the largest sum.
the mean of a text's logarithms: scores = free @ w \
        -> scores = free @ w / free.sum(1, keepdims=True)
    You divide the sum by the number of words. Naive Bayes multiplies the probabilities of the
    words, so their logarithms are added, and no more.
guesses weighed by how common the labels are: guess = softmax(scores, axis=1) \
        -> guess = softmax(scores + np.log((1e-9 + given.sum(0)) / given.sum()), axis=1)
    Your guesses lean towards the class that has more labels. Here all classes are equally likely
    beforehand: `w` alone decides.
a share of each word's classes: (1 + counts).sum(0)) -> (1 + counts).sum(1, keepdims=True))
    Your shares say in which classes a word stands. Naive Bayes divides by the sum over the *words*
    of a class: `.sum(0)`.
a share of all counts: (1 + counts).sum(0)) -> (1 + counts).sum())
    You divide by the counts of all classes together. Each class has a sum of its own: `.sum(0)`.
a share of the texts: (1 + counts).sum(0)) \
        -> (2 + given.sum(0) + guess.sum(0)))
    You divide by how many *texts* a class has. Naive Bayes divides by the counts of all its words,
    as `log_shares` does.
no shares at all: np.log((1 + counts) / (1 + counts).sum(0)) -> np.log(1 + counts)
    Your `w` holds the logarithms of counts. Divide each class's counts by their sum first, as
    `log_shares` does.
nothing added: np.log((1 + counts) / (1 + counts).sum(0)) -> np.log(counts / counts.sum(0))
    No count has its extra one, so a word that a class never holds has the share 0. `log_shares`
    adds it.
only the sum has its ones: np.log((1 + counts) -> np.log(counts
    Your sum has the extra ones, and the counts above it have not.
shares before one is added: known.T @ given + free.T @ guess \
        -> (known.T @ given + free.T @ guess) / (len(known) + len(free))
    You divide the counts by the number of texts. `log_shares` takes them whole: it adds one to
    each, and makes shares of them.
one is added twice: known.T @ given + free.T @ guess -> 1 + known.T @ given + free.T @ guess
    One is added to each count twice: once by you, once by `log_shares`.
shares without their log: return w -> return np.exp(w)
    You return shares. Return their logarithms, such as `w` was.
the shares are no logs from round to round: w = np.log((1 + counts) / (1 + counts).sum(0)) \
        -> w = (1 + counts) / (1 + counts).sum(0)
    From the second round on your `w` holds shares. It has to hold their logarithms.
labels from 1: [labels] -> [labels - 1]
    Your labelled texts join a class that is not theirs: labels begin at 0.
as many classes as there are labels: np.eye(w.shape[1])[labels] -> np.eye(labels.max() + 1)[labels]
    You count the classes from the labels. A class may have no labelled text: there are as many as
    `w` has columns.
labelled texts count twice: known.T @ given -> 2 * known.T @ given
    Your labelled texts count twice. Each counts once, as a free one does.
half of the old shares: w = np.log((1 + counts) / (1 + counts).sum(0)) \
        -> w = (w + np.log((1 + counts) / (1 + counts).sum(0))) / 2
    You keep half of the old `w`. The new one takes its place.
the labelled texts' guesses: scores = free @ w \
        -> scores = np.resize(known @ w, (len(free), w.shape[1]))
    You guess the texts that have labels. Guess those in `free`.
--- hint 3
the guesses are returned: return w -> return guess
    You return the guesses. Return `w`, a row for each word.
the counts are returned: return w -> return counts
    You return counts. Return the logarithms of their shares.
stops where a round changes less than {little}: scores = free @ w -> scores, before = free @ w, w \
        && w = np.log((1 + counts) / (1 + counts).sum(0)) \
        -> w = np.log((1 + counts) / (1 + counts).sum(0)) \
        ⏎if np.abs(w - before).max() < {little}: break | little = 0.01, 0.05
    You stop early where little changes. Go as many rounds as are asked.
one round too few: range(rounds) -> range(max(rounds - 1, 0))
    That is one round too few.
one round too many: range(rounds) -> range(rounds + 1)
    That is one round too many: `w` comes in as the first counts left it.
ten rounds, whatever is asked: range(rounds) -> range(10)
    You always go ten rounds. Take `rounds`.
the first shares are made anew: given = np.eye(w.shape[1])[labels] \
        -> given = np.eye(w.shape[1])[labels] ⏎first = 1 + known.T @ given \
        ⏎w = np.log(first / first.sum(0))
    You make the first `w` yourself, from the labels. Begin with the one that you are given: it may
    know more.
classes turned round: return w -> return w[:, ::-1]
    Your columns are turned round: class 0 comes first.
"""

EXERCISE = Exercise(
    id="em",
    title="Guess, count, guess again",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=12,
    reference=em,
    cases=(
        Case("two known texts, two without labels, one round", _small(), weight=2),
        Case("one round", _texts(6, 12, 9, 1)),
        Case("two rounds", _texts(6, 14, 8, 2)),
        Case("ten rounds", _texts(8, 20, 12, 10), weight=2),
        Case("three classes", _texts(9, 20, 10, 3, 3), weight=2),
        Case("first counts that know more", _texts(7, 15, 10, 2, more=5), edge=True),
        Case("no round at all", _texts(5, 6, 7, 0), edge=True),
        Case("a class without labels", _texts(6, 12, 9, 1, 3, 4, 2), edge=True),
        Case("long texts", _long(), edge=True),
    ),
    mistakes=slips(_right, SLIPS),
    right_answers={
        "tables": _right,
        "class by class": _class_by_class,
        "text by text": _text_by_text,
    },
)
