"""``python -m course.ulmfit.experiments NAME ...``: the full-size measurements of lesson 11.

Kinds of questions (TREC-6) and opinions on films (sentence polarity), from few labels. What is
stored are shares of the test texts that are right, with 95 % intervals over draws and texts.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from course.command import Prepared, Result, run_experiments
from course.results.accuracy import Right, share_right
from course.results.intervals import interval
from course.ulmfit.broken_tunings import broken_runs
from course.ulmfit.stages_setup import (
    GENERAL_SENTENCES,
    MANY,
    PLAIN_RATE,
    ULMFiTSetup,
    checkpoints,
    schedule_for,
    setups,
    single_rate,
)
from elmo_mini.ulmfit.stages import Stage3

LABELS = 100
LONGER = 3
"""How many times the epochs with all labels once more."""
RATES, TUNED_ON = (0.005, 0.01, 0.02, 0.04), (101, 102, 103)
"""For the recipe, and the draws of labels that choose one of them on dev. Plain has had its own."""
WHOLE, NONE = "the whole recipe", "none of the three"
PLAIN = "plain, at a rate of its own"
PARTS: dict[str, Stage3] = {
    WHOLE: Stage3(),
    "no gradual unfreezing": Stage3(unfreezing="all at once"),
    "one rate for all layers": Stage3(factor=1.0),
    "a constant rate": Stage3(slanted=False),
    NONE: Stage3(unfreezing="all at once", factor=1.0, slanted=False),
    PLAIN: single_rate(Stage3()),
}
EM = "naive Bayes, EM"
BOTH_WAYS, TWICE = "forward and backward", "forward twice"
"""Means of two classifiers' probabilities; the second is the first one's control."""
NETWORKS = ("from scratch", "stages 1 and 3", "stages 1, 2 and 3")


def labels(task: str, tasks: dict[str, ULMFiTSetup], seeds: Sequence[int]) -> tuple[str, Result]:
    """Every way to learn one task from 50, 100, 500 and all labels."""
    setup = tasks[task]
    rows: dict[str, list[Right]] = {}
    for count, draws in setup.draws.items():
        for way, right in _every_way(setup, count, seeds[:draws]).items():
            rows.setdefault(way, []).append(right)
            print(f"{task}, {count} labels, {way}: {right.mean():.3f}", flush=True)
    return f"From few labels to all: ULMFiT and its rivals, {setup.task.what}", {
        "labels": list(setup.draws),
        "draws": list(setup.draws.values()),
        "test": len(setup.task.test.texts),
        "guessing": setup.guessing,
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


def em(tasks: dict[str, ULMFiTSetup], seeds: Sequence[int]) -> tuple[str, Result]:
    """Naive Bayes with EM, which reads stage 2's text, on the draws and labels of `labels`."""
    found: Result = {}
    for task, setup in tasks.items():
        rights: dict[str, list[Right]] = {}
        for count, draws in setup.draws.items():
            known = [setup.task.train.drawn(count, seed) for seed in seeds[:draws]]
            for way, learn in {
                EM: setup.by_naive_bayes_em,
                "bag of words": setup.by_bag_of_words,
                "naive Bayes SVM": setup.by_naive_bayes_svm,
            }.items():
                rights.setdefault(way, []).append(setup.correct([learn(k) for k in known]))
                print(f"{task}, {count} labels, {way}: {rights[way][-1].mean():.3f}", flush=True)
        ours = rights.pop(EM)
        found[task] = {
            "labels": list(setup.draws),
            "unlabelled": len(setup.task.text),
            "right": list(map(share_right, ours)),
            "lead": {
                way: [share_right(one - other) for one, other in zip(ours, theirs, strict=True)]
                for way, theirs in rights.items()
            },
        }
    return "From few labels to all: counts that read stage 2's text, too", {"tasks": found}


def longer(task: str, tasks: dict[str, ULMFiTSetup], seeds: Sequence[int]) -> tuple[str, Result]:
    """All labels, and `LONGER` times the epochs: the recipe, plain fine-tuning, and counting."""
    setup = tasks[task]
    count = max(setup.draws)
    how = schedule_for(count)
    more = replace(how, epochs=LONGER * how.epochs)
    known = [setup.task.train.drawn(count, seed) for seed in seeds]

    def networks(how: Stage3) -> dict[str, Right]:
        rights = {}
        for way, hows in ((NETWORKS[2], how), (PLAIN, single_rate(how))):
            said = [setup.trained(count, hows, seed).probabilities for seed in seeds]
            rights[way] = setup.correct(said)
            print(f"{task}, {way}, {how.epochs} epochs: {rights[way].mean():.3f}", flush=True)
        return rights

    before, after = networks(how), networks(more)
    rights = {
        **after,
        "bag of words": setup.correct([setup.by_bag_of_words(k) for k in known]),
        "naive Bayes SVM": setup.correct([setup.by_naive_bayes_svm(k) for k in known]),
    }
    return f"All labels, and three times the epochs, {setup.task.what}", {
        "labels": count,
        "draws": len(seeds),
        "epochs": more.epochs,
        "right": {way: share_right(right) for way, right in rights.items()},
        "gained": {way: share_right(after[way] - right) for way, right in before.items()},
        "lead of stages 1, 2 and 3": {
            way: share_right(rights[NETWORKS[2]] - right)
            for way, right in rights.items()
            if way != NETWORKS[2]
        },
    }


def rates(task: str, tasks: dict[str, ULMFiTSetup], seeds: Sequence[int]) -> tuple[str, Result]:
    """Few labels: the recipe at a rate that was chosen on dev, as plain's was."""
    setup = tasks[task]
    few = [count for count in setup.draws if count <= MANY]
    dev = setup.task.dev.drawn(min(MANY // 2, len(setup.task.dev.texts)), 0)
    judge = replace(setup, task=replace(setup.task, test=dev), runs={})
    on_dev = {
        rate: [
            float(judge.correct([_recipe(judge, count, rate, s) for s in TUNED_ON]).mean())
            for count in few
        ]
        for rate in RATES
    }
    print(task, on_dev, flush=True)
    best = max(RATES, key=lambda rate: sum(on_dev[rate]))
    rights = {
        way: [setup.correct([one(setup, count, rate, s) for s in seeds]) for count in few]
        for way, one, rate in ((WHOLE, _recipe, best), (PLAIN, _plain, PLAIN_RATE))
    }
    leads = [share_right(one - other) for one, other in zip(*rights.values(), strict=True)]
    print(task, best, [lead["mean"] for lead in leads], flush=True)
    return f"Few labels, the recipe at a rate chosen on dev, {setup.task.what}", {
        "labels": few,
        "draws": len(seeds),
        "rate": best,
        "right on dev": {str(rate): shares for rate, shares in on_dev.items()},
        "right": {way: list(map(share_right, each)) for way, each in rights.items()},
        "lead over plain": leads,
    }


def _recipe(setup: ULMFiTSetup, count: int, rate: float, seed: int) -> Any:
    return setup.trained(count, replace(schedule_for(count), rate=rate), seed).probabilities


def _plain(setup: ULMFiTSetup, count: int, rate: float, seed: int) -> Any:
    how = replace(single_rate(schedule_for(count)), rate=rate)
    return setup.trained(count, how, seed).probabilities


def _every_way(setup: ULMFiTSetup, count: int, seeds: Sequence[int]) -> dict[str, Right]:
    known = [setup.task.train.drawn(count, seed) for seed in seeds]
    how = schedule_for(count)
    answers: dict[str, list[Any]] = {
        "bag of words": [setup.by_bag_of_words(k) for k in known],
        "naive Bayes SVM": [setup.by_naive_bayes_svm(k) for k in known],
        "static vectors": [setup.by_static_vectors(k) for k in known],
        "ELMo features": [setup.by_elmo(k) for k in known],
        NETWORKS[0]: [setup.from_scratch(count, how, seed).probabilities for seed in seeds],
        NETWORKS[1]: [setup.trained(count, how, seed, tuned=False).probabilities for seed in seeds],
        NETWORKS[2]: [setup.trained(count, how, seed).probabilities for seed in seeds],
        PLAIN: [setup.trained(count, single_rate(how), seed).probabilities for seed in seeds],
    }
    return {way: setup.correct(said) for way, said in answers.items()}


def parts(tasks: dict[str, ULMFiTSetup], seeds: Sequence[int]) -> tuple[str, Result]:
    """A hundred labels: each part of the recipe left out, and what is forgotten."""
    found: Result = {"labels": LABELS, "tasks": {}}
    for name, setup in tasks.items():
        said, general = {}, {}
        for variant, how in PARTS.items():
            runs = [
                setup.trained(
                    LABELS,
                    how,
                    seed,
                    watch="every epoch" if variant in (WHOLE, NONE) else "at the end",
                )
                for seed in seeds
            ]
            said[variant] = [run.probabilities for run in runs]
            general[variant] = interval([run.general[-1] for run in runs])
            share = setup.correct(said[variant]).mean()
            print(f"{name}, {variant}: {share:.3f}, {general[variant]['mean']:.0f}", flush=True)
        said["without stage 2"] = [
            setup.trained(LABELS, Stage3(), seed, tuned=False).probabilities for seed in seeds
        ]
        rights = {variant: setup.correct(answers) for variant, answers in said.items()}
        found["tasks"][name] = {
            "what": setup.task.what,
            "draws": len(seeds),
            "right": {variant: share_right(right) for variant, right in rights.items()},
            "lead of the whole recipe": {
                variant: share_right(rights[WHOLE] - right)
                for variant, right in rights.items()
                if variant != WHOLE
            },
            "perplexity of general text": {
                "after stage 1": setup.general_perplexity(setup.language_model(tuned=False)),
                **general,
            },
            "forgetting": {
                variant: [
                    interval(epoch)
                    for epoch in np.transpose(
                        [setup.trained(LABELS, PARTS[variant], seed).general for seed in seeds]
                    )
                ]
                for variant in (WHOLE, NONE)
            },
        }
    return "A hundred labels: which part of the recipe earns its place", found


def both_ways(tasks: dict[str, ULMFiTSetup], seeds: Sequence[int]) -> tuple[str, Result]:
    """A hundred questions: forward, backward, their mean, and the mean of two forward runs."""
    setup = tasks["questions"]

    def each(**how: Any) -> list[Any]:
        return [setup.trained(LABELS, Stage3(), seed, **how).probabilities for seed in seeds]

    said = {"forward": each(), "backward": each(direction="backward")}
    for pair, others in ((BOTH_WAYS, said["backward"]), (TWICE, each(again=True))):
        said[pair] = [one + other for one, other in zip(said["forward"], others, strict=True)]
    rights = {way: setup.correct(answers) for way, answers in said.items()}
    return "A hundred questions, read forward, backward and both ways", {
        "labels": LABELS,
        "right": {way: share_right(right) for way, right in rights.items()},
        "lead of both ways": {
            way: share_right(rights[BOTH_WAYS] - right)
            for way, right in rights.items()
            if way != BOTH_WAYS
        },
    }


def broken(tasks: dict[str, ULMFiTSetup], seeds: Sequence[int]) -> tuple[str, Result]:
    """Three broken runs and a sound one, with a hundred questions."""
    return "Three broken runs and a sound one", broken_runs(tasks["questions"], seeds[0])


EXPERIMENTS: dict[str, Callable[[dict[str, ULMFiTSetup], Sequence[int]], tuple[str, Result]]] = {
    "parts": parts,
    "both-ways": both_ways,
    "broken": broken,
    "labels-questions": partial(labels, "questions"),
    "labels-opinions": partial(labels, "opinions"),
    "em": em,
    "rates-questions": partial(rates, "questions"),
    "rates-opinions": partial(rates, "opinions"),
    "longer-questions": partial(longer, "questions"),
    "longer-opinions": partial(longer, "opinions"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "ulmfit.experiments", "ulmfit_", __doc__, EXPERIMENTS, _prepare, argv, seeds=5
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    return (setups(), args.seeds), {
        "interval": "95 %; shares of the test: bootstrap over draws and texts; all else: "
        "Student's t over the seeds",
        "checkpoints": checkpoints(),
        "stage 3": {str(n): asdict(schedule_for(n)) for n in (100, 500, 4_876, 8_530)},
        "general text": f"the first {GENERAL_SENTENCES} sentences of the Lee corpus",
        "threads": 1,
    }


if __name__ == "__main__":
    raise SystemExit(main())
