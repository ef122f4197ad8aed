"""Blanks of held-out sentences, one in each row, and how many nats each word costs (lesson 12)."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from course.both_sides_at_once.experiments import bets, counting_bets, one_blank_each, over_groups
from course.texts.small_text import SmallText
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.masked_lm import MaskedLM

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SingleBlanks:
    """Rows with one blank each, B in all.

    Attributes
    ----------
    rows, mask : (B, T) word numbers with ``[MASK]`` at the blank, and which places are tokens
    places, words : (B,) where the blank is, and which word was there
    sentences : (B,) the number of the sentence that a blank stands in
    """

    rows: Tensor
    mask: Tensor
    places: Tensor
    words: Tensor
    sentences: NDArray[np.int64]

    def nats(self, model: MaskedLM, before: int = 0) -> Floats:
        """What the right word costs the model at each blank, (B,).

        Parameters
        ----------
        before : how many places before the blank the model is asked: 1 for one that bets on the
            next word
        """
        return self._cost(bets(model, self.rows, self.mask, self.places - before))

    def first_choices(self, model: MaskedLM) -> NDArray[np.int64]:
        """The word that the model thinks likeliest at each blank, (B,)."""
        found: NDArray[np.int64] = bets(model, self.rows, self.mask, self.places).argmax(1).numpy()
        return found

    def nats_of_counts(self, text: SmallText, vocabulary: Vocabulary) -> dict[str, Floats]:
        """The same for counts of words, and for counts of pairs on both sides."""
        found = counting_bets(text, vocabulary, self.rows, self.places)
        return {name: self._cost(logs) for name, logs in found.items()}

    def _cost(self, logs: Tensor) -> Floats:
        cost: Floats = -logs[torch.arange(len(logs)), self.words].double().numpy()
        return cost

    def interval(self, nats: ArrayLike) -> dict[str, float]:
        """Mean and 95 % interval; whole sentences are drawn anew."""
        return over_groups(nats, self.sentences)


def single_blanks(text: SmallText, vocabulary: Vocabulary, times: int = 3) -> SingleBlanks:
    """Of each held-out sentence `times` rows, in each of them another word is hidden, by lot."""
    rows, mask, places, words = one_blank_each(text.held_out, vocabulary, times)
    return SingleBlanks(rows, mask, places, words, np.arange(len(rows)) // times)
