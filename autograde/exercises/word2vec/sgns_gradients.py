"""Exercise `sgns_gradients`: the gradient by hand."""

import torch
from torch import Tensor

from autograde.checking.exercise import (
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


def _three_gradients(inputs: Inputs, outputs: Plain) -> Plain:
    if not isinstance(outputs, tuple | list) or len(outputs) != 3:
        raise AnswerRefused("Return three tensors: the gradients for center, context, negatives.")
    names = ("center", "context", "negatives")
    return {f"gradient for {name}": value for name, value in zip(names, outputs, strict=True)}


def _summed_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    dv, du, dn = word2vec.sgns_gradients(v, u, n)
    return dv, du, dn.sum(1)


EXERCISE = Exercise(
    id="sgns_gradients",
    title="The gradient by hand",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=15,
    reference=word2vec.sgns_gradients,
    run=call_with_tensors,
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
    ),
    right_answers={"by autograd": _autograd_gradients, "in one expression each": _gradients},
)
