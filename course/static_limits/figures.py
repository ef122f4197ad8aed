"""The pictures of lesson 02: where a merged vector lies, and what readers of a context tell."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures import plots
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture

Numbers = NDArray[np.float64]


def places_by_share(own: tuple[Numbers, Numbers], stored: Mapping[str, Any]) -> Picture:
    """Positions of merged vectors (0: second word, 1: first) by the first word's share.

    Parameters
    ----------
    own : (P,) shares and (P,) positions of the learner's pairs
    stored : what ``static_pseudo_words`` holds
    """
    kinds = {"skip-gram": stored["pairs"], "GloVe": stored["GloVe"]["pairs"]}
    return plots.scatter(
        {f"your GloVe, {len(own[0])} pairs": own}
        | {f"{kind}, {len(pairs)} pairs (stored)": _both(pairs) for kind, pairs in kinds.items()},
        title="Where a merged vector lies between its two words",
        xlabel="share of the first word among the merged places",
        ylabel="position (0: second word, 1: first word)",
        diagonal=True,
    )


def _both(pairs: Sequence[Mapping[str, float]]) -> tuple[Numbers, Numbers]:
    shares, places = (
        np.array([row[key] for row in pairs]) for key in ("share of the first", "position")
    )
    return shares, places


def stored_readers(words: Mapping[str, Any]) -> Picture:
    """What ``static_senseval`` holds of each word: the ceiling of its forms, and four readers."""
    ceilings = [
        dict.fromkeys(("mean", "low", "high"), by["ceiling of its forms"]) for by in words.values()
    ]
    kinds = ("random vectors", "trained vectors", "bag of the words with vectors", "bag of words")
    far = [by["words on each side"]["10"]["right"] for by in words.values()]
    readers = {kind: [right[kind] for right in far] for kind in kinds}
    return interval_bars(
        list(words),
        {"ceiling, as spelt": ceilings} | readers,
        title="Senses in senseval: one vector, and readers of ten words on each side (stored)",
        ylabel="percent right",
    )
