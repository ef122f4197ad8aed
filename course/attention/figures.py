"""Attention drawn: who looks where, which words reach which states, how far and how fast."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course.figures.interval_bars import interval_bars
from course.figures.palette import COLOURS
from course.figures.picture import Picture, blank
from course.figures.plots import bars, curves

ACROSS = 3
ENDS = ("mean", "low", "high")


def share_tables(
    heads: Mapping[str, ArrayLike], words: Sequence[str], *, title: str, asking: Sequence[str] = ()
) -> Picture:
    """One table for each head: the darker a place, the larger its share.

    Where one word looks alone, its largest share stands above the table.

    Parameters
    ----------
    heads : name and shares (T, S); row t is what place t looks at
    words : the S words that are looked at
    asking : the T words that look; by default the same
    """
    asking = asking or words
    figure = blank(1.2 + 2.3 * len(heads), 1.4 + 0.24 * len(asking), title)
    grid = figure.subplots(1, len(heads), squeeze=False, sharey=True)[0]
    parts = [f"Tables of shares, {title}. Down: who looks. Across: where to."]
    for axes, (name, given) in zip(grid, heads.items(), strict=True):
        shares = np.asarray(given, dtype=float)
        axes.imshow(shares, cmap="Greys", vmin=0, vmax=1, aspect="auto")
        most = f", largest share {shares.max():.2f}" if len(asking) == 1 else ""
        axes.set_title(name + most, fontsize=9)
        axes.set_xticks(range(len(words)), words, rotation=90, fontsize=8)
        axes.set_yticks(range(len(asking)), asking, fontsize=8)
        best = shares.argmax(-1)
        said = ", ".join(
            f"{word} at {words[at]} ({row[at]:.2f})"
            for word, at, row in zip(asking, best, shares, strict=True)
        )
        parts.append(f"{name}: each looks most at: {said}.")
    return Picture(figure, " ".join(parts))


def reach_tables(tables: Mapping[str, ArrayLike], words: Sequence[str], *, title: str) -> Picture:
    """For each model a table, states down and words replaced across: grey where a state moved.

    So it stands as a mask does: a row for each place that looks. A cross marks a state that moved
    although it stands before the word: it has looked ahead.

    Parameters
    ----------
    tables : name and (T, T) bool; row s: word s was replaced, as `reach` gives it
    words : the T words
    """
    rows = -(-len(tables) // ACROSS)
    columns = min(len(tables), ACROSS)
    figure = blank(1.2 + 2.3 * columns, 0.6 + 2.6 * rows, title)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    parts = [f"Tables, {title}. Down: the state that moved. Across: the word that was replaced."]
    state, replaced = np.indices((len(words), len(words)))
    for axes, (name, given) in zip(grid, tables.items(), strict=False):
        table = np.asarray(given, dtype=bool).T
        may = state >= replaced
        axes.imshow(table, cmap="Greys", vmin=0, vmax=2.2, aspect="auto")
        down, across = (table & ~may).nonzero()
        axes.plot(across, down, "x", color=COLOURS[4], markersize=7, markeredgewidth=2)
        axes.set_title(name, fontsize=9)
        axes.set_xticks(range(len(words)), words, rotation=60, ha="right", fontsize=8)
        axes.set_yticks(range(len(words)), words, fontsize=8)
        parts.append(
            f"{name}: {int((table & may).sum())} of {int(may.sum())} states that may move do, "
            f"{int((table & ~may).sum())} of {int((~may).sum())} that must not."
        )
    for axes in grid[len(tables) :]:
        axes.set_axis_off()
    for axes in grid[::columns]:
        axes.set_ylabel("state at this word", fontsize=9)
    figure.supxlabel(
        "word that is replaced (grey: the state moves; cross: and must not)", fontsize=9
    )
    return Picture(figure, " ".join(parts))


def distance_curves(readers: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Picture:
    """Right answers by the words of chatter in between, with intervals.

    Parameters
    ----------
    readers : name, then distance, then a result with ``mean``, ``low`` and ``high``, shares of 1
    """
    rows = {
        name: {end: 100 * np.clip([point[end] for point in points.values()], 0, 1) for end in ENDS}
        for name, points in readers.items()
    }
    return curves(
        [int(far) for far in next(iter(readers.values()))],
        {name: row["mean"] for name, row in rows.items()},
        bands={name: (row["low"], row["high"]) for name, row in rows.items()},
        title="Equal training: a short way helps, an aim helps more (five seeds)",
        xlabel="words of chatter between fact and question",
        ylabel="right answers (%)",
        log_x=True,
    )


def recall_bars(right: Mapping[str, float], chance: float) -> Picture:
    """Right answers of trained readers, shares of 1, beside chance."""
    return bars(
        list(right),
        {"right answers": [100 * share for share in right.values()]},
        title="Attention finds the fact, the LSTM does not (one run each)",
        ylabel="right answers in 1,000 (%)",
        level=("chance", 100 * chance),
    )


def division_bars(found: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Picture:
    """Right answers in percent by the numbers of a head, with its scores divided and not.

    Parameters
    ----------
    found : name, then d, then a result with ``mean``, ``low`` and ``high``
    """
    return interval_bars(
        [f"d = {d}" for d in next(iter(found.values()))],
        {
            name: [{end: np.clip(p[end], 0, 100) for end in ENDS} for p in points.values()]
            for name, points in found.items()
        },
        times=1,
        title="The larger the head, the more the division decides (three seeds)",
        ylabel="right answers after 150 batches (%)",
    )


def rate_bars(found: Mapping[str, Mapping[str, Any]]) -> Picture:
    """Right answers in percent of heads of 128 numbers at a rate of 0.001.

    Parameters
    ----------
    found : name, then a result with ``mean``, ``low`` and ``high``
    """
    points = [{end: np.clip(point[end], 0, 100) for end in ENDS} for point in found.values()]
    return interval_bars(
        [name.replace(", ", ",\n") for name in found],
        {"right answers": points},
        times=1,
        title="Rate 0.001, 128 numbers: the division still decides (three seeds)",
        ylabel="right answers after 150 batches (%)",
    )


def next_word_curves(
    perplexity: Mapping[str, Sequence[float]], pairs: float, steps: int, *, title: str
) -> Picture:
    """Held-out perplexity of models of the next word while they learn, and that of counted pairs.

    Parameters
    ----------
    perplexity : name and values at equal distances up to `steps`
    """
    points = len(next(iter(perplexity.values())))
    return curves(
        steps * np.arange(1, points + 1) / points,
        {**perplexity, "counts of pairs": [pairs] * points},
        title=title,
        xlabel="batches of 32 sentences",
        ylabel="held-out perplexity",
    )


def model_bars(perplexity: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Picture:
    """Held-out perplexity by the sentences of the training text, with intervals over seeds."""
    return interval_bars(
        [f"{int(n):,} sentences" for n in next(iter(perplexity.values()))],
        {name: list(points.values()) for name, points in perplexity.items()},
        times=1,
        title="Each at its best rate, neither leads clearly (three seeds)",
        ylabel="held-out perplexity",
    )


def run_bars(perplexity: Mapping[str, float], pairs: float) -> Picture:
    """How the sound run and the broken ones end."""
    return bars(
        list(perplexity),
        {"perplexity": list(perplexity.values())},
        title="How the four runs end (one run each)",
        ylabel="held-out perplexity",
        level=("counts of pairs", pairs),
    )


def slope_curves(sizes: Sequence[int], slopes: Mapping[str, Sequence[float]]) -> Picture:
    """The slope of shares by the numbers of a head."""
    return curves(
        sizes,
        slopes,
        title="Undivided, the shares of random vectors lose their slope",
        xlabel="numbers of a head, d",
        ylabel="slope, summed over 16 places",
        log_x=True,
    )


def time_curves(lengths: Sequence[int], times: Mapping[str, np.ndarray]) -> Picture:
    """Milliseconds for one text by its length."""
    return curves(
        lengths,
        times,
        title="Time for one text, by its length",
        xlabel="words of the text",
        ylabel="milliseconds of one core",
        log_x=True,
        log_y=True,
    )
