"""What is stored of lesson 11's measurements, as figures and as lines to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import numpy as np
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from course.figures import plots
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.intervals import (
    TWO_INTERVALS,
    UNCLEAR,
    interval,
    lead,
    lead_twice,
    verdict_twice,
)
from course.results.stored import stored_result
from course.ulmfit.figures import label_dots
from elmo_mini.models.ulmfit import as_printed
from elmo_mini.ulmfit.long_texts import Reader

TASKS = ("questions", "opinions")
WHOLE = "the whole recipe"
PIPELINE = "stages 1, 2 and 3"
SCRATCH = "from scratch"
PLAIN = "plain, at a rate of its own"
RIVALS = ("bag of words", "naive Bayes SVM", "ELMo features")
LEFT_OUT = {
    "without stage 2": "stage 2",
    "no gradual unfreezing": "gradual\nunfreezing",
    "one rate for all layers": "discriminative\nrates",
    "a constant rate": "slanted\ntriangle",
    "none of the three": "the last three\ntogether",
}


def tasks_of(name: str) -> dict[str, Any]:
    """The tasks of a stored result, such as ``labels``."""
    found: dict[str, Any] = stored_result(f"ulmfit_{name}").numbers["tasks"]
    return found


def parts_figure(title: str) -> Picture:
    """What each part is worth: the whole recipe less the one without it, draw by draw."""
    rows = {
        task: [of["lead of the whole recipe"][variant] for variant in LEFT_OUT]
        for task, of in tasks_of("parts").items()
    }
    return interval_bars(
        list(LEFT_OUT.values()), rows, title=title, ylabel="points lost without it"
    )


def print_leads_by_part() -> None:
    """Where the whole recipe is clearly ahead of a variant, and its largest lead of all."""
    print(TWO_INTERVALS)
    for task, of in tasks_of("parts").items():
        leads = of["lead of the whole recipe"]
        clear = {name: p for name, p in leads.items() if verdict_twice(p) != UNCLEAR}
        print(f"{task}, {of['draws']} draws: {len(leads) - len(clear)} of {len(leads)} not clear")
        print(
            f"   (not in the figure: {', '.join(name for name in leads if name not in LEFT_OUT)})"
        )
        largest = max(leads, key=lambda variant: abs(leads[variant]["mean"]))
        for variant, point in ({largest: leads[largest]} | clear).items():
            print(f"   the whole recipe less {variant}: {lead_twice(point)}")


def forgetting_figure(title: str) -> Picture:
    """The perplexity of general text in stage 3, with the recipe and without its tricks.

    A line is the median of the draws; its shade is all of them.
    """
    curves = tasks_of("parts")["questions"]["forgetting"]
    draws = {way: np.array([epoch["values"] for epoch in row]) for way, row in curves.items()}
    return plots.curves(
        np.arange(len(curves[WHOLE])),
        {way: np.median(values, 1) for way, values in draws.items()},
        bands={way: (values.min(1), values.max(1)) for way, values in draws.items()},
        title=title,
        xlabel="epochs of stage 3",
        ylabel="perplexity of general text",
        log_y=True,
    )


def print_forgetting() -> None:
    """The perplexity of general text after each stage, and by variant of stage 3, of all draws."""
    tasks = tasks_of("parts")
    columns = [_forgetting_of(of) for of in tasks.values()]
    print("Perplexity of general text (news), each task with a vocabulary of its own:")
    print("the mean, and (the lowest and highest draw).")
    draws = [f"{name}, {of['draws']} draws" for name, of in tasks.items()]
    for row, *cells in [("", *draws), *((row, *[c[row] for c in columns]) for row in columns[0])]:
        print(f"{row:<46}" + "".join(f"{cell:<24}" for cell in cells).rstrip())


def _forgetting_of(of: dict[str, Any]) -> dict[str, str]:
    """One task's column, by the name of the row."""
    after = dict(of["perplexity of general text"])
    first, second = after.pop("after stage 1"), of["forgetting"][WHOLE][0]["mean"]
    column = {"after stage 1": f"{first:.0f}", "after stage 2": f"{second:.0f}"}
    for variant, point in after.items():
        low, high = (f"{end(point['values']):,.0f}" for end in (min, max))
        column[f"after stage 3, {variant}"] = f"{point['mean']:,.0f} ({low} to {high})"
    return column


def print_both_ways() -> None:
    """How often each direction is right, and what their mean is ahead of."""
    stored = stored_result("ulmfit_both_ways").numbers
    for way, point in stored["right"].items():
        print(f"{way:<22} {point['mean']:.1%}")
    print(TWO_INTERVALS)
    for way, point in stored["lead of both ways"].items():
        print(f"{len(point['values'])} draws, both ways less {way:<14} {lead_twice(point)}")


def labels_of(task: str) -> dict[str, Any]:
    """The stored numbers of one task, from 50 labels to all."""
    return stored_result(f"ulmfit_labels_{task}").numbers


def labels_figure(title: str) -> Picture:
    """Every way to learn, from 50 labels to all, on both tasks."""
    return label_dots({task: labels_of(task) for task in TASKS}, title=title)


def print_leads_by_labels() -> None:
    """Where the whole pipeline is ahead of or behind another way, by at least one interval.

    From scratch is always there. Below, the same for plain fine-tuning, whose answers text by text
    are not stored.
    """
    print(TWO_INTERVALS)
    for task in TASKS:
        stored, others = labels_of(task), 0
        print(f"{task}: stages 1, 2 and 3 less ...")
        for way, points in stored["lead of stages 1, 2 and 3"].items():
            for count, point in zip(stored["labels"], points, strict=True):
                if way != SCRATCH and verdict_twice(point) == UNCLEAR:
                    others += 1
                else:
                    draws = len(point["values"])
                    print(f"   {way}, {count:,} labels, {draws} draws: {lead_twice(point)}")
        print(f"   {others} other comparisons: {UNCLEAR}")
    for task in TASKS:
        leads = leads_of_plain(task)
        clear = {which: said for which, said in leads.items() if not said.endswith(UNCLEAR)}
        print(f"{task}: plain less {', '.join((*RIVALS, SCRATCH))}, over the draws alone")
        for which, said in clear.items():
            print(f"   {which}: {said}")
        print(f"   {len(leads) - len(clear)} other comparisons: {UNCLEAR}")


def leads_of_plain(task: str) -> dict[str, str]:
    """How far plain fine-tuning is ahead of its rivals, over the draws alone, in words."""
    stored = labels_of(task)
    right, counts = stored["right"], stored["labels"]
    return {
        f"{way}, {count:,} labels": str(
            lead(interval(np.subtract(plain["values"], other["values"])))
        )
        for way in (*RIVALS, SCRATCH)
        for count, plain, other in zip(counts, right[PLAIN], right[way], strict=True)
    }


def print_longer() -> None:
    """All labels and three times the epochs: the recipe, plain fine-tuning, and counting."""
    for task in TASKS:
        stored = stored_result(f"ulmfit_longer_{task}")
        print(stored)
        of = stored.numbers
        right = {way: f"{100 * point['mean']:.1f}" for way, point in of["right"].items()}
        print(f"{task}, {of['labels']:,} labels, {of['epochs']} epochs,", end=" ")
        print(f"{of['draws']} draws, percent right:")
        print("   " + ", ".join(f"{way} {share}" for way, share in right.items()))
        for way, point in of["gained"].items():
            print(f"   gained by {way}: {lead_twice(point)}")
        for way, point in of["lead of stages 1, 2 and 3"].items():
            print(f"   the recipe, compared with {way}: {lead_twice(point)}")
    print(TWO_INTERVALS)


def print_who_catches_up() -> None:
    """What the whole pipeline reaches with 100 labels, and what others do with more of them."""
    stored = labels_of("questions")
    at, right = stored["labels"].index(100), stored["right"]
    print(f"stages 1, 2 and 3 with 100 labels: {right[PIPELINE][at]['mean']:.0%} right")
    for way in ("naive Bayes SVM", SCRATCH, PIPELINE):
        means = zip(stored["labels"], right[way], strict=True)
        print(f"{way:<18}", ", ".join(f"{count:,}: {p['mean']:.0%}" for count, p in means))


def broken_curves() -> Picture:
    """The perplexity of general text in the broken runs and the sound one."""
    runs = stored_result("ulmfit_broken").numbers["runs"]
    curves = {name: run["perplexity of general text"] for name, run in runs.items()}
    return plots.curves(
        np.arange(len(curves["sound"])),
        curves,
        title="Four runs: the perplexity of general text",
        xlabel="epochs of stage 3",
        ylabel="perplexity",
        log_y=True,
    )


def print_broken_runs() -> None:
    """What else is seen of the broken runs and of the sound one."""
    stored = stored_result("ulmfit_broken").numbers
    for name, run in stored["runs"].items():
        text, right = run["perplexity of the task's text"], run["right"]
        layers = zip(stored["layers"], run["moved"], strict=True)
        print(f"{name}")
        print("   moved by", ", ".join(f"{layer} {100 * by:.1f} %" for layer, by in layers))
        print(f"   perplexity of the texts of dev {text['dev']:.1f}, of test {text['test']:.1f}")
        print(f"   right on dev {right['dev']:.1%}, on test {right['test']:.1%}")


@dataclass(eq=False)
class _Kept:
    """A tensor that autograd keeps; gone as soon as autograd lets go of it."""

    tensor: Tensor


def kept_megabytes(read: Reader, ids: Tensor, reading: Any, chunk: int, keep: int) -> float:
    """What autograd keeps when a text has been read, in megabytes.

    Parameters
    ----------
    reading : `read_in_chunks`, or what does the same
    """
    kept: WeakSet[_Kept] = WeakSet()

    def note(tensor: Tensor) -> _Kept:
        noted = _Kept(tensor.detach())  # not the way back to itself
        kept.add(noted)
        return noted

    with saved_tensors_hooks(note, lambda noted: noted.tensor):
        states = reading(read, ids, chunk, keep)
    storages = [one.tensor.untyped_storage() for one in kept]
    del states  # until here: with it goes what autograd keeps
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values()) / 1e6


def memory_figure(read: Reader, ids: Tensor, reading: Any) -> Picture:
    """What autograd keeps of longer and longer texts, read at once and in chunks."""
    lengths = [length for length in (100, 200, 400, 800, 1600) if length <= ids.shape[1]]

    def kept(chunk: int) -> list[float]:
        return [kept_megabytes(read, ids[:, :n], reading, chunk, 2) for n in lengths]

    return plots.curves(
        np.array(lengths),
        {"at once": kept(ids.shape[1]), "in chunks of 70, gradients in two": kept(70)},
        title="In chunks, the memory for gradients stops growing",
        xlabel="tokens of the text",
        ylabel="megabytes",
    )


def printed_figure(title: str, runs: Sequence[int]) -> Picture:
    """The schedule as the paper prints it, for runs of so many steps."""
    return plots.curves(
        {f"{steps} steps": np.arange(steps) / steps for steps in runs},
        {f"{steps} steps": [as_printed(s, steps) for s in range(steps)] for steps in runs},
        title=title,
        xlabel="share of the run",
        ylabel="rate / highest rate",
    )
