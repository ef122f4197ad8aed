"""Blanks of a text, and what a masked language model puts there."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from elmo_mini.recurrent.training import evaluating
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.corruption import MASK, SPECIALS
from elmo_mini.transformer.masked_lm import MaskedLM
from elmo_mini.transformer.sentence_pairs import pack, padded


@dataclass(frozen=True)
class Filled:
    """One blank: the likeliest words, each with its chance."""

    words: list[str]
    chances: list[float]

    def __str__(self) -> str:
        pairs = zip(self.words, self.chances, strict=True)
        return ", ".join(f"{word} {chance:.0%}" for word, chance in pairs)


def fill(
    model: MaskedLM, vocabulary: Vocabulary, text: str | Sequence[str], best: int = 5
) -> list[Filled]:
    """What stands at each ``[MASK]`` of a text, most likely first; special words are left out.

    Parameters
    ----------
    text : words, or a string of words with spaces between them
    best : how many words for each blank

    Raises
    ------
    ValueError
        If there is no ``[MASK]``.
    """
    words = text.split() if isinstance(text, str) else list(text)
    if MASK not in words:
        raise ValueError(
            f"there is no blank: write {MASK} in the place of a word, with a space on each side"
        )
    numbers = vocabulary.encode(word if word in SPECIALS else word.lower() for word in words)
    ids, mask, segments = padded([pack(numbers)])
    with evaluating(model):
        states = model(ids, mask, segments)[ids == SPECIALS.index(MASK)]  # (blanks, D)
        scores = model.scores(states)
        scores[:, : len(SPECIALS)] = -torch.inf
        chances, found = scores.softmax(-1).topk(best)
    return [
        Filled(vocabulary.decode(row), chance)
        for row, chance in zip(found.tolist(), chances.tolist(), strict=True)
    ]
