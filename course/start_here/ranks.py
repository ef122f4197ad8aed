"""The curve of lesson 00: how often the words of a text occur, the commonest first."""

from collections.abc import Mapping

import numpy as np

from course.figures import plots
from course.figures.picture import Picture


def ranks(counts: Mapping[str, int], text: str) -> Picture:
    """Occurrences by rank, both axes logarithmic.

    Parameters
    ----------
    counts : how often each word occurs
    text : what the text is called
    """
    ordered = np.array(sorted(counts.values(), reverse=True))
    return plots.curves(
        np.arange(1, len(ordered) + 1),
        {f"words of {text}": ordered},
        title="A few words are everywhere, most words are rare",
        xlabel="rank of the word",
        ylabel="occurrences",
        log_x=True,
        log_y=True,
    )
