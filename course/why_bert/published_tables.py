"""The tables of ELMo's and BERT's papers, drawn."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from course.figures.palette import COLOURS, GREY, INK, TINTS
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


def squad_and_swag(title: str) -> Picture:
    """SQuAD 1.1 and SWAG on the test, with what people reach."""
    rows = {f"SQuAD: {name}": test for name, (_, test) in published.SQUAD.items()}
    rows["SQuAD: a person"] = published.SQUAD_PERSON
    rows |= {f"SWAG: {name}": score for name, score in published.SWAG.items()}
    return _dots(rows, title, "F1 (SQuAD), right answers in % (SWAG), test")


def ner_figure(title: str) -> Picture:
    """CoNLL-2003 on the test, by model."""
    return _dots({name: test for name, (_, test) in published.NER.items()}, title, "F1, test")


def features_figure(title: str) -> Picture:
    """BERT-base on dev of CoNLL-2003: frozen in several ways, and fine-tuned."""
    return _dots(published.NER_FEATURES, title, "F1, dev")


def gone_figure(gone: ArrayLike, title: str) -> Picture:
    """How much of the error is gone on each of GLUE's tasks, in percent."""
    return bars(
        list(published.GLUE_TASKS),
        {"error that is gone": np.asarray(gone)},
        title=title,
        ylabel="error that is gone (%)",
    )


def print_elmo(errors_gone: Callable[[float, float], float]) -> None:
    """ELMo's table 1: what it gained on each task, in points and in errors that are gone.

    Parameters
    ----------
    errors_gone : of a score before and one after, how many percent of the errors are gone
    """
    for task, (before, after) in published.ELMO.items():
        gone = errors_gone(before, after)
        print(f"ELMo on {task}: {after - before:.1f} points, {gone:.1f} % of the error is gone")


STEPS = (
    (
        "ULMFiT\nJan 2018",
        "the whole network is carried over\na recipe that forgets less",
        "an LSTM, one direction at a time\ntried on classification alone",
    ),
    (
        "ELMo\nFeb 2018",
        "vectors in context, from all layers\nany task's network can take them in",
        "two readers who never meet\neach task still builds its own network",
    ),
    (
        "GPT\nJune 2018",
        "blocks in place of LSTMs\none network for twelve datasets",
        "looks back only\n512 tokens",
    ),
    (
        "BERT\nOct 2018",
        "both sides in every layer\none linear layer for each task",
        "learns from 15 % of the words\nwrites no text; 512 tokens; costly",
    ),
)


def fixed_and_open(title: str) -> Picture:
    """What each of the four models of 2018 fixed, and what it left open."""
    figure = blank(8.2, 4.6, title)
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(0, 10)
    axes.set_ylim(-0.6, len(STEPS) + 0.5)
    for x, head in ((1.0, ""), (3.9, "fixed"), (8.0, "left open")):
        axes.text(x, len(STEPS) + 0.1, head, ha="center", weight="bold", fontsize=10)
    said = []
    for row, (name, fixed, left) in enumerate(STEPS):
        y = len(STEPS) - 1 - row + 0.4
        axes.text(0.9, y, name, ha="center", va="center", weight="bold", fontsize=9)
        for x, text, tint, dash in ((3.9, fixed, TINTS[2], "-"), (8.0, left, TINTS[1], "--")):
            axes.text(
                x,
                y,
                text,
                ha="center",
                va="center",
                fontsize=8.5,
                bbox={
                    "boxstyle": "round,pad=0.4",
                    "facecolor": tint,
                    "edgecolor": GREY,
                    "linestyle": dash,
                },
            )
        words = [" ".join(name.split()), "; ".join(fixed.split("\n")), "; ".join(left.split("\n"))]
        said.append(f"{words[0]}: fixed {words[1]}. Left open: {words[2]}.")
    return Picture(figure, f"Table, {title}. {' '.join(said)}")
