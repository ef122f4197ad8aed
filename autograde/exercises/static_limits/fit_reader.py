"""Exercise `fit_reader`: a logistic regression by gradient descent."""

import numpy as np
import torch
from numpy.typing import NDArray

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON

Floats = NDArray[np.float64]


def fit_reader(
    features: Floats, answers: Floats, rate: float, steps: int, decay: float
) -> tuple[Floats, float]:
    """Weights (D,) and bias of a logistic regression on features (N, D) and answers (N,) 0 or 1."""
    weights, bias = np.zeros(features.shape[1]), 0.0
    for _ in range(steps):
        errors = 1 / (1 + np.exp(-(features @ weights + bias))) - answers  # (N,)
        slope = features.T @ errors / len(answers) + decay * weights  # (D,)
        weights = weights - rate * slope
        bias = bias - rate * float(errors.mean())
    return weights, bias


def _by_autograd(
    features: Floats, answers: Floats, rate: float, steps: int, decay: float
) -> tuple[Floats, float]:
    x, y = torch.as_tensor(features), torch.as_tensor(answers, dtype=torch.float64)
    w = torch.zeros(x.shape[1], dtype=torch.float64, requires_grad=True)
    b = torch.zeros((), dtype=torch.float64, requires_grad=True)
    for _ in range(steps):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, y)
        slopes = torch.autograd.grad(loss + decay / 2 * (w * w).sum(), [w, b])
        with torch.no_grad():
            w -= rate * slopes[0]
            b -= rate * slopes[1]
    return w.detach().numpy(), float(b)


@Case.drawn
def _readings(rng: Random, rows: int, size: int, steps: int, decay: float = 0.1) -> Inputs:
    features = rng.standard_normal((rows, size)) + 0.3
    answers = (features[:, 0] + rng.standard_normal(rows) > 0.6).astype(float)
    answers[:2] = 0, 1
    return {
        "features": features,
        "answers": answers,
        "rate": float(rng.uniform(0.4, 0.6)),
        "steps": steps,
        "decay": decay,
    }


def _flat(rng: Random) -> Inputs:
    """Slopes below a thousandth; those of the bias nearly 0, as half of the answers are 1."""
    inputs: Inputs = _readings(8, 3, 12, 0.0)(rng)
    inputs["features"] = inputs["features"] / 1000
    inputs["features"][:, 0] += 5e-4 * np.array([1, -1] * 4)
    return inputs | {"answers": np.array([1.0, 0.0] * 4)}


SLIPS = """
--- hint 1
the errors turned round: errors = 1 / (1 + np.exp(-(features @ weights + bias))) - answers \
        -> errors = answers - 1 / (1 + np.exp(-(features @ weights + bias)))
    Your errors are target minus prediction, and you subtract them: you climb. The error is
    prediction minus target.
no sigmoid: 1 / (1 + np.exp(-(features @ weights + bias))) - answers \
        -> features @ weights + bias - answers
    Your prediction is the score itself. Bring it between 0 and 1 with the sigmoid.
right or wrong: 1 / (1 + np.exp(-(features @ weights + bias))) - answers \
        -> (features @ weights + bias > 0) - answers
    You subtract the answers from decisions, 0 or 1. Subtract them from the probabilities.
one example a step: errors = -> example = slice(_ % len(answers), _ % len(answers) + 1) \
        ⏎errors = && features @ weights -> features[example] @ weights \
        && - answers -> - answers[example] \
        && features.T @ errors / len(answers) -> features[example].T @ errors
    Each of your steps is on one example. Take all N in each step.
every example is a step: for _ in range(steps) \
        -> for example in [slice(n, n + 1) for n in range(len(answers))] * steps \
        && features @ weights -> features[example] @ weights && - answers -> - answers[example] \
        && features.T @ errors / len(answers) -> features[example].T @ errors
    You take a step for each example. Take one step on the mean over all of them.
the slope of the sigmoid, too: slope = -> p = errors + answers⏎errors = errors * p * (1 - p) \
        ⏎slope =
    You multiply by the slope of the sigmoid. That is the gradient of a squared error; in that of
    -log p it cancels.
no error: bias))) - answers -> bias)))
    You never look at the answers. The error is prediction minus target.
no prediction: errors = 1 / (1 + np.exp(-(features @ weights + bias))) - answers \
        -> errors = -answers
every prediction twice: errors = 1 / -> errors = 2 /
the sigmoid without its fraction: 1 / (1 + np.exp(-(features @ weights + bias))) \
        -> (1 + np.exp(-(features @ weights + bias)))
    Your prediction is no probability. It is the sigmoid of the score, 1 / (1 + e^-score).
--- hint 2
the bias does not learn: bias = bias - rate * float(errors.mean()) -> pass
    Your bias stays 0. Its gradient is the mean of the errors.
the bias decays: float(errors.mean()) -> (float(errors.mean()) + decay * bias)
    You shrink the bias as well. `decay` is for the weights alone.
the bias by the sum: errors.mean() -> errors.sum()
    You add up over the examples in the gradient of the bias. Take the mean of the errors.
no decay: + decay * weights ->
    `decay` does nothing. Add `decay * weights` to the gradient.
decay is divided by the examples, too: features.T @ errors / len(answers) + decay * weights \
        -> (features.T @ errors + decay * weights) / len(answers)
    You divide the decay by the number of examples. Only the loss is a mean.
half of the decay: + decay * weights -> + decay / 2 * weights
    You take half of the decay. The half stands in the loss, before the square: the slope of it is
    λ times the weights.
decay by the sign: + decay * weights -> + decay * np.sign(weights)
    Your decay pulls by the sign of the weights, as L1 regularisation does. The slope of the squared
    length is λ times the weights.
decay after the step: + decay * weights -> && weights - rate * slope \
        -> (weights - rate * slope) * (1 - rate * decay)
    You shrink the weights that have already moved. Both slopes are taken at the old weights.
decay twice: + decay * weights -> + 2 * decay * weights
    You take twice the decay. Add `decay * weights` to the gradient.
decay without the weights: + decay * weights -> + decay
    You add `decay` itself to the gradient. Add `decay * weights`.
the bias steps without errors: bias - rate * float(errors.mean()) -> bias - rate
    Your bias steps by the rate alone. Multiply it by the mean of the errors.
--- hint 3
decay with a minus: + decay * weights -> - decay * weights
    Your decay makes the weights longer. Add `decay * weights` to the gradient.
decay without the rate: rate * slope \
        -> rate * (features.T @ errors / len(answers)) - decay * weights
    You subtract `decay * weights` without the rate. It is a part of the gradient.
the bias after the weights: bias - rate * float(errors.mean()) -> bias - rate * float( \
        (1 / (1 + np.exp(-(features @ weights + bias))) - answers).mean())
    You take the gradient of the bias after the weights have moved. Compute both gradients first.
no rate: weights - rate * slope -> weights - slope && bias - rate * -> bias -
    Your steps lack the learning rate.
no rate for the weights: weights - rate * slope -> weights - slope
    The step of your weights lacks the learning rate.
a bias of 1: bias = np.zeros(features.shape[1]), 0.0 -> bias = np.zeros(features.shape[1]), 1.0
    Your bias starts at 1. Start with 0.
times the number of examples: / len(answers) -> * len(answers)
    You multiply by the number of examples. Divide by it.
no rate for the bias: bias - rate * -> bias -
    The step of your bias lacks the learning rate.
a start of ones: np.zeros(features.shape[1]) -> np.ones(features.shape[1])
    Your weights start with ones. Start with zeros.
uphill: weights - rate * slope -> weights + rate * slope \
        && bias - rate * -> bias + rate *
    You add the gradient: that is uphill. Subtract it.
the score lacks the weights: features @ weights + bias -> bias
    Your score is the bias alone. It is features @ weights + bias.
the weights step uphill: weights - rate * slope -> weights + rate * slope
    Your weights step uphill. Subtract the gradient.
the bias steps uphill: bias - rate * -> bias + rate *
    Your bias steps uphill. Subtract the gradient.
the weights are subtracted: weights = weights - rate * slope -> weights = rate * slope - weights
    Your step is turned round: the weights less the rate times the gradient.
the bias is subtracted: bias = bias - rate * float(errors.mean()) \
        -> bias = rate * float(errors.mean()) - bias
    The step of your bias is turned round: the bias less the rate times the gradient.
no bias in the score: features @ weights + bias -> features @ weights
    Your score lacks the bias.
the sum over the rows: features.T @ errors / len(answers) -> features.T @ errors \
        && errors.mean() -> errors.sum()
    You add up over the examples. The loss is a mean: divide by their number.
the weights by the sum: features.T @ errors / len(answers) -> features.T @ errors
    You add up over the examples in the gradient of the weights. Divide by their number.
divided by the size of a row: / len(answers) -> / features.shape[1]
    You divide by the length of a feature vector. Divide by the number of examples.
--- no hint
the sigmoid turned round: np.exp(-(features @ weights + bias)) \
        -> np.exp(features @ weights + bias)
    The minus in the exponent of your sigmoid is missing.
one step too few: range(steps) -> range(steps - 1)
    You take one step too few.
one step too many: range(steps) -> range(steps + 1)
    You take one step too many.
it stops where the slope is small: \
        weights = weights - rate * slope -> if np.abs(slope).max() < 1e-2: break \
        ⏎weights = weights - rate * slope
    You stop where the slope, or what it changes, is small. Take all `steps`.
one step: bias = bias - rate * float(errors.mean()) \
        -> bias = bias - rate * float(errors.mean())⏎break
    You stop after the first step. Return after the loop.
the bias first: return weights, bias -> return bias, weights
    You return the bias first. The weights come first.
the weights alone: return weights, bias -> return weights
    Return two things: the weights and the bias.
"""

EXERCISE = Exercise(
    id="fit_reader",
    title="A reader of contexts",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=10,
    reference=fit_reader,
    cases=(
        Case("one step, no decay", _readings(8, 3, 1, 0.0)),
        Case("twenty steps, no decay", _readings(12, 4, 20, 0.0)),
        Case("twenty steps", _readings(15, 4, 20), weight=2),
        Case("more numbers than examples", _readings(4, 9, 7, 0.3), edge=True),
        Case("flat slopes", _flat, edge=True, asks="Take all steps, also where slopes are small."),
    ),
    mistakes=slips(fit_reader, SLIPS),
    right_answers={"by autograd": _by_autograd},
)
