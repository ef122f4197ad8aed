"""Exercise `sgns_loss`: the loss of skip-gram with negative sampling."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from autograde.checking.answers import Answer, Plain, plain
from autograde.checking.differentiable import loss_and_slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from autograde.exercises.word2vec.vectors import vectors, zero_scores
from elmo_mini.models import skip_gram


def _scores_of_a_thousand(rng: Random) -> Inputs:
    inputs = vectors(3, 2, 4)(rng)
    center = inputs["center"]
    length = np.square(center).sum(-1, keepdims=True)
    return inputs | {
        "context": -1000 * center / length,
        "negatives": inputs["negatives"] / 10 + (1000 * center / length)[:, None],
    }


def _scores_of_thirty(rng: Random) -> Inputs:
    inputs = vectors(2, 3, 4)(rng)
    center = inputs["center"]
    along = 30 * center / np.square(center).sum(-1, keepdims=True)
    return inputs | {"context": -along, "negatives": np.repeat(along[:, None], 3, axis=1)}


def _loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive = (center * context).sum(-1)
    negative = (center.unsqueeze(1) * negatives).sum(-1)
    true, noise = F.logsigmoid(positive), F.logsigmoid(-negative)
    return -(true + noise.sum(-1)).mean()


def _by_labels(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive = (center * context).sum(-1, keepdim=True)
    negative = (center.unsqueeze(1) * negatives).sum(-1)
    scores = torch.cat([positive, negative], dim=-1)
    labels = torch.zeros_like(scores)
    labels[:, 0] = 1
    return F.binary_cross_entropy_with_logits(scores, labels, reduction="sum") / len(center)


def _run_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradients: the lesson goes on to use both."""
    loss, found = loss_and_slopes(answer, inputs, *inputs)
    gradients = {
        f"its gradient for `{name}`": plain(slope)
        for name, slope in zip(inputs, found, strict=True)
    }
    return {"loss": plain(loss)} | gradients


def _on_the_way(inputs: Inputs) -> dict[str, float]:
    center, context, negatives = (inputs[name] for name in ("center", "context", "negatives"))
    true, noise = (center * context).sum(-1), (center[:, None] * negatives).sum(-1)
    return {
        "the term of the true pairs": np.logaddexp(0, -true).mean(),
        "the term of the noise words": np.logaddexp(0, noise).sum(-1).mean(),
        "the mean score of the true pairs": true.mean(),
        "the mean over the pairs of their noise words' scores": noise.sum(-1).mean(),
    }


SLIPS = """
--- hint 1
no minus inside the term of the noise words: F.logsigmoid(-negative) -> F.logsigmoid(negative)
    Your noise words are pulled closer like the true one. In their term the score has a minus:
    log s(-score).
only the true pair: true + noise.sum(-1) -> true
    The noise words are missing. With this loss all vectors can grow the same way and every pair
    looks perfect.
a minus between the two terms: true + -> true - && F.logsigmoid(-negative) -> F.logsigmoid(negative)
    The minus of the noise words belongs *inside* the sigmoid, before the score. Yours stands before
    the logarithm.
a minus between the two terms, and one inside: true + -> true -
    In the equation the two terms are *added*. The only minus of the noise words stands before their
    score.
the true pair is pushed away: F.logsigmoid(positive) -> F.logsigmoid(-positive)
    The score of the true pair has a minus in your loss: it is pushed away like the noise. Its
    sigmoid should be near 1.
true and noise are swapped: F.logsigmoid(positive) -> F.logsigmoid(-positive) \
        && F.logsigmoid(-negative) -> F.logsigmoid(negative)
    You push the true pair away and pull the noise words closer. Inside `logsigmoid` the noise
    words' scores get the minus; inside `softplus` the true pair's does.
--- hint 2
the mean over the negatives: noise.sum(-1) -> noise.mean(-1)
    The k noise terms are added up in equation 4, not averaged.
a sigmoid for each number: every .sum(-1) -> && + noise -> + noise.sum((-1, -2)) \
        && F.logsigmoid(positive) -> F.logsigmoid(positive).sum(-1)
    A score is a dot product: multiply, and sum over D. The sigmoid comes after that sum, not before
    it.
only the first noise word: noise.sum(-1) -> noise[:, 0]
    Only one noise word for each pair counts. Add up all K of them.
a mean over pairs and words together: .mean() -> .mean() / (1 + negatives.shape[1])
    You average over the 1 + K words of a pair, too. They are added up; the mean runs over the pairs
    alone.
each centre with every context of the batch: (center * context).sum(-1) -> center @ context.T \
        && (true + noise.sum(-1)).mean() -> (true.mean() + noise.sum(-1).mean())
    `center @ context.T` scores every centre with the contexts of *all* pairs. Each pair has one
    score: `(center * context).sum(-1)`.
summed over the batch, not over D: (center * context).sum(-1) -> (center * context).sum(0) \
        && (true + noise.sum(-1)).mean() -> (true.mean() + noise.sum(-1).mean())
    Your dot product runs over the pairs, axis 0. It runs over the numbers of a vector, the last
    axis: `.sum(-1)`.
mean products: context).sum(-1) -> context).mean(-1) && negatives).sum(-1) -> negatives).mean(-1)
    You average the products over D. A dot product is their sum.
the middle axis is missing: center.unsqueeze(1) -> center
    `center` (B, D) does not meet `negatives` (B, K, D) by itself. Give it a middle axis:
    `center.unsqueeze(1)`, (B, 1, D).
the new axis at the end: center.unsqueeze(1) -> center.unsqueeze(-1)
    `center` gets its new axis at the end, (B, D, 1), and its numbers meet the wrong axis of
    `negatives`. Put the axis in the middle: `center.unsqueeze(1)`, (B, 1, D).
cosines: center * context -> F.normalize(center, dim=-1) * F.normalize(context, dim=-1) \
        && center.unsqueeze(1) -> F.normalize(center.unsqueeze(1), dim=-1) \
        && * negatives -> * F.normalize(negatives, dim=-1)
cosines, by `cosine_similarity`: \
        (center * context).sum(-1) -> F.cosine_similarity(center, context, dim=-1) \
        && (center.unsqueeze(1) * negatives).sum(-1) \
        -> F.cosine_similarity(center.unsqueeze(1), negatives, dim=-1)
    Your scores are cosines: each vector is divided by its length. The score is the plain dot
    product, and the lengths are learnt, too.
one noise word loses its axis: * negatives).sum(-1) -> * negatives).sum(-1).squeeze()
    Where each pair has one noise word, `squeeze()` takes their axis away, and the sum over K runs
    over the pairs. Say which axis goes: `.squeeze(2)`, or `.sum(-1)` in place of a product.
noise words against the context: center.unsqueeze(1) -> context.unsqueeze(1)
    You score the noise words with `context`. They are other answers to the same question, so they
    meet `center`.
the true score is an average: (center * context).sum(-1) -> (center * context).mean(-1)
the noise words' scores are averages: * negatives).sum(-1) -> * negatives).mean(-1)
    A score is a dot product, so the D products are added up. You take their mean, and your scores
    shrink with the dimension.
the true score lacks the centre: (center * context) -> context
    The score of the true pair is made of `context` alone. It is the dot product of `center` and
    `context`.
the true score lacks the context: (center * context) -> center
    The score of the true pair is made of `center` alone. It is the dot product of `center` and
    `context`.
the noise words' products are summed over the words: * negatives).sum(-1) -> * negatives).sum(1)
    You add up the K noise words before the sigmoid, dimension by dimension. A score is the sum over
    the dimensions of *one* word: the last axis.
the noise words' scores lack the centre: center.unsqueeze(1) * negatives -> negatives
    The noise words' scores are made of `negatives` alone. Each is a dot product with `center`.
the context with itself: (center * context) -> (context * context)
    You multiply `context` with itself. The score of the true pair is the dot product of `center`
    and `context`.
--- hint 3
the sum over the batch: .mean() -> .sum()
    Your loss grows with the batch. Take the mean over the pairs.
the sign of the whole: return - -> return
    This is the log-likelihood, which should go up. A loss goes down: negate it.
one minus the logarithm: F.logsigmoid(-negative) -> 1 - F.logsigmoid(negative)
    1 - log s(x) is not log(1 - s(x)). A noise word costs log s(-x): `F.logsigmoid(-negative)`.
the logarithm of one minus the score: F.logsigmoid(-negative) -> F.logsigmoid(1 - negative)
    1 - s(x) is s(-x), not s(1 - x). A noise word costs `F.logsigmoid(-negative)`.
one number for each pair: .mean() ->
    You return a loss for each pair, shape (B,). Take the mean over them.
the noise words of the whole batch: (true + noise.sum(-1)).mean() -> (true.mean() + noise.sum())
    The true pairs are averaged, but the noise words of all pairs are added up: sum over K,
    `.sum(-1)`, then the mean over the batch.
a softmax over true word and noise: true + noise.sum(-1) \
        -> positive - torch.cat([positive[:, None], negative], -1).logsumexp(-1)
    A softmax lets the 1 + K words compete for one position. In negative sampling each word is a
    yes-or-no question of its own, with its own sigmoid.
no logarithm: F.logsigmoid(positive) -> torch.sigmoid(positive) \
        && F.logsigmoid(-negative) -> torch.sigmoid(-negative)
    You add up sigmoids. Equation 4 adds up their logarithms: `F.logsigmoid`.
the noise words without a logarithm: F.logsigmoid(-negative) -> torch.sigmoid(-negative)
    The noise words enter with their sigmoid, the true pair with its logarithm. Take the logarithm
    of both: `F.logsigmoid`.
no sigmoid: F.logsigmoid(positive) -> positive && F.logsigmoid(-negative) -> -negative
    You add up the scores themselves, and nothing bounds them. Each goes through `F.logsigmoid`
    first.
the scores of the noise words are added before the sigmoid: \
        F.logsigmoid(-negative) -> F.logsigmoid(-negative.sum(-1)) && noise.sum(-1) -> noise
    You add up the noise words' scores and take one sigmoid. Each noise word has its own sigmoid:
    `F.logsigmoid` first, then the sum over K.
--- no hint
log of sigmoid overflows: F.logsigmoid(positive) -> torch.log(torch.sigmoid(positive)) \
        && F.logsigmoid(-negative) -> torch.log(torch.sigmoid(-negative))
    The formula is right, and the computer cannot follow it: for a large negative score sigmoid
    rounds to 0 and its log is -inf. Use `F.logsigmoid`, which never forms the 0.
log of 1 - sigmoid overflows: F.logsigmoid(-negative) -> torch.log(1 - torch.sigmoid(negative))
    1 - sigmoid(x) is sigmoid(-x), and only the second form survives large scores. Use
    `F.logsigmoid(-score)`.
`{name}` is cut off: positive = -> {name} = {name}.detach()⏎positive = \
        | name = center, context, negatives
    The loss is right, and nothing is learnt by `{name}`. Leave out `.detach()`.
{tiny} inside the log of the noise words alone: \
        F.logsigmoid(-negative) -> torch.log(1 - torch.sigmoid(negative) + {tiny}) \
        | tiny = 1e-7, 1e-8, 1e-9, 1e-10, 1e-12
{tiny} inside the log: F.logsigmoid(positive) -> torch.log(torch.sigmoid(positive) + {tiny}) \
        && F.logsigmoid(-negative) -> torch.log(torch.sigmoid(-negative) + {tiny}) \
        | tiny = 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12
{tiny} inside the log of 1 - sigmoid: \
        F.logsigmoid(positive) -> torch.log(torch.sigmoid(positive) + {tiny}) \
        && F.logsigmoid(-negative) -> torch.log(1 - torch.sigmoid(negative) + {tiny}) \
        | tiny = 1e-7, 1e-8, 1e-9, 1e-10
    A small number inside the log hides the infinity, and with it the gradient: a pair that is very
    wrong stops learning. Use `F.logsigmoid`.
the sigmoid is cut off at {least}: \
        F.logsigmoid(positive) -> torch.log(torch.sigmoid(positive).clamp(min={least})) \
        && F.logsigmoid(-negative) -> torch.log(torch.sigmoid(-negative).clamp(min={least})) \
        | least = 1e-6, 1e-7, 1e-8, 1e-10
    You cut the sigmoid off before the log. Where it is cut off its gradient is 0, and a pair that
    is very wrong stops learning. Use `F.logsigmoid`.
the scores are cut off at {most}: \
        F.logsigmoid(positive) -> F.logsigmoid(positive.clamp(-{most}, {most})) \
        && F.logsigmoid(-negative) -> F.logsigmoid(-negative.clamp(-{most}, {most})) \
        | most = 10, 20, 50, 100
    You cut the scores off. Where they are cut off their gradient is 0, and a pair that is very
    wrong stops learning. `F.logsigmoid` bears scores of a thousand as they are.
a float: (true + noise.sum(-1)).mean() -> (true + noise.sum(-1)).mean().item()
    Return the tensor itself, without `.item()` or `float()`: autograd must be able to follow it
    back.
cut off from autograd: .mean() -> .mean().detach()
    The number is right, and autograd cannot follow it back. Leave out `.detach()`,
    `torch.no_grad()` and `torch.tensor(...)`.
"""

SLIPS_OF_LABELS = """
--- hint 2
the products of the true pair are not added up: (center * context).sum(-1, keepdim=True) -> \
        center * context
    You put the D products of the true pair beside the noise words' scores. Add them up first: a
    score is one number.
the noise words are summed over the pairs: * negatives).sum(-1) -> * negatives).sum(0)
    The noise words' dot product runs over the pairs, axis 0. It runs over the numbers of a vector,
    the last axis: `.sum(-1)`.
--- hint 3
divided twice: labels, reduction="sum") -> labels)
    Without `reduction="sum"` you have a mean over all B (1 + K) numbers, and divide it by B again.
    Add up, then divide by B.
--- no hint
the true pairs are not among the scores: torch.cat([positive, negative], dim=-1) -> negative
    The scores of the true pairs are missing, so the first noise word of each gets the label 1. Put
    `positive` in front.
scores and labels in each other's place: (scores, labels, -> (labels, scores,
    `binary_cross_entropy_with_logits` takes the scores first, then the labels.
the label 1 stands with the last noise word: labels[:, 0] -> labels[:, -1]
    Your label 1 stands in the last column, and that is a noise word. The true pair has the label 1.
the label 1 stands with the first noise word: labels[:, 0] -> labels[:, 1]
    Your label 1 stands in column 1, and that is a noise word. Columns count from 0, and the true
    pair stands in the first.
the first pair has all labels 1: labels[:, 0] -> labels[0]
    You give the label 1 to the first row, which is one pair with its noise words. The true words of
    all pairs are the first *column*.
"""

EXERCISE = Exercise(
    id="sgns_loss",
    title="The loss of skip-gram with negative sampling",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=10,
    reference=skip_gram.sgns_loss,
    run=_run_loss,
    on_the_way=_on_the_way,
    cases=(
        Case("one pair, one negative", vectors(1, 1, 4)),
        Case("a batch of 6 pairs, 5 negatives", vectors(6, 5, 10), weight=2),
        Case("one pair, three negatives", vectors(1, 3, 4), weight=0.5, edge=True),
        Case("four pairs, one negative each", vectors(4, 1, 3), weight=0.5, edge=True),
        Case("all scores are 0", zero_scores, edge=True),
        Case("scores of 30", _scores_of_thirty, edge=True),
        Case("scores of a thousand", _scores_of_a_thousand, edge=True),
    ),
    mistakes=(*slips(_loss, SLIPS), *slips(_by_labels, SLIPS_OF_LABELS)),
    right_answers={
        "binary cross-entropy": _by_labels,
        "softplus": lambda v, u, n: (
            F.softplus(-(v * u).sum(1)) + F.softplus((n @ v.unsqueeze(2)).squeeze(2)).sum(1)
        ).mean(),
        "with @": lambda v, u, n: (
            -F.logsigmoid(torch.diagonal(v @ u.T))
            - F.logsigmoid(-(n @ v[:, :, None])[..., 0]).sum(-1)
        ).mean(),
    },
)
