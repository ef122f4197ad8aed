"""Exercise `tied_gradient`: the gradient of a table that is used twice, derived."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON

Numbers = NDArray[np.float64]
Ids = NDArray[np.int64]
BY_AUTOGRAD = (
    "You let autograd find the gradient. Derive it, and write the formula in NumPy: autograd is "
    "switched off here."
)


def tied_gradient(E: Numbers, W: Numbers, read: Ids, said: Ids) -> Numbers:
    """d loss / d E of mean -log softmax(E W^T e_read)_said, the table used at both ends."""
    x = E[read]  # (N, D)
    h = x @ W
    scores = h @ E.T
    p = np.exp(scores - scores.max(1, keepdims=True))
    p = p / p.sum(1, keepdims=True)
    error = (p - np.eye(len(E))[said]) / len(read)  # (N, V)
    gradient = error.T @ h  # as the softmax's weights
    np.add.at(gradient, read, error @ E @ W.T)  # as the words that were read
    return gradient


def _run(answer: Answer, inputs: Inputs) -> Plain:
    try:
        with torch.no_grad():
            return call(answer, inputs)
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise AnswerRefused(BY_AUTOGRAD) from error


@Case.drawn
def _pairs(rng: Random, words: int, size: int, pairs: int, scale: float = 1.0) -> Inputs:
    return {
        "E": scale * rng.standard_normal((words, size)),
        "W": rng.standard_normal((size, size)),
        "read": rng.permutation(words)[:pairs],
        "said": rng.integers(0, words, pairs),
    }


def _repeated(rng: Random) -> Inputs:
    return _pairs(5, 3, 5)(rng) | {
        "read": np.array([2, 0, 2, 2, 4]),
        "said": np.array([1, 2, 2, 0, 1]),
    }


def _by_autograd(E: Numbers, W: Numbers, read: Ids, said: Ids) -> Numbers:
    table = torch.tensor(E, requires_grad=True)
    scores = table[torch.from_numpy(read)] @ torch.from_numpy(W) @ table.T
    loss = functional.cross_entropy(scores, torch.from_numpy(said))
    found: Numbers = torch.autograd.grad(loss, table)[0].numpy()
    return found


def _pair_by_pair(E: Numbers, W: Numbers, read: Ids, said: Ids) -> Numbers:
    total = np.zeros_like(E)
    for a, b in zip(read, said, strict=True):
        h = W.T @ E[a]
        scores = E @ h
        p = np.exp(scores - scores.max())
        p /= p.sum()
        p[b] -= 1
        total += np.outer(p, h) / len(read)
        total[a] += W @ (E.T @ p) / len(read)
    return total


def _with_matrices(E: Numbers, W: Numbers, read: Ids, said: Ids) -> Numbers:
    into, out = np.eye(len(E))[read], np.eye(len(E))[said]
    scores = into @ E @ W @ E.T
    p = np.exp(scores - np.logaddexp.reduce(scores, 1)[:, None])
    error = (p - out) / len(into)
    return np.asarray(error.T @ into @ E @ W + into.T @ error @ E @ W.T)


SLIPS = """
--- hint 1
the input alone: gradient = error.T @ h -> gradient = np.zeros_like(E)
    You follow the table as word vectors only. It is the softmax's weights, too: that path gives
    every word a gradient.
the softmax alone: np.add.at(gradient, read, error @ E @ W.T) -> pass
    You follow the table as the softmax's weights only. The words that were read get a second part,
    through h.
the two are averaged: return gradient -> return gradient / 2
    You take the mean of the two parts. One number is changed, and the loss changes at both places:
    they are added.
the rows that were said: np.add.at(gradient, read -> np.add.at(gradient, said
    The second part goes to the words that were said. It belongs to those that were *read*: they
    are what h was made from.
--- hint 2
without the target: p - np.eye(len(E))[said] -> p
    Your error is p. The word that was said is subtracted from it: p - 1 there.
the target alone: p - np.eye(len(E))[said] -> -np.eye(len(E))[said]
    Your error is the target alone. The softmax also pushes the other words down: p minus the
    target.
the sign reversed: p - np.eye(len(E))[said] -> np.eye(len(E))[said] - p
    Your gradient points downhill. d loss / d score is p minus the target.
the word that was read as the target: np.eye(len(E))[said] -> np.eye(len(E))[read]
    You subtract 1 at the word that was read. The target is the word that was said.
p is not normalised: p = p / p.sum(1, keepdims=True) -> pass
    Your exponentials are not divided by their sum, so they are no probabilities.
normalised over the pairs: p.sum(1, -> p.sum(0,
    You divide by the sum over the pairs. The probabilities of one pair sum to 1 over the words,
    axis 1.
the largest score of the wrong axis: scores.max(1, -> scores.max(0,
    You subtract the largest score over the pairs. Subtract that over the words, axis 1.
the scores in place of p: p = np.exp(scores - scores.max(1, keepdims=True)) -> p = scores
    The scores go through the exponential first.
the first part is subtracted: gradient = error.T @ h -> gradient = -error.T @ h
    Your part of the softmax's weights has the wrong sign. Both parts are added.
the second part is subtracted: read, error @ E @ W.T) -> read, -error @ E @ W.T)
    Your part of the words that were read has the wrong sign. Both parts are added.
not divided by the pairs: / len(read) ->
    Your gradient is that of the sum. The loss is the mean over the pairs.
the table's vector in place of h: error.T @ h -> error.T @ x
    The softmax's weights meet h, not the word's vector: the first part is error times h.
divided by the words of the table: / len(read) -> / len(E)
    You divide by the words of the table. The mean is over the pairs.
W is forgotten on the way back: error @ E @ W.T -> error @ E
    On its way back to the word's vector the error passes through W.
W is not transposed: error @ E @ W.T -> error @ E @ W
    h = x W, so backwards the error is multiplied by W transposed.
--- hint 3
a repeated word counts once: np.add.at(gradient, read, error @ E @ W.T) \
        -> gradient[read] += error @ E @ W.T
    A word that was read three times gets one of its three parts: `gradient[read] += ...` writes
    each row once. `np.add.at(gradient, read, ...)` adds them all.
"""

EXERCISE = Exercise(
    id="tied_gradient",
    title="One table, two uses (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=4,
    minutes=15,
    reference=tied_gradient,
    run=_run,
    cases=(
        Case("one pair", _pairs(4, 3, 1)),
        Case("four pairs, every word read once", _pairs(6, 3, 4), weight=2),
        Case(
            "a word is read three times",
            _repeated,
            weight=2,
            asks="Word 2 is read three times, and each time it has a part in the loss.",
        ),
        Case(
            "large scores",
            _pairs(5, 4, 3, 15.0),
            edge=True,
            asks="Scores go up to some hundreds: subtract the largest before `np.exp`.",
        ),
    ),
    mistakes=(
        *slips(tied_gradient, SLIPS),
        Mistake("by autograd", _by_autograd, BY_AUTOGRAD, hint=1),
    ),
    right_answers={"pair by pair": _pair_by_pair, "one-hot matrices": _with_matrices},
)
