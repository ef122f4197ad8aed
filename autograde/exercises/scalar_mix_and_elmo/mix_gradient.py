"""Exercise `mix_gradient`: derive what a task teaches the mix."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call,
)
from autograde.exercises.scalar_mix_and_elmo import LESSON
from elmo_mini.elmo import mix_gradient


def _run(answer: Answer, inputs: Inputs) -> Plain:
    came = call(answer, inputs)
    if isinstance(came, np.ndarray):
        raise AnswerRefused(
            "You return one array. Return two things: the gradient for `w`, (L + 1,), and the one "
            "for `gamma`, a number."
        )
    return came


def _parts(h: Any, w: Any, g: float, u: Any, decay: float) -> tuple[Any, Any, Any, Any]:
    """s, a, their mean, and the right gradient for w without the penalty."""
    s = np.exp(w - w.max()) / np.exp(w - w.max()).sum()
    a = np.array([(layer * u).sum() for layer in h])
    return s, a, s @ a, g * s * (a - s @ a)


def _other(change: Callable[..., tuple[Any, Any]]) -> Callable[..., Any]:
    """An answer from the parts: change(s, a, mean, for_w, w, gamma, decay)."""

    def answer(h: Any, w: Any, gamma: float, upstream: Any, decay: float) -> Any:
        return change(*_parts(h, w, gamma, upstream, decay), w, gamma, decay)

    return answer


def _with_shares(shares: Callable[[Any], Any], h: Any, w: Any, g: float, u: Any, d: float) -> Any:
    s = shares(np.exp(w - w.max()))
    a = np.array([(layer * u).sum() for layer in h])
    return g * s * (a - s @ a) + 2 * d * w, s @ a


def _clipped(bound: float, *, penalty: bool = False) -> Callable[..., Any]:
    """An answer that clips the weights for the softmax, and for the penalty as well."""

    def answer(h: Any, w: Any, gamma: float, upstream: Any, decay: float) -> Any:
        near = w.clip(-bound, bound)
        for_w, for_gamma = mix_gradient.mix_gradient(h, near, gamma, upstream, 0.0)
        return for_w + 2 * decay * (near if penalty else w), for_gamma

    return answer


def _overflowing(h: Any, w: Any, gamma: float, upstream: Any, decay: float) -> Any:
    s = np.exp(w) / np.exp(w).sum()
    a = np.array([(layer * upstream).sum() for layer in h])
    return gamma * s * (a - s @ a) + 2 * decay * w, s @ a


def _plain_mean_off_a_mean(h: Any, w: Any, gamma: float, upstream: Any, decay: float) -> Any:
    s, a, mean, _ = _parts(h, w, gamma, upstream / upstream.size, decay)
    return gamma * s * (a - a.mean()) + 2 * decay * w, mean


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


def _case(
    n_layers: int, shape: tuple[int, ...], decay: float, largest: float = 0.0, apart: float = 0.0
) -> Callable[[np.random.Generator], Inputs]:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "layers": rng.standard_normal((n_layers, *shape)),
            "w": rng.standard_normal(n_layers) + largest + np.linspace(0.0, apart, n_layers),
            "gamma": float(rng.uniform(0.3, 0.7)),
            "upstream": rng.standard_normal(shape),
            "decay": decay,
        }

    return make


EXERCISE = Exercise(
    id="mix_gradient",
    title="What a task teaches the mix",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=3,
    minutes=15,
    reference=mix_gradient.mix_gradient,
    run=_run,
    cases=(
        Case("one token, no penalty", _case(3, (4,), 0.0), weight=2),
        Case("a batch, no penalty", _case(3, (2, 5, 4), 0.0)),
        Case("with the penalty", _case(3, (2, 3, 4), 0.3), weight=2),
        Case("one layer", _case(1, (2, 3), 0.1), edge=True),
        Case("weights of a thousand", _case(3, (2, 3), 0.01, largest=1000.0), edge=True),
        Case("weights far apart", _case(3, (2, 3), 0.01, apart=1500.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "the softmax is not derived",
            _other(lambda s, a, m, dw, w, g, d: (g * s * a + 2 * d * w, m)),
            "You treat each share as if it depended on its own weight alone. When one share "
            "grows, the others shrink: the mean of the a_j, weighted by s, comes off.",
            hint=2,
        ),
        Mistake(
            "the others' shares stand still",
            _other(lambda s, a, m, dw, w, g, d: (g * s * (1 - s) * a + 2 * d * w, m)),
            "You let w_j change its own share alone, by s (1 - s). The other shares shrink when it "
            "grows: add what that does to the loss.",
            hint=2,
        ),
        Mistake(
            "gradient of the shares",
            _other(lambda s, a, m, dw, w, g, d: (g * a + 2 * d * w, m)),
            "This is the gradient for the shares s. One step of the chain rule is left, from s "
            "to w, through the softmax.",
            hint=2,
        ),
        Mistake(
            "the plain mean comes off",
            _other(lambda s, a, m, dw, w, g, d: (g * s * (a - a.mean()) + 2 * d * w, m)),
            "You subtract the plain mean of the a_j. The softmax wants their mean weighted by "
            "the shares.",
            hint=3,
        ),
        Mistake(
            "the sum comes off",
            _other(lambda s, a, m, dw, w, g, d: (g * s * (a - a.sum()) + 2 * d * w, m)),
            "You subtract the sum of the a_j. Their mean comes off, each weighted by its "
            "share: `s @ a`.",
            hint=3,
        ),
        Mistake(
            "gamma inside the bracket",
            _other(lambda s, a, m, dw, w, g, d: (g * s * (a - g * m) + 2 * d * w, m)),
            "Your gamma multiplies the mean in the bracket once more. It stands in front of "
            "the whole: gamma s_j (a_j minus the mean).",
            hint=2,
        ),
        Mistake(
            "gamma is missing for w",
            _other(lambda s, a, m, dw, w, g, d: (dw / g + 2 * d * w, m)),
            "The gradient for w lacks the factor `gamma`: the loss sees the shares through it.",
            hint=2,
        ),
        Mistake(
            "gamma times its own gradient",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * w, g * m)),
            "ELMo is linear in `gamma`, so its gradient holds no `gamma`: what is left when you "
            "divide the mix by it.",
            hint=1,
        ),
        Mistake(
            "no penalty",
            _other(lambda s, a, m, dw, w, g, d: (dw, m)),
            "The penalty is missing. The derivative of decay * w_j^2 belongs to the gradient "
            "for w.",
            hint=1,
        ),
        Mistake(
            "the penalty without its two",
            _other(lambda s, a, m, dw, w, g, d: (dw + d * w, m)),
            "The derivative of w_j^2 is 2 w_j: your penalty pulls half as hard.",
            hint=1,
        ),
        Mistake(
            "the penalty on w less its largest",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * (w - w.max()), m)),
            "Your penalty takes w less its largest number. That shift serves the softmax alone: "
            "give it a name of its own, and penalise `w` as it came.",
            hint=1,
        ),
        Mistake(
            "the mean of the penalties",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * w / len(w), m)),
            "You divide the penalty by the number of weights. The penalty is a sum over the "
            "w_j: its derivative for w_j is 2 decay w_j.",
            hint=1,
        ),
        Mistake(
            "the penalty itself",
            _other(lambda s, a, m, dw, w, g, d: (dw + d * (w**2).sum(), m)),
            "You add the penalty itself. Its derivative for w_j belongs here.",
            hint=1,
        ),
        Mistake(
            "the penalty pushes away",
            _other(lambda s, a, m, dw, w, g, d: (dw - 2 * d * w, m)),
            "Your penalty has the wrong sign: going down this slope would make the weights grow.",
            hint=1,
        ),
        Mistake(
            "the penalty on the shares",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * s, m)),
            "You penalise the shares s. The penalty is on the weights w, before the softmax.",
            hint=1,
        ),
        Mistake(
            "downhill",
            _other(lambda s, a, m, dw, w, g, d: (-dw - 2 * d * w, -m)),
            "Every number has the wrong sign. The gradient points uphill; the optimiser turns it "
            "around.",
        ),
        Mistake(
            "exponentials that are not divided",
            _other(
                lambda s, a, m, dw, w, g, d: (g * np.exp(w) * (a - m) + 2 * d * w, np.exp(w) @ a)
            ),
            "Your shares are exp(w), not divided by their sum.",
            hint=3,
        ),
        Mistake(
            "the mean is not divided",
            _other(
                lambda s, a, m, dw, w, g, d: (
                    g * s * (a - m * np.exp(w - w.max()).sum()) + 2 * d * w,
                    m * np.exp(w - w.max()).sum(),
                )
            ),
            "Your mean of the a_j uses exponentials that are not divided by their sum. It uses the "
            "shares: `s @ a`.",
            hint=3,
        ),
        Mistake(
            "the mean is added",
            _other(lambda s, a, m, dw, w, g, d: (g * s * (a + m) + 2 * d * w, m)),
            "You add the mean of the a_j. It comes off: a share that grows takes from the others.",
            hint=2,
        ),
        Mistake(
            "the mean comes off after the shares",
            _other(lambda s, a, m, dw, w, g, d: (g * (s * a - m) + 2 * d * w, m)),
            "You subtract the mean after multiplying with the shares. Each share multiplies the "
            "whole bracket, a_j minus the mean.",
            hint=3,
        ),
        Mistake(
            "the shares are missing for w",
            _other(lambda s, a, m, dw, w, g, d: (g * (a - m) + 2 * d * w, m)),
            "Your gradient for w lacks the shares: each bracket, a_j minus the mean, is multiplied "
            "by s_j.",
            hint=3,
        ),
        Mistake(
            "the bracket the other way round",
            _other(lambda s, a, m, dw, w, g, d: (-dw + 2 * d * w, m)),
            "Your bracket is turned round: it is a_j minus the mean.",
            hint=3,
        ),
        Mistake(
            "the penalty without its w",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d, m)),
            "The derivative of w_j^2 is 2 w_j. Your penalty has lost its w_j.",
            hint=1,
        ),
        Mistake(
            "the plain mean for gamma",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * w, a.mean())),
            "Your gradient for gamma is the plain mean of the a_j. It is their mean weighted by "
            "the shares.",
            hint=2,
        ),
        Mistake(
            "the sum for gamma",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * w, a.sum())),
            "Your gradient for gamma adds up the a_j. Each is multiplied by its share first.",
            hint=2,
        ),
        Mistake(
            "the penalty for gamma, too",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * w, m + 2 * d * g)),
            "You penalise gamma as well. The penalty is on w alone.",
            hint=1,
        ),
        Mistake(
            "the penalty times gamma",
            _other(lambda s, a, m, dw, w, g, d: (g * (dw / g + 2 * d * w), m)),
            "Your gamma multiplies the penalty, too. The penalty knows nothing of gamma.",
            hint=2,
        ),
        Mistake(
            "exponentials that are not divided, small ones",
            lambda h, w, g, u, d: _with_shares(lambda p: p, h, w, g, u, d),
            "Your shares are exponentials, not divided by their sum.",
            hint=3,
        ),
        Mistake(
            "the shares of minus w",
            lambda h, w, g, u, d: _with_shares(lambda p: (1 / p) / (1 / p).sum(), h, w, g, u, d),
            "Your largest weight gets the smallest share: the exponent has the wrong sign. "
            "`np.exp(w - w.max())`.",
            hint=3,
        ),
        Mistake(
            "the layers are not asked",
            _other(lambda s, a, m, dw, w, g, d: (g * s + 2 * d * w, m)),
            "Your gradient for w does not look at the layers: the bracket, a_j minus the mean, is "
            "missing.",
            hint=2,
        ),
        Mistake(
            "shares times shares for gamma",
            _other(lambda s, a, m, dw, w, g, d: (dw + 2 * d * w, s @ s)),
            "Your gradient for gamma multiplies the shares with themselves: `s @ a`.",
            hint=2,
        ),
        Mistake(
            "the shares upside down",
            lambda h, w, g, u, d: _with_shares(lambda p: p.sum() / p, h, w, g, u, d),
            "Your shares are upside down: each exponential is divided by the sum of all.",
            hint=3,
        ),
        Mistake(
            "the shares multiplied",
            lambda h, w, g, u, d: _with_shares(lambda p: p * p.sum(), h, w, g, u, d),
            "You multiply the exponentials by their sum. Divide by it.",
            hint=3,
        ),
        Mistake(
            "the softmax's slopes without their diagonal",
            _other(lambda s, a, m, dw, w, g, d: (g * (s - np.outer(s, s)) @ a + 2 * d * w, m)),
            "In your table of slopes s_i stands in every place. It stands on the diagonal alone: "
            "`np.diag(s) - np.outer(s, s)`.",
            hint=2,
        ),
        Mistake(
            "a softmax that overflows",
            _overflowing,
            "`exp` of a large weight is infinite. Subtract the largest weight before you take the "
            "exponential.",
            hint=3,
        ),
        Mistake(
            "weights clipped before the softmax",
            _clipped(500),
            "Large weights are all alike in your softmax, as after a clip: their shares become "
            "equal. Subtract the largest weight instead, which changes no share: "
            "`np.exp(w - w.max())`.",
            hint=3,
        ),
        *(
            Mistake(
                f"weights clipped at {bound}, for the penalty as well",
                _clipped(bound, penalty=True),
                "You clip large weights: their shares become equal, and the penalty is that of "
                "the clipped ones. Leave `w` as it is, and subtract the largest for the softmax "
                "alone: `np.exp(w - w.max())`.",
                hint=3,
            )
            for bound in (50, 100, 500, 700)
        ),
        Mistake(
            "the bracket the other way round, and the penalty without its two",
            _other(lambda s, a, m, dw, w, g, d: (-dw + d * w, m)),
            "Two things. Your bracket is turned round: it is a_j minus the mean. And the "
            "derivative of w_j^2 is 2 w_j: your penalty pulls half as hard.",
            hint=3,
        ),
        Mistake(
            "gamma at the wrong one",
            _other(lambda s, a, m, dw, w, g, d: (dw / g + 2 * d * w, g * m)),
            "Your `gamma` stands at the wrong one. It is a factor of the gradient for w, and its "
            "own gradient holds no `gamma`.",
            hint=2,
        ),
        Mistake(
            "the mean over the numbers, and the plain mean comes off",
            _plain_mean_off_a_mean,
            "Two things. You take the mean over the numbers of a layer: add up, for `upstream` "
            "is already as large as it is. And you subtract the plain mean of the a_j: the "
            "softmax wants their mean weighted by the shares.",
            hint=3,
        ),
        Mistake(
            "gamma first",
            _other(lambda s, a, m, dw, w, g, d: (m, dw + 2 * d * w)),
            "Return the gradient for w first, the one for gamma second.",
            hint=3,
        ),
        Mistake(
            "the mean over the numbers",
            lambda h, w, g, u, d: mix_gradient.mix_gradient(h, w, g, u / u.size, d),
            "You take the mean over the numbers of a layer. The gradient for the mix arrives as "
            "`upstream`, already as large as it is: add up.",
            hint=3,
        ),
    ),
    right_answers={"loops": _by_loops, "the softmax's Jacobian": _by_jacobian},
)
