"""``python -m elmo_mini.experiments.ulmfit NAME ...``: the full-size measurements of lesson 11.

Kinds of questions (TREC-6) and opinions on films (sentence polarity), from few labels. What is
stored are shares of the test texts that are right, with 95 % intervals over draws and texts.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from elmo_mini.experiments.broken_tunings import broken_runs
from elmo_mini.experiments.command import Prepared, Result, run_experiments
from elmo_mini.experiments.ulmfit_bench import (
    GENERAL_SENTENCES,
    Bench,
    benches,
    checkpoints,
    schedule_for,
)
from elmo_mini.results.intervals import interval
from elmo_mini.ulmfit.classifier import TextClassifier
from elmo_mini.ulmfit.recipe import Stage3, stage_3
from elmo_mini.ulmfit.report import Right, share_right

COUNTS = (50, 100, 500)
DRAWS = {50: 5, 100: 5, 500: 3}
"""At most so many draws of so many labels; of all labels there is one."""
LARGEST = 5_000
"""Of a task with more labels than this, not all are learnt: a network would take too long."""
LABELS = 100
FEWER = 3
"""Draws for the curve of forgetting."""
WHOLE = "the whole recipe"
PARTS: dict[str, Stage3] = {
    WHOLE: Stage3(),
    "no gradual unfreezing": Stage3(waking="all at once"),
    "one rate for all layers": Stage3(factor=1.0),
    "a constant rate": Stage3(slanted=False),
    "none of the three": Stage3(waking="all at once", factor=1.0, slanted=False),
    "the head alone": Stage3(waking="top alone"),
    "chain-thaw": Stage3(waking="chain-thaw"),
}
NETWORKS = ("from scratch", "stages 1 and 3", "stages 1, 2 and 3")


def labels(tasks: dict[str, Bench], seeds: Sequence[int]) -> tuple[str, Result]:
    """Every way to learn from 50, 100, 500 and all labels."""
    found: Result = {"labels": [*map(str, COUNTS), "all"], "tasks": {}}
    for name, bench in tasks.items():
        every = len(bench.task.train.texts)
        rows: dict[str, list[Right]] = {}
        for count in (*COUNTS, *([every] if every <= LARGEST else [])):
            draws = seeds[: DRAWS.get(count, 1)]
            for way, right in _every_way(bench, count, draws).items():
                rows.setdefault(way, []).append(right)
                share = right.mean()
                print(f"{name}, {count} labels, {way}: {share:.3f}", flush=True)
        found["tasks"][name] = {
            "what": bench.task.what,
            "all": every,
            "test": len(bench.task.test.texts),
            "right": {way: list(map(share_right, rights)) for way, rights in rows.items()},
            "lead of stages 1, 2 and 3": {
                way: [
                    share_right(ours - theirs)
                    for ours, theirs in zip(rows[NETWORKS[2]], rights, strict=True)
                ]
                for way, rights in rows.items()
                if way != NETWORKS[2]
            },
        }
    return "Few labels: ULMFiT, its stages left out, and what a sceptic tries first", found


def _every_way(bench: Bench, count: int, draws: Sequence[int]) -> dict[str, Right]:
    known = [bench.task.train.drawn(count, seed) for seed in draws]
    how = schedule_for(count)
    return {
        "bag of words": bench.right([bench.by_bag_of_words(k) for k in known]),
        "naive Bayes SVM": bench.right([bench.by_naive_bayes_svm(k) for k in known]),
        "static vectors": bench.right([bench.by_static_vectors(k) for k in known]),
        "ELMo features": bench.right([bench.by_elmo(k) for k in known]),
        NETWORKS[0]: bench.right([bench.from_scratch(count, how, seed) for seed in draws]),
        NETWORKS[1]: bench.right([bench.trained(count, how, s, read=False)[1] for s in draws]),
        NETWORKS[2]: bench.right([bench.trained(count, how, s, read=True)[1] for s in draws]),
    }


def parts(tasks: dict[str, Bench], seeds: Sequence[int]) -> tuple[str, Result]:
    """A hundred labels: each part of the recipe left out, both directions, and what is forgotten."""
    found: Result = {"labels": LABELS, "tasks": {}}
    for name, bench in tasks.items():
        rights: dict[str, Right] = {}
        general: Result = {"after stage 1": bench.general_perplexity(bench.reader(read=False))}
        general["after stage 2"] = bench.general_perplexity(bench.reader(read=True))
        chances = {}
        for variant, how in PARTS.items():
            runs = [bench.trained(LABELS, how, seed, read=True) for seed in seeds]
            chances[variant] = [said for _, said in runs]
            rights[variant] = bench.right(chances[variant])
            general[variant] = interval([bench.general_perplexity(m.reader) for m, _ in runs])
            print(name, variant, rights[variant].mean(), general[variant]["mean"], flush=True)
        without = [bench.trained(LABELS, Stage3(), s, read=False)[1] for s in seeds]
        back = [
            bench.trained(LABELS, Stage3(), s, read=True, direction="backward")[1] for s in seeds
        ]
        both = [ours + theirs for ours, theirs in zip(chances[WHOLE], back, strict=True)]
        rights["without stage 2"] = bench.right(without)
        rights["backward"] = bench.right(back)
        rights["forward and backward"] = bench.right(both)
        found["tasks"][name] = {
            "what": bench.task.what,
            "right": {variant: share_right(right) for variant, right in rights.items()},
            "lead of the whole recipe": {
                variant: share_right(rights[WHOLE] - right)
                for variant, right in rights.items()
                if variant != WHOLE
            },
            "perplexity of general text": general,
        }
    found["forgetting"] = {
        variant: forgetting(tasks["questions"], PARTS[variant], seeds[:FEWER])
        for variant in (WHOLE, "none of the three")
    }
    return "A hundred labels: which part of the recipe earns its place", found


def forgetting(bench: Bench, how: Stage3, seeds: Sequence[int]) -> list[Any]:
    """The perplexity of general text before stage 3 and after each of its epochs."""
    curves = []
    for seed in seeds:
        curve: list[float] = []

        def note(epoch: int, model: TextClassifier, curve: list[float] = curve) -> None:
            curve.append(bench.general_perplexity(model.reader))
            model.train()

        reader, known = bench.reader(read=True), bench.task.train.drawn(LABELS, seed)
        classes = len(bench.task.classes)
        stage_3(reader, bench.words[0], known, classes, how, seed, after_epoch=note)
        curves.append(curve)
    return [interval(values) for values in np.transpose(curves)]


def broken(tasks: dict[str, Bench], seeds: Sequence[int]) -> tuple[str, Result]:
    """Three broken runs and a sound one, with a hundred questions."""
    return "Three broken runs and a sound one", broken_runs(tasks["questions"], seeds[0])


EXPERIMENTS: dict[str, Callable[[dict[str, Bench], Sequence[int]], tuple[str, Result]]] = {
    "labels": labels,
    "parts": parts,
    "broken": broken,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    begun = time.process_time()
    status = run_experiments("ulmfit", __doc__, EXPERIMENTS, _prepare, argv, seeds=5)
    print(f"{(time.process_time() - begun) / 60:.1f} minutes of processor time")
    return status


def _prepare(args: argparse.Namespace) -> Prepared:
    return (benches(), args.seeds), {
        "intervals": "shares of the test: 95 %, bootstrap over draws and texts",
        "checkpoints": checkpoints(),
        "stage 3": {str(n): asdict(replace(schedule_for(n))) for n in (100, 500, 5000)},
        "general text": f"the first {GENERAL_SENTENCES} sentences of the Lee corpus",
        "threads": 1,
    }


if __name__ == "__main__":
    raise SystemExit(main())
