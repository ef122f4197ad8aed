"""Exercise `prior_gradient`: a normal prior around the start, and its slope, derived."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.why_bert import LESSON


def prior_gradient(
    weights: Tensor, start: Tensor, spread: float, x: Tensor, labels: Tensor
) -> Tensor:
    """The slope of -log p(weights | labels) / N, (D,)."""
    surprise = torch.sigmoid(x @ weights) - labels
    pull = (weights - start) / spread**2
    return (x.T @ surprise + pull) / len(x)


def _by_loop(weights: Any, start: Any, spread: float, x: Any, labels: Any) -> Any:
    each = [
        (torch.sigmoid(row @ weights) - label) * row for row, label in zip(x, labels, strict=True)
    ]
    return sum(each) / len(labels) + (weights - start) / (len(labels) * spread * spread)


def _by_autograd(weights: Any, start: Any, spread: float, x: Any, labels: Any) -> Any:
    w = weights.clone().requires_grad_()
    with torch.enable_grad():
        prior = torch.distributions.Normal(start, spread).log_prob(w).sum()
        said = torch.distributions.Bernoulli(logits=x @ w).log_prob(labels).sum()
        (slope,) = torch.autograd.grad(-(prior + said) / len(x), w)
    return slope


def _clamped(weights: Any, start: Any, spread: float, x: Any, labels: Any) -> Any:
    """Autograd through chances that are cut off: there the slope is 0."""
    w = weights.clone().requires_grad_()
    with torch.enable_grad():
        chance = torch.sigmoid(x @ w).clamp(1e-6, 1 - 1e-6)
        said = labels * chance.log() + (1 - labels) * (1 - chance).log()
        prior = -((w - start) ** 2).sum() / (2 * spread**2)
        (slope,) = torch.autograd.grad(-(prior + said.sum()) / len(x), w)
    return slope


CUT_OFF = """You cut the probabilities off before the logarithm. Where a text is classified surely
and wrongly, the gradient through the cut is 0, and nothing is learnt from the worst mistake. Derive
the gradient of -log p by the score: it needs no logarithm."""


@Case.drawn
def _labelled(
    rng: Random, n: int, d: int, spread: float, *, at_start: bool = False, sure: bool = False
) -> Inputs:
    """With `sure`, scores are far from 0, and the first two are on the wrong side."""
    start = rng.normal(0, 1, d)
    weights = start if at_start else start + rng.normal(0, 1, d)
    x = rng.normal(0, 1, (n, d))
    labels = rng.integers(0, 2, n)
    if sure:
        away = np.sign(x @ weights) * rng.uniform(25, 35, n)
        x *= (away / (x @ weights))[:, None]
        labels = (x @ weights > 0).astype(int)
        labels[:2] = 1 - labels[:2]
    parts = {"weights": weights, "start": start, "x": x, "labels": labels}
    tensors = {name: torch.from_numpy(part.astype(np.float32)) for name, part in parts.items()}
    return {
        "weights": tensors["weights"],
        "start": tensors["start"],
        "spread": spread,
        "x": tensors["x"],
        "labels": tensors["labels"],
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The whole slope, and its two parts: with hardly a prior, and with texts that say nothing."""

    def slope(**other: Any) -> Plain:
        there = {**inputs, **other}
        given = {n: p.clone() if isinstance(p, Tensor) else p for n, p in there.items()}
        came = plain(returned(answer(*given.values())))
        refuse_changed({name: plain(part) for name, part in there.items()}, given)
        return came

    return {
        "with a prior too wide to matter": slope(spread=1e4),
        "with texts of zeros, so that the prior is alone": slope(x=torch.zeros_like(inputs["x"])),
        "with both": slope(),
    }


SLIPS = """
--- hint 1
the labels are not used: torch.sigmoid(x @ weights) - labels -> torch.sigmoid(x @ weights)
    `labels` is never used.
no pull: (x.T @ surprise + pull) -> (x.T @ surprise)
    The prior is missing. Its logarithm has a gradient, too.
the labels of 1 alone: surprise = torch.sigmoid(x @ weights) - labels \
        -> surprise = labels * (torch.sigmoid(x @ weights) - 1)
    Your likelihood holds the labels of 1 alone. A label of 0 has a probability, too: 1 less the
    sigmoid.
the prior counted D times: (weights - start) / spread**2 \
        -> len(weights) * (weights - start) / spread**2
    You count the prior D times. The sum over the weights has one term for each: the gradient in a
    weight sees its own alone.
the prior shared out over D: / spread**2 -> / (spread**2 * len(weights))
    You take the mean over the D weights. They are independent: their logarithms add up.
the pull alone: x.T @ surprise + pull -> pull
    The labels are missing. The posterior is the prior times what the labels say.
--- hint 2
the spread is not squared: spread**2 -> spread
    In a normal distribution the square of the distance stands over twice the square of the spread.
a two is left in the pull: / spread**2 -> / (2 * spread**2)
    A factor 1/2 is left in the pull. The derivative of a square brings a 2, which takes it away.
a two too many in the pull: (weights - start) / spread**2 -> 2 * (weights - start) / spread**2
    The pull is twice what it should be. The 1/2 of the normal distribution takes the 2 away.
times the variance: (weights - start) / spread**2 -> (weights - start) * spread**2
    A wide prior must pull less, and yours pulls more. Divide by the square of the spread.
the pull of the distance itself: pull = (weights - start) / spread**2 \
        -> pull = (weights - start).sign() / spread**2
    Your pull has the same strength near and far. The logarithm of a normal distribution is a
    square; its gradient grows with the distance.
the distance without its square, derived: pull = (weights - start) / spread**2 \
        -> pull = torch.nn.functional.normalize(weights - start, dim=0) / (2 * spread**2)
the distance without its square: pull = (weights - start) / spread**2 \
        -> pull = torch.nn.functional.normalize(weights - start, dim=0) / spread**2
    Your pull is as strong far away as near. In the logarithm of a normal distribution the distance
    is squared.
half the squared distance: pull = (weights - start) / spread**2 \
        -> pull = (weights - start) ** 2 / (2 * spread**2)
the squared distance: pull = (weights - start) / spread**2 \
        -> pull = (weights - start) ** 2 / spread**2
    You have the square of the distance in the pull. That is the logarithm itself; its gradient is
    asked for.
the decision in place of the probability: torch.sigmoid(x @ weights) -> (x @ weights > 0).float()
    You compare the label with a decision, 0 or 1. What the classifier says is a probability: take
    the sigmoid.
no sigmoid: torch.sigmoid(x @ weights) -> (x @ weights)
    You compare a score with the label. What the classifier says is a probability: take the sigmoid.
the gradient of the square loss: surprise = torch.sigmoid(x @ weights) - labels \
        -> p = torch.sigmoid(x @ weights) ⏎surprise = (p - labels) * p * (1 - p)
    You have the derivative of the sigmoid as a factor. In the gradient of -log p it cancels: what
    is left is p less the label.
the derivative by the probability: surprise = torch.sigmoid(x @ weights) - labels \
        -> p = torch.sigmoid(x @ weights) ⏎surprise = (p - labels) / (p * (1 - p))
    You stop at the derivative by the probability. Go on to the score: the sigmoid's own derivative,
    p (1 - p), is a factor.
a softmax over the texts: torch.sigmoid(x @ weights) -> torch.softmax(x @ weights, 0)
    Your probabilities add up to 1 over the texts. Each text has one of its own: the sigmoid.
the sign of the labels: torch.sigmoid(x @ weights) - labels -> labels - torch.sigmoid(x @ weights)
    The labels' part has the wrong sign: a step down your gradient makes the labels less likely.
the sign of the pull: weights - start -> start - weights
    The pull has the wrong sign: a step down your gradient leads away from the start.
both signs: (x.T @ surprise + pull) / len(x) -> -(x.T @ surprise + pull) / len(x)
    Your gradient is that of the logarithm. What is minimised is minus the logarithm.
the pull is to 0: (weights - start) -> weights
    You pull the weights to 0. The prior's middle is `start`.
the labels are added: (x @ weights) - labels -> (x @ weights) + labels
    You add the labels to the probabilities. What counts is how far each is from its label.
labels of -1 and 1 beside a probability: torch.sigmoid(x @ weights) - labels \
        -> torch.sigmoid(x @ weights) - (2 * labels - 1)
    You make -1 of the label 0. The probability lies between 0 and 1: take the labels as they are.
labels of -1 and 1, one of them forgotten: \
        surprise = torch.sigmoid(x @ weights) - labels \
        -> y = 2 * labels - 1 ⏎surprise = -torch.sigmoid(-y * (x @ weights))
    With labels of -1 and 1 the score is multiplied by the label, so the chain rule brings the label
    once more: -y σ(-y score).
labels of -1 and 1, with the wrong probability: surprise = torch.sigmoid(x @ weights) - labels \
        -> y = 2 * labels - 1 ⏎surprise = -y * torch.sigmoid(y * (x @ weights))
    With labels y of -1 and 1, your gradient is large where the label is likely. What stands in it
    is the probability of the other label: -y σ(-y score).
the sigmoid's derivative in place of the probability: \
        surprise = torch.sigmoid(x @ weights) - labels \
        -> p = torch.sigmoid(x @ weights) ⏎surprise = p * (1 - p) - labels
    You put the sigmoid's own derivative, p (1 - p), where the probability p stands. In the gradient
    of -log p it cancels: what is left is p less the label.
the start is added: weights - start -> weights + start
    You add the start. The prior's logarithm hangs on the distance from it.
the start alone: (weights - start) / -> start /
    Your pull does not hang on where the weights are now. It grows with the distance from the start.
--- hint 3
the pull is not divided by N: (x.T @ surprise + pull) / len(x) -> x.T @ surprise / len(x) + pull
    You divide the labels' part by N, and the pull not. It is one logarithm that is divided: with
    more labels, the prior counts for less in the mean.
the pull alone is divided by N: (x.T @ surprise + pull) / len(x) -> x.T @ surprise + pull / len(x)
    You divide the pull by N, and the labels' part not.
nothing is divided by N: (x.T @ surprise + pull) / len(x) -> x.T @ surprise + pull
    You do not divide by N.
the pull is divided by D: (x.T @ surprise + pull) / len(x) \
        -> x.T @ surprise / len(x) + pull / len(weights)
    You divide the pull by D, the number of weights. It is one logarithm that is divided by N, the
    number of labels.
the labels' part is divided twice: x.T @ surprise + pull -> x.T @ surprise / len(x) + pull
    You divide the labels' part by N twice. Logarithms add up; then all is divided once.
the mean over the D numbers, too: (x.T @ surprise + pull) \
        -> ((x.T @ surprise).mean() + pull)
    You take the mean over the D numbers of a text, too, and have one number for all weights. Add up
    over the texts alone.
all of it is halved: / len(x) -> / (2 * len(x))
    All of it is half of what it should be. Divide by N.
divided by the numbers of a text: / len(x) -> / x.shape[1]
    You divide by D. N is the number of labels.
probabilities no nearer to 0 than {least}: torch.sigmoid(x @ weights) \
        -> torch.sigmoid(x @ weights).clamp({least}, 1 - {least}) | least = 0.001, 0.01, 0.05
scores no larger than {most}: (x @ weights) -> ((x @ weights).clamp(-{most}, {most})) | most = 3, 5
    You cut off scores or probabilities. Nothing here needs that: `torch.sigmoid` takes any score.
--- no hint
probabilities at the distance: (x @ weights) -> (x @ (weights - start))
    You ask what the classifier says at weights less start. It says it at `weights`.
probabilities at the start: (x @ weights) -> (x @ start)
    You ask what the classifier says at the start. The gradient is asked for at `weights`.
"""

EXERCISE = Exercise(
    id="prior_gradient",
    title="A prior around the start (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=4,
    minutes=18,
    reference=prior_gradient,
    run=_run,
    cases=(
        Case("one label, one weight", _labelled(1, 1, 1.0)),
        Case("eight labels, three weights", _labelled(8, 3, 0.5), weight=2),
        Case("a wide prior", _labelled(5, 4, 3.0)),
        Case("at the start", _labelled(4, 3, 0.7, at_start=True)),
        Case("forty labels", _labelled(40, 2, 0.2)),
        Case("sure of all, and wrong about two", _labelled(6, 3, 2.0, sure=True), edge=True),
    ),
    mistakes=(
        *slips(prior_gradient, SLIPS),
        Mistake("chances that are cut off", _clamped, " ".join(CUT_OFF.split()), 2),
    ),
    right_answers={"by a loop": _by_loop, "by autograd": _by_autograd},
)
