"""Exercise `masked_cross_entropy`: the loss of real words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain
from autograde.checking.differentiable import loss_and_slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON
from elmo_mini.models import lstm_language_model


@Case.drawn
def _padded_logits(
    rng: Random,
    lengths: Sequence[int],
    words: int = 6,
    *,
    scale: float = 1.5,
    in_front: bool = False,
) -> Inputs:
    longest = max(max(lengths), 1)
    mask = np.arange(longest) < np.array(lengths)[:, None]
    if in_front:
        mask = mask[:, ::-1].copy()
    targets = rng.integers(1, words, size=mask.shape)
    targets[0, 0] = 0  # the unknown word is a word like any other
    return {
        "logits": scale * rng.standard_normal((*mask.shape, words), np.float32),
        "targets": np.where(mask, targets, 0),
        "mask": mask,
    }


def _places_apart(rng: Random) -> Inputs:
    inputs = _padded_logits((4, 3))(rng)
    steps = -1000.0 * rng.permutation(inputs["mask"].size).reshape(*inputs["mask"].shape, 1)
    return inputs | {"logits": inputs["logits"] + steps.astype(np.float32)}


def _chosen_last(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    logs = logits.log_softmax(-1)
    losses = -logs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return losses[mask].mean()


def _weighed(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    losses = functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return (losses * mask).sum() / mask.sum()


def _by_loop(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    losses = [
        torch.logsumexp(logits[b, t], 0) - logits[b, t, int(targets[b, t])]
        for b, t in mask.nonzero().tolist()
    ]
    return torch.stack(losses).mean()


def _ignoring(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    marked = targets.masked_fill(~mask, -100)
    return functional.cross_entropy(logits.flatten(0, 1), marked.flatten())


def _run_masked_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradient: a loss that cannot be followed back teaches nothing."""
    try:
        loss, (slope,) = loss_and_slopes(answer, inputs, "logits")
    except RuntimeError as error:
        if "Expected target size" not in str(error):
            raise
        raise AnswerRefused(
            "`cross_entropy` looks for the words on axis 1, and here they stand on axis 2. Choose "
            "the real places first, `logits[mask]`, or move the axis: `logits.transpose(1, 2)`."
        ) from error
    if slope is None and loss.ndim == 0:
        raise AnswerRefused(
            "Autograd cannot follow your loss back to the logits: somewhere it was detached, or a "
            "new tensor was made from its number. Return the tensor that PyTorch computed."
        )
    return {"loss": plain(loss), "its gradient for the logits": plain(slope)}


def _on_the_way(inputs: Inputs) -> dict[str, Any]:
    logits, targets, mask = inputs["logits"], inputs["targets"], inputs["mask"]
    real, words = logits[mask], targets[mask]
    scores = real[np.arange(len(words)), words]
    largest = real.max(-1)
    return {
        "the mean logit of the targets": scores.mean(),
        "the mean log-sum-exp of the logits": (
            largest + np.log(np.exp(real - largest[:, None]).sum(-1))
        ).mean(),
        "the mean sum of the logits": real.sum(-1).mean(),
    }


SLIPS = """
--- hint 1
padding is counted: losses[mask].mean() -> losses.mean()
    Your mean runs over the padding too. Nobody said anything there: leave those positions out with
    the mask.
only the first sentence: losses[mask] -> losses[:1][mask[:1]]
    Only the first sentence counts. The mean runs over the real words of all.
divided by all places: losses[mask].mean() -> (losses * mask).mean()
    The padding adds nothing to your sum, and still you divide by its positions. Divide by the
    number of real words, `mask.sum()`.
the sum: losses[mask].mean() -> losses[mask].sum()
    You add up. A mean lets short and long batches be compared.
a loss for each sentence: losses[mask].mean() -> (losses * mask).sum(1) / mask.sum(1)
    You return one number for each sentence. Return one mean over all real words.
a loss for each word: losses[mask].mean() -> losses[mask]
    You return one number for each word. Take their mean.
divided by the number of sentences: losses[mask].mean() -> losses[mask].sum() / len(losses)
    You divide by the number of sentences. Divide by the number of real words, `mask.sum()`.
a softmax over time: log_softmax(-1) -> log_softmax(1)
    Your softmax runs over the positions of the sentence. At each position the *words* compete: take
    the last axis.
softmax over the sentences: log_softmax(-1) -> log_softmax(0)
    Your softmax runs over the sentences of the batch. At each position the *words* compete: take
    the last axis.
--- hint 2
the mask is turned round, by hand: losses[mask].mean() -> (losses * ~mask).sum() / (~mask).sum()
    You keep the padding and drop the words. `mask` is True at real words.
the padding's logits are set to 0: \
        logits.log_softmax(-1) -> (logits * mask.unsqueeze(-1)).log_softmax(-1) \
        && losses[mask] -> losses
    You set the logits of the padding to 0, and the positions still count: equal scores for all
    words are a bet too. Leave those positions out of the mean.
the mean of the sentences' means: \
        losses[mask].mean() -> ((losses * mask).sum(1) / mask.sum(1).clamp(min=1)).mean()
    You average within each sentence first, so a word of a short sentence weighs more. Every real
    word counts the same.
--- hint 3
the logarithm is missing: logits.log_softmax(-1) -> logits.softmax(-1)
    You average minus the probability. The loss is minus its logarithm: take `log_softmax`.
the softmax is missing: logits.log_softmax(-1) -> logits
    Logits are scores, not log-probabilities. `log_softmax` over the words comes first.
the softmax twice: logits.log_softmax(-1) -> logits.softmax(-1).log_softmax(-1)
    `cross_entropy` and `log_softmax` take the softmax themselves. Give them the logits.
exp of a thousand: \
        logits.log_softmax(-1) -> (logits.exp() / logits.exp().sum(-1, keepdim=True)).log()
    The formula is right, and breaks on large logits: exp of a thousand is infinite. `log_softmax`
    does the same safely.
a small number inside the log ({tiny}): \
        logits.log_softmax(-1) -> (logits.softmax(-1) + {tiny}).log() \
        | tiny = 1e-12, 1e-10, 1e-9, 1e-8
    A small number inside the log hides the infinity, and with it the gradient: a word that is
    thought impossible stops learning. `log_softmax` needs no such help.
softmax and log in two steps: logits.log_softmax(-1) -> logits.softmax(-1).log()
    The formula is right, and breaks on large logits: softmax rounds to 0, whose log is -inf.
    `log_softmax` does both safely.
the logits are cut off at {most}: \
        logits.log_softmax(-1) -> logits.clamp(-{most}, {most}).log_softmax(-1) \
        | most = 10, 20, 50, 100
    You cut the logits off, and what is cut off learns nothing. `log_softmax` bears logits of a
    thousand as they are.
one largest logit for all: logits.log_softmax(-1) \
        -> (torch.exp(logits - logits.max()) / torch.exp(logits - logits.max()).sum(-1, \
        keepdim=True)).log()
    You take out one maximum for the whole batch. Positions that lie far below it round to 0. Take
    it out for each position, or let `log_softmax` do it.
the perplexity: .mean() -> .mean().exp()
    You return exp of the loss, which is the perplexity. Leave the exp out.
exp, sum and log by hand: \
        logits.log_softmax(-1) -> logits - logits.exp().sum(-1, keepdim=True).log()
    The formula is right, and breaks on large logits: exp of a thousand is infinite.
    `torch.logsumexp` and `log_softmax` do the same safely.
exp, sum and log with one largest logit for all: logits.log_softmax(-1) \
        -> logits - logits.max() - torch.exp(logits - logits.max()).sum(-1, keepdim=True).log()
    You take out one maximum for the whole batch. Positions that lie far below it round to 0. Take
    it out for each position: `torch.logsumexp(..., -1)` does.
the logarithm of the mean: log_softmax(-1) -> softmax(-1) \
        && losses[mask].mean() -> -(-losses[mask]).mean().log()
    You average the probabilities and take the logarithm of the mean. Take the logarithm at each
    position first, then the mean.
the largest logit, not the target's: \
        logs.gather(-1, targets.unsqueeze(-1)).squeeze(-1) -> logs.amax(-1)
    You take the word that the model likes best. The loss is about the word that *came*: `gather`
    the targets.
--- no hint
cut off from autograd: .mean() -> .mean().detach()
    The number is right, and it can teach nothing: `.detach()`, `.data` and `torch.tensor(...)` cut
    the loss off from the logits. Return the mean itself.
a float: .mean() -> .mean().item()
    Return the tensor itself, without `.item()` or `float()`: autograd must be able to follow it
    back.
"""

SLIPS_CHOSEN_FIRST = """
--- hint 2
the mask is turned round: every [mask] -> [~mask]
    You keep the padding and drop the words. `mask` is True at real words.
the first places of each row: \
        return F -> mask = targets.new_ones(mask.shape).cumsum(1) <= mask.sum(1, True)⏎return F
    You count the real words and take that many positions from the start of each row. Padding may
    stand in front. The mask itself says where: `logits[mask]`.
the targets are marked in place: return F -> targets[~mask] = -100⏎return F \
        && logits[mask], targets[mask] -> logits.transpose(1, 2), targets
    You write into `targets` itself, and whoever called still needs it. Make a marked copy,
    `targets.masked_fill(~mask, -100)`, or choose with the mask.
the id 0 is ignored: \
        logits[mask], targets[mask] -> logits.flatten(0, 1), targets.flatten(), ignore_index=0
    `ignore_index=0` also drops every real word whose id is 0, here the unknown word. The mask knows
    which positions are padding.
--- hint 3
the other words count, too, by {some}: logits[mask], targets[mask] \
        -> logits[mask], targets[mask], label_smoothing={some} | some = 0.1, 0.05
    Label smoothing makes all other words a small part of the target. Here the word that came is all
    of it: leave it out.
the sign: return F -> return -F
    The sign is the wrong way round: training would make the right words *less* likely.
    `cross_entropy` has the minus in it; log-probabilities need one.
"""

SLIPS_WEIGHED = """
--- hint 2
the padding in the sum: (losses * mask).sum() -> losses.sum()
    You divide by the number of real words, and your sum holds the padding, too. Leave it out with
    the mask: `(losses * mask).sum()`.
words on the wrong axis: logits.transpose(1, 2) -> logits
    PyTorch's `cross_entropy` wants the words on axis 1, (B, V, T), or one position in each row, (N,
    V). `logits[mask]` and `targets[mask]` have the second form.
--- no hint
divided twice: (losses * mask).sum() -> (losses * mask).mean()
    You take a mean and divide once more. Take the sum, and divide it by `mask.sum()`.
reshape in place of transpose: \
        logits.transpose(1, 2) -> logits.reshape(len(logits), -1, logits.shape[1])
    `reshape` to (B, V, T) keeps the order of the numbers and mixes words with positions. Move the
    axis with `transpose(1, 2)`, or flatten to (B·T, V).
"""

EXERCISE = Exercise(
    id="masked_cross_entropy",
    title="The loss of real words",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=6,
    reference=lstm_language_model.masked_cross_entropy,
    run=_run_masked_loss,
    on_the_way=_on_the_way,
    atol=1e-3,
    cases=(
        Case("two sentences of four words", _padded_logits((4, 4), 9)),
        Case("sentences of 7, 2 and 4 words", _padded_logits((7, 2, 4)), weight=2),
        Case("a row of padding only", _padded_logits((3, 0)), edge=True),
        Case("padding in front", _padded_logits((2, 5), in_front=True), edge=True),
        Case("places far below each other", _places_apart, edge=True),
        Case("logits of a thousand", _padded_logits((3, 2), scale=1000.0), edge=True),
    ),
    mistakes=(
        *slips(_chosen_last, SLIPS),
        *slips(lstm_language_model.masked_cross_entropy, SLIPS_CHOSEN_FIRST),
        *slips(_weighed, SLIPS_WEIGHED),
    ),
    right_answers={
        "places marked for PyTorch to ignore": _ignoring,
        "a loop with logsumexp": _by_loop,
        "sum over mask.sum()": _weighed,
    },
)
