"""The tables of BERT's paper, drawn."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from course.figures.palette import COLOURS, GREY, INK
from course.figures.picture import Picture, blank
from course.figures.plots import bars
from course.results import published


def glue_figure(title: str) -> Picture:
    """GLUE's eight tasks, one line of dots for each model."""
    names = [*published.GLUE]
    figure = blank(8.2, 4.0, title)
    axes = figure.add_subplot()
    heights = np.arange(len(published.GLUE_TASKS))[::-1]
    marks = ("|", "s", "^", "o", "D")
    colours = (INK, COLOURS[1], COLOURS[2], COLOURS[0], COLOURS[4])
    for name, mark, colour in zip(names, marks, colours, strict=True):
        axes.plot(
            published.GLUE[name],
            heights,
            mark,
            color=colour,
            label=name,
            markersize=10 if mark == "|" else 6,
            markeredgewidth=2 if mark == "|" else 1,
        )
    axes.set_yticks(heights, published.GLUE_TASKS)
    axes.set_xlabel("score on the test, of 100")
    axes.grid(axis="y", color=GREY, alpha=0.3)
    figure.legend(loc="outside lower center", ncols=5, fontsize=8)
    said = ". ".join(
        f"{task}: " + ", ".join(f"{name} {published.GLUE[name][place]:g}" for name in names)
        for place, task in enumerate(published.GLUE_TASKS)
    )
    return Picture(figure, f"Dots, {title}. {said}.")


def _dots(rows: Mapping[str, float], title: str, xlabel: str) -> Picture:
    """One line for each name, and a dot at its score; the score stands beside it."""
    figure = blank(7.4, 0.9 + 0.32 * len(rows), title)
    axes = figure.add_subplot()
    heights = np.arange(len(rows))[::-1]
    scores = list(rows.values())
    axes.plot(scores, heights, "o", color=COLOURS[0])
    for score, height in zip(scores, heights, strict=True):
        axes.annotate(
            f"{score:g}",
            (score, height),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.set_yticks(heights, list(rows), fontsize=9)
    axes.margins(x=0.12)
    axes.set_xlabel(xlabel)
    axes.grid(axis="y", color=GREY, alpha=0.3)
    said = ", ".join(f"{name} {score:g}" for name, score in rows.items())
    return Picture(figure, f"Dots, {title}. {xlabel}: {said}.")


def ner_figure(title: str) -> Picture:
    """CoNLL-2003 on the test, by model."""
    return _dots({name: test for name, (_, test) in published.NER.items()}, title, "F1, test")


def features_figure(title: str) -> Picture:
    """BERT-base on dev of CoNLL-2003: frozen in several ways, and fine-tuned."""
    return _dots(published.NER_FEATURES, title, "F1, dev")


def gone_figure(gone: Mapping[str, ArrayLike], title: str) -> Picture:
    """How much of the error is gone on each of GLUE's tasks, in percent, from entry to entry."""
    return bars(
        list(published.GLUE_TASKS),
        {name: np.asarray(shares) for name, shares in gone.items()},
        title=title,
        ylabel="error that is gone (%)",
    )
