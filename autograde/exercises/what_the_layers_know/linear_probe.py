"""Exercise `linear_probe`: the loop that trains a linear probe, and what it answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, refuse_changed
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON
from elmo_mini.probing import linear_probe as package
from elmo_mini.probing.linear_probe import Gradient, Numbers

NAMES = ("noun", "verb", "name", "mark")
FIRST = 3


def reference(
    train: Numbers, labels: Sequence[str], test: Numbers, gradient: Gradient
) -> list[str]:
    """Sixty steps with momentum from 0, on numbers brought to the mean and spread of `train`."""
    names = sorted(set(labels))
    y = np.array([names.index(label) for label in labels])
    mean, spread = train.mean(0), train.std(0) + 1e-6
    x = (train - mean) / spread
    W, b = np.zeros((x.shape[1], len(names))), np.zeros(len(names))
    pace_W, pace_b = np.zeros_like(W), np.zeros_like(b)
    for _ in range(60):
        slope_W, slope_b = gradient(x, y, W, b, 0.05)
        pace_W = 0.9 * pace_W - 0.1 * slope_W
        pace_b = 0.9 * pace_b - 0.1 * slope_b
        W, b = W + pace_W, b + pace_b
    scores = (test - mean) / spread @ W + b
    return [names[number] for number in scores.argmax(1)]


def _in_place(train: Numbers, labels: Sequence[str], test: Numbers, gradient: Gradient) -> Any:
    names, y = np.unique(np.array(labels), return_inverse=True)
    mean, spread = np.mean(train, axis=0), np.std(train, axis=0) + 1e-6
    both = [np.zeros((train.shape[1], len(names))), np.zeros(len(names))]
    paces = [np.zeros_like(part) for part in both]
    for _ in range(60):
        slopes = gradient((train - mean) / spread, y, both[0], both[1], 0.05)
        for part, pace, slope in zip(both, paces, slopes, strict=True):
            pace *= 0.9
            pace -= 0.1 * np.asarray(slope)
            part += pace
    return names[np.argmax((test - mean) / spread @ both[0] + both[1], axis=-1)]


def _in_order_of_first_use(
    train: Numbers, labels: Sequence[str], test: Numbers, gradient: Gradient
) -> tuple[str, ...]:
    names = list(dict.fromkeys(labels))
    numbers = {name: i for i, name in enumerate(names)}
    y = np.array([numbers[label] for label in labels])
    middle, spread = train.mean(0, keepdims=True), train.std(0, keepdims=True) + 1e-6
    x = np.concatenate([train, test])
    x = (x - middle) / spread
    W, b = np.zeros((x.shape[1], len(names))), np.zeros(len(names))
    v, u = 0 * W, 0 * b
    for _step in range(60):
        down_W, down_b = gradient(x[: len(train)], y, W, b, 0.05)
        v, u = 0.9 * v - 0.1 * down_W, 0.9 * u - 0.1 * down_b
        W, b = W + v, b + u
    return tuple(names[int(np.argmax(row @ W + b))] for row in x[len(train) :])


class _Watched:
    """The gradient, and what it was asked, with the labels in the order of the alphabet."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels, self.calls = list(labels), 0
        self.x: NDArray[Any] = np.zeros(0)
        self.weights: list[NDArray[Any]] = []
        self.biases: list[NDArray[Any]] = []
        self.penalties: list[float] = []

    def __call__(
        self, x: Numbers, y: NDArray[np.int64], W: Numbers, b: Numbers, l2: float
    ) -> tuple[Numbers, Numbers]:
        x, W, b = np.asarray(x), np.asarray(W), np.asarray(b)
        y = np.asarray(y)
        if x.ndim != 2 or W.ndim != 2 or y.shape != (len(x),) or W.shape[0] != x.shape[1]:
            raise AnswerRefused(
                "`gradient` is called with x (N, 2H), y (N,), W (2H, K), b (K,) and l2, in this "
                f"order; yours were x {x.shape}, y {y.shape}, W {W.shape}."
            )
        if len(x) != len(self.labels):
            raise AnswerRefused(
                f"In each step all {len(self.labels)} training words count: `gradient` is given "
                f"all of them, and you gave it {len(x)}."
            )
        if not np.issubdtype(y.dtype, np.integer):
            raise AnswerRefused(
                "`gradient` wants `y`, the number of each word's label: 0 to K - 1. Yours are "
                f"{y.dtype}."
            )
        if self.calls < FIRST:
            at = dict(zip(self.labels, y.tolist(), strict=True))
            columns = [at[name] for name in sorted(at)]
            self.x = x.copy()
            if max(columns) < W.shape[1]:
                self.weights.append(W[:, columns].copy())
                self.biases.append(b[columns].copy())
        self.calls += 1
        self.penalties.append(float(l2))
        return package.probe_gradient(x, y, W, b, l2)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The labels, and what the gradient was asked on the way."""
    watched = _Watched(inputs["labels"])
    given = {
        "train": inputs["train"].copy(),
        "labels": list(inputs["labels"]),
        "test": inputs["test"].copy(),
    }
    found = answer(*given.values(), watched)
    refuse_changed(inputs, given)
    if not watched.calls:
        raise AnswerRefused(
            "You never call `gradient`. Each of the sixty steps asks it for the gradients of `W` "
            "and `b`."
        )
    if found is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    predicted = [str(label) for label in np.asarray(found).ravel()]
    return {
        "penalty": sorted(set(watched.penalties)),
        "steps": watched.calls,
        "x": watched.x,
        "W before the first steps": watched.weights,
        "b before the first steps": watched.biases,
        "labels of the test words": predicted,
    }


SLIPS = """
--- hint 3
the last step is not taken: W, b = W + pace_W, b + pace_b -> pass \
        && slope_W, slope_b = gradient -> W, b = W + pace_W, b + pace_b⏎slope_W, slope_b = gradient
    You add the momentum before it is renewed, so the sixtieth is never added. Add it at the end of
    each step.
no steps after the fiftieth: W, b = W + pace_W, b + pace_b \
        -> W, b = (W + pace_W, b + pace_b) if _ < 50 else (W, b)
    Your last ten steps change nothing. Add the momentum in each of the sixty.
--- hint 1
the test vectors by their own mean: (test - mean) / spread @ W \
        -> (test - test.mean(0)) / (test.std(0) + 1e-6) @ W
    You take the mean and the standard deviation of the test words for the test words. Use those of
    `train` for both: a probe must not look at the words of the test before it answers.
mean and spread of all: train.mean(0), train.std(0) + 1e-6 \
        -> np.mean([*train, *test], 0), np.std([*train, *test], 0) + 1e-6
    You take the mean and the standard deviation over the training and the test words. The words of
    the test leak into the training: use those of `train` alone.
--- hint 2
no momentum: every 0.9 * -> 0.0 *
    Each of your steps follows the gradient alone. The momentum keeps 0.9 of the one before, and it
    is the momentum that is added to W and to b.
W alone without momentum: 0.9 * pace_W -> 0.0 * pace_W
    Your b keeps its momentum and your W does not. Both keep 0.9 of the one before.
b alone without momentum: 0.9 * pace_b -> 0.0 * pace_b
    Your W keeps its momentum and your b does not. Both keep 0.9 of the one before.
W uphill: - 0.1 * slope_W -> + 0.1 * slope_W
    Your W walks up the gradient, and b walks down. Both momenta take 0.1 times their gradient away.
b uphill: - 0.1 * slope_b -> + 0.1 * slope_b
    Your b walks up the gradient, and W walks down. Both momenta take 0.1 times their gradient away.
b stays 0: b + pace_b -> b
    Your b never moves. It has a gradient and a momentum of its own.
W stays 0: W + pace_W -> W
    Your W never moves. It has a gradient and a momentum of its own.
one step less: range(60) -> range(59)
one step more: range(60) -> range(61)
    The number of steps is off by one: sixty.
the numbers stay as they are: x = (train - mean) / spread -> x = train \
        && (test - mean) / spread @ W -> test @ W
    You leave the numbers as they are. Take the mean of `train` away and divide by its standard
    deviation.
one mean for all numbers: train.mean(0), train.std(0) + 1e-6 -> train.mean(), train.std() + 1e-6
    You take one mean and one standard deviation for all numbers. Each of the 2H directions has its
    own: `axis=0`.
each word by its own mean: train.mean(0), train.std(0) + 1e-6 \
        -> train.mean(1, keepdims=True), train.std(1, keepdims=True) + 1e-6 \
        && (test - mean) / spread @ W \
        -> (test - test.mean(1, keepdims=True)) / (test.std(1, keepdims=True) + 1e-6) @ W
    You take the mean of each word's own numbers. Each direction has a mean over the training words:
    `axis=0`.
the variance: train.std(0) -> train.var(0)
    You divide by the variance. The standard deviation is its root: `train.std(0)`.
one word fewer in the deviation: train.std(0) -> train.std(0, ddof=1)
    Your standard deviation divides by N - 1, as `torch.std` and `ddof=1` do. Here it is NumPy's,
    `train.std(0)`, which divides by N.
nothing is added to the deviation: train.std(0) + 1e-6 -> train.std(0)
    Where all numbers of a direction are equal, the deviation is 0, and 0 / 0 is nan. Add the 1e-6.
the gradient is made smaller twice: 0.1 * slope_W -> 0.01 * slope_W \
        && 0.1 * slope_b -> 0.01 * slope_b
    The gradient is made smaller twice: in the momentum and on the way into the weights. The
    momentum takes 0.1 times the gradient, and is added to the weights as it is.
a look ahead: gradient(x, y, W, b, 0.05) -> gradient(x, y, W + 0.9 * pace_W, b + 0.9 * pace_b, 0.05)
    You ask for the gradient where the momentum would lead. Ask for it where the weights are.
the momentum of the step before: pace_W = 0.9 \
        -> W, b = W + pace_W, b + pace_b⏎pace_W = 0.9 && W, b = W + pace_W, b + pace_b -> pass
    Your weights move by the momentum of the step before. Make the new momentum first, then add it.
--- hint 3
two orders of the labels: names.index(label) -> list(dict.fromkeys(labels)).index(label)
    You number the labels in one order and name them in another. Take one list of names for both.
numbers in place of labels: [names[number] for number in scores.argmax(1)] -> list(scores.argmax(1))
    You return the numbers of the labels. Return the labels themselves.
the smallest score: argmax(1) -> argmin(1)
    You take the label with the smallest score. Take the largest.
the largest in each column: argmax(1) -> argmax(0)
    You look for the best word of each label. Each word has its best label: `axis=1`.
answers about the training words: (test - mean) / spread @ W -> x @ W
    You answer for the training words. Answer for the test words.
only the training vectors: (test - mean) / spread @ W -> test @ W
    You bring `train` to mean 0 and standard deviation 1, and leave `test` as it is. The probe then
    meets numbers of another size: take the same mean and the same standard deviation for both.
mean and spread exchanged: train.mean(0), train.std(0) + 1e-6 -> train.std(0) + 1e-6, train.mean(0)
    Your mean and your standard deviation have changed places. Take the mean away and divide by the
    standard deviation.
the spread is forgotten: every / spread ->
    Your training words are not divided by the standard deviation. Divide by it, the test words as
    well, so that every direction counts alike.
the mean is forgotten: (train - mean) -> train && (test - mean) -> test
    You divide by the standard deviation and leave the mean. Take it away first.
another penalty: 0.05) -> 0.0)
    You ask for the gradient without the penalty. Its l2 is 0.05.
--- no hint
uphill: every - 0.1 * -> + 0.1 *
    You walk up the gradient: the loss grows. The momentum takes 0.1 times the gradient *away*.
the whole slope: every - 0.1 * -> - 1.0 *
W takes the whole slope: - 0.1 * slope_W -> - slope_W
b takes the whole slope: - 0.1 * slope_b -> - slope_b
    You take the whole gradient away. A momentum takes 0.1 times the gradient.
0.1 of the pace, 0.9 of the slope, for W: 0.9 * pace_W - 0.1 * slope_W \
        -> 0.1 * pace_W - 0.9 * slope_W
    For W you have the two numbers in each other's place: 0.9 of the momentum, 0.1 of the gradient.
the penalty once more: 0.1 * slope_W -> 0.1 * (slope_W + 0.05 * W)
    You add the penalty's gradient yourself. `gradient` has it already: it is given the 0.05.
b begins at 1: np.zeros(len(names)) -> np.ones(len(names))
    Your b begins at 1. W and b begin at 0.
the pace does not fade: every 0.9 * -> 1.0 *
    Your momentum keeps all of the one before. Keep 0.9 of it.
0.1 of the pace, 0.9 of the slope: 0.9 * pace_W - 0.1 * slope_W -> 0.1 * pace_W - 0.9 * slope_W \
        && 0.9 * pace_b - 0.1 * slope_b -> 0.1 * pace_b - 0.9 * slope_b
    You have the two numbers in each other's place: 0.9 of the momentum, 0.1 of the gradient.
without b in the end: @ W + b -> @ W
    b is missing in the scores of the test words.
"""


def _drawn(rng: Random, train: int = 14, test: int = 7, size: int = 4) -> Inputs:
    labels = [NAMES[int(k)] for k in rng.integers(0, 3, train)]
    labels[:4] = ["verb", "noun", "name", "verb"]
    middles = dict(zip(NAMES, rng.normal(size=(4, size)), strict=True))
    scale, shift = np.array([1.0, 5.0, 0.3, 2.0])[:size], np.array([0.0, 3.0, -1.0, 8.0])[:size]

    def words(of: Sequence[str], move: float) -> Numbers:
        rows = [middles[label] + 0.8 * rng.normal(size=size) for label in of]
        return np.array((np.stack(rows) + move) * scale + shift, dtype=np.float32)

    test_labels = [NAMES[int(k)] for k in rng.integers(0, 3, test)]
    return {"train": words(labels, 0.0), "labels": labels, "test": words(test_labels, 0.6)}


def _flat(rng: Random) -> Inputs:
    inputs = _drawn(rng)
    inputs["train"][:, 1] = inputs["test"][:, 1] = 3.0
    return inputs


def _one_word(rng: Random) -> Inputs:
    return _drawn(rng, test=1)


def _close_calls(rng: Random) -> Inputs:
    """Three words that the sixtieth step decides, two that a step after the fiftieth does."""
    inputs = _drawn(rng)
    train, steps = inputs["train"], []

    def noting(x: Numbers, y: Any, W: Numbers, b: Numbers, l2: float) -> tuple[Numbers, Numbers]:
        slopes = package.probe_gradient(x, y, W, b, l2)
        steps.append((np.vstack([W, b]), np.vstack(slopes)))
        return slopes

    reference(train, inputs["labels"], train, noting)
    (before, _), (late, slope) = steps[-2:]
    last = late + 0.9 * (late - before) - 0.1 * slope
    close: list[Numbers] = []
    earlier: list[Numbers] = []
    while len(close) < 3 or len(earlier) < 2:
        noise = 3 * rng.standard_normal((20_000, train.shape[1]))
        words = (train.mean(0) + train.std(0) * noise).astype(np.float32)
        x = np.insert((words - train.mean(0)) / (train.std(0) + 1e-6), train.shape[1], 1, axis=1)
        scores = np.sort(x @ last, axis=1)
        sure = scores[:, -1] - scores[:, -2] > 1e-5
        after_50, after_59, after_60 = (
            (x @ weights).argmax(1) for weights in (steps[50][0], late, last)
        )
        close += list(words[sure & (after_60 != after_59)])
        earlier += list(words[sure & (after_60 == after_59) & (after_59 != after_50)])
    return inputs | {"test": np.stack(close[:3] + earlier[:2])}


EXERCISE = Exercise(
    id="linear_probe",
    title="Train a linear probe",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=15,
    reference=reference,
    run=_run,
    cases=(
        Case("fourteen words to train, seven to test", _drawn),
        Case("other words", lambda rng: _drawn(rng, 20, 5)),
        Case("one word is asked", _one_word),
        Case("close calls", _close_calls, weight=0.5, edge=True),
        Case("a direction in which nothing differs", _flat, edge=True),
    ),
    mistakes=slips(reference, SLIPS),
    right_answers={
        "the package's": lambda train, labels, test, gradient: package.linear_probe(
            train, labels, test, gradient=gradient
        ),
        "everything in place": _in_place,
        "labels in the order of their first use": _in_order_of_first_use,
    },
)
