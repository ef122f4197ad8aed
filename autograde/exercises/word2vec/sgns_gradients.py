"""Exercise `sgns_gradients`: the gradient by hand."""

from typing import Any

import torch
from torch import Tensor

from autograde.checking.answers import AnswerRefused, Plain, call_with_tensors, refusing
from autograde.checking.exercise import Case, Exercise, Inputs
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from autograde.exercises.word2vec.vectors import vectors, zero_scores
from elmo_mini.models import skip_gram


def _gradients(center: Tensor, context: Tensor, negatives: Tensor) -> tuple[Tensor, ...]:
    positive = (center * context).sum(-1, keepdim=True)
    negative = (center.unsqueeze(1) * negatives).sum(-1, keepdim=True)
    true, noise = torch.sigmoid(positive) - 1, torch.sigmoid(negative)
    dv = true * context + (noise * negatives).sum(1)
    du = true * center
    dn = noise * center.unsqueeze(1)
    return dv, du, dn


def _autograd_gradients(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    leaves = [t.clone().requires_grad_() for t in (v, u, n)]
    return torch.autograd.grad(skip_gram.sgns_loss(*leaves) * len(v), leaves)


def _no_tensor(result: Any) -> str | None:
    three = isinstance(result, tuple | list) and len(result) == 3
    odd = [part for part in result if not isinstance(part, Tensor)] if three else []
    if not odd:
        return None
    kind = "None" if odd[0] is None else f"of type {type(odd[0]).__name__}"
    return (
        f"One of your gradients is {kind}. Return three tensors: exercise 6 adds them to tables of "
        "tensors. Stay with `torch`, without NumPy."
    )


def _three_gradients(inputs: Inputs, outputs: Plain) -> Plain:
    if not isinstance(outputs, tuple | list) or len(outputs) != 3:
        raise AnswerRefused("Return three tensors: the gradients for center, context, negatives.")
    names = ("center", "context", "negatives")
    return {f"gradient for {name}": value for name, value in zip(names, outputs, strict=True)}


SLIPS = """
--- hint 1
the noise words meet the context: noise * center -> noise * context
    A noise word is scored against the centre, not against the context. Its gradient is its error
    times `center`.
the context meets the noise words: true * center -> true * center + (noise * negatives).sum(1)
    Only the centre meets the noise words. The true context word has one score, with the centre: its
    gradient has one part.
the centre is scored against itself: (center * context) -> (center * center)
    Your true score is `center` times `center`. The true pair is `center` and `context`.
the noise words' scores lack the centre: (center.unsqueeze(1) * negatives) -> negatives
    The scores of the noise words are made of `negatives` alone. Each is the dot product of `center`
    and a noise vector.
the slope of the sigmoid: dv = -> true, noise = true * (1 + true), noise * (1 - noise)⏎dv =
    You multiply by the derivative of the sigmoid, s(1 - s). In the loss a logarithm stands before
    it, and the two cancel: prediction minus target is all.
the true score is an average: (center * context).sum(-1 -> (center * context).mean(-1
    The score of the true pair is a dot product: the D products are added up. You take their mean.
the true score is not summed: (center * context).sum(-1, keepdim=True) -> center * context
    You take a sigmoid for each of the D products. A score is their sum, one number for a pair: sum
    over the last axis first.
the noise words' scores are averages: negatives).sum(-1 -> negatives).mean(-1
    The score of a noise word is a dot product: the D products are added up. You take their mean.
--- hint 2
the -1 of the true pair: torch.sigmoid(positive) - 1 -> torch.sigmoid(positive)
    You treat the true context word as noise: its error is s(score) - 1, because its target is 1.
the error of the true pair has the wrong sign: torch.sigmoid(positive) - 1 \
        -> 1 - torch.sigmoid(positive)
    The error is prediction minus target, s(score) - 1, which is never positive. Yours is 1 -
    s(score): a descent step would push the true pair apart.
noise words with target 1: torch.sigmoid(negative) -> torch.sigmoid(negative) - 1
    The -1 belongs to the true word alone. A noise word has the target 0, so its error is s(score).
one minus the sigmoid of the noise: torch.sigmoid(negative) -> 1 - torch.sigmoid(negative)
    The error of a noise word is prediction minus target, s(score) - 0. Yours is 1 - s(score): it is
    largest where the model is right.
a minus before the noise: true * context + -> true * context - && noise * center -> -noise * center
    "Pushed away" needs no minus of yours: these are gradients, and the step subtracts them. The
    errors already have the right signs.
a noise word's error has the wrong sign for its own vector: noise * center -> -noise * center
    The gradients of the noise words have the wrong sign: e times `center`, and e = s(score) is
    positive.
no sigmoid: torch.sigmoid(positive) -> positive && torch.sigmoid(negative) -> negative
    Your errors are made from the scores themselves. The prediction is the sigmoid of the score.
the slope of the sigmoid, too, for the noise words: torch.sigmoid(negative) \
        -> torch.sigmoid(negative) * (1 - torch.sigmoid(negative))
    The errors of your noise words have a factor 1 - σ too many. The slope of -log σ(-y) is σ(y):
    that of the logarithm takes the factor away.
the noise words are scored against the context: center.unsqueeze(1) * negatives \
        -> context.unsqueeze(1) * negatives
    You score the noise words against `context`. They meet `center`.
no sigmoid for the noise words: torch.sigmoid(negative) -> negative
    The error of a noise word is made from its bare score. The prediction is the sigmoid of the
    score, for noise words too.
the logarithm of the sigmoid: torch.sigmoid(positive) - 1 \
        -> torch.nn.functional.logsigmoid(positive) && torch.sigmoid(negative) \
        -> torch.nn.functional.logsigmoid(negative)
    You take `F.logsigmoid`, which is the loss. Its *derivative* is the error: `torch.sigmoid(score)
    - target`.
the -1 is missing for the context: true * center -> torch.sigmoid(positive) * center
    The error of the true pair is the same in both its gradients: s(score) - 1. In the one for
    `context` the -1 is missing.
the -1 is missing for the centre: true * context -> torch.sigmoid(positive) * context
    The error of the true pair is the same in both its gradients: s(score) - 1. In the one for
    `center` the -1 is missing.
the last axis is lost: every , keepdim=True ->
    An error (B,) does not multiply a vector (B, D). Give it a last axis of length 1: `keepdim=True`
    or `.unsqueeze(-1)`.
the errors of the noise words are divided by their sum: torch.sigmoid(negative) \
        -> torch.sigmoid(negative) / torch.sigmoid(negative).sum(1, keepdim=True)
a softmax over the noise words: torch.sigmoid(negative) -> negative.softmax(1)
    The errors of your K noise words add up to 1, as after a softmax. Each noise word is a question
    of its own: its error is s(score), whatever the others get.
each vector times its own error: true * context + (noise * negatives) \
        -> true * center + (noise * center.unsqueeze(1)) && du = true * center \
        -> du = true * context && dn = noise * center.unsqueeze(1) -> dn = noise * negatives
    A score is a dot product of two vectors: its derivative for one of them is the *other* one.
both output vectors times themselves: du = true * center -> du = true * context \
        && noise * center.unsqueeze(1) -> noise * negatives
    A score is an output vector times `center`, so its derivative for the output vector is `center`.
    You multiply `context` and the noise vectors by their own errors.
each noise word times its own vector: noise * center.unsqueeze(1) -> noise * negatives
    A noise word's score is its vector times `center`. Its derivative for the noise vector is
    `center`, the other one.
the context times its own vector: true * center -> true * context
    The true score is `context` times `center`. Its derivative for `context` is `center`, the other
    one.
--- hint 3
divided by the batch: return dv, du, dn \
        -> return dv / len(center), du / len(center), dn / len(center)
    This is the gradient of the mean over the batch. Here each pair keeps its own full gradient:
    word2vec takes a whole step for every pair.
the centre forgets the noise words: + (noise * negatives).sum(1) ->
    The centre vector meets the noise words too. Its gradient needs their sum.
the centre forgets the true word: true * context + ->
    The gradient of `center` lacks its first part: the error of the true word times `context`.
one gradient for all noise words: return dv, du, dn -> return dv, du, dn.sum(1)
    Each noise word has its own vector and so its own gradient: (B, K, D), not summed over K.
the mean over the noise words: (noise * negatives).sum(1) -> (noise * negatives).mean(1)
    The centre's gradient adds up its noise words, as the loss does.
the noise summed over the batch: (noise * negatives).sum(1) -> (noise * negatives).sum((0, 1))
    The sum runs over the noise words of *one* pair, axis 1, not over the pairs.
noise vectors without their errors: (noise * negatives) -> negatives
    Each noise vector is added with full weight. Multiply it by its error first: a word that the
    model knows to be noise hardly pushes.
centre and context swapped: return dv, du, dn -> return du, dv, dn
    The first two results stand in for each other. The gradient of `center` comes first, and it is
    the one with two parts.
only two gradients: return dv, du, dn -> return dv, du
    The gradients of the noise words are missing: error times `center`, for each of the K.
averaged over the batch: return dv, du, dn -> return dv.mean(0), du.mean(0), dn.mean(0)
    You average over the pairs. Each pair keeps its own gradient: shapes (B, D), (B, D) and (B, K,
    D).
a minus before the noise, in the centre only: true * context + -> true * context -
    In the gradient of `center` the noise words are *added*. The step subtracts the gradient, and
    that pushes away.
--- no hint
uphill: return dv, du, dn -> return -dv, -du, -dn
    All three have the sign of the log-likelihood. The loss is its negative.
one noise word loses its axis: torch.sigmoid(negative) \
        -> torch.sigmoid(negative).squeeze().unsqueeze(-1)
    Where each pair has one noise word, `squeeze()` takes their axis away. Say which axis goes:
    `.squeeze(2)`, or keep it by `keepdim=True`.
exp of large scores: torch.sigmoid(positive) -> positive.exp() / (1 + positive.exp()) \
        && torch.sigmoid(negative) -> negative.exp() / (1 + negative.exp())
    exp of a score of a thousand is too large for a number, and infinite over infinite is none.
    `torch.sigmoid` never forms it.
the scores are cut off at {most}: torch.sigmoid(positive) \
        -> torch.sigmoid(positive.clamp(-{most}, {most})) && torch.sigmoid(negative) \
        -> torch.sigmoid(negative.clamp(-{most}, {most})) | most = 5, 6, 10
    You cut the scores off, and the errors of large ones stay a little above 0. `torch.sigmoid`
    bears scores of a thousand as they are.
in NumPy: return dv, du, dn -> return dv.numpy(), du.numpy(), dn.numpy()
    The numbers are right, and they are NumPy arrays. Exercise 6 adds them to tables of tensors:
    stay with `torch`.
summed over the batch: return dv, du, dn -> return dv.sum(0), du.sum(0), dn.sum(0)
    You add up the pairs. Each pair keeps its own gradient: shapes (B, D), (B, D) and (B, K, D).
"""

EXERCISE = Exercise(
    id="sgns_gradients",
    title="The gradient by hand",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=15,
    reference=skip_gram.sgns_gradients,
    run=refusing(_no_tensor, call_with_tensors),
    view=_three_gradients,
    cases=(
        Case("one pair, one negative", vectors(1, 1, 3)),
        Case("a batch of 5 pairs, 4 negatives", vectors(5, 4, 6), weight=2),
        Case("all scores are 0", zero_scores, edge=True),
        Case("four pairs, one negative each", vectors(4, 1, 3), weight=0.5, edge=True),
        Case("large scores", vectors(4, 3, 5, scale=4.0), edge=True),
        Case("scores of a thousand", vectors(3, 2, 5, scale=20.0), weight=0.5, edge=True),
    ),
    mistakes=slips(_gradients, SLIPS),
    right_answers={"by autograd": _autograd_gradients, "by hand": _gradients},
)
