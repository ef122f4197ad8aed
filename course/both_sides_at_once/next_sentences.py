"""Pairs of sentences for next-sentence prediction, and a baseline of shared words (lesson 12)."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from course.both_sides_at_once.experiments import over_groups
from course.results.intervals import Lead
from elmo_mini import corpora
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.sentence_pairs import padded

SENTENCES, PAGE = 800, 20
Words = Sequence[str]
Triple = tuple[Words, Words, int]
Predicted = NDArray[np.bool_]
Pack = Callable[[list[int], list[int], int], tuple[list[int], list[int]]]


def pages() -> list[list[list[str]]]:
    """Documents of `PAGE` sentences each, from the part of the course's text kept for choosing."""
    lines = list(corpora.course_text().split("dev").sentences())[:SENTENCES]
    return [lines[start : start + PAGE] for start in range(0, len(lines), PAGE)]


def shared_words(pairs: Sequence[Triple]) -> Predicted:
    """Says *true* where two sentences share more words than most of the pairs do, (N,)."""
    common = np.array([len({*map(str.lower, a)} & {*map(str.lower, b)}) for a, b, _ in pairs])
    predicted: Predicted = common > np.median(common)
    return predicted


def rows(
    pairs: Sequence[Triple], vocabulary: Vocabulary, pack: Pack, longest: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Each pair as `pack` makes a row of it: ids, mask and segments (B, T)."""

    def numbers(sentence: Words) -> list[int]:
        return vocabulary.encode(map(str.lower, sentence))

    return padded([pack(numbers(first), numbers(second), longest) for first, second, _ in pairs])


def commoner(pairs: Sequence[Triple]) -> float:
    """The share of right answers of whoever gives the commoner answer each time."""
    true = sum(follows for *_, follows in pairs) / len(pairs)
    return max(true, 1 - true)


def accuracy(pairs: Sequence[Triple], predicted: Predicted) -> dict[str, float]:
    """The share of right answers and its 95 % interval; pages are drawn anew."""
    return over_groups(_right(pairs, predicted), _page(pairs))


def difference(pairs: Sequence[Triple], one: Predicted, other: Predicted) -> Lead:
    """By how many points the other leads the one; pages are drawn anew."""
    return Lead.of(over_groups(_right(pairs, other) - _right(pairs, one), _page(pairs)))


def _right(pairs: Sequence[Triple], predicted: Predicted) -> NDArray[np.float64]:
    return 1.0 * (predicted == np.array([follows for *_, follows in pairs]))


def _page(pairs: Sequence[Triple]) -> NDArray[np.int64]:
    return np.arange(len(pairs)) // (PAGE - 1)  # a page's last sentence is no pair's first
