"""Exercise `sgns_loss`: the loss of skip-gram with negative sampling."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from autograde.checking.differentiable import slopes
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
    returned,
)
from autograde.checking.judge import with_article
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
    loss = returned(answer(center, *tensors[1:]))
    if not isinstance(loss, Tensor):
        number = isinstance(loss, int | float | np.generic)
        way = "the tensor itself, without `.item()` or `float()`" if number else "a tensor"
        raise AnswerRefused(
            f"Your loss is {with_article(type(loss).__name__)}. Return {way}: autograd must be "
            "able to follow it back."
        )
    slope = slopes(loss, {"center": center})["center"] if loss.ndim == 0 else None
    return {"loss": plain(loss), "its gradient": plain(slope)}


def _padded_loss(
    center: Tensor,
    context: Tensor,
    negatives: Tensor,
    padding: float = 1e-9,
    *,
    one_minus: bool = False,
) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    noise = 1 - torch.sigmoid(negative) if one_minus else torch.sigmoid(-negative)
    logs = torch.log(torch.sigmoid(positive) + padding)
    return -(logs + torch.log(noise + padding).sum(-1)).mean()


def _varied(
    center: Tensor,
    context: Tensor,
    negatives: Tensor,
    *,
    true: Callable[[Tensor], Tensor] = F.logsigmoid,
    noise: Callable[[Tensor], Tensor] = lambda x: F.logsigmoid(-x),
    score: Callable[[Tensor], Tensor] = lambda x: x,
    between: int = 1,
    noise_center: Tensor | None = None,
) -> Tensor:
    """The loss with one thing done otherwise."""
    positive, negative = pair_scores(center, context, negatives)
    if noise_center is not None:
        negative = pair_scores(noise_center, context, negatives)[1]
    return -(true(score(positive)) + between * noise(score(negative)).sum(-1)).mean()


def _cut_off_loss(center: Tensor, context: Tensor, negatives: Tensor, least: float) -> Tensor:
    def log_sigmoid(x: Tensor) -> Tensor:
        return torch.log(torch.sigmoid(x).clamp(min=least))

    return _varied(center, context, negatives, true=log_sigmoid, noise=lambda x: log_sigmoid(-x))


def _per_pair(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(-1))


def _summed_scores_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative.sum(-1))).mean()


def _no_dot_product(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    true = F.logsigmoid(center * context).sum(-1)
    return -(true + F.logsigmoid(-center.unsqueeze(1) * negatives).sum((-1, -2))).mean()


def _noise_summed_over_batch(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    return -(F.logsigmoid(positive).mean() + F.logsigmoid(-negative).sum())


def _across_the_batch(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    noise = F.logsigmoid(-pair_scores(center, context, negatives)[1])
    return -(F.logsigmoid(center @ context.T).mean() + noise.sum(-1).mean())


def _dot_over_batch(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    noise = F.logsigmoid(-pair_scores(center, context, negatives)[1]).sum(-1)
    return -(F.logsigmoid((center * context).sum(0)).mean() + noise.mean())


def _softmax_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    scores = torch.cat([positive.unsqueeze(-1), negative], dim=-1)
    return F.cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long))


def _varied_noise_scores(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive = pair_scores(center, context, negatives)[0]
    negative = (center * negatives).sum(-1)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(-1)).mean()


def _averaged_scores(
    center: Tensor, context: Tensor, negatives: Tensor, *, true: bool = True, noise: bool = True
) -> Tensor:
    positive, negative = pair_scores(center, context, negatives)
    size = center.shape[-1]
    positive, negative = positive / (size if true else 1), negative / (size if noise else 1)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(-1)).mean()


def _one_vector_alone(context: Tensor, center: Tensor, negatives: Tensor, own: Tensor) -> Tensor:
    noise = F.logsigmoid(-pair_scores(center, context, negatives)[1])
    return -(F.logsigmoid(own.sum(-1)) + noise.sum(-1)).mean()


def _labels_in(center: Tensor, context: Tensor, negatives: Tensor, place: Any) -> Tensor:
    """Cross-entropy in which the label 1 stands in other places than the first column."""
    positive, negative = pair_scores(center, context, negatives)
    scores = torch.cat([positive.unsqueeze(-1), negative], dim=-1)
    labels = torch.zeros_like(scores)
    labels[place] = 1
    return F.binary_cross_entropy_with_logits(scores, labels, reduction="sum") / len(center)


def _on_the_way(inputs: Inputs) -> dict[str, float]:
    center, context, negatives = (inputs[name] for name in ("center", "context", "negatives"))
    true, noise = (center * context).sum(-1), (center[:, None] * negatives).sum(-1)
    return {
        "the term of the true pairs": np.logaddexp(0, -true).mean(),
        "the term of the noise words": np.logaddexp(0, noise).sum(-1).mean(),
        "the mean score of the true pairs": true.mean(),
        "the mean over the pairs of their noise words' scores": noise.sum(-1).mean(),
    }


AVERAGED = (
    "A score is a dot product, so the D products are added up. You take their mean, and your "
    "scores shrink with the dimension."
)


COSINES = (
    "Your scores are cosines: each vector is divided by its length. The score is the plain dot "
    "product, and the lengths are learnt, too."
)


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
    on_the_way=_on_the_way,
    cases=(
        Case("one pair, one negative", vectors(1, 1, 4)),
        Case("a batch of 6 pairs, 5 negatives", vectors(6, 5, 10), weight=2),
        Case("one pair, three negatives", vectors(1, 3, 4), weight=0.5, edge=True),
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
        Mistake(
            "1e-6 inside the log",
            lambda v, u, n: _padded_loss(v, u, n, 1e-6),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-7 inside the log",
            lambda v, u, n: _padded_loss(v, u, n, 1e-7),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-8 inside the log",
            lambda v, u, n: _padded_loss(v, u, n, 1e-8),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-10 inside the log",
            lambda v, u, n: _padded_loss(v, u, n, 1e-10),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-12 inside the log",
            lambda v, u, n: _padded_loss(v, u, n, 1e-12),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-7 inside the log of 1 - sigmoid",
            lambda v, u, n: _padded_loss(v, u, n, 1e-7, one_minus=True),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-8 inside the log of 1 - sigmoid",
            lambda v, u, n: _padded_loss(v, u, n, 1e-8, one_minus=True),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-9 inside the log of 1 - sigmoid",
            lambda v, u, n: _padded_loss(v, u, n, 1e-9, one_minus=True),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "1e-10 inside the log of 1 - sigmoid",
            lambda v, u, n: _padded_loss(v, u, n, 1e-10, one_minus=True),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "the sigmoid is cut off at 1e-6",
            lambda v, u, n: _cut_off_loss(v, u, n, 1e-6),
            "You cut the sigmoid off before the log. Where it is cut off its gradient is 0, "
            "and a pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "the sigmoid is cut off at 1e-7",
            lambda v, u, n: _cut_off_loss(v, u, n, 1e-7),
            "You cut the sigmoid off before the log. Where it is cut off its gradient is 0, "
            "and a pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "the sigmoid is cut off at 1e-8",
            lambda v, u, n: _cut_off_loss(v, u, n, 1e-8),
            "You cut the sigmoid off before the log. Where it is cut off its gradient is 0, "
            "and a pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "the sigmoid is cut off at 1e-10",
            lambda v, u, n: _cut_off_loss(v, u, n, 1e-10),
            "You cut the sigmoid off before the log. Where it is cut off its gradient is 0, "
            "and a pair that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "the scores are cut off at 10",
            lambda v, u, n: _varied(v, u, n, score=lambda x: x.clamp(-10, 10)),
            "You cut the scores off. Where they are cut off their gradient is 0, and a pair "
            "that is very wrong stops learning. `F.logsigmoid` bears scores of a thousand "
            "as they are.",
            hint=3,
        ),
        Mistake(
            "the scores are cut off at 20",
            lambda v, u, n: _varied(v, u, n, score=lambda x: x.clamp(-20, 20)),
            "You cut the scores off. Where they are cut off their gradient is 0, and a pair "
            "that is very wrong stops learning. `F.logsigmoid` bears scores of a thousand "
            "as they are.",
            hint=3,
        ),
        Mistake(
            "the scores are cut off at 50",
            lambda v, u, n: _varied(v, u, n, score=lambda x: x.clamp(-50, 50)),
            "You cut the scores off. Where they are cut off their gradient is 0, and a pair "
            "that is very wrong stops learning. `F.logsigmoid` bears scores of a thousand "
            "as they are.",
            hint=3,
        ),
        Mistake(
            "the scores are cut off at 100",
            lambda v, u, n: _varied(v, u, n, score=lambda x: x.clamp(-100, 100)),
            "You cut the scores off. Where they are cut off their gradient is 0, and a pair "
            "that is very wrong stops learning. `F.logsigmoid` bears scores of a thousand "
            "as they are.",
            hint=3,
        ),
        Mistake(
            "a minus between the two terms",
            lambda v, u, n: _varied(v, u, n, between=-1, noise=F.logsigmoid),
            "The minus of the noise words belongs *inside* the sigmoid, before the score. "
            "Yours stands before the logarithm.",
            hint=1,
        ),
        Mistake(
            "a minus between the two terms, and one inside",
            lambda v, u, n: _varied(v, u, n, between=-1),
            "In the equation the two terms are *added*. The only minus of the noise words "
            "stands before their score.",
            hint=1,
        ),
        Mistake(
            "the true pair is pushed away",
            lambda v, u, n: _varied(v, u, n, true=lambda x: F.logsigmoid(-x)),
            "The score of the true pair has a minus in your loss: it is pushed away like "
            "the noise. Its sigmoid should be near 1.",
            hint=1,
        ),
        Mistake(
            "true and noise are swapped",
            lambda v, u, n: _varied(v, u, n, true=lambda x: F.logsigmoid(-x), noise=F.logsigmoid),
            "You push the true pair away and pull the noise words closer. Inside `logsigmoid` "
            "the noise words' scores get the minus; inside `softplus` the true pair's does.",
            hint=1,
        ),
        Mistake(
            "no logarithm",
            lambda v, u, n: _varied(v, u, n, true=torch.sigmoid, noise=lambda x: torch.sigmoid(-x)),
            "You add up sigmoids. Equation 4 adds up their logarithms: `F.logsigmoid`.",
            hint=2,
        ),
        Mistake(
            "no sigmoid",
            lambda v, u, n: _varied(v, u, n, true=lambda x: x, noise=lambda x: -x),
            "You add up the scores themselves, and nothing bounds them. Each goes through "
            "`F.logsigmoid` first.",
            hint=2,
        ),
        Mistake(
            "one minus the logarithm",
            lambda v, u, n: _varied(v, u, n, noise=lambda x: 1 - F.logsigmoid(x)),
            "1 - log s(x) is not log(1 - s(x)). A noise word costs log s(-x): "
            "`F.logsigmoid(-negative)`.",
            hint=3,
        ),
        Mistake(
            "the logarithm of one minus the score",
            lambda v, u, n: _varied(v, u, n, noise=lambda x: F.logsigmoid(1 - x)),
            "1 - s(x) is s(-x), not s(1 - x). A noise word costs `F.logsigmoid(-negative)`.",
            hint=3,
        ),
        Mistake(
            "one number for each pair",
            lambda v, u, n: _per_pair(v, u, n),
            "You return a loss for each pair, shape (B,). Take the mean over them.",
            hint=3,
        ),
        Mistake(
            "the scores of the noise words are added before the sigmoid",
            lambda v, u, n: _summed_scores_loss(v, u, n),
            "You add up the noise words' scores and take one sigmoid. Each noise word has "
            "its own sigmoid: `F.logsigmoid` first, then the sum over K.",
            hint=2,
        ),
        Mistake(
            "a sigmoid for each number",
            lambda v, u, n: _no_dot_product(v, u, n),
            "A score is a dot product: multiply, and sum over D. The sigmoid comes after "
            "that sum, not before it.",
            hint=2,
        ),
        Mistake(
            "only the first noise word",
            lambda v, u, n: _varied(v, u, n[:, :1]),
            "Only one noise word for each pair counts. Add up all K of them.",
            hint=2,
        ),
        Mistake(
            "a mean over pairs and words together",
            lambda v, u, n: word2vec.sgns_loss(v, u, n) / (1 + n.shape[1]),
            "You average over the 1 + K words of a pair, too. They are added up; the mean "
            "runs over the pairs alone.",
            hint=2,
        ),
        Mistake(
            "the noise words of the whole batch",
            lambda v, u, n: _noise_summed_over_batch(v, u, n),
            "The true pairs are averaged, but the noise words of all pairs are added up: "
            "sum over K, `.sum(-1)`, then the mean over the batch.",
            hint=3,
        ),
        Mistake(
            "each centre with every context of the batch",
            lambda v, u, n: _across_the_batch(v, u, n),
            "`center @ context.T` scores every centre with the contexts of *all* pairs. "
            "Each pair has one score: `(center * context).sum(-1)`.",
            hint=2,
        ),
        Mistake(
            "summed over the batch, not over D",
            lambda v, u, n: _dot_over_batch(v, u, n),
            "Your dot product runs over the pairs, axis 0. It runs over the numbers of a "
            "vector, the last axis: `.sum(-1)`.",
            hint=2,
        ),
        Mistake(
            "noise words against the context",
            lambda v, u, n: _varied(v, u, n, noise_center=u),
            "You score the noise words with `context`. They are other answers to the same "
            "question, so they meet `center`.",
            hint=1,
        ),
        Mistake(
            "mean products",
            lambda v, u, n: _varied(v, u, n, score=lambda x: x / v.shape[1]),
            "You average the products over D. A dot product is their sum.",
            hint=2,
        ),
        Mistake(
            "a softmax over true word and noise",
            lambda v, u, n: _softmax_loss(v, u, n),
            "A softmax lets the 1 + K words compete for one place. In negative sampling "
            "each word is a yes-or-no question of its own, with its own sigmoid.",
            hint=1,
        ),
        Mistake(
            "cut off from autograd",
            lambda v, u, n: word2vec.sgns_loss(v, u, n).detach(),
            "The number is right, and autograd cannot follow it back. Leave out "
            "`.detach()`, `torch.no_grad()` and `torch.tensor(...)`.",
            hint=3,
        ),
        Mistake(
            "the middle axis is missing",
            lambda v, u, n: _varied_noise_scores(v, u, n),
            "`center` (B, D) does not meet `negatives` (B, K, D) by itself. Give it a "
            "middle axis: `center.unsqueeze(1)`, (B, 1, D).",
            hint=2,
        ),
        Mistake(
            "the true score is an average",
            lambda v, u, n: _averaged_scores(v, u, n, noise=False),
            AVERAGED,
            hint=1,
        ),
        Mistake(
            "the noise words' scores are averages",
            lambda v, u, n: _averaged_scores(v, u, n, true=False),
            AVERAGED,
            hint=1,
        ),
        Mistake(
            "the true score lacks the centre",
            lambda v, u, n: _one_vector_alone(u, v, n, u),
            "The score of the true pair is made of `context` alone. It is the dot product of "
            "`center` and `context`.",
            hint=1,
        ),
        Mistake(
            "the true score lacks the context",
            lambda v, u, n: _one_vector_alone(u, v, n, v),
            "The score of the true pair is made of `center` alone. It is the dot product of "
            "`center` and `context`.",
            hint=1,
        ),
        Mistake(
            "the label 1 stands with the last noise word",
            lambda v, u, n: _labels_in(v, u, n, (slice(None), -1)),
            "Your label 1 stands in the last column, and that is a noise word. The true pair has "
            "the label 1.",
            hint=2,
        ),
        Mistake(
            "the label 1 stands with the first noise word",
            lambda v, u, n: _labels_in(v, u, n, (slice(None), 1)),
            "Your label 1 stands in column 1, and that is a noise word. Columns count from 0, and "
            "the true pair stands in the first.",
            hint=2,
        ),
        Mistake(
            "the first pair has all labels 1",
            lambda v, u, n: _labels_in(v, u, n, 0),
            "You give the label 1 to the first row, which is one pair with its noise words. The "
            "true words of all pairs are the first *column*.",
            hint=2,
        ),
        Mistake(
            "the noise words without a logarithm",
            lambda v, u, n: _varied(v, u, n, noise=lambda x: torch.sigmoid(-x)),
            "The noise words enter with their sigmoid, the true pair with its logarithm. Take the "
            "logarithm of both: `F.logsigmoid`.",
            hint=2,
        ),
        Mistake(
            "the noise words' products are summed over the words",
            lambda v, u, n: (
                -(
                    F.logsigmoid((v * u).sum(-1))
                    + F.logsigmoid(-(v.unsqueeze(1) * n).sum(1)).sum(-1)
                ).mean()
            ),
            "You add up the K noise words before the sigmoid, dimension by dimension. A score is "
            "the sum over the dimensions of *one* word: the last axis.",
            hint=1,
        ),
        Mistake(
            "cosines",
            lambda v, u, n: word2vec.sgns_loss(*(F.normalize(x, dim=-1) for x in (v, u, n))),
            COSINES,
            hint=2,
        ),
        Mistake(
            "cosines, by `cosine_similarity`",
            lambda v, u, n: (
                -(
                    F.logsigmoid(F.cosine_similarity(v, u, dim=-1))
                    + F.logsigmoid(-F.cosine_similarity(v.unsqueeze(1), n, dim=-1)).sum(-1)
                ).mean()
            ),
            COSINES,
            hint=2,
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
