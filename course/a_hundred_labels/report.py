"""What lesson 15 shows: luck, learning curves with their leads, and three reports to be doubted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.a_hundred_labels.broken_reports import symptoms
from course.a_hundred_labels.experiments import ADDED, BAG, ELMO, EM, ITSELF_ADDED, TAUGHT
from course.figures.interval_bars import interval_bars, interval_curves
from course.figures.picture import Picture
from course.results.intervals import lead
from course.results.stored import stored_result
from course.texts.labelled_tasks import Task

CURVES, READERS = "hundred_labels_curves", "hundred_labels_taught"
EM_READS_ALL = "hundred_labels_em"
COMPARED = (EM, "SVD of the text", "ELMo, untrained", ELMO, "ULMFiT", "masked LM")
SHOWN = (BAG, ELMO, "ELMo, untrained", "ULMFiT")
FEW = 500


def print_task(task: Task, count: int = 4) -> None:
    """What is asked, and some texts with their classes."""
    parts = ", ".join(f"{part} {len(getattr(task, part).texts):,}" for part in ("train", "dev"))
    print(f"The task: {task.what}. Texts: {parts}; the hidden ones are locked away.")
    if len(task.dev.texts) < FEW:
        print("(These texts are few: intervals will be wide, and often nothing is sure.)")
    for text, label in list(zip(task.train.texts, task.train.labels, strict=True))[:count]:
        print(f"  {task.classes[label]:<9} {' '.join(text)}")


def shares(correct: Mapping[str, Mapping[int, NDArray[np.bool_]]]) -> None:
    """Print the mean share of each method, by the number of labels."""
    counts = list(next(iter(correct.values())))
    print(f"{'labels':<18}" + "".join(f"{count:>8}" for count in counts))
    for name, rows in correct.items():
        print(f"{name:<18}" + "".join(f"{100 * row.mean():8.1f}" for row in rows.values()))


def points(
    leads: Mapping[str, Sequence[tuple[float, float, float]]],
) -> dict[str, list[dict[str, float]]]:
    """Rows of (mean, low, high) as figures take them."""
    ends = ("mean", "low", "high")
    return {
        name: [dict(zip(ends, row, strict=True)) for row in rows] for name, rows in leads.items()
    }


def leads_figure(
    leads: Mapping[str, Sequence[tuple[float, float, float]]], counts: Sequence[int]
) -> Picture:
    """Leads over the bag of words, with their intervals.

    The title names the methods that are clearly ahead with the fewest labels.
    """
    clear = [f"{name} {100 * row[0][0]:+.0f}" for name, row in leads.items() if row[0][1] > 0]
    best = " and ".join(clear) + " points" if clear else "nothing"
    title = f"{counts[0]} labels: {best} clearly ahead of the bag of words"
    return interval_bars(
        [f"{count} labels" for count in counts],
        points(leads),
        title=title,
        ylabel="points ahead",
    )


def print_leads(
    leads: Mapping[str, Sequence[tuple[float, float, float]]], counts: Sequence[int]
) -> None:
    """The same in words."""
    width = max([18, *map(len, leads)])
    for name, rows in points(leads).items():
        for count, row in zip(counts, rows, strict=True):
            print(f"{name:<{width}}{count:>4} labels: {lead(row)}")


def tasks() -> dict[str, Any]:
    """The tasks of the stored curves."""
    found: dict[str, Any] = stored_result(CURVES).numbers["tasks"]
    return found


def curves_figure(task: str, title: str) -> Picture:
    """Shares of right answers by the number of labels, on one stored task."""
    rows = {name: tasks()[task]["methods"][name] for name in SHOWN} | {
        EM: em_on_all()[task]["labels"]
    }
    return interval_curves(
        {name: np.array([float(count) for count in row]) for name, row in rows.items()},
        {name: [point["right"] for point in row.values()] for name, row in rows.items()},
        title=title,
        xlabel="labels",
        ylabel="percent of the texts right",
        log_x=True,
    )


def taught() -> dict[str, Any]:
    """The tasks of the stored runs of EM and of co-training, each method by number of labels."""
    found = stored_result(READERS).numbers["tasks"]
    return {task: of["methods"] for task, of in found.items()}


def em_on_all() -> dict[str, Any]:
    """The tasks of the stored runs of EM that reads all of a task's text.

    Each has ``unlabelled``, the number of its texts, and what was measured by ``labels``.
    """
    found: dict[str, Any] = stored_result(EM_READS_ALL).numbers["tasks"]
    return found


def stored_leads_figure(title: str, count: int = 100) -> Picture:
    """With so many labels: how far methods are ahead of the bag of words, on all four tasks."""
    rows = {
        task: [
            (em_on_all()[task]["labels"] if name == EM else of["methods"][name])[str(count)]["lead"]
            for name in COMPARED
        ]
        for task, of in tasks().items()
    }
    labels = [
        name.replace(*((", ", ",\n") if "," in name else (" ", "\n", 1))) for name in COMPARED
    ]
    return interval_bars(labels, rows, title=title, ylabel="points ahead")


def elmo_against_em(counts: Sequence[int] = (25, 100)) -> None:
    """Print how far ELMo is ahead of counts with EM that read all of a task's text."""
    for task, of in em_on_all().items():
        print(f"{task}: EM reads {of['unlabelled']:,} texts without labels")
        for count in counts:
            point = of["labels"][str(count)]
            right = f"EM {point['right']['mean']:.0%} right"
            print(f"   {count:>3} labels: {right}; ELMo less EM: {lead(point['elmo'])}")


def clearly_taught(than: str = ELMO, ahead: bool = True) -> dict[str, list[str]]:
    """For each task, the numbers of labels with which co-training is clearly ahead or behind."""
    side = "ahead" if ahead else "behind"
    return {
        task: [count for count, point in of[than].items() if lead(point["taught"]).verdict == side]
        for task, of in taught().items()
    }


def taught_figure() -> Picture:
    """How far readers that teach each other are ahead of readers that each teach themselves."""
    rows = {task: of[ITSELF_ADDED] for task, of in taught().items()}
    ahead, behind = (
        [
            f"{task} ({', '.join(at)})"
            for task, at in clearly_taught(ITSELF_ADDED, side).items()
            if at
        ]
        for side in (True, False)
    )
    return interval_bars(
        [task.replace(" ", "\n", 1) for task in rows],
        {
            f"{count} labels": [of[count]["taught"] for of in rows.values()]
            for count in next(iter(rows.values()))
        },
        title=f"Teaching each other: clearly ahead on {'; '.join(ahead) or 'no task'}, "
        f"behind on {'; '.join(behind) or 'none'} (stored)",
        ylabel="points ahead of each taught by itself",
    )


def print_taught(task: str, others: Sequence[str] = (EM, ADDED)) -> None:
    """On one task: how far co-training is ahead of the others, and of EM that reads all texts."""
    of_all = em_on_all()[task]
    rows = {name: taught()[task][name] for name in others}
    rows[f"EM on {of_all['unlabelled']:,}"] = of_all["labels"]
    for name, row in rows.items():
        for count, point in row.items():
            print(f"{TAUGHT} less {name:<16}{count:>4} labels: {lead(point['taught'])}")


def catch_up(
    labels_needed: Callable[[Sequence[float], Sequence[float], float], float], labels: int = 25
) -> dict[str, float]:
    """Print and give, for each task, how many labels a bag needs for what ELMo does with so many.

    Where it never gets there, that is the largest number that was measured.
    """
    found = {}
    for task, of in tasks().items():
        rows = of["methods"]
        goal = rows[ELMO][str(labels)]["right"]["mean"]
        counts = [int(count) for count in rows[BAG]]
        means = [point["right"]["mean"] for point in rows[BAG].values()]
        number = labels_needed(counts, means, goal)
        found[task] = min(float(number), float(counts[-1]))
        below = max((count for count in counts if count < number), default=counts[0])
        above = min((count for count in counts if count >= number), default=counts[-1])
        print(
            f"{task}: ELMo's {100 * goal:.0f} % with {labels} labels take a bag of words "
            f"{number:.0f}, {number / labels:.1f} times as many (between {below} and {above})"
        )
    return found


def print_reports() -> None:
    """What each report says, and what a reader with the program can measure."""
    head = ("reported", "five draws", "fresh texts", "coin flips", "no double")
    print(f"{'':<7}{head[0]:>9}  {head[1]:^24}  {head[2]:>11}  {head[3]:>10}  {head[4]:>9}")
    for name, found in symptoms().items():
        draws = " ".join(f"{100 * share:4.0f}" for share in found.draws)
        print(
            f"{name:<7}{100 * found.reported:9.1f}  {draws:^24}  {100 * found.fresh:11.1f}  "
            f"{100 * found.coins:10.1f}  {100 * found.no_double:9.1f}"
        )
