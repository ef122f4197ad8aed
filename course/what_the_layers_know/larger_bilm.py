"""``python -m course.what_the_layers_know.larger_bilm --model FILE``: probes of a larger biLM.

The questions of `course.what_the_layers_know.experiments`, put to the course's biLM and to another
one, in the same run and on the same words, so that the difference has an interval. The interval
comes from drawing sentences and examples anew. That another training run would have given another
network is not in it: there is one network of each size.
"""

import re
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from course.baselines.untrained import untrained_like
from course.command import Prepared, Result, run_experiments
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.intervals import lead
from course.results.stored import stored_result
from course.what_the_layers_know.experiments import PROBES, differences
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT, load_pretrained, read_record
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.probe import probe
from elmo_mini.probing.report import stored_points
from elmo_mini.probing.tasks import load_task

BASELINES = ("majority", "majority of the form")


def compare(name: str, course: FastBiLM, larger: FastBiLM) -> tuple[str, Result]:
    """Both biLMs, and one of the larger's sizes that has read nothing, on one task of `PROBES`."""
    task = load_task(name)
    who = {"course": course, "larger": larger, "larger, untrained": untrained_like(larger)}
    reports = {called: probe(bilm, task, **PROBES[name]) for called, bilm in who.items()}
    first = reports["course"]
    rows = [
        replace(row, name=f"{called}, {row.name}")
        for called, report in reports.items()
        for row in report.scores
        if row.name not in BASELINES
    ]
    both = replace(first, scores=(*(first[name] for name in BASELINES), *rows))
    layers = range(min(course.num_layers, larger.num_layers))
    one_up = layers[1:-1]
    pairs = chain(
        ((f"larger, layer {k}", f"course, layer {k}") for k in layers),
        ((f"larger, layer {k}", f"larger, untrained, layer {k}") for k in layers),
        (
            (f"{of}, layer {k + 1}", f"{of}, layer {k}")
            for of in ("course", "larger")
            for k in one_up
        ),
    )
    return f"two sizes of biLM: {both.title}", both.as_dict() | {
        "differences": differences(both, *pairs)
    }


def card(path: Path) -> Result:
    """What a file of `save_pretrained` says of the biLM in it, and how it was trained."""
    record = read_record(path)
    return {
        "cells": record["options"]["lstm"]["dim"],
        "weights": record["weights"],
        "steps": record["step"],
        "words_read": record["tokens_read"],
        "validation_perplexity": record["validation"]["both"],
        "pretrained_with": re.sub(r"--output \S+", "--output FOLDER", record["command"]),
    }


def draw_sizes(title: str) -> Picture:
    """Senses by layer in both sizes, trained and not, as stored."""
    small, large = (stored_result(f"{of}_senseval").numbers["rows"] for of in ("layers", "larger"))
    kinds = {
        "448 cells, not trained": (small, "layer {}, untrained"),
        "1,024 cells, not trained": (large, "larger, untrained, layer {}"),
        "448 cells": (large, "course, layer {}"),
        "1,024 cells": (large, "larger, layer {}"),
    }
    rows = {n: stored_points(of, map(row.format, (1, 2))) for n, (of, row) in kinds.items()}
    level = ("the form's commonest sense", 100 * large["majority of the form"]["accuracy"])
    names = ["layer 1", "layer 2"]
    return interval_bars(names, rows, title=title, ylabel="right, percent", level=level)


def print_sizes() -> None:
    """What the larger one gains, for each task and layer, as stored."""
    print("1,024 cells minus 448 cells, in points, with the 95 % interval:")
    asked = {"senseval": "senses, senseval", "senses": "senses, ours", "pos": "parts of speech"}
    for task, what in asked.items():
        gains = stored_result(f"larger_{task}").numbers["differences"]
        for j in (1, 2):
            print(f"  {what}, layer {j}:", lead(gains[f"larger, layer {j} less course, layer {j}"]))
    small, large = (stored_result(f"{of}_senseval").numbers["rows"] for of in ("layers", "larger"))
    print("Senses, senseval, not trained, 448 cells and 1,024 cells (right, percent):")
    for j in (1, 2):
        both = small[f"layer {j}, untrained"], large[f"larger, untrained, layer {j}"]
        print(f"  layer {j}:", " and ".join(f"{100 * row['accuracy']:.1f}" for row in both))


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {
    name: partial(compare, name) for name in PROBES
}


def _prepare(args: Namespace) -> Prepared:
    files = {"course": COURSE_CHECKPOINT, "larger": args.bilm}
    bilms = tuple(load_pretrained(path) for path in files.values())
    return bilms, {"bilms": {called: card(path) for called, path in files.items()}}


def main(argv: Sequence[str] | None = None) -> int:
    """Compare on the named tasks, or on all, and store each."""
    return run_experiments(
        "what_the_layers_know.larger_bilm",
        "larger_",
        __doc__,
        EXPERIMENTS,
        _prepare,
        argv,
        bilm="--model",
        another_bilm=True,
        all_by_default=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
