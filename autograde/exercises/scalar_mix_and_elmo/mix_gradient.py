"""Exercise `mix_gradient`: derive what a task teaches the mix."""

from typing import Any

import numpy as np
from torch import Tensor

from autograde.checking.answers import refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON
from course.scalar_mix_and_elmo import mix_gradient


def _one_array(came: Any) -> str | None:
    return ONE_ARRAY if isinstance(came, np.ndarray | Tensor) else None


def _answer(layers: Any, w: Any, gamma: float, upstream: Any, decay: float) -> Any:
    powers = np.exp(w - w.max())
    s = powers / powers.sum()
    a = np.array([(layer * upstream).sum() for layer in layers])
    mean = s @ a
    return gamma * s * (a - mean) + 2 * decay * w, mean


def _by_jacobian(layers: Any, w: Any, gamma: float, upstream: Any, decay: float) -> Any:
    s = np.exp(w - w.max())
    s = s / s.sum()
    a = np.reshape(layers, (len(s), -1)) @ np.ravel(upstream)
    jacobian = np.diag(s) - np.outer(s, s)
    return gamma * jacobian @ a + 2 * decay * w, s @ a


def _by_loops(
    layers: Any, w: Any, gamma: float, upstream: Any, decay: float, for_gamma: float = 0.0
) -> Any:
    powers = [np.exp(w_j - max(w)) for w_j in w]
    for power, layer in zip(powers, layers, strict=True):
        for_gamma += power / sum(powers) * np.sum(layer * upstream)
    for_w = []
    for j, power in enumerate(powers):
        away = np.sum(layers[j] * upstream) - for_gamma
        for_w.append(gamma * power / sum(powers) * away + 2 * decay * w[j])
    return np.array(for_w), for_gamma


@Case.drawn
def _case(
    rng: Random,
    n_layers: int,
    shape: tuple[int, ...],
    decay: float,
    largest: float = 0.0,
    apart: float = 0.0,
) -> Inputs:
    return {
        "layers": rng.standard_normal((n_layers, *shape)),
        "w": rng.standard_normal(n_layers) + largest + np.linspace(0.0, apart, n_layers),
        "gamma": float(rng.uniform(0.3, 0.7)),
        "upstream": rng.standard_normal(shape),
        "decay": decay,
    }


ONE_ARRAY = (
    "You return one array. Return two things: the gradient for `w`, (L + 1,), and the one for "
    "`gamma`, a number."
)
SLIPS = """
--- hint 2
the softmax is not derived: (a - mean) -> a
    You treat each share as if it depended on its own weight alone. When one share grows, the others
    shrink: the mean of the a_j, weighted by s, comes off.
the others' shares stand still: s * (a - mean) -> s * (1 - s) * a
    You let w_j change its own share alone, by s (1 - s). The other shares shrink when it grows: add
    what that does to the loss.
gradient of the shares: s * (a - mean) -> a
    This is the gradient for the shares s. One step of the chain rule is left, from s to w, through
    the softmax.
gamma inside the bracket: a - mean -> a - gamma * mean
    Your gamma multiplies the mean in the bracket once more. It stands in front of the whole: gamma
    s_j (a_j minus the mean).
gamma squared for w: gamma * s * -> gamma**2 * s *
    Your gradient for w holds `gamma` twice. The mix holds it once, in front of the sum.
divided by gamma for w: gamma * s * -> s / gamma *
    You divide the gradient for w by `gamma`. It is a factor of the mix, so it is a factor here.
divided by gamma for gamma: w, mean -> w, mean / gamma
    You divide the gradient for gamma by `gamma`. The mix is `gamma` times a sum, and that sum is
    what is left.
gamma squared for gamma: w, mean -> w, gamma**2 * mean
    Your gradient for gamma holds `gamma`, twice. The mix is linear in it: none is left.
gamma is missing for w: gamma * s * -> s *
    The gradient for w lacks the factor `gamma`: the loss sees the shares through it.
the mean is added: a - mean -> a + mean
    You add the mean of the a_j. It comes off: a share that grows takes from the others.
the plain mean for gamma: w, mean -> w, a.mean()
    Your gradient for gamma is the plain mean of the a_j. It is their mean weighted by the shares.
the sum for gamma: w, mean -> w, a.sum()
    Your gradient for gamma adds up the a_j. Each is multiplied by its share first.
the penalty times gamma: s * (a - mean) + 2 * decay * w -> (s * (a - mean) + 2 * decay * w)
    Your gamma multiplies the penalty, too. The penalty knows nothing of gamma.
the layers are not asked: s * (a - mean) -> s
    Your gradient for w does not look at the layers: the bracket, a_j minus the mean, is missing.
shares times shares for gamma: w, mean -> w, s @ s
    Your gradient for gamma multiplies the shares with themselves: `s @ a`.
the softmax's slopes without their diagonal: s * (a - mean) -> (s - np.outer(s, s)) @ a
    In your table of slopes s_i stands in every position. It stands on the diagonal alone:
    `np.diag(s) - np.outer(s, s)`.
gamma at the wrong one: gamma * s * -> s * && w, mean -> w, gamma * mean
    Your `gamma` stands at the wrong one. It is a factor of the gradient for w, and its own gradient
    holds no `gamma`.
no penalty: + 2 * decay * w ->
    The penalty is missing. The derivative of decay * w_j^2 belongs to the gradient for w.
the penalty without its two: 2 * decay -> decay
    The derivative of w_j^2 is 2 w_j: your penalty pulls half as hard.
the penalty on w less its largest: \
        powers = np.exp(w - w.max()) -> w = w - w.max()⏎powers = np.exp(w)
    Your penalty takes w less its largest number. That shift serves the softmax alone: give it a
    name of its own, and penalise `w` as it came.
the penalty goes through the softmax: gamma * s * (a - mean) + 2 * decay * w, mean -> \
        s * (gamma * a + 2 * decay * w - s @ (gamma * a + 2 * decay * w)), mean
    You send the penalty through the softmax. It is on `w` itself: add 2 decay w_j at the end.
the mean of the penalties: 2 * decay * w -> 2 * decay * w / len(w)
    You divide the penalty by the number of weights. The penalty is a sum over the w_j: its
    derivative for w_j is 2 decay w_j.
the penalty itself: 2 * decay * w -> decay * (w**2).sum()
    You add the penalty itself. Its derivative for w_j belongs here.
the length, not squared: 2 * decay * w -> decay * w / np.linalg.norm(w)
    You take the derivative of decay times the length of w. The penalty has its square, the sum of
    the w_j^2.
the penalty pushes away: + 2 * decay -> - 2 * decay
    Your penalty has the wrong sign: going down this slope would make the weights grow.
the penalty on the shares: decay * w -> decay * s
    You penalise the shares s. The penalty is on the weights w, before the softmax.
the penalty without its w: decay * w -> decay
    The derivative of w_j^2 is 2 w_j. Your penalty has lost its w_j.
the penalty for gamma, too: w, mean -> w, mean + 2 * decay * gamma
    You penalise gamma as well. The penalty is on w alone.
--- hint 3
the plain mean comes off: a - mean -> a - a.mean()
    You subtract the plain mean of the a_j. The softmax wants their mean weighted by the shares.
the sum comes off: a - mean -> a - a.sum()
    You subtract the sum of the a_j. Their mean comes off, each weighted by its share: `s @ a`.
exponentials that are not divided: np.exp(w - w.max()) -> np.exp(w) && / powers.sum() ->
    Your shares are exp(w), not divided by their sum.
the mean is not divided: mean = s @ a -> mean = powers @ a
    Your mean of the a_j uses exponentials that are not divided by their sum. It uses the shares: `s
    @ a`.
the mean comes off after the shares: s * (a - mean) -> (s * a - mean)
    You subtract the mean after multiplying with the shares. Each share multiplies the whole
    bracket, a_j minus the mean.
the shares are missing for w: s * (a - mean) -> (a - mean)
    Your gradient for w lacks the shares: each bracket, a_j minus the mean, is multiplied by s_j.
the bracket the other way round: a - mean -> mean - a
    Your bracket is turned round: it is a_j minus the mean.
exponentials that are not divided, small ones: / powers.sum() ->
    Your shares are exponentials, not divided by their sum.
the shares of minus w: np.exp(w - w.max()) -> np.exp(w.max() - w)
    Your largest weight gets the smallest share: the exponent has the wrong sign. `np.exp(w -
    w.max())`.
the shares upside down: powers / powers.sum() -> powers.sum() / powers
    Your shares are upside down: each exponential is divided by the sum of all.
the shares multiplied: powers / powers.sum() -> powers * powers.sum()
    You multiply the exponentials by their sum. Divide by it.
a softmax that overflows: np.exp(w - w.max()) -> np.exp(w)
    `exp` of a large weight is infinite. Subtract the largest weight before you take the
    exponential.
weights clipped before the softmax: np.exp(w - w.max()) -> np.exp(w.clip(-500, 500))
    Large weights are all alike in your softmax, as after a clip: their shares become equal.
    Subtract the largest weight instead, which changes no share: `np.exp(w - w.max())`.
weights clipped at {bound}, for the penalty as well: \
        powers = np.exp(w - w.max()) -> w = w.clip(-{bound}, {bound})⏎powers = np.exp(w) \
        | bound = 50, 100, 500, 700
    You clip large weights: their shares become equal, and the penalty is that of the clipped ones.
    Leave `w` as it is, and subtract the largest for the softmax alone: `np.exp(w - w.max())`.
the sums are multiplied: (layer * upstream).sum() -> layer.sum() * upstream.sum()
    You add up first, and multiply the two sums. Multiply number by number, then add up.
the mean over the numbers: (layer * upstream).sum() -> (layer * upstream).mean()
    You take the mean over the numbers of a layer. The gradient for the mix arrives as `upstream`,
    already as large as it is: add up.
--- hint 1
gamma times its own gradient: w, mean -> w, gamma * mean
    ELMo is linear in `gamma`, so its gradient holds no `gamma`: what is left when you divide the
    mix by it.
--- no hint
downhill: return gamma * s * (a - mean) + 2 * decay * w, mean -> \
        return -(gamma * s * (a - mean) + 2 * decay * w), -mean
    Every number has the wrong sign. The gradient points uphill; the optimiser turns it around.
gamma first: gamma * s * (a - mean) + 2 * decay * w, mean -> \
        mean, gamma * s * (a - mean) + 2 * decay * w
    Return the gradient for w first, the one for gamma second.
"""

EXERCISE = Exercise(
    id="mix_gradient",
    title="What a task teaches the mix",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=3,
    minutes=15,
    reference=mix_gradient.mix_gradient,
    run=refusing(_one_array),
    cases=(
        Case("one token, no penalty", _case(3, (4,), 0.0), weight=2),
        Case("a batch, no penalty", _case(3, (2, 5, 4), 0.0)),
        Case("with the penalty", _case(3, (2, 3, 4), 0.3), weight=2),
        Case("one layer", _case(1, (2, 3), 0.1), edge=True),
        Case("weights of a thousand", _case(3, (2, 3), 0.01, largest=1000.0), edge=True),
        Case("weights far apart", _case(3, (2, 3), 0.01, apart=1500.0), edge=True),
    ),
    mistakes=slips(_answer, SLIPS),
    right_answers={
        "the formula": _answer,
        "loops": _by_loops,
        "the softmax's Jacobian": _by_jacobian,
    },
)
