"""Exercise `sgns_gradients`: the gradient by hand."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call_with_tensors,
)
from autograde.exercises.word2vec import LESSON
from autograde.exercises.word2vec.vectors import pair_scores, vectors, zero_scores
from elmo_mini.word_vectors import word2vec


def _errors(center: Tensor, context: Tensor, negatives: Tensor) -> tuple[Tensor, Tensor]:
    positive, negative = pair_scores(center, context, negatives)
    return torch.sigmoid(positive).unsqueeze(-1), torch.sigmoid(negative).unsqueeze(-1)


def _gradients(v: Tensor, u: Tensor, n: Tensor, shift: float = 1.0) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - shift
    dv = positive * u + (negative * n).sum(1)
    return dv, positive * v, negative * v.unsqueeze(1)


def _flipped_gradients(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = 1 - positive
    return positive * u + (negative * n).sum(1), positive * v, negative * v.unsqueeze(1)


def _autograd_gradients(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    leaves = [t.clone().requires_grad_() for t in (v, u, n)]
    return torch.autograd.grad(word2vec.sgns_loss(*leaves) * len(v), leaves)


def _center_without_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    _, du, dn = word2vec.sgns_gradients(v, u, n)
    positive = torch.sigmoid((v * u).sum(-1, keepdim=True)) - 1
    return positive * u, du, dn


def _noise_with_target_one(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive, negative = positive - 1, negative - 1
    return positive * u + (negative * n).sum(1), positive * v, negative * v.unsqueeze(1)


def _minus_for_the_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - 1
    return positive * u - (negative * n).sum(1), positive * v, -negative * v.unsqueeze(1)


def _mean_over_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - 1
    return positive * u + (negative * n).mean(1), positive * v, negative * v.unsqueeze(1)


def _own_vector(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - 1
    return positive * v + (negative * v.unsqueeze(1)).sum(1), positive * u, negative * n


def _center_and_context_swapped(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    dv, du, dn = word2vec.sgns_gradients(v, u, n)
    return du, dv, dn


def _run_gradients(answer: Answer, inputs: Inputs) -> Plain:
    def typed(*arguments: Any) -> Any:
        result = answer(*arguments)
        parts = result if isinstance(result, tuple | list) else [result]
        odd = [part for part in parts if not isinstance(part, Tensor)]
        if len(parts) == 3 and odd:
            kind = "None" if odd[0] is None else f"of type {type(odd[0]).__name__}"
            raise AnswerRefused(
                f"One of your gradients is {kind}. Return three tensors: exercise 7 adds them to "
                "tables of tensors. Stay with `torch`, without NumPy."
            )
        return result

    return call_with_tensors(typed, inputs)


def _with_errors(
    v: Tensor, u: Tensor, n: Tensor, make: Callable[..., tuple[Tensor, ...]]
) -> tuple[Tensor, ...]:
    """Gradients made from the two errors and from the three right gradients."""
    true, noise = _errors(v, u, n)
    return make(true - 1, noise, *word2vec.sgns_gradients(v, u, n))


def _three_gradients(inputs: Inputs, outputs: Plain) -> Plain:
    if not isinstance(outputs, tuple | list) or len(outputs) != 3:
        raise AnswerRefused("Return three tensors: the gradients for center, context, negatives.")
    names = ("center", "context", "negatives")
    return {f"gradient for {name}": value for name, value in zip(names, outputs, strict=True)}


def _summed_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    dv, du, dn = word2vec.sgns_gradients(v, u, n)
    return dv, du, dn.sum(1)


def _without_sigmoid(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = pair_scores(v, u, n)
    true, noise = positive.unsqueeze(-1) - 1, negative.unsqueeze(-1)
    return true * u + (noise * n).sum(1), true * v, noise * v.unsqueeze(1)


def _with_log_sigmoid(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = pair_scores(v, u, n)
    true, noise = F.logsigmoid(positive).unsqueeze(-1), F.logsigmoid(negative).unsqueeze(-1)
    return true * u + (noise * n).sum(1), true * v, noise * v.unsqueeze(1)


def _without_last_axis(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = pair_scores(v, u, n)
    true, noise = torch.sigmoid(positive) - 1, torch.sigmoid(negative)
    return true * u, true * v, noise * v


def _gradients_of_scores(
    v: Tensor, u: Tensor, n: Tensor, true: Tensor, noise: Tensor
) -> tuple[Tensor, ...]:
    """The gradients with other predictions: ``true`` for the pairs, ``noise`` for the noise."""
    positive, negative = true - 1, noise.unsqueeze(-1)
    return positive * u + (negative * n).sum(1), positive * v, negative * v.unsqueeze(1)


def _noise_shares(
    v: Tensor, u: Tensor, n: Tensor, share: Callable[[Tensor], Tensor]
) -> tuple[Tensor, ...]:
    """The errors of the noise words are shares of 1."""
    true, noise = pair_scores(v, u, n)
    return _gradients_of_scores(v, u, n, torch.sigmoid(true).unsqueeze(-1), share(noise))


SHARES = (
    "The errors of your K noise words add up to 1, as after a softmax. Each noise word is a "
    "question of its own: its error is s(score), whatever the others get."
)


EXERCISE = Exercise(
    id="sgns_gradients",
    title="The gradient by hand",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=15,
    reference=word2vec.sgns_gradients,
    run=_run_gradients,
    view=_three_gradients,
    cases=(
        Case("one pair, one negative", vectors(1, 1, 3)),
        Case("a batch of 5 pairs, 4 negatives", vectors(5, 4, 6), weight=2),
        Case("all scores are 0", zero_scores, edge=True),
        Case("large scores", vectors(4, 3, 5, scale=4.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "divided by the batch",
            lambda v, u, n: tuple(g / len(v) for g in word2vec.sgns_gradients(v, u, n)),
            "This is the gradient of the mean over the batch. Here each pair keeps its own full "
            "gradient: word2vec takes a whole step for every pair.",
            hint=3,
        ),
        Mistake(
            "the -1 of the true pair",
            lambda v, u, n: _gradients(v, u, n, shift=0.0),
            "You treat the true context word as noise: its error is s(score) - 1, because its "
            "target is 1.",
            hint=2,
        ),
        Mistake(
            "the error of the true pair has the wrong sign",
            _flipped_gradients,
            "The error is prediction minus target, s(score) - 1, which is never positive. Yours is "
            "1 - s(score): a descent step would push the true pair apart.",
            hint=2,
        ),
        Mistake(
            "the centre forgets the noise words",
            _center_without_noise,
            "The centre vector meets the noise words too. Its gradient needs their sum.",
            hint=3,
        ),
        Mistake(
            "one gradient for all noise words",
            _summed_noise,
            "Each noise word has its own vector and so its own gradient: (B, K, D), not summed "
            "over K.",
            hint=3,
        ),
        Mistake(
            "uphill",
            lambda v, u, n: tuple(-g for g in word2vec.sgns_gradients(v, u, n)),
            "All three have the sign of the log-likelihood. The loss is its negative.",
        ),
        Mistake(
            "noise words with target 1",
            _noise_with_target_one,
            "The -1 belongs to the true word alone. A noise word has the target 0, so its error "
            "is s(score).",
            hint=2,
        ),
        Mistake(
            "a minus before the noise",
            _minus_for_the_noise,
            '"Pushed away" needs no minus of yours: these are gradients, and the step subtracts '
            "them. The errors already have the right signs.",
            hint=2,
        ),
        Mistake(
            "the mean over the noise words",
            _mean_over_noise,
            "The centre's gradient adds up its noise words, as the loss does.",
            hint=3,
        ),
        Mistake(
            "each vector times its own error",
            _own_vector,
            "A score is a dot product of two vectors: its derivative for one of them is the "
            "*other* one.",
            hint=1,
        ),
        Mistake(
            "centre and context swapped",
            _center_and_context_swapped,
            "The first two results stand in for each other. The gradient of `center` comes first, "
            "and it is the one with two parts.",
            hint=3,
        ),
        Mistake(
            "one minus the sigmoid of the noise",
            lambda v, u, n: _with_errors(
                v,
                u,
                n,
                lambda a, b, dv, du, dn: (
                    a * u + ((1 - b) * n).sum(1),
                    du,
                    (1 - b) * v.unsqueeze(1),
                ),
            ),
            "The error of a noise word is prediction minus target, s(score) - 0. Yours is 1 "
            "- s(score): it is largest where the model is right.",
            hint=2,
        ),
        Mistake(
            "a noise word's error has the wrong sign for its own vector",
            lambda v, u, n: _with_errors(v, u, n, lambda a, b, dv, du, dn: (dv, du, -dn)),
            "The gradients of the noise words have the wrong sign: e times `center`, and e "
            "= s(score) is positive.",
            hint=2,
        ),
        Mistake(
            "a minus before the noise, in the centre only",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: (a * u - (b * n).sum(1), du, dn)
            ),
            "In the gradient of `center` the noise words are *added*. The step subtracts "
            "the gradient, and that pushes away.",
            hint=2,
        ),
        Mistake(
            "the context meets the noise words",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: (dv, du + (b * n).sum(1), dn)
            ),
            "Only the centre meets the noise words. The true context word has one score, "
            "with the centre: its gradient has one part.",
            hint=1,
        ),
        Mistake(
            "each noise word times its own vector",
            lambda v, u, n: _with_errors(v, u, n, lambda a, b, dv, du, dn: (dv, du, b * n)),
            "A noise word's score is its vector times `center`. Its derivative for the "
            "noise vector is `center`, the other one.",
            hint=1,
        ),
        Mistake(
            "the context times its own vector",
            lambda v, u, n: _with_errors(v, u, n, lambda a, b, dv, du, dn: (dv, a * u, dn)),
            "The true score is `context` times `center`. Its derivative for `context` is "
            "`center`, the other one.",
            hint=1,
        ),
        Mistake(
            "the noise words meet the context",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: (dv, du, b * u.unsqueeze(1))
            ),
            "A noise word is scored against the centre, not against the context. Its "
            "gradient is its error times `center`.",
            hint=1,
        ),
        Mistake(
            "the centre forgets the true word",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: ((b * n).sum(1), du, dn)
            ),
            "The gradient of `center` lacks its first part: the error of the true word "
            "times `context`.",
            hint=3,
        ),
        Mistake(
            "summed over the batch",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: (dv.sum(0), du.sum(0), dn.sum(0))
            ),
            "You add up the pairs. Each pair keeps its own gradient: shapes (B, D), (B, D) "
            "and (B, K, D).",
            hint=3,
        ),
        Mistake(
            "averaged over the batch",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: (dv.mean(0), du.mean(0), dn.mean(0))
            ),
            "You average over the pairs. Each pair keeps its own gradient: shapes (B, D), "
            "(B, D) and (B, K, D).",
            hint=3,
        ),
        Mistake(
            "the noise summed over the batch",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: (a * u + (b * n).sum(0).sum(0), du, dn)
            ),
            "The sum runs over the noise words of *one* pair, axis 1, not over the pairs.",
            hint=3,
        ),
        Mistake(
            "only two gradients",
            lambda v, u, n: _with_errors(v, u, n, lambda a, b, dv, du, dn: (dv, du)),
            "The gradients of the noise words are missing: error times `center`, for each "
            "of the K.",
            hint=3,
        ),
        Mistake(
            "the slope of the sigmoid",
            lambda v, u, n: _with_errors(
                v,
                u,
                n,
                lambda a, b, dv, du, dn: (
                    a * (1 + a) * u + (b * (1 - b) * n).sum(1),
                    a * (1 + a) * v,
                    b * (1 - b) * v.unsqueeze(1),
                ),
            ),
            "You multiply by the derivative of the sigmoid, s(1 - s). In the loss a "
            "logarithm stands before it, and the two cancel: prediction minus target is "
            "all.",
            hint=2,
        ),
        Mistake(
            "no sigmoid",
            _without_sigmoid,
            "Your errors are made from the scores themselves. The prediction is the sigmoid "
            "of the score.",
            hint=2,
        ),
        Mistake(
            "the logarithm of the sigmoid",
            _with_log_sigmoid,
            "You take `F.logsigmoid`, which is the loss. Its *derivative* is the error: "
            "`torch.sigmoid(score) - target`.",
            hint=2,
        ),
        Mistake(
            "noise vectors without their errors",
            lambda v, u, n: _with_errors(
                v, u, n, lambda a, b, dv, du, dn: (a * u + n.sum(1), du, dn)
            ),
            "Each noise vector is added with full weight. Multiply it by its error first: a "
            "word that the model knows to be noise hardly pushes.",
            hint=3,
        ),
        Mistake(
            "the -1 is missing for the context",
            lambda v, u, n: _with_errors(v, u, n, lambda a, b, dv, du, dn: (dv, du + v, dn)),
            "The error of the true pair is the same in both its gradients: s(score) - 1. In "
            "the one for `context` the -1 is missing.",
            hint=2,
        ),
        Mistake(
            "the -1 is missing for the centre",
            lambda v, u, n: _with_errors(v, u, n, lambda a, b, dv, du, dn: (dv + u, du, dn)),
            "The error of the true pair is the same in both its gradients: s(score) - 1. In "
            "the one for `center` the -1 is missing.",
            hint=2,
        ),
        Mistake(
            "the last axis is lost",
            _without_last_axis,
            "An error (B,) does not multiply a vector (B, D). Give it a last axis of length "
            "1: `keepdim=True` or `.unsqueeze(-1)`.",
            hint=2,
        ),
        Mistake(
            "in NumPy",
            lambda v, u, n: tuple(g.numpy() for g in word2vec.sgns_gradients(v, u, n)),
            "The numbers are right, and they are NumPy arrays. Exercise 7 adds them to "
            "tables of tensors: stay with `torch`.",
        ),
        Mistake(
            "the true score is an average",
            lambda v, u, n: _gradients_of_scores(
                v,
                u,
                n,
                torch.sigmoid((v * u).mean(-1, keepdim=True)),
                torch.sigmoid((v.unsqueeze(1) * n).sum(-1)),
            ),
            "The score of the true pair is a dot product: the D products are added up. You take "
            "their mean.",
            hint=2,
        ),
        Mistake(
            "the true score is not summed",
            lambda v, u, n: _gradients_of_scores(
                v, u, n, torch.sigmoid(v * u), torch.sigmoid((v.unsqueeze(1) * n).sum(-1))
            ),
            "You take a sigmoid for each of the D products. A score is their sum, one number for a "
            "pair: sum over the last axis first.",
            hint=2,
        ),
        Mistake(
            "no sigmoid for the noise words",
            lambda v, u, n: _gradients_of_scores(
                v,
                u,
                n,
                torch.sigmoid((v * u).sum(-1, keepdim=True)),
                (v.unsqueeze(1) * n).sum(-1),
            ),
            "The error of a noise word is made from its bare score. The prediction is the sigmoid "
            "of the score, for noise words too.",
            hint=2,
        ),
        Mistake(
            "the centre is scored against itself",
            lambda v, u, n: _gradients_of_scores(
                v,
                u,
                n,
                torch.sigmoid((v * v).sum(-1, keepdim=True)),
                torch.sigmoid((v.unsqueeze(1) * n).sum(-1)),
            ),
            "Your true score is `center` times `center`. The true pair is `center` and `context`.",
            hint=1,
        ),
        Mistake(
            "the errors of the noise words are divided by their sum",
            lambda v, u, n: _noise_shares(
                v, u, n, lambda x: x.sigmoid() / x.sigmoid().sum(1, keepdim=True)
            ),
            SHARES,
            hint=2,
        ),
        Mistake(
            "a softmax over the noise words",
            lambda v, u, n: _noise_shares(v, u, n, lambda x: x.softmax(1)),
            SHARES,
            hint=2,
        ),
        Mistake(
            "both output vectors times themselves",
            lambda v, u, n: _with_errors(v, u, n, lambda a, b, dv, du, dn: (dv, a * u, b * n)),
            "A score is an output vector times `center`, so its derivative for the output vector "
            "is `center`. You multiply `context` and the noise vectors by their own errors.",
            hint=1,
        ),
    ),
    right_answers={"by autograd": _autograd_gradients, "in one expression each": _gradients},
)
