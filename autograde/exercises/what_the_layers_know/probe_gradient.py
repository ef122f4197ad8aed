"""Exercise `probe_gradient`: the gradient of softmax regression, derived."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from autograde.checking.answers import Answer, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON
from elmo_mini.probing.linear_probe import probe_gradient

Numbers = NDArray[np.float64]
Both = tuple[Numbers, Numbers]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    came = call(answer, inputs)
    if isinstance(came, list | tuple) and len(came) == 1:
        came = came[0]
    if isinstance(came, list | tuple) and len(came) == 2:
        return {"gradient for W": came[0], "gradient for b": came[1]}
    return came


@Case.drawn
def _words(
    rng: Random, number: int, size: int, labels: int, l2: float, scale: float = 1.0
) -> Inputs:
    return {
        "x": scale * (rng.standard_normal((number, size)) + 0.3),
        "y": rng.integers(0, labels, number),
        "W": 0.7 * rng.standard_normal((size, labels)),
        "b": rng.standard_normal(labels),
        "l2": l2,
    }


def _far_apart(rng: Random) -> Inputs:
    """All scores of a word are raised by 500 or lowered by 500, which changes no probability."""
    inputs = _words(6, 4, 3, 0.1)(rng)
    inputs["x"][:, 0], inputs["W"][0] = [500, -500, 500, -500, 500, -500], 1.0
    return inputs


def _last_label_absent(rng: Random) -> Inputs:
    return _words(5, 4, 4, 0.1)(rng) | {"y": np.array([0, 2, 1, 2, 0])}


def _by_autograd(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Any:
    leaves = [torch.tensor(value, requires_grad=True) for value in (W, b)]
    scores = torch.tensor(x) @ leaves[0] + leaves[1]
    loss = functional.cross_entropy(scores, torch.tensor(y)) + l2 / 2 * leaves[0].pow(2).sum()
    return torch.autograd.grad(loss, leaves)


def _by_loops(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Both:
    for_W, for_b = l2 * W, np.zeros_like(b)
    for word, label in zip(x, y, strict=True):
        scores = torch.from_numpy(word @ W + b)
        error = torch.softmax(scores, 0).numpy() - np.eye(len(b))[label]
        for_W = for_W + np.outer(word, error) / len(x)
        for_b = for_b + error / len(x)
    return for_W, for_b


def _by_einsum(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Any:
    scores = torch.from_numpy(x @ W + b)
    error = torch.softmax(scores, 1).numpy() - np.eye(len(b))[y]
    return [np.einsum("nh,nk->hk", x, error) / len(x) + l2 * W, error.mean(0)]


def _gradient(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Both:
    scores = x @ W + b
    p = np.exp(scores - scores.max(1, keepdims=True))
    p = p / p.sum(1, keepdims=True)
    target = np.eye(len(b))[y]
    error = (p - target) / len(x)
    return x.T @ error + l2 * W, error.sum(0)


SLIPS = """
--- hint 1
the target alone: p - target -> -target
    Only the right label's score appears in yours. The logarithm of the sum has a derivative as
    well: the probabilities.
--- hint 2
1 is added to the right label: p - target -> p + target
    You add 1 at the right label. It is prediction *minus* target: `-= 1`.
b is forgotten: error.sum(0) -> np.zeros(len(b))
    Your gradient for b is 0. The scores move with b as well: its gradient for label k is the mean
    of p_k - [y = k].
no penalty: + l2 * W ->
    Right without the penalty. The derivative of l2/2 |W|^2 is l2 W: add it.
twice the penalty: l2 * W -> 2 * l2 * W
    The penalty is l2/2 |W|^2, with the half. Its derivative is l2 W, not 2 l2 W.
half the penalty: l2 * W -> l2 / 2 * W
    You add l2/2 W. Deriving the square brings a 2 that cancels the half: l2 W.
the penalty is subtracted: + l2 * W -> - l2 * W
    You subtract the penalty's gradient. The penalty is part of the loss: + l2 W.
the penalty itself: l2 * W -> l2 / 2 * (W**2).sum()
    You add the penalty itself, one number. What is asked for is its derivative, l2 W.
the squares: l2 * W -> l2 * W**2
half the squares: l2 * W -> l2 / 2 * W**2
    You add the square of W. What is asked for is the derivative of l2/2 |W|^2, which is l2 W.
a penalty on b, too: error.sum(0) -> error.sum(0) + l2 * b
    You pull b towards 0 as well. The penalty speaks of W only.
the prediction alone: p - target -> p
    You forget the target: subtract 1 from each word's probability of its right label.
without b in the scores: x @ W + b -> x @ W
    Your scores are x W. Add b before the softmax.
log of the softmax: p / p.sum(1, keepdims=True) -> np.log(p / p.sum(1, keepdims=True))
    You take the logarithm of the probabilities. The gradient of the logarithm of the sum is the
    probability itself.
target minus prediction: p - target -> target - p
    The sign is turned round: yours leads uphill. It is prediction minus target.
the right label only: (p - target) -> (p - target) * target
    You keep the error of the right label and drop the others. The wrong labels are pushed down,
    too: each by its own probability.
the slope of squared errors: (p - target) -> (p - target) * p * (1 - p)
    You multiply by p (1 - p), the gradient of the squared error or of a sigmoid. For the logarithm
    of a softmax it cancels: p minus target is all.
the sum over the words: / len(x) ->
    You add up over the words. The loss is their mean: divide by N.
--- hint 3
divided by the mean: p.sum(1 -> p.mean(1
    Your probabilities add up to K, not to 1. Divide each row by its *sum*.
the scores with the wrong sign: x @ W + b -> -(x @ W + b)
the largest less the scores: scores - scores.max(1, keepdims=True) \
        -> scores.max(1, keepdims=True) - scores
    Your softmax sees minus the scores: `scores - scores.max(...)`, not the reverse.
without the mean in the penalty's part: l2 * W -> l2 * len(x) * W
    You multiply the penalty by the number of words. It stands outside the sum: l2 W.
the target one label before: [y] -> [y - 1]
the target one label off: [y] -> [(y + 1) % len(b)]
the target one label too far: [y] -> [y + 1]
    You take 1 from the wrong column. Labels count from 0: `p[np.arange(N), y] -= 1`.
1 in place of prediction minus 1: p - target -> np.where(target == 1, 1, p)
    You write 1 over the probability of the right label. Subtract 1 from it: `-= 1`.
1 is taken from every label: p - target -> p - 1
    You take 1 from every label of a word. Take it from the right one: `p[np.arange(N), y] -= 1`.
1 is taken from the labels of all words: p - target -> p - target.max(0)
    `p[:, y] -= 1` takes 1 from every word at the labels of *all* words. Take from each row its own:
    `p[np.arange(N), y] -= 1`.
exp without dividing: p = p / p.sum(1, keepdims=True) ->
    Your probabilities do not add up to 1. Divide each row by its sum.
divided by words and labels: / len(x) -> / p.size
    You divide by N times K, as `np.mean` of the whole table does. Divide by the number of words N.
divided by the labels: / len(x) -> / len(b)
    You divide by the number of labels. The loss is a mean over the words: divide by N.
the mean for W, the sum for b: error.sum(0) -> (p - target).sum(0)
    The gradient for W is right, the one for b is N times too large. Both belong to the mean over
    the words.
divided by the words twice for W: x.T @ error -> x.T @ error / len(x)
    The gradient for b is right. In the one for W you divide by N twice: once is enough.
divided by the words twice for b: error.sum(0) -> error.mean(0)
    The gradient for W is right. In the one for b you divide by N twice: once is enough.
one number for b: error.sum(0) -> error.sum()
    Your gradient for b is one number. Each label has its own: add up over the words, `axis=0`.
b summed over the labels: error.sum(0) -> error.sum(1)
    You add up over the labels, and get one number for each word. Add up over the words, `axis=0`:
    one number for each label.
the penalty divided by the words: l2 * W -> l2 * W / len(x)
    You divide the penalty by the number of words as well. It stands outside the mean: add l2 W
    after dividing.
softmax over the words: every 1, keepdims=True -> 0, keepdims=True
    Your softmax runs over the words, `axis=0`. Each word divides its own scores over the labels:
    `axis=1`.
exp of large scores: scores - scores.max(1, keepdims=True) -> scores
    Right until a score is about 700: then exp gives infinity. Subtract each row's largest score
    first, which changes no probability.
nan is written over: scores - scores.max(1, keepdims=True) -> scores \
        && p / p.sum(1, keepdims=True) -> np.nan_to_num(p / p.sum(1, keepdims=True))
    Where `exp` was infinite you write 0 over nan, and the probabilities no longer add up to 1.
    Subtract each row's largest score before `exp`, and there is nothing to write over.
the scores are cut off at {most}: scores - scores.max(1, keepdims=True) \
        -> np.clip(scores, -{most}, {most}) | most = 50, 700
    You cut large scores off, so two of them become equal. Subtract each row's largest score
    instead, which changes no probability.
the largest of the whole table: scores.max(1, keepdims=True) -> scores.max()
    You subtract the largest score of the whole table. In a row that lies far below it every `exp`
    is 0, and 0 / 0 is nan. Subtract each row's own largest score: `scores.max(1, keepdims=True)`.
the largest of each column: scores.max(1, keepdims=True) -> scores.max(0)
    You subtract the largest score of each *column*, which changes the probabilities. Subtract the
    largest of each row: `scores.max(1, keepdims=True)`.
a target as wide as the largest y: np.eye(len(b)) -> np.eye(y.max() + 1)
    Your target has `y.max() + 1` columns. Where no word has the last label, it is too narrow: it
    takes one for each label, K = `len(b)`.
W alone: , error.sum(0) ->
    You return the gradient for W alone. Return both: for W and for b.
b before W: return x.T @ error + l2 * W, error.sum(0) -> return error.sum(0), x.T @ error + l2 * W
    You return the gradient for b first. The order is W, b.
divided by the sums of the columns: p.sum(1, keepdims=True) -> p.sum(0, keepdims=True)
    You divide by the sums of the columns. Each word's probabilities add up to 1: divide each row by
    its own sum, `p.sum(1, keepdims=True)`.
b alone: x.T @ error + l2 * W, error.sum(0) -> error.sum(0)
    You return the gradient for b alone. Return both: for W and for b.
no softmax: p / p.sum(1, keepdims=True) -> scores
    You subtract the target from the scores. The softmax must turn them into probabilities first.
a sigmoid of each score: p / p.sum(1, keepdims=True) -> 1 / (1 + np.exp(-scores))
    You send each score through a sigmoid on its own. A softmax lets the labels compete: the
    probabilities of a word sum to 1.
W transposed: x.T @ error + l2 * W -> (x.T @ error + l2 * W).T
    Your gradient for W is (K, 2H). It has the shape of W, (2H, K): `x.T @ error`.
--- no hint
whole division: / len(x) -> // len(x)
    `//` rounds down to whole numbers. Divide with `/`.
"""

LOOPS = """
the last word is left out: zip(x, y, strict=True) -> zip(x[:-1], y[:-1], strict=True)
    The last word takes no part in your gradients. Add up over all N words.
the first word is left out: zip(x, y, strict=True) -> zip(x[1:], y[1:], strict=True)
    The first word takes no part in your gradients. Add up over all N words.
only the first word: for_b = for_b + error / len(x) -> for_b = for_b + error / len(x)⏎break
    Your loop ends after the first word. Add up over all N words, and return after the loop.
"""

EXERCISE = Exercise(
    id="probe_gradient",
    title="The gradient of a linear probe (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=15,
    reference=probe_gradient,
    run=_run,
    cases=(
        Case("one word, two labels, no penalty", _words(1, 3, 2, 0.0)),
        Case("five words, three labels, no penalty", _words(5, 4, 3, 0.0), weight=2),
        Case("with a penalty", _words(6, 5, 4, 0.3), weight=2),
        Case("more words than numbers", _words(40, 3, 5, 0.05)),
        Case(
            "scores of a thousand",
            _words(6, 4, 3, 0.1, 8000.0),
            edge=True,
            asks="The exponential of 1000 is infinite, and the shares are not.",
        ),
        Case(
            "one row of scores far below another",
            _far_apart,
            edge=True,
            asks="The largest score of one row is far below that of another.",
        ),
        Case(
            "a label that no word has",
            _last_label_absent,
            edge=True,
            asks="No word has the last label, and it has a column all the same: there are K of "
            "them, as many as `b` has numbers.",
        ),
    ),
    mistakes=(*slips(_gradient, SLIPS), *slips(_by_loops, LOOPS)),
    right_answers={
        "with a target": _gradient,
        "autograd": _by_autograd,
        "loops": _by_loops,
        "einsum": _by_einsum,
    },
)
