"""What is stored of lesson 11's measurements, as figures and as lines to read."""

from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import numpy as np
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from course.figures import plots
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.intervals import interval
from course.results.stored import stored_result
from course.ulmfit.figures import label_dots
from elmo_mini.ulmfit.long_texts import Reader

TASKS = ("questions", "opinions")
WHOLE = "the whole recipe"
PLAIN = "plain, at a rate of its own"
EM = "naive Bayes with EM"
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


def labels_of(task: str) -> dict[str, Any]:
    """The stored numbers of one task, from 50 labels to all."""
    return stored_result(f"ulmfit_labels_{task}").numbers


def em_of(task: str) -> dict[str, Any]:
    """The same for naive Bayes with EM, which reads the text of stage 2."""
    found: dict[str, Any] = tasks_of("em")[task]
    return found


def labels_figure(task: str, title: str) -> Picture:
    """Every way to learn a task, from 50 labels to all; EM stands behind the other counts."""
    of = labels_of(task)
    rows = list(of["right"].items())
    rows.insert(2, (EM, em_of(task)["right"]))
    return label_dots(of | {"right": dict(rows)}, title=title)


def em_less(task: str, way: str) -> dict[int, dict[str, Any]]:
    """EM less another way, by the number of labels: the interval is over the draws alone.

    Without the last number, all labels, of which every draw is the same.
    """
    em, theirs = em_of(task), labels_of(task)["right"][way]
    return {
        count: interval(np.subtract(one["values"], other["values"]))
        for count, one, other in zip(em["labels"][:-1], em["right"], theirs, strict=False)
    }


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
