"""Sentences that a language model writes word by word, onward from a beginning or back to one."""

from collections.abc import Callable

import torch
from torch import Tensor

from elmo_mini.characters.sentences import BOS_TOKEN, EOS_TOKEN
from elmo_mini.experiments.small_text import SmallText
from elmo_mini.recurrent.kneser_ney import KneserNey
from elmo_mini.text.running_text import BOUNDARY

Scores = Callable[[list[str], str], Tensor]


def written(
    scores: Scores,
    text: SmallText,
    part: list[str],
    direction: str,
    *,
    temperature: float = 0.7,
    seed: int = 0,
    most: int = 14,
) -> str:
    """What is drawn until a boundary comes; ``<unk>`` is never drawn.

    Parameters
    ----------
    scores : (V,) for the word after a sentence ("forward") or before it ("backward")
    part : a beginning with its ``<S>``, or an end with its ``</S>``
    temperature : below 1 the likely words become likelier, above 1 the others do
    """
    generator = torch.Generator().manual_seed(seed)
    for _ in range(most):
        chances = scores(part, direction) / temperature
        chances[0] = -torch.inf
        number = int(torch.multinomial(chances.softmax(0), 1, generator=generator))
        word = text.vocabulary.word(number)
        if word == BOUNDARY:
            break
        part = [*part, word] if direction == "forward" else [word, *part]
    return " ".join(word for word in part if word not in (BOS_TOKEN, EOS_TOKEN))


def scores_of_pairs(text: SmallText) -> Scores:
    """Log p of each word after the last one, by counts of pairs; forward alone."""
    words = len(text.vocabulary)
    counts = KneserNey(text.running(text.train), words, 2)

    def scores(part: list[str], direction: str) -> Tensor:
        last = BOUNDARY if part[-1] == BOS_TOKEN else part[-1].lower()
        context = text.vocabulary.encode([last])
        return torch.tensor([counts.probability(context, word) for word in range(words)]).log()

    return scores
