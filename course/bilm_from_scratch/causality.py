"""Figure of the causality test: which hidden states change when a word is replaced."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from course.figures.palette import INK
from course.figures.picture import Picture, blank

AHEAD, BEHIND = "forward states", "backward states"


def causality(
    models: Mapping[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]],
    words: Sequence[str],
    *,
    title: str,
) -> Picture:
    """For each model two tables, words replaced down and states across: grey where a state moved.

    A cross marks a state that moved although its direction has not read the word: a leak.

    Parameters
    ----------
    models : name and two (T, T) tables, forward and backward; row s: word s was replaced
    words : the T words

    Raises
    ------
    ValueError
        A table is not words by words.
    """
    size = len(words)
    figure = blank(1.4 + 2.05 * len(models), 5.8, title)
    grid = figure.subplots(2, len(models), squeeze=False, sharex=True, sharey=True)
    parts = [f"Tables, {title}. Down: the word that was replaced. Across: the state that moved."]
    replaced, state = np.indices((size, size))
    for column, (name, tables) in enumerate(models.items()):
        for row, (direction, table) in enumerate(zip((AHEAD, BEHIND), tables, strict=True)):
            table = np.asarray(table, dtype=bool)
            if table.shape != (size, size):
                raise ValueError(f"{name}: {size} words need {(size, size)}, not {table.shape}")
            may = state >= replaced if row == 0 else state <= replaced
            leaks = table & ~may
            axes = grid[row, column]
            axes.imshow(table, cmap="Greys", vmin=0, vmax=2.0, aspect="auto")
            down, across = leaks.nonzero()
            axes.plot(across, down, "x", color=INK, markersize=7, markeredgewidth=2)
            axes.set_title(f"{name}\n{direction}", fontsize=10.5)
            axes.set_xticks(range(size), words, rotation=90, fontsize=10.5)
            axes.set_yticks(range(size), words, fontsize=10.5)
            parts.append(
                f"{name}, {direction}: {int((table & may).sum())} of {int(may.sum())} states that "
                f"may move do, {int(leaks.sum())} of {int((~may).sum())} that must not."
            )
    figure.supylabel("word that is replaced", fontsize=10.5)
    figure.supxlabel("grey: the state moved; cross: and it must not", fontsize=10.5)
    return Picture(figure, " ".join(parts))
