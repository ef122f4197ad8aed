"""Lesson 04's joint loss with more passes; run by `experiments.context`.

Within five passes the whole loss of the language model leaves the opinions near guessing. Is that
its price, or only its pace?
"""

from collections import defaultdict
from collections.abc import Sequence

from course.command import Result
from course.results.accuracy import right_of, share_right
from course.results.intervals import interval
from course.starting_from_a_language_model.classification_tasks import TASKS
from course.starting_from_a_language_model.classifier_experiments import (
    BATCH,
    FORGETTING,
    MODEL,
    WEIGHTS,
    Choice,
    described,
    new_classifier,
    task_language_model,
)
from course.starting_from_a_language_model.forgetting import fine_tune_and_watch
from elmo_mini.tasks.lstm_classifier import accuracy, predict
from elmo_mini.text.running_text import text_stream
from elmo_mini.training.steps import TrainingOptions

TASK, PASSES = "subjectivity", 20
ALONE, *JOINT = (
    "labels alone",
    "with a tenth of the language-model loss",
    "with the language-model loss",
)


def forgetting_longer(seeds: Sequence[int], count: int = 1_000) -> tuple[str, Result]:
    """Subjective or objective in 20 passes: each run gives the pass that dev likes best."""
    task = TASKS[TASK]()
    best: defaultdict[str, list[Choice]] = defaultdict(list)
    grown: defaultdict[str, list[float]] = defaultdict(list)
    for seed in seeds:
        for name in (ALONE, *JOINT):
            choice, times = patient(name, seed, count)
            best[name].append(choice)
            grown[name].append(times)
            share = right_of([choice.said], task.test[1]).mean()
            print(seed, name, choice.settings, f"{share:.3f}, {times:.2f}", flush=True)
    right = {
        name: right_of([choice.said for choice in made], task.test[1])
        for name, made in best.items()
    }
    return f"Forgetting in up to {PASSES} passes over {count} labels, {TASK}", {
        "corpus": "subjectivity",
        "model": MODEL,
        "fine-tuning": {**FORGETTING, "passes": PASSES},
        "chosen on the dev sentences": "the pass, for each seed",
        **described(task),
        "passes": {name: [int(one.settings[0]) for one in made] for name, made in best.items()},
        "perplexity, times": {name: interval(times) for name, times in grown.items()},
        "accuracy": {name: interval(rows.mean(1)) for name, rows in right.items()},
        "leads, over seeds and test sentences": {
            f"{name} before {ALONE}": share_right(right[name] - right[ALONE]) for name in JOINT
        },
    }


def patient(name: str, seed: int, count: int) -> tuple[Choice, float]:
    """What dev likes best on the way, and by what factor the perplexity has grown there."""
    task = TASKS[TASK]()
    classifier, model = new_classifier(task, seed), task_language_model(TASK, seed)
    a_pass = -(-count // BATCH)
    best = Choice(-1.0, (0,), [])

    def look(step: int) -> None:
        nonlocal best
        right = accuracy(classifier, *task.dev)
        if right > best.right_on_dev:
            best = Choice(right, (step // a_pass,), predict(classifier, task.test[0]))

    curve = fine_tune_and_watch(
        classifier,
        model,
        *task.drawn(count, seed),
        task.held_out,
        TrainingOptions(PASSES, seed=seed, **FORGETTING),
        text=text_stream(task.sentences, task.vocabulary) if WEIGHTS[name] else None,
        weight=WEIGHTS[name],
        looks=PASSES,
        at_look=look,
    )
    return best, curve.perplexities[int(best.settings[0])] / curve.before
