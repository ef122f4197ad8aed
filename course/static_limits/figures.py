"""The pictures of lesson 02: where a merged vector lies, and what readers of a context tell."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures import plots
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.static_limits.senseval_readers import (
    BAG,
    NEAR_LESS_FAR,
    RANDOM,
    SAME_BAG,
    SPELT,
    TRAINED,
)

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


def mixtures(stored: Mapping[str, Any], plain: Mapping[str, Any]) -> Picture:
    """How near merged vectors are to mixtures, and how their positions follow the shares.

    Parameters
    ----------
    stored, plain : what ``static_pseudo_words`` and ``static_plain_skip_gram`` hold
    """
    loops = {
        f"plain loop,\n{n} {'passes' if n > '1' else 'pass'}": by
        for n, by in plain["passes"].items()
    }
    kinds = {"skip-gram": stored} | loops | {"GloVe": stored["GloVe"]}
    shown = {
        "cosine with its own mixture": "cosine with its mixture",
        "cosine with another pair's": "cosine with another pair's",
        "correlation of share and position": "correlation of share and position",
        "the same, vectors of length 1": "correlation of share and position, vectors of length 1",
    }
    return interval_bars(
        list(kinds),
        {name: [of["summary"][key] for of in kinds.values()] for name, key in shown.items()},
        times=1,
        title=f"Sixty merged words each, {len(stored['seeds'])} seeds (stored)",
        ylabel="cosine, or correlation",
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


def stored_leads(words: Mapping[str, Any]) -> Picture:
    """Differences of trained vectors and others on the same contexts, ten words on each side."""
    far = [by["words on each side"]["10"][f"lead of {TRAINED}"] for by in words.values()]
    others = (RANDOM, SPELT, SAME_BAG, BAG)
    return interval_bars(
        list(words),
        {f"less {other}": [leads[other] for leads in far] for other in others},
        title="Trained vectors less the others, on the same contexts (stored)",
        ylabel="points",
    )


def near_less_far(words: Mapping[str, Any]) -> Picture:
    """Of the same reader: one word on each side less ten."""
    return interval_bars(
        list(words),
        {kind: [by[NEAR_LESS_FAR][kind] for by in words.values()] for kind in (TRAINED, BAG)},
        title="One word on each side less ten: above 0, the nearest tell more (stored)",
        ylabel="points",
    )
