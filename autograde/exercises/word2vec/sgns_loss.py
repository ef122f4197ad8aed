"""Exercise `sgns_loss`: the loss of skip-gram with negative sampling."""

import numpy as np
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
    as_tensors,
    plain,
)
from autograde.exercises.word2vec import LESSON
from autograde.exercises.word2vec.vectors import pair_scores, vectors, zero_scores
from elmo_mini.word_vectors import word2vec


def _scores_of_a_thousand(rng: np.random.Generator) -> Inputs:
    inputs = vectors(3, 2, 4)(rng)
    center = inputs["center"]
    length = np.square(center).sum(-1, keepdims=True)
    return inputs | {
        "context": -1000 * center / length,
        "negatives": inputs["negatives"] / 10 + (1000 * center / length)[:, None],
    }


def _scores_of_thirty(rng: np.random.Generator) -> Inputs:
    inputs = vectors(2, 3, 4)(rng)
    center = inputs["center"]
    along = 30 * center / np.square(center).sum(-1, keepdims=True)
    return inputs | {"context": -along, "negatives": np.repeat(along[:, None], 3, axis=1)}


def _summed_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    return word2vec.sgns_loss(center, context, negatives) * len(center)


def _same_sign_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    return -(F.logsigmoid(positive) + F.logsigmoid(negative).sum(-1)).mean()


def _unstable_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    logs = torch.log(torch.sigmoid(positive)) + torch.log(torch.sigmoid(-negative)).sum(-1)
    return -logs.mean()


def _one_minus_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    logs = F.logsigmoid(positive) + torch.log(1 - torch.sigmoid(negative)).sum(-1)
    return -logs.mean()


def _mean_of_negatives_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative).mean(-1)).mean()


def _positive_only_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    return -F.logsigmoid(pair_scores(center, context, negatives)[0]).mean()


def _likelihood(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    return -word2vec.sgns_loss(center, context, negatives)


def _cross_entropy_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    scores = torch.cat([positive.unsqueeze(-1), negative], dim=-1)
    labels = torch.zeros_like(scores)
    labels[:, 0] = 1
    return F.binary_cross_entropy_with_logits(scores, labels, reduction="sum") / len(center)


def _run_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradient for the centre vectors: the lesson goes on to use both."""
    tensors = [as_tensors(value) for value in inputs.values()]
    center = tensors[0].requires_grad_()
    loss = answer(center, *tensors[1:])
    if loss is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(loss, Tensor):
        raise AnswerRefused(
            f"Your loss is a {type(loss).__name__}. Return the tensor itself, without `.item()` "
            "or `float()`: autograd must be able to follow it back."
        )
    if loss.requires_grad and loss.ndim == 0:
        return {"loss": plain(loss), "its gradient": plain(torch.autograd.grad(loss, center)[0])}
    return {"loss": plain(loss), "its gradient": None}


def _padded_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    logs = torch.log(torch.sigmoid(positive) + 1e-9)
    return -(logs + torch.log(torch.sigmoid(-negative) + 1e-9).sum(-1)).mean()


EXERCISE = Exercise(
    id="sgns_loss",
    title="The loss of skip-gram with negative sampling",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=word2vec.sgns_loss,
    run=_run_loss,
    cases=(
        Case("one pair, one negative", vectors(1, 1, 4)),
        Case("a batch of 6 pairs, 5 negatives", vectors(6, 5, 10), weight=2),
        Case("all scores are 0", zero_scores, edge=True),
        Case("scores of 30", _scores_of_thirty, edge=True),
        Case("scores of a thousand", _scores_of_a_thousand, edge=True),
    ),
    mistakes=(
        Mistake(
            "the sum over the batch",
            _summed_loss,
            "Your loss grows with the batch. Take the mean over the pairs.",
            hint=3,
        ),
        Mistake(
            "the minus inside the negative term",
            _same_sign_loss,
            "Your noise words are pulled closer like the true one. In their term the score has a "
            "minus: log s(-score).",
            hint=1,
        ),
        Mistake(
            "log of sigmoid overflows",
            _unstable_loss,
            "The formula is right, and the computer cannot follow it: for a large negative score "
            "sigmoid rounds to 0 and its log is -inf. Use `F.logsigmoid`, which never forms the 0.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log",
            _padded_loss,
            "A small number inside the log hides the infinity, and with it the gradient: a pair "
            "that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "a float",
            lambda v, u, n: word2vec.sgns_loss(v, u, n).item(),
            "Return the tensor itself, without `.item()` or `float()`: autograd must be able to "
            "follow it back.",
            hint=3,
        ),
        Mistake(
            "log of 1 - sigmoid overflows",
            _one_minus_loss,
            "1 - sigmoid(x) is sigmoid(-x), and only the second form survives large scores. Use "
            "`F.logsigmoid(-score)`.",
            hint=3,
        ),
        Mistake(
            "the mean over the negatives",
            _mean_of_negatives_loss,
            "The k noise terms are added up in equation 4, not averaged.",
            hint=2,
        ),
        Mistake(
            "only the true pair",
            _positive_only_loss,
            "The noise words are missing. With this loss all vectors can grow the same way and "
            "every pair looks perfect.",
            hint=1,
        ),
        Mistake(
            "the sign of the whole",
            _likelihood,
            "This is the log-likelihood, which should go up. A loss goes down: negate it.",
            hint=3,
        ),
    ),
    right_answers={
        "binary cross-entropy": _cross_entropy_loss,
        "softplus": lambda v, u, n: (
            F.softplus(-(v * u).sum(1)) + F.softplus((n @ v.unsqueeze(2)).squeeze(2)).sum(1)
        ).mean(),
        "with @": lambda v, u, n: (
            -F.logsigmoid(torch.diagonal(v @ u.T))
            - F.logsigmoid(-(n @ v[:, :, None])[..., 0]).sum(-1)
        ).mean(),
    },
)
