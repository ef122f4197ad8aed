"""Small models of the next word, trained in seconds on the course's text."""

from collections.abc import Callable
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from elmo_mini.experiments.small_text import SmallText
from elmo_mini.recurrent.training import TrainingOptions, evaluating, train
from elmo_mini.transformer.causal_lm import next_word_loss

POINTS = 8


def learn_next_words(
    model: nn.Module,
    text: SmallText,
    steps: int,
    *,
    loss: Callable[[nn.Module, Tensor, Tensor], Tensor] = next_word_loss,
    learning_rate: float = 3e-3,
    progress: bool = True,
) -> NDArray[np.float64]:
    """Train on batches of 32 sentences; held-out perplexity at `POINTS` equal steps, (POINTS,).

    Parameters
    ----------
    loss : of a batch, from the model, the ids (B, T) and the mask of tokens (B, T)
    """
    held_out = text.numbers(text.held_out)
    found: list[float] = []

    def note(done: int) -> None:
        if done * POINTS // steps > len(found):
            with evaluating(model):
                found.append(float(loss(model, *held_out).exp()))
            model.train()

    losses = (loss(model, *text.numbers(some)) for some in islice(text.batches(32), steps))
    train(
        model,
        losses,
        steps,
        TrainingOptions(learning_rate=learning_rate, progress=progress),
        after_step=note,
    )
    return np.array(found)
