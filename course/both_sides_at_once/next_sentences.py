"""Does the second sentence follow the first? Two judges of pairs (lesson 12)."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from course.both_sides_at_once.experiments import over_groups
from course.results.intervals import lead
from elmo_mini import corpora
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.masked_lm import MaskedLM
from elmo_mini.transformer.sentence_pairs import padded

SENTENCES, PAGE, LONGEST = 800, 20, 64
Words = Sequence[str]
Triple = tuple[Words, Words, int]
Says = NDArray[np.bool_]
Pack = Callable[[list[int], list[int], int], tuple[list[int], list[int]]]


def pages() -> list[list[list[str]]]:
    """Documents of `PAGE` sentences each, from the part of the course's text kept for choosing."""
    lines = list(corpora.course_text().split("dev").sentences())[:SENTENCES]
    return [lines[start : start + PAGE] for start in range(0, len(lines), PAGE)]


def shared_words(pairs: Sequence[Triple]) -> Says:
    """Says *true* where two sentences share more words than most of the pairs do, (N,)."""
    common = np.array([len({*map(str.lower, a)} & {*map(str.lower, b)}) for a, b, _ in pairs])
    says: Says = common > np.median(common)
    return says


def packed(
    pairs: Sequence[Triple], vocabulary: Vocabulary, pack: Pack, longest: int
) -> list[tuple[list[int], list[int]]]:
    """Each pair as `pack` makes a row of it: its word numbers and its segments."""

    def numbers(sentence: Words) -> list[int]:
        return vocabulary.encode(map(str.lower, sentence))

    return [pack(numbers(first), numbers(second), longest) for first, second, _ in pairs]


def asked(model: MaskedLM, vocabulary: Vocabulary, pairs: Sequence[Triple], pack: Pack) -> Says:
    """What the model says of each pair, (N,)."""
    rows = padded(packed(pairs, vocabulary, pack, LONGEST))
    with torch.no_grad():
        says: Says = model.next_score(model(*rows)).numpy() > 0
    return says


def commoner(pairs: Sequence[Triple]) -> float:
    """The share of right answers of whoever gives the commoner answer each time."""
    true = sum(follows for *_, follows in pairs) / len(pairs)
    return max(true, 1 - true)


def rightly(pairs: Sequence[Triple], says: Mapping[str, Says]) -> dict[str, dict[str, float]]:
    """Of each judge, the share of right answers and its 95 % interval; pages are drawn anew.

    Prints by how much the second one leads the first.
    """
    follows = np.array([follows for *_, follows in pairs])
    page = np.arange(len(pairs)) // (PAGE - 1)  # its last sentence is no pair's first
    one, other = (1.0 * (said == follows) for said in says.values())
    print("The second less the first, in points:", lead(over_groups(other - one, page)))
    return {name: over_groups(said == follows, page) for name, said in says.items()}
