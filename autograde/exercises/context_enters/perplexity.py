"""Exercise `perplexity`: how many words it hesitates between."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON
from elmo_mini.models import lstm_language_model


def _batches(rng: Random) -> Inputs:
    order = rng.permutation(4)  # the short batches go badly: here weighing matters
    losses = np.array([6.0, 5.0, 4.0, 3.0]) + rng.uniform(-0.4, 0.4, 4)
    return {
        "losses": [float(x) for x in losses[order]],
        "tokens": [int(n) for n in np.array([30, 60, 200, 410])[order]],
    }


def _a_tensor(result: Any) -> str | None:
    return TENSOR if isinstance(result, Tensor) else None


def _exp_of_the_mean(losses: Sequence[float], tokens: Sequence[int]) -> float:
    nats = sum(loss * count for loss, count in zip(losses, tokens, strict=True))
    mean = nats / sum(tokens)
    return float(np.exp(mean))


def _on_the_way(inputs: Inputs) -> dict[str, float]:
    nats = float(np.dot(inputs["losses"], inputs["tokens"]))
    return {
        "the nats of the whole text": nats,
        "the number of tokens": sum(inputs["tokens"]),
        "the mean loss of a token": nats / sum(inputs["tokens"]),
    }


TENSOR = (
    "Your answer is a tensor. The next cells print and draw it as a number: return "
    "`float(...)` of it."
)
SLIPS = """
--- hint 1
the exp is missing: np.exp(mean) -> mean
    This is the loss in nats a token. Perplexity is exp of it.
batches weigh the same: nats / sum(tokens) -> sum(losses) / len(losses)
    A batch of 30 words weighs as much as one of 410 in your mean. Weigh each loss with its number
    of tokens.
the mean of the perplexities: np.exp(mean) -> np.mean(np.exp(losses))
    You take exp of each loss and average afterwards: one bad batch rules the mean. Average the
    losses, then take exp once.
the weighted mean of the perplexities: np.exp(mean) -> np.average(np.exp(losses), weights=tokens)
    The weights are right, the order is not: average the losses first, take exp of the average.
the median of the batches: nats / sum(tokens) -> np.median(losses)
    You take the median of the batches. Weigh each loss with its tokens and take the mean.
--- hint 2
exp of the sum: nats / sum(tokens) -> sum(losses)
    You add the losses of all batches up. Perplexity speaks of one word: take their mean, weighed
    with the tokens.
a perplexity for each batch: float(np.exp(mean)) -> np.exp(losses)
    You return one perplexity for each batch. Return one number over all tokens.
only the last batch: nats / sum(tokens) -> losses[-1]
    Only the last batch counts. Take all of them.
2 to the power of nats: np.exp(mean) -> 2**mean
    2 to the power belongs to losses in bits. These are nats: take exp.
exp of minus the loss: np.exp(mean) -> np.exp(-mean)
    This is a probability, the typical one of a right word. The loss has its minus sign already: exp
    of the loss itself.
to the power of ten: np.exp(mean) -> 10**mean
    10 to the power belongs to logarithms to base 10. These are nats: take exp.
divided by the tokens without weighting: nats / sum(tokens) -> sum(losses) / sum(tokens)
    Each loss is already a mean over its tokens. Multiply it with its tokens before you divide by
    all of them.
divided by the number of batches: sum(tokens) -> len(losses)
    You divide by the number of batches. The sum holds the surprise of every *token*: divide by
    `sum(tokens)`.
not divided: nats / sum(tokens) -> nats
not divided, with `math.exp`: nats / sum(tokens) -> nats && np.exp(mean) -> math.exp(mean)
    You add up the surprise of all tokens and take exp of that. Divide by `sum(tokens)` first.
weighed the wrong way: loss * count -> loss / count && nats / sum(tokens) -> nats
    You divide each loss by its tokens. It is a mean already: multiply to get back to the sum.
every batch as long as the longest: sum(tokens) -> max(tokens) / len(tokens)
every batch as long as the first: sum(tokens) -> tokens[0] / len(tokens)
    You divide by one batch's size times the number of batches, as if all were as long. They are
    not: divide by `sum(tokens)`.
cut off at exp({most}): np.exp(mean) -> np.exp(min(mean, {most})) | most = 10, 20
    You cut the mean off at {most}. A perplexity may be as large as it is.
--- no hint
a tensor: float(np.exp(mean)) -> torch.tensor(np.exp(mean))
    The right number in a tensor. The next cells print and draw it: return `float(...)` of it.
"""

EXERCISE = Exercise(
    id="perplexity",
    title="How many words it hesitates between",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=5,
    reference=lstm_language_model.perplexity,
    run=refusing(_a_tensor),
    on_the_way=_on_the_way,
    cases=(
        Case("one batch", lambda rng: {"losses": [float(rng.uniform(2, 5))], "tokens": [120]}),
        Case("four batches of different size", _batches, weight=2),
        Case(
            "a fair die, in a short and a long batch",
            lambda rng: {"losses": [math.log(6.0), math.log(6.0)], "tokens": [3, 300]},
            edge=True,
        ),
        Case(
            "it knows nothing",
            lambda rng: {"losses": [float(x) for x in rng.uniform(21, 22, 2)], "tokens": [3, 5]},
            edge=True,
        ),
    ),
    mistakes=slips(_exp_of_the_mean, SLIPS),
    right_answers={
        "exp of the mean": _exp_of_the_mean,
        "numpy": lambda losses, tokens: np.exp(np.dot(losses, tokens) / np.sum(tokens)),
        "a tensor, and its number": lambda losses, tokens: torch.exp(
            (torch.tensor(losses) * torch.tensor(tokens)).sum() / sum(tokens)
        ).item(),
    },
)
