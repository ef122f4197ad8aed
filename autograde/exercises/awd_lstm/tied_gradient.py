"""Exercise `tied_gradient`: the gradient of a table that is used twice, derived."""

import numpy as np
import torch
from numpy.typing import NDArray

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


def tied_gradient(E: Numbers, W: Numbers, read: Ids, error: Numbers) -> Numbers:
    """d loss / d E for scores E W^T e_read with slopes `error` (N, V), the table at both ends."""
    h = E[read] @ W  # (N, D)
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
def _pairs(rng: Random, words: int, size: int, pairs: int) -> Inputs:
    return _with(rng, words, size, rng.permutation(words)[:pairs])


def _repeated(rng: Random) -> Inputs:
    return _with(rng, 5, 3, np.array([2, 0, 2, 2, 4]))


def _with(rng: Random, words: int, size: int, read: Ids) -> Inputs:
    table = rng.standard_normal((words, size))
    matrix = rng.standard_normal((size, size))
    said = rng.integers(0, words, len(read))
    scores = table[read] @ matrix @ table.T
    p = np.exp(scores - np.logaddexp.reduce(scores, 1)[:, None])
    error = (p - np.eye(words)[said]) / len(read)
    return {"E": table, "W": matrix, "read": read, "error": error}


def _by_autograd(E: Numbers, W: Numbers, read: Ids, error: Numbers) -> Numbers:
    table = torch.tensor(E, requires_grad=True)
    scores = table[torch.from_numpy(read)] @ torch.from_numpy(W) @ table.T
    found: Numbers = torch.autograd.grad(scores, table, torch.from_numpy(error))[0].numpy()
    return found


def _pair_by_pair(E: Numbers, W: Numbers, read: Ids, error: Numbers) -> Numbers:
    total = np.zeros_like(E)
    for word, slope in zip(read, error, strict=True):
        total += np.outer(slope, W.T @ E[word])
        total[word] += W @ (E.T @ slope)
    return total


def _with_matrices(E: Numbers, W: Numbers, read: Ids, error: Numbers) -> Numbers:
    into = np.eye(len(E))[read]
    return np.asarray(error.T @ into @ E @ W + into.T @ error @ E @ W.T)


SLIPS = """
--- hint 1
the input alone: gradient = error.T @ h -> gradient = np.zeros_like(E)
    You follow the table as word vectors only. It is the softmax's weights, too: that path gives
    every word a gradient.
the softmax alone: np.add.at(gradient, read, error @ E @ W.T) -> pass
    You follow the table as the softmax's weights only. The words that were read get a second part,
    through h.
the softmax alone, doubled: np.add.at(gradient, read, error @ E @ W.T) -> gradient *= 2
    You take the softmax's part twice. The two parts are not alike: the words that were read get
    theirs through h, back through W.
the softmax's part for the words that were read: gradient = error.T @ h \
        -> gradient = (error.T @ h) * np.isin(np.arange(len(E)), read)[:, None]
    You give the softmax's part to the words that were read. Every word has a score, so every row
    gets that part.
the softmax's part for the word itself: gradient = error.T @ h -> gradient = np.zeros_like(E) \
        ⏎np.add.at(gradient, read, error[np.arange(len(read)), read][:, None] * h)
    You give the softmax's part of each pair to the word that was read. Every word has a score, so
    every row gets that part.
the two are averaged: return gradient -> return gradient / 2
    You take the mean of the two parts. One number is changed, and the loss changes at both places:
    they are added.
--- hint 2
the first part is subtracted: gradient = error.T @ h -> gradient = -error.T @ h
    Your part of the softmax's weights has the wrong sign. Both parts are added.
the second part is subtracted: read, error @ E @ W.T) -> read, -error @ E @ W.T)
    Your part of the words that were read has the wrong sign. Both parts are added.
divided by the pairs once more: return gradient -> return gradient / len(read)
    You divide by the number of pairs. `error` is the slope of the mean, so that is done.
the table's vector in place of h: error.T @ h -> error.T @ E[read]
    The softmax's weights meet h, not the word's vector: the first part is error times h.
W is transposed on the way forth: E[read] @ W -> E[read] @ W.T
    On the way forth the vector is a row: h = x W, and W is not transposed.
W is forgotten on the way back: error @ E @ W.T -> error @ E
    On its way back to the word's vector the error passes through W.
W is not transposed: error @ E @ W.T -> error @ E @ W
    h = x W, so backwards the error is multiplied by W transposed.
the second part once for each word that may be said: \
        np.add.at(gradient, read, error @ E @ W.T) \
        -> np.add.at(gradient, read, len(E) * (error @ E @ W.T))
    Your second part is V times too large: it stands inside the loop over the words that may be
    said. It is added once for each pair.
the second part goes to every row: np.add.at(gradient, read, error @ E @ W.T) \
        -> gradient += (error @ E @ W.T).sum(0)
    You add the second part to every row. Only the rows of the words that were read get it.
the second part goes to the rows of the pairs: np.add.at(gradient, read, error @ E @ W.T) \
        -> gradient[: len(read)] += error @ E @ W.T
    You add the second part of pair n to row n. It belongs to the row of the word that was read,
    `read[n]`.
one part takes the place of the other: np.add.at(gradient, read, error @ E @ W.T) \
        -> gradient[read] = error @ E @ W.T
    In the rows that were read, your second part takes the place of the first. It is added to it.
one part takes the place of the other, and W is not transposed: \
        np.add.at(gradient, read, error @ E @ W.T) -> gradient[read] = error @ E @ W
    Two things in your second part: it takes the place of the first, and is to be added to it; and
    on the way back the error is multiplied by W transposed.
one part takes the place of the other, and W is forgotten: \
        np.add.at(gradient, read, error @ E @ W.T) -> gradient[read] = error @ E
    Two things in your second part: it takes the place of the first, and is to be added to it; and
    on its way back to the word's vector the error passes through W, transposed.
added to the table: return gradient -> return E + gradient
    You return the table with its gradient added. The gradient begins at zeros.
--- hint 3
a repeated word counts once: np.add.at(gradient, read, error @ E @ W.T) \
        -> gradient[read] += error @ E @ W.T
    A word that was read three times gets one of its three parts: `gradient[read] += ...` writes
    each row once. `np.add.at(gradient, read, ...)` adds them all.
a repeated word gets the mean of its parts: np.add.at(gradient, read, error @ E @ W.T) \
        -> np.add.at(gradient, read, error @ E @ W.T / np.bincount(read)[read][:, None])
    A word that was read three times gets the mean of its three parts. Each of them is a part of the
    loss: add them.
"""

EXERCISE = Exercise(
    id="tied_gradient",
    title="One table, two uses (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
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
    ),
    mistakes=(
        *slips(tied_gradient, SLIPS),
        Mistake("by autograd", _by_autograd, BY_AUTOGRAD, hint=1),
    ),
    right_answers={"pair by pair": _pair_by_pair, "one-hot matrices": _with_matrices},
)
