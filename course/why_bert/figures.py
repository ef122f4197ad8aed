"""The figures of lesson 14, from runs that the lesson made and from stored ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course.figures import plots
from course.figures.interval_bars import interval_bars, interval_curves
from course.figures.picture import Picture
from course.results.accuracy import share_right
from course.results.lead import NamedLead, stored_lead

Runs = Mapping[str, Sequence[ArrayLike]]
"""Of each name, for each draw of labels, (N,) 1 where an answer is right."""
WINDOW = 10
COIN = "chance, ln 2"
WIDE = 12  # letters that no longer fit below a bar


def bars(runs: Runs, title: str) -> Picture:
    """Right answers of each, with 95 % intervals over draws and texts."""
    shares = [share_right(np.array([np.asarray(d, float) for d in row])) for row in runs.values()]
    return interval_bars(
        [_two_lines(name) for name in runs],
        {"right answers": shares},
        title=title,
        ylabel="right answers (%)",
    )


def _two_lines(name: str) -> str:
    if len(name) < WIDE:
        return name
    words = name.split(" ")
    half = (len(words) + 1) // 2
    return "\n".join(filter(None, (" ".join(words[:half]), " ".join(words[half:]))))


def label_curves(task: Mapping[str, Any], rows: Sequence[str], title: str) -> Picture:
    """Right answers by the number of labels, each with its band."""
    points = {name: list(task["right"][name].values()) for name in rows}
    counts = [int(count) for count in next(iter(task["right"].values()))]
    return interval_curves(
        counts, points, title=title, xlabel="labels", ylabel="right answers (%)", log_x=True
    )


def leads_by_labels(task: Mapping[str, Any], one: str, other: str) -> dict[int, NamedLead]:
    """A stored lead for each number of labels."""
    points = task["leads"][f"{one} less {other}"]
    return {int(count): stored_lead(point, one, other) for count, point in points.items()}


def knowledge_leads(stored: Mapping[str, Any], task: str) -> dict[str, NamedLead]:
    """Of one task: speeches in order against shuffled ones, and every reading against none."""
    rows = stored["right"][task]
    leads = [stored_lead(rows["speeches less shuffled"], "in order", "shuffled")]
    read = ("speeches", "speeches, words shuffled", "film reviews")
    leads += [stored_lead(rows[f"{name}, less nothing"], name, "nothing read") for name in read]
    return {lead.one: lead for lead in leads}


def knowledge_figure(stored: Mapping[str, Any], title: str) -> Picture:
    """Two tasks and a control, by what the weights have read."""
    right = stored["right"]
    names = [name for name in next(iter(right.values())) if " less " not in name]
    return interval_bars(
        [name.replace(", ", ",\n").replace(" ", "\n", 1) for name in names],
        {task: [rows[name] for name in names] for task, rows in right.items()},
        title=title,
        ylabel="right answers (%)",
    )


def held_out_at(equal: float, trained: ArrayLike, held_out: ArrayLike) -> float:
    """Held-out loss where the training loss is `equal`, straight over its logarithm.

    Parameters
    ----------
    trained : training losses, falling; `held_out` : the other loss at each
    """
    return float(np.interp(-np.log(equal), -np.log(np.asarray(trained)), np.asarray(held_out)))


def loss_lines(
    trained: Mapping[str, ArrayLike], held_out: Mapping[str, ArrayLike], equal: float
) -> Picture:
    """Validation loss over training loss; the title compares both where one loss is equal.

    A level line stands where a coin does that gives each of two labels one half.
    """
    new = {name: held_out_at(equal, trained[name], held_out[name]) for name in trained}
    said = ", ".join(f"{loss:.2f} ({name})" for name, loss in new.items())
    across = {name: np.asarray(losses) for name, losses in trained.items()}
    up = {name: np.asarray(losses) for name, losses in held_out.items()}
    ends = np.concatenate([*across.values()])
    return plots.curves(
        {**across, COIN: np.array([ends.max(), ends.min()])},
        {**up, COIN: np.full(2, np.log(2))},
        title=f"At a training loss of {equal} nats, the validation loss is {said}",
        xlabel="training loss (nats)",
        ylabel="validation loss (nats)",
        log_x=True,
    )


def by_labels(answers: Mapping[int, Runs], title: str) -> Picture:
    """Right answers of each name by the number of labels, with bands over draws and texts."""
    rows = {
        name: [
            share_right(np.array([np.asarray(d, float) for d in runs[name]]))
            for runs in answers.values()
        ]
        for name in next(iter(answers.values()))
    }
    return interval_curves(
        list(answers), rows, xlabel="labels", ylabel="right answers (%)", title=title, log_x=True
    )


def broken_figure(losses: Mapping[str, ArrayLike]) -> Picture:
    """The training loss of each run, means of ten batches."""
    means = {name: np.asarray(run).reshape(-1, WINDOW).mean(1) for name, run in losses.items()}
    steps = len(next(iter(means.values())))
    return plots.curves(
        WINDOW * np.arange(1, 1 + steps),
        means,
        title="The training loss of the four runs",
        xlabel="steps",
        ylabel=f"loss of {WINDOW} batches (nats)",
    )
