"""Small models of the next word, trained in seconds on the course's text."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from course.texts.small_text import SmallText
from elmo_mini.progress import progress_bar
from elmo_mini.recurrent.training import TrainingOptions, evaluating, train
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.causal_lm import next_word_loss

POINTS = 8
BATCH = 32
Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]


def learn_next_words(
    model: nn.Module,
    text: SmallText,
    steps: int,
    *,
    loss: Loss = next_word_loss,
    learning_rate: float = 3e-3,
    progress: bool = True,
) -> NDArray[np.float64]:
    """Train on batches of 32 sentences; held-out perplexity at `POINTS` equal steps, (POINTS,).

    Parameters
    ----------
    loss : of a batch, from the model, the ids (B, T) and the mask of tokens (B, T)
    """
    watch = Watch(model, text, steps, loss)
    losses = (loss(model, *batch) for batch in batches(text, steps))
    options = TrainingOptions(learning_rate=learning_rate, progress=progress)
    train(model, losses, steps, options, after_step=watch)
    return np.array(watch.perplexity)


def write(
    continue_text: Callable[..., list[int]],
    model: nn.Module,
    vocabulary: Vocabulary,
    beginning: str,
    temperature: float,
) -> None:
    """Print a beginning and up to 24 words after it; ``<unk>`` is never drawn.

    Parameters
    ----------
    continue_text : as `elmo_mini.transformer.causal_lm.continue_text`
    """
    stop, unknown = vocabulary.id(BOUNDARY), torch.tensor(vocabulary.id("<unk>"))

    def draw(chances: Tensor) -> int:
        return int(torch.multinomial(chances.index_fill(0, unknown, 0.0), 1))

    begun = [stop, *vocabulary.encode(beginning.split())]
    text = continue_text(model, begun, 24, stop, 24, temperature, draw)
    print(f"temperature {temperature}:", *vocabulary.decode(text[1:]))


def batches(
    text: SmallText, steps: int, *, progress: bool = False
) -> Iterator[tuple[Tensor, Tensor]]:
    """Word numbers (B, T) and the mask of tokens (B, T) of `BATCH` sentences, `steps` times."""
    bar = progress_bar(range(steps), show=progress)
    return (text.numbers(some) for some, _ in zip(text.batches(BATCH), bar, strict=False))


class Watch:
    """Notes the held-out perplexity of a model at `POINTS` equal steps of its training.

    Parameters
    ----------
    steps : how many there will be
    loss : as for `learn_next_words`

    Attributes
    ----------
    perplexity : what was noted so far
    """

    def __init__(
        self, model: nn.Module, text: SmallText, steps: int, loss: Loss = next_word_loss
    ) -> None:
        self.model, self.loss, self.steps = model, loss, steps
        self.held_out = text.numbers(text.held_out)
        self.perplexity: list[float] = []

    def __call__(self, done: int) -> None:
        """To be called after each step, with the number of steps done."""
        if done * POINTS // self.steps > len(self.perplexity):
            with evaluating(self.model):
                self.perplexity.append(float(self.loss(self.model, *self.held_out).exp()))
