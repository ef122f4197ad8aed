"""Exercise `masked_cross_entropy`: the loss of real words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

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
from autograde.exercises.context_enters import LESSON
from elmo_mini.recurrent import language_model


def _padded_logits(
    lengths: Sequence[int], words: int = 6, *, scale: float = 1.5, in_front: bool = False
) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        longest = max(max(lengths), 1)
        mask = np.arange(longest) < np.array(lengths)[:, None]
        if in_front:
            mask = mask[:, ::-1].copy()
        targets = rng.integers(1, words, size=mask.shape)
        targets[0, 0] = 0  # the unknown word is a word like any other
        return {
            "logits": scale * rng.standard_normal((*mask.shape, words)),
            "targets": np.where(mask, targets, 0),
            "mask": mask,
        }

    return make


def _places_apart(rng: np.random.Generator) -> Inputs:
    inputs = _padded_logits((4, 3))(rng)
    steps = -1000.0 * rng.permutation(inputs["mask"].size).reshape(*inputs["mask"].shape, 1)
    return inputs | {"logits": inputs["logits"] + steps}


def _token_losses(logits: Tensor, targets: Tensor, axis: int = -1) -> Tensor:
    logs = logits.log_softmax(axis)
    return -logs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)


def _loss_naive(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    exponents = logits.exp()
    p = exponents / exponents.sum(-1, keepdim=True)
    return -p.gather(-1, targets.unsqueeze(-1)).squeeze(-1).log()[mask].mean()


def _loss_reshaped(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    batch, steps, words = logits.shape
    losses = functional.cross_entropy(
        logits.reshape(batch, words, steps), targets, reduction="none"
    )
    return losses[mask].mean()


def _loss_by_sentence(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    losses = (_token_losses(logits, targets) * mask).sum(1) / mask.sum(1).clamp(min=1)
    return losses.mean()


def _loss_by_loop(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    losses = [
        torch.logsumexp(logits[b, t], 0) - logits[b, t, int(targets[b, t])]
        for b, t in mask.nonzero().tolist()
    ]
    return torch.stack(losses).mean()


def _loss_ignoring(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    marked = targets.masked_fill(~mask, -100)
    return functional.cross_entropy(logits.flatten(0, 1), marked.flatten())


def _run_masked_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradient: a loss that cannot be followed back teaches nothing."""
    logits, targets, mask = (as_tensors(value) for value in inputs.values())
    logits.requires_grad_()
    try:
        loss = answer(logits, targets, mask)
    except RuntimeError as error:
        if "Expected target size" not in str(error):
            raise
        raise AnswerRefused(
            "`cross_entropy` looks for the words on axis 1, and here they stand on axis 2. Choose "
            "the real places first, `logits[mask]`, or move the axis: `logits.transpose(1, 2)`."
        ) from error
    for name, now in (("logits", logits), ("targets", targets), ("mask", mask)):
        if not np.array_equal(now.detach().numpy(), inputs[name]):
            raise AnswerRefused(
                f"Your answer changed its argument `{name}`. Work on a copy: whoever called the "
                "function still needs the original."
            )
    returned(loss)
    if not isinstance(loss, Tensor):
        raise AnswerRefused(
            f"Your loss is {with_article(type(loss).__name__)}. Return the tensor itself, without "
            f"`.item()` or `float()`: autograd must be able to follow it back."
        )
    gradient = None
    if loss.ndim == 0:
        gradient = slopes(loss, {"logits": logits})["logits"]
        if gradient is None:
            raise AnswerRefused(
                "Autograd cannot follow your loss back to the logits: somewhere it was detached, "
                "or a new tensor was made from its number. Return the tensor that PyTorch computed."
            )
    return {"loss": plain(loss), "its gradient for the logits": plain(gradient)}


def _loss_of_first_places(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    real = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)
    return functional.cross_entropy(logits[real], targets[real])


def _loss_marking_targets(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    targets[~mask] = -100
    return functional.cross_entropy(logits.transpose(1, 2), targets)


def _loss_with_one_largest(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    exponents = (logits - logits.max()).exp()
    p = exponents / exponents.sum(-1, keepdim=True)
    return -p.gather(-1, targets.unsqueeze(-1)).squeeze(-1).log()[mask].mean()


WORDS_DROPPED = "You keep the padding and drop the words. `mask` is True at real words."


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


EXERCISE = Exercise(
    id="masked_cross_entropy",
    title="The loss of real words",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=15,
    reference=language_model.masked_cross_entropy,
    run=_run_masked_loss,
    on_the_way=_on_the_way,
    cases=(
        Case("two sentences of four words", _padded_logits((4, 4))),
        Case("sentences of 7, 2 and 4 words", _padded_logits((7, 2, 4)), weight=2),
        Case("a row of padding only", _padded_logits((3, 0)), edge=True),
        Case("padding in front", _padded_logits((2, 5), in_front=True), edge=True),
        Case("places far below each other", _places_apart, edge=True),
        Case("logits of a thousand", _padded_logits((3, 2), scale=1000.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "padding is counted",
            lambda x, y, m: _token_losses(x, y).mean(),
            "Your mean runs over the padding too. Nobody said anything there: leave those places "
            "out with the mask.",
            hint=1,
        ),
        Mistake(
            "divided by all places",
            lambda x, y, m: (_token_losses(x, y) * m).mean(),
            "The padding adds nothing to your sum, and still you divide by its places. Divide by "
            "the number of real words, `mask.sum()`.",
            hint=2,
        ),
        Mistake(
            "the mask is turned round",
            lambda x, y, m: functional.cross_entropy(x[~m], y[~m]),
            WORDS_DROPPED,
            hint=2,
        ),
        Mistake(
            "the mask is turned round, by hand",
            lambda x, y, m: (_token_losses(x, y) * ~m).sum() / (~m).sum(),
            WORDS_DROPPED,
            hint=2,
        ),
        Mistake(
            "the padding's logits are set to 0",
            lambda x, y, m: _token_losses(x * m[..., None], y).mean(),
            "You set the logits of the padding to 0, and the places still count: equal scores "
            "for all words are a bet too. Leave those places out of the mean.",
            hint=2,
        ),
        Mistake(
            "the first places of each row",
            _loss_of_first_places,
            "You count the real words and take that many places from the start of each row. "
            "Padding may stand in front. The mask itself says where: `logits[mask]`.",
            hint=2,
        ),
        Mistake(
            "the targets are marked in place",
            _loss_marking_targets,
            "You write into `targets` itself, and whoever called still needs it. Make a marked "
            "copy, `targets.masked_fill(~mask, -100)`, or choose with the mask.",
            hint=2,
        ),
        Mistake(
            "the sign",
            lambda x, y, m: -functional.cross_entropy(x[m], y[m]),
            "The sign is the wrong way round: training would make the right words *less* likely. "
            "`cross_entropy` has the minus in it; log-probabilities need one.",
            hint=3,
        ),
        Mistake(
            "words on the wrong axis",
            lambda x, y, m: functional.cross_entropy(x, y, reduction="none")[m].mean(),
            "PyTorch's `cross_entropy` wants the words on axis 1, (B, V, T), or one place in each "
            "row, (N, V). `logits[mask]` and `targets[mask]` have the second form.",
            hint=2,
        ),
        Mistake(
            "cut off from autograd",
            lambda x, y, m: torch.tensor(_token_losses(x, y)[m].mean().item(), requires_grad=True),
            "The number is right, and it can teach nothing: `.detach()`, `.data` and "
            "`torch.tensor(...)` cut the loss off from the logits. Return the mean itself.",
            hint=3,
        ),
        Mistake(
            "the sum",
            lambda x, y, m: _token_losses(x, y)[m].sum(),
            "You add up. A mean lets short and long batches be compared.",
            hint=2,
        ),
        Mistake(
            "the mean of the sentences' means",
            _loss_by_sentence,
            "You average within each sentence first, so a word of a short sentence weighs more. "
            "Every real word counts the same.",
            hint=2,
        ),
        Mistake(
            "the logarithm is missing",
            lambda x, y, m: -x.softmax(-1).gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean(),
            "You average minus the probability. The loss is minus its logarithm: take "
            "`log_softmax`.",
            hint=3,
        ),
        Mistake(
            "the softmax is missing",
            lambda x, y, m: -x.gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean(),
            "Logits are scores, not log-probabilities. `log_softmax` over the words comes first.",
            hint=3,
        ),
        Mistake(
            "the softmax twice",
            lambda x, y, m: _token_losses(x.softmax(-1), y)[m].mean(),
            "`cross_entropy` and `log_softmax` take the softmax themselves. Give them the logits.",
            hint=3,
        ),
        Mistake(
            "a softmax over time",
            lambda x, y, m: _token_losses(x, y, axis=1)[m].mean(),
            "Your softmax runs over the places of the sentence. At each place the *words* "
            "compete: take the last axis.",
            hint=3,
        ),
        Mistake(
            "reshape in place of transpose",
            _loss_reshaped,
            "`reshape` to (B, V, T) keeps the order of the numbers and mixes words with places. "
            "Move the axis with `transpose(1, 2)`, or flatten to (B·T, V).",
            hint=3,
        ),
        Mistake(
            "the id 0 is ignored",
            lambda x, y, m: functional.cross_entropy(x.flatten(0, 1), y.flatten(), ignore_index=0),
            "`ignore_index=0` also drops every real word whose id is 0, here the unknown word. "
            "The mask knows which places are padding.",
            hint=2,
        ),
        Mistake(
            "exp of a thousand",
            _loss_naive,
            "The formula is right, and breaks on large logits: exp of a thousand is infinite. "
            "`log_softmax` does the same safely.",
            hint=3,
        ),
        Mistake(
            "a float",
            lambda x, y, m: float(_token_losses(x, y)[m].mean().detach()),
            "Return the tensor itself, without `.item()` or `float()`: autograd must be able to "
            "follow it back.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-12)",
            lambda x, y, m: (
                -(x.softmax(-1) + 1e-12).log().gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean()
            ),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "word that is thought impossible stops learning. `log_softmax` needs no such "
            "help.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-10)",
            lambda x, y, m: (
                -(x.softmax(-1) + 1e-10).log().gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean()
            ),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "word that is thought impossible stops learning. `log_softmax` needs no such "
            "help.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-9)",
            lambda x, y, m: (
                -(x.softmax(-1) + 1e-9).log().gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean()
            ),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "word that is thought impossible stops learning. `log_softmax` needs no such "
            "help.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-8)",
            lambda x, y, m: (
                -(x.softmax(-1) + 1e-8).log().gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean()
            ),
            "A small number inside the log hides the infinity, and with it the gradient: a "
            "word that is thought impossible stops learning. `log_softmax` needs no such "
            "help.",
            hint=3,
        ),
        Mistake(
            "softmax and log in two steps",
            lambda x, y, m: -x.softmax(-1).log().gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean(),
            "The formula is right, and breaks on large logits: softmax rounds to 0, whose "
            "log is -inf. `log_softmax` does both safely.",
            hint=3,
        ),
        Mistake(
            "one largest logit for all",
            _loss_with_one_largest,
            "You take out one maximum for the whole batch. Places that lie far below it "
            "round to 0. Take it out for each place, or let `log_softmax` do it.",
            hint=3,
        ),
        Mistake(
            "only the first sentence",
            lambda x, y, m: _token_losses(x, y)[:1][m[:1]].mean(),
            "Only the first sentence counts. The mean runs over the real words of all.",
            hint=1,
        ),
        Mistake(
            "a loss for each sentence",
            lambda x, y, m: (_token_losses(x, y) * m).sum(1) / m.sum(1),
            "You return one number for each sentence. Return one mean over all real words.",
            hint=2,
        ),
        Mistake(
            "a loss for each word",
            lambda x, y, m: _token_losses(x, y)[m],
            "You return one number for each word. Take their mean.",
            hint=2,
        ),
        Mistake(
            "divided by the number of sentences",
            lambda x, y, m: _token_losses(x, y)[m].sum() / len(x),
            "You divide by the number of sentences. Divide by the number of real words, "
            "`mask.sum()`.",
            hint=2,
        ),
        Mistake(
            "softmax over the sentences",
            lambda x, y, m: _token_losses(x, y, axis=0)[m].mean(),
            "Your softmax runs over the sentences of the batch. At each place the *words* "
            "compete: take the last axis.",
            hint=3,
        ),
        Mistake(
            "the largest logit, not the target's",
            lambda x, y, m: -x.log_softmax(-1).amax(-1)[m].mean(),
            "You take the word that the model likes best. The loss is about the word that "
            "*came*: `gather` the targets.",
            hint=1,
        ),
        Mistake(
            "the perplexity",
            lambda x, y, m: _token_losses(x, y)[m].mean().exp(),
            "You return exp of the loss, which is the perplexity. That comes in exercise 4.",
            hint=3,
        ),
        Mistake(
            "exp, sum and log by hand",
            lambda x, y, m: (x.exp().sum(-1).log() - x.gather(-1, y.unsqueeze(-1)).squeeze(-1))[
                m
            ].mean(),
            "The formula is right, and breaks on large logits: exp of a thousand is "
            "infinite. `torch.logsumexp` and `log_softmax` do the same safely.",
            hint=3,
        ),
        Mistake(
            "exp, sum and log with one largest logit for all",
            lambda x, y, m: (
                (x - x.max()).exp().sum(-1).log()
                + x.max()
                - x.gather(-1, y.unsqueeze(-1)).squeeze(-1)
            )[m].mean(),
            "You take out one maximum for the whole batch. Places that lie far below it "
            "round to 0. Take it out for each place: `torch.logsumexp(..., -1)` does.",
            hint=3,
        ),
        Mistake(
            "the logarithm of the mean",
            lambda x, y, m: -x.softmax(-1).gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean().log(),
            "You average the probabilities and take the logarithm of the mean. Take the logarithm "
            "at each place first, then the mean.",
            hint=3,
        ),
    ),
    right_answers={
        "places marked for PyTorch to ignore": _loss_ignoring,
        "a loop with logsumexp": _loss_by_loop,
        "sum over mask.sum()": lambda x, y, m: (
            (functional.cross_entropy(x.transpose(1, 2), y, reduction="none") * m).sum() / m.sum()
        ),
    },
)
