"""What lesson 14 measures, as figures and as lines to read."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from course.figures import plots
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.accuracy import share_right
from course.results.intervals import TWO_INTERVALS, lead, lead_twice
from course.texts.labelled_tasks import Labelled
from course.why_bert.broken_bodies import STEPS, WINDOW, Symptoms
from course.why_bert.fine_tuning_setup import (
    CONTROLS,
    ENLARGED,
    NORMAL,
    WITHOUT_MARK,
    Correct,
    FineTuningSetup,
    Scramble,
    Tune,
    baselines,
)
from course.why_bert.scrambling import scrambled
from elmo_mini.models.fine_tuning import Classifier
from elmo_mini.models.fine_tuning import tune as course_tune
from elmo_mini.progress import progress_bar

LENGTHS = (10, 20, 40, 80)
EQUAL = 0.05  # a training loss that all kinds pass through
LABELS = 50


def fine_tuned_accuracies(
    setup: FineTuningSetup,
    ways: Mapping[str, Mapping[str, Any]],
    seeds: Sequence[int],
    *,
    tune: Tune = course_tune,
    scramble: Scramble = scrambled,
) -> dict[str, list[Correct]]:
    """Train on 50 labels in each way, once for each draw; which answers for the test are right.

    Parameters
    ----------
    ways : of each, ``kind`` of weights, or ``kept``, how far up they stay pretrained (by default
        all is pretrained), and whatever `FineTuningSetup.tuned` takes
    tune, scramble : the loop, and what scrambles, the learner's or the course's
    """
    found: dict[str, list[Correct]] = {name: [] for name in ways}
    with progress_bar(total=len(ways) * len(seeds)) as bar:
        for seed in seeds:
            train = setup.task.train.drawn(LABELS, seed)
            for name, way in ways.items():
                how = dict(way)
                kind, kept = how.pop("kind", "pretrained"), how.pop("kept", None)
                weights = (
                    setup.weights(kind, seed, scramble) if kept is None else setup.mixed(kept, seed)
                )
                model = setup.tuned(weights, train, seed, tune=tune, **how)
                found[name].append(setup.correct(model, setup.task.test))
                bar.update()
    return found


def share_bars(runs: Mapping[str, Sequence[Correct]], title: str) -> Picture:
    """Right answers of each, with intervals over draws and texts."""
    shares = accuracy_by(runs)
    return interval_bars(
        [name.replace(" and ", "\nand ") for name in shares],
        {"right answers": list(shares.values())},
        title=title,
        ylabel="right answers (%)",
    )


def first_figure(
    setup: FineTuningSetup, runs: Mapping[str, Classifier], train: Labelled
) -> Picture:
    """Trained networks and the sceptics that learn from the same labels, on the test."""
    test = setup.task.test
    correct = baselines(train, test)
    correct["last word's\nvector"] = setup.by_last_vector(train, test)
    correct |= {name: setup.correct(model, test) for name, model in runs.items()}
    commonest = np.bincount(test.labels).max() / len(test.labels)
    return plots.bars(
        [name.replace(" and ", "\nand ") for name in correct],
        {"right answers": [100 * share.mean() for share in correct.values()]},
        title="Pretrained beats fresh and counts; one of its vectors does as well (one draw)",
        ylabel=f"right answers on {len(test.texts)} texts (%)",
        level=("commonest class", 100 * commonest),
    )


def broken_figure(runs: Mapping[str, Symptoms]) -> Picture:
    """The training loss of the four runs."""
    return plots.curves(
        WINDOW * np.arange(1, 1 + STEPS // WINDOW),
        {name: run.losses for name, run in runs.items()},
        title="The training loss of the four runs",
        xlabel="steps",
        ylabel=f"loss of {WINDOW} batches (nats)",
    )


def tasks_hurt(correct: Mapping[str, Mapping[str, Any]]) -> str:
    """Print what each reading brought each task; which tasks shuffling hurts, in a word.

    A task is hurt where both intervals say so. Questions without their mark are a control.
    """
    print(TWO_INTERVALS)
    hurt = []
    for task, rows in correct.items():
        print(f"{task}:")
        for name, point in rows.items():
            if " less " in name:
                print(f"   {name}: {lead_twice(point)}")
        ahead = lead_twice(rows["speeches less shuffled"]).endswith(": ahead")
        hurt += [task] * (ahead and task != WITHOUT_MARK)
    return "both" if len(hurt) == 2 else hurt[0] if hurt else "neither"


def accuracy_by(runs: Mapping[str, Sequence[Correct]]) -> dict[str, dict[str, Any]]:
    """Share of right answers of each, with its interval over draws and texts."""
    return {name: share_right(np.stack(draws)) for name, draws in runs.items()}


def saved_labels(
    correct: Mapping[str, Mapping[str, Mapping[str, float]]], labels_needed: Any
) -> dict[str, float]:
    """Labels that each needs for what the pretrained network does with the fewest."""
    level = next(iter(correct["pretrained"].values()))["mean"]
    return {
        name: labels_needed([int(n) for n in points], [p["mean"] for p in points.values()], level)
        for name, points in correct.items()
    }


def print_scales(setup: FineTuningSetup, runs: Mapping[str, Sequence[Correct]]) -> None:
    """What scrambling costs, what it leaves, and how large the word vectors of each kind are."""
    pairs = (
        ("pretrained", "scrambled"),
        ("scrambled", "fresh"),
        (ENLARGED, "fresh"),
        *(("scrambled", control) for control in CONTROLS),
    )
    for one, other in pairs:
        print(f"{one} less {other}: {difference_of(runs, one, other)}")
    for kind in ("pretrained", NORMAL, ENLARGED, "fresh"):
        spread = float(setup.weights(kind, 0)["word.weight"].std())
        print(f"spread of the word vectors, {kind}: {spread:.2f}")


def print_needed(needed: Mapping[str, float], stored: Mapping[str, Any]) -> None:
    """Labels that each needs for what the pretrained network does with 50, and intervals.

    Below them, how much of the lead over fresh weights scrambled ones keep with so few labels.
    """
    ends = stored["labels for what the pretrained network does with the fewest"]
    for name, number in needed.items():
        between = ""
        if name in ends and np.isfinite(number):
            between = f" ({ends[name]['low']:,.0f} to {ends[name]['high']:,.0f})"
        print(f"{name:>22}: {number:,.0f} labels{between}")
    few = {name: points[str(LABELS)]["mean"] for name, points in stored["right"].items()}
    kept = (few["scrambled"] - few["fresh"]) / (few["pretrained"] - few["fresh"])
    print(f"With {LABELS} labels scrambled weights keep {kept:.0%} of the lead over fresh ones.")


def print_longer(
    setup: FineTuningSetup, count: int, lengths: tuple[int, int], seeds: Sequence[int]
) -> None:
    """What more steps bring the fresh network, with so many labels."""
    runs: dict[str, list[Correct]] = {f"{steps} steps": [] for steps in lengths}
    with progress_bar(total=len(lengths) * len(seeds)) as bar:
        for seed in seeds:
            train = setup.task.train.drawn(count, seed)
            for steps, correct in zip(lengths, runs.values(), strict=True):
                model = setup.tuned(setup.fresh(seed), train, seed, steps=steps)
                correct.append(setup.correct(model, setup.task.test))
                bar.update()
    less, more = runs
    print(f"fresh, {count} labels, {more} less {less}: {difference_of(runs, more, less)}")


def print_of_all(
    correct: Mapping[str, Mapping[str, Mapping[str, float]]],
    names: Sequence[str],
    counts: Sequence[str],
) -> None:
    """Right answers with some of the labels, in percent of those with all."""
    for name in names:
        *_, most = correct[name]
        for count in counts:
            share = correct[name][count]["mean"] / correct[name][most]["mean"]
            labels = int(count) / int(most)
            print(f"{name}: {labels:.0%} of the labels, {share:.0%} of what it has with all")


def points_ahead(runs: Mapping[str, Sequence[Correct]], one: str, other: str) -> float:
    """Print how far one is ahead of another, with the interval; give the points."""
    print(f"{one} less {other}: {difference_of(runs, one, other)}")
    return 100 * float(np.mean(np.stack(runs[one]) - np.stack(runs[other])))


def leash_figure(steps: Mapping[str, Mapping[str, Any]], *, title: str) -> Picture:
    """How far each pull is ahead of none, by its strength, for each length of training."""
    rows = {
        f"{where}, {count} steps": {
            name.removeprefix(f"{where}, "): point
            for name, point in found["lead over no pull"].items()
            if name.startswith(where)
        }
        for where in ("to the start", "to 0")
        for count, found in steps.items()
    }
    return interval_bars(
        [f"λ = {strength}" for strength in next(iter(rows.values()))],
        {name: list(points.values()) for name, points in rows.items()},
        title=title,
        ylabel="points ahead of no pull",
    )


def print_leash(steps: Mapping[str, Mapping[str, Any]]) -> None:
    """The same in words, with both intervals."""
    print(TWO_INTERVALS)
    for count, found in steps.items():
        print(f"{count} steps; no pull: {100 * found['right']['no pull']['mean']:.1f} % right")
        for name, point in found["lead over no pull"].items():
            print(f"   {name}, less none: {lead_twice(point)}")


def difference_of(runs: Mapping[str, Sequence[Correct]], one: str, other: str) -> str:
    """How many points one is ahead of another, draw by draw and text by text, in words."""
    return lead(share_right(np.stack(runs[one]) - np.stack(runs[other])))


def losses_by_length(
    setup: FineTuningSetup, kinds: Sequence[str], seeds: Sequence[int]
) -> dict[str, list[tuple[float, float]]]:
    """For each kind of weights, the losses of its 50 labels and of dev, a pair for each run."""
    found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    with progress_bar(total=len(kinds) * len(seeds) * len(LENGTHS)) as bar:
        for kind in kinds:
            for seed in seeds:
                train = setup.task.train.drawn(LABELS, seed)
                for steps in LENGTHS:
                    model = setup.tuned(setup.weights(kind, seed), train, seed, steps=steps)
                    pair = setup.loss(model, train), setup.loss(model, setup.task.dev)
                    found[kind].append(pair)
                    bar.update()
    return found


def held_out_at(equal: float, draws: np.ndarray) -> list[float]:
    """Held-out loss at one training loss, on each draw's line, straight over its logarithm.

    Parameters
    ----------
    draws : (draws, lengths, 2) training loss, falling, and held-out loss
    """
    return [float(np.interp(-np.log(equal), -np.log(line[:, 0]), line[:, 1])) for line in draws]


def trained_and_held_out(
    setup: FineTuningSetup, kinds: Sequence[str], seeds: Sequence[int], *, title: str
) -> Picture:
    """Held-out loss over training loss, for runs of several lengths.

    Printed, draw by draw: the held-out loss where each kind's own line has one training loss.
    """
    found = losses_by_length(setup, kinds, seeds)
    print(f"where the loss of the {LABELS} labels is {EQUAL}, loss of 200 other texts, by draw:")
    for kind, pairs in found.items():
        held = held_out_at(EQUAL, np.array(pairs).reshape(len(seeds), len(LENGTHS), 2))
        print(f"{kind:>12}: {', '.join(f'{loss:.2f}' for loss in held)}")
    lines: dict[str, np.ndarray] = {}
    across: dict[str, np.ndarray] = {}
    for kind, pairs in found.items():
        mean = np.array(pairs).reshape(len(seeds), len(LENGTHS), 2).mean(0)
        across[kind], lines[kind] = mean[:, 0], mean[:, 1]
    return plots.curves(
        across,
        lines,
        title=title,
        xlabel=f"loss of the {LABELS} labels (nats), mean of {len(seeds)} draws",
        ylabel="loss of 200 other texts (nats)",
        log_x=True,
    )


def label_curves(
    correct: Mapping[str, Mapping[str, Mapping[str, float]]], *, title: str
) -> Picture:
    """Right answers by the number of labels, with intervals."""
    rows = {
        name: {end: 100 * np.array([p[end] for p in points.values()]) for end in _ENDS}
        for name, points in correct.items()
    }
    return plots.curves(
        [int(count) for count in next(iter(correct.values()))],
        {name: row["mean"] for name, row in rows.items()},
        bands={name: (row["low"], row["high"]) for name, row in rows.items()},
        title=title,
        xlabel="labels",
        ylabel="right answers (%)",
        log_x=True,
    )


def knowledge_figure(correct: Mapping[str, Mapping[str, Any]], *, title: str) -> Picture:
    """Two tasks and a control, by what the weights have read."""
    names = [name for name in next(iter(correct.values())) if " less " not in name]
    return interval_bars(
        [name.replace(", ", ",\n").replace(" ", "\n", 1) for name in names],
        {task: [rows[name] for name in names] for task, rows in correct.items()},
        title=title,
        ylabel="right answers (%)",
    )


_ENDS = ("mean", "low", "high")
