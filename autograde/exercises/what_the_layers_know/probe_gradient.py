"""Exercise `probe_gradient`: the gradient of softmax regression, derived."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from autograde.checking.exercise import Answer, Case, Exercise, Inputs, Mistake, Plain, call
from autograde.exercises.what_the_layers_know import LESSON
from elmo_mini.probing.linear_probe import probe_gradient

Numbers = NDArray[np.float64]
Both = tuple[Numbers, Numbers]


def _softmax(scores: Numbers, axis: int = 1) -> Numbers:
    shifted = np.exp(scores - scores.max(axis, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis, keepdims=True))


def _run(answer: Answer, inputs: Inputs) -> Plain:
    came = call(answer, inputs)
    if isinstance(came, list | tuple) and len(came) == 2:
        return {"gradient for W": came[0], "gradient for b": came[1]}
    return came


def _words(number: int, size: int, labels: int, l2: float, scale: float = 1.0) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "x": scale * (rng.standard_normal((number, size)) + 0.3),
            "y": rng.integers(0, labels, number),
            "W": 0.7 * rng.standard_normal((size, labels)),
            "b": rng.standard_normal(labels),
            "l2": l2,
        }

    return make


def _far_apart(rng: np.random.Generator) -> Inputs:
    """All scores of a word are raised by 500 or lowered by 500, which changes no probability."""
    inputs = _words(6, 4, 3, 0.1)(rng)
    inputs["x"][:, 0], inputs["W"][0] = [500, -500, 500, -500, 500, -500], 1.0
    return inputs


def _last_label_absent(rng: np.random.Generator) -> Inputs:
    return _words(5, 4, 4, 0.1)(rng) | {"y": np.array([0, 2, 1, 2, 0])}


def _by_autograd(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Any:
    leaves = [torch.tensor(value, requires_grad=True) for value in (W, b)]
    scores = torch.tensor(x) @ leaves[0] + leaves[1]
    loss = functional.cross_entropy(scores, torch.tensor(y)) + l2 / 2 * leaves[0].pow(2).sum()
    return torch.autograd.grad(loss, leaves)


def _by_loops(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Both:
    for_W, for_b = l2 * W, np.zeros_like(b)
    for word, label in zip(x, y, strict=True):
        error = _softmax((word @ W + b)[None])[0] - np.eye(len(b))[label]
        for_W = for_W + np.outer(word, error) / len(x)
        for_b = for_b + error / len(x)
    return for_W, for_b


def _by_einsum(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Any:
    scores = torch.from_numpy(x @ W + b)
    error = torch.softmax(scores, 1).numpy() - np.eye(len(b))[y]
    return [np.einsum("nh,nk->hk", x, error) / len(x) + l2 * W, error.mean(0)]


def _changed(
    *,
    error: Any = lambda p, hot: p - hot,
    parts: Any = lambda n, k: n,
    for_W: Any = lambda x, e, n: x.T @ e / n,
    for_b: Any = lambda e, n: e.sum(0) / n,
    penalty: Any = lambda W, b, l2, n: (l2 * W, 0.0),
    axis: int = 1,
    scores: Any = lambda x, W, b: x @ W + b,
    sign: int = 1,
    softmax: Any = _softmax,
) -> Answer:
    """The definition with one thing done otherwise."""

    def answer(x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float) -> Both:
        hot = np.eye(len(b))[y]
        wrong = error(softmax(scores(x, W, b), axis), hot)
        extra_W, extra_b = penalty(W, b, l2, len(x))
        number = parts(*wrong.shape)
        return sign * for_W(x, wrong, number) + extra_W, sign * for_b(wrong, number) + extra_b

    return answer


def _plain_exp(scores: Numbers, axis: int) -> Numbers:
    with np.errstate(all="ignore"):
        return np.asarray(np.exp(scores) / np.exp(scores).sum(axis, keepdims=True))


def _lowered_by_one_number(scores: Numbers, axis: int) -> Numbers:
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max())
        return np.asarray(powers / powers.sum(axis, keepdims=True))


def _target_as_wide_as_y(
    x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float
) -> Both:
    p = _softmax(x @ W + b)
    error = (p - np.eye(y.max() + 1)[y]) / len(x)
    return x.T @ error + l2 * W, error.sum(0)


def _off(by: int) -> Any:
    return lambda p, hot: p - np.roll(hot, by, axis=1)


EXERCISE = Exercise(
    id="probe_gradient",
    title="The slope of a linear probe (derive it)",
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
            asks="The exponential of 1000 is infinite: subtract each row's largest score first.",
        ),
        Case(
            "one row of scores far below another",
            _far_apart,
            edge=True,
            asks="The largest score of one row is far below that of another: subtract each row's "
            "own largest score.",
        ),
        Case(
            "a label that no word has",
            _last_label_absent,
            edge=True,
            asks="No word has the last label, and it has a column all the same: there are K of "
            "them, as many as `b` has numbers.",
        ),
    ),
    mistakes=(
        Mistake(
            "divided by the mean",
            _changed(softmax=lambda scores, axis: _softmax(scores, axis) * scores.shape[axis]),
            "Your probabilities add up to K, not to 1. Divide each row by its *sum*.",
            hint=3,
        ),
        Mistake(
            "the scores with the wrong sign",
            _changed(softmax=lambda scores, axis: _softmax(-scores, axis)),
            "Your softmax sees minus the scores: `scores - scores.max(...)`, not the reverse.",
            hint=3,
        ),
        Mistake(
            "without the mean in the penalty's part",
            _changed(penalty=lambda W, b, l2, n: (l2 * n * W, 0.0)),
            "You multiply the penalty by the number of words. It stands outside the sum: l2 W.",
            hint=3,
        ),
        Mistake(
            "the target one label before",
            _changed(error=_off(-1)),
            "You take 1 from the wrong column. Labels count from 0: `p[np.arange(N), y] -= 1`.",
            hint=3,
        ),
        Mistake(
            "1 in place of prediction minus 1",
            _changed(error=lambda p, hot: p * (1 - hot) + hot),
            "You write 1 over the probability of the right label. Subtract 1 from it: `-= 1`.",
            hint=3,
        ),
        Mistake(
            "1 is added to the right label",
            _changed(error=lambda p, hot: p + hot),
            "You add 1 at the right label. It is prediction *minus* target: `-= 1`.",
            hint=2,
        ),
        Mistake(
            "1 is taken from every label",
            _changed(error=lambda p, hot: p - 1),
            "You take 1 from every label of a word. Take it from the right one: "
            "`p[np.arange(N), y] -= 1`.",
            hint=3,
        ),
        Mistake(
            "1 is taken from the labels of all words",
            _changed(error=lambda p, hot: p - hot.any(0)),
            "`p[:, y] -= 1` takes 1 from every word at the labels of *all* words. Take from each "
            "row its own: `p[np.arange(N), y] -= 1`.",
            hint=3,
        ),
        Mistake(
            "exp without dividing",
            _changed(softmax=lambda scores, axis: np.exp(scores - scores.max(axis)[:, None])),
            "Your probabilities do not add up to 1. Divide each row by its sum.",
            hint=3,
        ),
        Mistake(
            "log of the softmax",
            _changed(softmax=lambda scores, axis: np.log(_softmax(scores, axis) + 1e-300)),
            "You take the logarithm of the probabilities. The slope of the logarithm of the sum "
            "is the probability itself.",
            hint=1,
        ),
        Mistake(
            "target minus prediction",
            _changed(sign=-1),
            "The sign is turned round: yours leads uphill. It is prediction minus target.",
            hint=1,
        ),
        Mistake(
            "the sum over the words",
            _changed(parts=lambda n, k: 1),
            "You add up over the words. The loss is their mean: divide by N.",
            hint=3,
        ),
        Mistake(
            "divided by words and labels",
            _changed(parts=lambda n, k: n * k),
            "You divide by N times K, as `np.mean` of the whole table does. Divide by the number "
            "of words N.",
            hint=3,
        ),
        Mistake(
            "divided by the labels",
            _changed(parts=lambda n, k: k),
            "You divide by the number of labels. The loss is a mean over the words: divide by N.",
            hint=3,
        ),
        Mistake(
            "the mean for W, the sum for b",
            _changed(for_b=lambda e, n: e.sum(0)),
            "The gradient for W is right, the one for b is N times too large. Both belong to the "
            "mean over the words.",
            hint=3,
        ),
        Mistake(
            "divided by the words twice for W",
            _changed(for_W=lambda x, e, n: x.T @ e / n / n),
            "The gradient for b is right. In the one for W you divide by N twice: once is enough.",
            hint=3,
        ),
        Mistake(
            "one number for b",
            _changed(for_b=lambda e, n: e.sum() / n),
            "Your gradient for b is one number. Each label has its own: add up over the words, "
            "`axis=0`.",
            hint=3,
        ),
        Mistake(
            "b summed over the labels",
            _changed(for_b=lambda e, n: e.sum(1) / n),
            "You add up over the labels, and get one number for each word. Add up over the words, "
            "`axis=0`: one number for each label.",
            hint=3,
        ),
        Mistake(
            "b is forgotten",
            _changed(for_b=lambda e, n: 0 * e.sum(0)),
            "Your gradient for b is 0. The scores move with b as well: its slope for label k is "
            "the mean of p_k - [y = k].",
            hint=2,
        ),
        Mistake(
            "no penalty",
            _changed(penalty=lambda W, b, l2, n: (0.0, 0.0)),
            "Right without the penalty. The derivative of l2/2 |W|^2 is l2 W: add it.",
            hint=2,
        ),
        Mistake(
            "twice the penalty",
            _changed(penalty=lambda W, b, l2, n: (2 * l2 * W, 0.0)),
            "The penalty is l2/2 |W|^2, with the half. Its derivative is l2 W, not 2 l2 W.",
            hint=2,
        ),
        Mistake(
            "half the penalty",
            _changed(penalty=lambda W, b, l2, n: (l2 / 2 * W, 0.0)),
            "You add l2/2 W. Deriving the square brings a 2 that cancels the half: l2 W.",
            hint=2,
        ),
        Mistake(
            "the penalty divided by the words",
            _changed(penalty=lambda W, b, l2, n: (l2 * W / n, 0.0)),
            "You divide the penalty by the number of words as well. It stands outside the mean: "
            "add l2 W after dividing.",
            hint=3,
        ),
        Mistake(
            "the penalty is subtracted",
            _changed(penalty=lambda W, b, l2, n: (-l2 * W, 0.0)),
            "You subtract the penalty's slope. The penalty is part of the loss: + l2 W.",
            hint=2,
        ),
        Mistake(
            "the penalty itself",
            _changed(penalty=lambda W, b, l2, n: (l2 / 2 * (W**2).sum(), 0.0)),
            "You add the penalty itself, one number. What is asked for is its derivative, l2 W.",
            hint=2,
        ),
        *(
            Mistake(
                name,
                _changed(penalty=penalty),
                "You add the square of W. What is asked for is the derivative of l2/2 |W|^2, "
                "which is l2 W.",
                hint=2,
            )
            for name, penalty in (
                ("the squares", lambda W, b, l2, n: (l2 * W**2, 0.0)),
                ("half the squares", lambda W, b, l2, n: (l2 / 2 * W**2, 0.0)),
            )
        ),
        Mistake(
            "a penalty on b, too",
            _changed(penalty=lambda W, b, l2, n: (l2 * W, l2 * b)),
            "You pull b towards 0 as well. The penalty speaks of W only.",
            hint=2,
        ),
        Mistake(
            "the prediction alone",
            _changed(error=lambda p, hot: p),
            "You forget the target: subtract 1 from each word's probability of its right label.",
            hint=2,
        ),
        Mistake(
            "the target alone",
            _changed(error=lambda p, hot: -hot),
            "Only the right label's score appears in yours. The logarithm of the sum has a "
            "derivative as well: the probabilities.",
            hint=1,
        ),
        Mistake(
            "the right label only",
            _changed(error=lambda p, hot: (p - hot) * hot),
            "You keep the error of the right label and drop the others. The wrong labels are "
            "pushed down, too: each by its own probability.",
            hint=1,
        ),
        Mistake(
            "the slope of squared errors",
            _changed(error=lambda p, hot: (p - hot) * p * (1 - p)),
            "You multiply by p (1 - p), the slope of the squared error or of a sigmoid. For the "
            "logarithm of a softmax it cancels: p minus target is all.",
            hint=1,
        ),
        Mistake(
            "the target one label off",
            _changed(error=_off(1)),
            "You take 1 from the wrong column. Labels count from 0: `p[np.arange(N), y] -= 1`.",
            hint=3,
        ),
        Mistake(
            "softmax over the words",
            _changed(axis=0),
            "Your softmax runs over the words, `axis=0`. Each word divides its own scores over the "
            "labels: `axis=1`.",
            hint=3,
        ),
        Mistake(
            "without b in the scores",
            _changed(scores=lambda x, W, b: x @ W),
            "Your scores are x W. Add b before the softmax.",
            hint=2,
        ),
        Mistake(
            "no softmax",
            _changed(softmax=lambda scores, axis: scores),
            "You subtract the target from the scores. The softmax must turn them into "
            "probabilities first.",
            hint=1,
        ),
        Mistake(
            "a sigmoid of each score",
            _changed(softmax=lambda scores, axis: 0.5 + 0.5 * np.tanh(scores / 2)),
            "You send each score through a sigmoid on its own. A softmax lets the labels compete: "
            "the probabilities of a word sum to 1.",
            hint=1,
        ),
        Mistake(
            "target minus prediction, and a penalty on b",
            _changed(sign=-1, penalty=lambda W, b, l2, n: (l2 * W, l2 * b)),
            "Two things. The sign is turned round: it is prediction minus target. And you pull b "
            "towards 0: the penalty speaks of W only.",
            hint=1,
        ),
        Mistake(
            "the sum over the words, and a penalty on b",
            _changed(parts=lambda n, k: 1, penalty=lambda W, b, l2, n: (l2 * W, l2 * b)),
            "Two things. You add up over the words: divide by N. And you pull b towards 0: the "
            "penalty speaks of W only.",
            hint=3,
        ),
        Mistake(
            "softmax over the words, and no penalty",
            _changed(axis=0, penalty=lambda W, b, l2, n: (0.0, 0.0)),
            "Two things. Your softmax runs over the words: each word divides its own scores over "
            "the labels, `axis=1`. And the penalty is missing: add l2 W.",
            hint=3,
        ),
        Mistake(
            "divided by words and labels, and twice the penalty",
            _changed(parts=lambda n, k: n * k, penalty=lambda W, b, l2, n: (2 * l2 * W, 0.0)),
            "Two things. You divide by N times K: divide by the number of words N. And the "
            "derivative of l2/2 |W|^2 is l2 W, not 2 l2 W.",
            hint=3,
        ),
        Mistake(
            "exp of large scores",
            _changed(softmax=_plain_exp),
            "Right until a score is about 700: then exp gives infinity. Subtract each row's "
            "largest score first, which changes no probability.",
            hint=3,
        ),
        Mistake(
            "the largest of the whole table",
            _changed(softmax=_lowered_by_one_number),
            "You subtract the largest score of the whole table. In a row that lies far below it "
            "every `exp` is 0, and 0 / 0 is nan. Subtract each row's own largest score: "
            "`scores.max(1, keepdims=True)`.",
            hint=3,
        ),
        Mistake(
            "the largest of each column",
            _changed(softmax=lambda scores, axis: _softmax(scores - scores.max(0), axis)),
            "You subtract the largest score of each *column*, which changes the "
            "probabilities. Subtract the largest of each row: `scores.max(1, keepdims=True)`.",
            hint=3,
        ),
        Mistake(
            "a target as wide as the largest y",
            _target_as_wide_as_y,
            "Your target has `y.max() + 1` columns. Where no word has the last label, it is too "
            "narrow: it takes one for each label, K = `len(b)`.",
            hint=3,
        ),
        Mistake(
            "W transposed",
            lambda *a: (probe_gradient(*a)[0].T, probe_gradient(*a)[1]),
            "Your gradient for W is (K, 2H). It has the shape of W, (2H, K): `x.T @ error`.",
            hint=2,
        ),
        Mistake(
            "W alone",
            lambda *a: probe_gradient(*a)[0],
            "You return the gradient for W alone. Return both: for W and for b.",
            hint=3,
        ),
        Mistake(
            "b before W",
            lambda *a: probe_gradient(*a)[::-1],
            "You return the gradient for b first. The order is W, b.",
            hint=3,
        ),
    ),
    right_answers={"autograd": _by_autograd, "loops": _by_loops, "einsum": _by_einsum},
)
