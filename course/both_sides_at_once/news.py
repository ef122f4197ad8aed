"""News for masked language models that train while one watches: single blanks, and counts."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from course.both_sides_at_once.experiments import (
    counting_bets,
    masked_vocabulary,
    one_blank_each,
    over_groups,
)
from course.results.intervals import Lead
from course.texts.small_text import SmallText, small_text
from elmo_mini.corpora.splits import Part
from elmo_mini.text.vocabulary import Vocabulary

WORDS, LONGEST_SENTENCE, BLANKS = 1_000, 24, 3
CORPORA = ("lee",)


@dataclass(frozen=True)
class Blanks:
    """Rows with one blank each, N in all.

    Attributes
    ----------
    rows, mask : (N, T) word numbers with ``[MASK]`` at the blank, and which positions are tokens
    positions, words : (N,) where the blank is, and which word was there
    sentences : (N,) the number of the sentence that a blank stands in
    counts : by name, -log p of the right words (N,) by counts of the training sentences
    """

    rows: Tensor
    mask: Tensor
    positions: Tensor
    words: Tensor
    sentences: NDArray[np.int64]
    counts: dict[str, NDArray[np.float64]]

    def interval(self, nats: ArrayLike) -> dict[str, float]:
        """Mean of (N,) or (runs, N), and 95 %: whole sentences and runs are drawn anew."""
        return over_groups(nats, self.sentences)

    def lead(self, nats: ArrayLike) -> Lead:
        """The same of a difference in nats, with its verdict."""
        return Lead(**self.interval(nats), digits=2)


@dataclass(frozen=True)
class News:
    """Short sentences, the words of a masked model, and blanks to choose by and to judge by."""

    text: SmallText
    words: Vocabulary
    chosen_by: Blanks
    judged_by: Blanks


def news() -> News:
    """Lee's news; its small last part to choose by, its middle part to judge by."""
    text = small_text(2_000, 300, WORDS, CORPORA, longest=LONGEST_SENTENCE)
    words = masked_vocabulary(text, WORDS)
    parts: dict[Part, Blanks] = {}
    for part in ("test", "dev"):
        held = small_text(
            2_000, 300, WORDS, CORPORA, longest=LONGEST_SENTENCE, part=part, say=False
        )
        parts[part] = blanks_of(replace(text, held_out=held.held_out), words)
    return News(text, words, parts["test"], parts["dev"])


def blanks_of(text: SmallText, words: Vocabulary, times: int = BLANKS) -> Blanks:
    """Of each held-out sentence `times` rows, in each of them another word is hidden, by lot."""
    rows, mask, positions, right = one_blank_each(text.held_out, words, times)
    bets = counting_bets(text, words, rows, positions)
    counts = {
        name.removeprefix("counts of ").partition(",")[0]: -logs.gather(1, right[:, None])
        .squeeze(1)
        .numpy()
        for name, logs in bets.items()
    }
    return Blanks(rows, mask, positions, right, np.arange(len(rows)) // times, counts)
