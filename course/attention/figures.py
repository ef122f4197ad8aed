"""Figures of attention weights, of which words reach which states, of distance and of time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course.figures.controls import is_control
from course.figures.interval_bars import interval_bars
from course.figures.palette import COLOURS
from course.figures.picture import Picture, blank
from course.figures.plots import bars, curves
from course.results.intervals import interval

ACROSS = 3
ENDS = ("mean", "low", "high")
SUM = "plain sum"
SHOWN = {"sum of all tokens": SUM, "blocks that look back": "post-norm blocks"}  # stored: shown


def attention_tables(
    heads: Mapping[str, ArrayLike], words: Sequence[str], *, title: str, asking: Sequence[str] = ()
) -> Picture:
    """Attention weights, a table for each head: the darker, the larger.

    Where one word attends alone, its largest weight stands above the table.

    Parameters
    ----------
    heads : name and attention weights (T, S); row t is what position t attends to
    words : the S words that are looked at
    asking : the T words that look; by default the same
    """
    asking = asking or words
    figure = blank(1.2 + 2.3 * len(heads), 1.4 + 0.24 * len(asking), title)
    grid = figure.subplots(1, len(heads), squeeze=False, sharey=True)[0]
    parts = [f"Tables of attention weights, {title}. Down: who attends. Across: to what."]
    for axes, (name, given) in zip(grid, heads.items(), strict=True):
        attention_weights = np.asarray(given, dtype=float)
        axes.imshow(attention_weights, cmap="Greys", vmin=0, vmax=1, aspect="auto")
        most = f", largest weight {attention_weights.max():.2f}" if len(asking) == 1 else ""
        axes.set_title(name + most, fontsize=9)
        axes.set_xticks(range(len(words)), words, rotation=90, fontsize=8)
        axes.set_yticks(range(len(asking)), asking, fontsize=8)
        best = attention_weights.argmax(-1)
        said = ", ".join(
            f"{word} at {words[at]} ({row[at]:.2f})"
            for word, at, row in zip(asking, best, attention_weights, strict=True)
        )
        parts.append(f"{name}: each looks most at: {said}.")
    return Picture(figure, " ".join(parts))


def reach_tables(tables: Mapping[str, ArrayLike], words: Sequence[str]) -> Picture:
    """For each model a table, positions down, words replaced across: grey where scores moved.

    So it stands as a mask does: a row for each position that looks. A cross marks scores that
    moved although their position stands before the word: they have looked ahead.

    Parameters
    ----------
    tables : name and (T, T) bool; row s: word s was replaced, as `reach` gives it
    words : the T words
    """
    ahead = [name for name, given in tables.items() if np.tril(np.asarray(given), -1).any()]
    title = f"Who has looked ahead: {', '.join(ahead) or 'nobody'}"
    rows = -(-len(tables) // ACROSS)
    columns = -(-len(tables) // rows)
    figure = blank(1.2 + 2.3 * max(columns, 1.6), 0.6 + 2.6 * rows, title)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    parts = [
        f"Tables, {title}. Down: the position whose scores moved. "
        "Across: the word that was replaced."
    ]
    position, replaced = np.indices((len(words), len(words)))
    for axes, (name, given) in zip(grid, tables.items(), strict=False):
        table = np.asarray(given, dtype=bool).T
        may = position >= replaced
        axes.imshow(table, cmap="Greys", vmin=0, vmax=2.2, aspect="auto")
        down, across = (table & ~may).nonzero()
        axes.plot(across, down, "x", color=COLOURS[4], markersize=7, markeredgewidth=2)
        axes.set_title(name, fontsize=9)
        axes.set_xticks(range(len(words)), words, rotation=60, ha="right", fontsize=8)
        axes.set_yticks(range(len(words)), words, fontsize=8)
        parts.append(
            f"{name}: {int((table & may).sum())} of {int(may.sum())} scores that may move do, "
            f"{int((table & ~may).sum())} of {int((~may).sum())} that must not."
        )
    for axes in grid[len(tables) :]:
        axes.set_axis_off()
    for axes in grid[::columns]:
        axes.set_ylabel("scores at this word", fontsize=9)
    figure.supxlabel(
        "word that is replaced\n(grey: the scores move; cross: they must not)", fontsize=9
    )
    return Picture(figure, " ".join(parts))


def distance_curves(readers: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Picture:
    """Right answers by the words of chatter in between, with intervals.

    Parameters
    ----------
    readers : name, then distance, then a result with ``mean``, ``low`` and ``high``, shares of 1
    """
    rows = {
        SHOWN.get(name, name): {
            end: 100 * np.clip([point[end] for point in points.values()], 0, 1) for end in ENDS
        }
        for name, points in readers.items()
    }
    return curves(
        [int(far) for far in next(iter(readers.values()))],
        {name: row["mean"] for name, row in rows.items()},
        bands={name: (row["low"], row["high"]) for name, row in rows.items()},
        title="Rate 0.003: a short way helps, an aim helps more (five seeds)",
        xlabel="words of chatter between fact and question",
        ylabel="right answers (%)",
        log_x=True,
    )


def recall_bars(right: Mapping[str, float], chance: float) -> Picture:
    """Per cent of right answers of trained readers, beside chance."""
    best, least = (f(right, key=lambda name: right[name]) for f in (max, min))
    return bars(
        list(right),
        {"right answers": list(right.values())},
        title=f"Most answers: {best}, {right[best]:.0f} %. Fewest: {least}, {right[least]:.0f} % "
        "(one run each)",
        ylabel="right answers in 1,000 (%)",
        level=("chance", chance),
        controls=[name for name in right if name == SUM or is_control(name)],
    )


def division_curves(
    rates: Sequence[float], found: Mapping[str, Sequence[Sequence[float]]]
) -> Picture:
    """Per cent right of heads with their scores divided and not, by the learning rate.

    Parameters
    ----------
    found : name of a head and its size, then a row of runs for each rate; means are drawn
    """
    means = {name: [float(np.mean(runs)) for runs in rows] for name, rows in found.items()}
    best = {name: max(row) for name, row in means.items() if name.endswith("d = 128")}
    said = ", ".join(f"{name.partition(',')[0]} {share:.0f} %" for name, share in best.items())
    return curves(
        rates,
        means,
        title=f"128 numbers, best rate: {said} (two runs each)",
        xlabel="learning rate",
        ylabel="right answers (%)",
        log_x=True,
    )


def perplexity_bars(found: Mapping[str, float]) -> Picture:
    """Perplexities of models and of counts; the lowest are named, all within a hundredth."""
    lowest = min(found.values())
    best = [name for name, value in found.items() if value < 1.01 * lowest]
    return bars(
        [_two_lines(name) for name in found],
        {"perplexity": list(found.values())},
        title=f"Lowest, {lowest:.1f}: {'; '.join(best)}",
        ylabel="held-out perplexity",
    )


def _two_lines(name: str) -> str:
    """A name cut at the last space of its first half, or its comma."""
    at = name.find(",") + 1 or name.rfind(" ", 0, len(name) // 2 + 5)
    return name if at < 1 else f"{name[:at].rstrip()}\n{name[at:].lstrip()}"


def norm_bars(found: Mapping[str, Mapping[float, Sequence[float]]], words: float) -> Picture:
    """Held-out perplexity of stacks of blocks by the learning rate; whiskers reach over the runs.

    Parameters
    ----------
    found : name of the kind, then rate, then the runs
    words : the perplexity of counts of words
    """
    rates = list(next(iter(found.values())))
    last = ", ".join(f"{name} {np.mean(by[rates[-1]]):.0f}" for name, by in found.items())
    points = {
        name: [{"mean": np.mean(runs), "low": min(runs), "high": max(runs)} for runs in by.values()]
        for name, by in found.items()
    }
    return interval_bars(
        [f"rate {rate:g}" for rate in rates],
        points,
        times=1,
        title=f"At the higher rate: {last}, counts of words {words:.0f}",
        ylabel="held-out perplexity",
        level=("counts of words", words),
    )


def rate_curves(readers: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Picture:
    """Right answers by the learning rate, with intervals.

    Parameters
    ----------
    readers : name, then rate, then a result with ``mean``, ``low`` and ``high``, shares of 1
    """
    best = {
        SHOWN.get(name, name): max(100 * point["mean"] for point in points.values())
        for name, points in readers.items()
    }
    said = ", ".join(f"{name} {share:.0f}" for name, share in best.items())
    rows = {
        SHOWN.get(name, name): {
            end: 100 * np.clip([point[end] for point in points.values()], 0, 1) for end in ENDS
        }
        for name, points in readers.items()
    }
    return curves(
        [float(rate) for rate in next(iter(readers.values()))],
        {name: row["mean"] for name, row in rows.items()},
        bands={name: (row["low"], row["high"]) for name, row in rows.items()},
        title=f"Each at its best rate, % right: {said} (three seeds)",
        xlabel="learning rate",
        ylabel="right answers (%)",
        log_x=True,
    )


def model_bars(numbers: Mapping[str, Any]) -> Picture:
    """Held-out perplexity by the sentences of the training text, with intervals over seeds.

    Parameters
    ----------
    numbers : of ``attention_language_model``: perplexities of three models, and of counts
    """
    models = {SHOWN.get(name, name): of for name, of in numbers["perplexity"].items()}
    counts = numbers["counts"]
    few, many = (_lowest({name: of[n] for name, of in models.items()}, counts[n]) for n in counts)
    triples = [dict.fromkeys(ENDS, counts[n]["triples"]) for n in counts]
    groups = {name: list(points.values()) for name, points in models.items()}
    return interval_bars(
        [f"{int(n):,} sentences" for n in counts],
        {**groups, "counts of triples": triples},
        times=1,
        title=f"Lowest: {few} with few sentences, {many} with more (five seeds)",
        ylabel="held-out perplexity",
    )


def _lowest(models: Mapping[str, Any], counts: Mapping[str, float]) -> str:
    """The lowest perplexity's name; with the next model's, where the starts cannot tell them."""
    first, second = sorted(models, key=lambda name: float(models[name]["mean"]))[:2]
    if counts["triples"] < models[first]["mean"]:
        return "counts of triples"
    apart = np.array(models[second]["values"]) - np.array(models[first]["values"])
    return first if interval(apart)["low"] > 0 else f"{first} or {second}"


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
    """The slope of attention weights by the numbers of a head."""
    return curves(
        sizes,
        slopes,
        title="Slope of the attention weights of random vectors",
        xlabel="numbers of a head, d",
        ylabel="a (1 − a), summed over 16 positions",
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
