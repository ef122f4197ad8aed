"""``python -m course.a_hundred_labels.experiments curves rivals taught em`` (lesson 15).

Four tasks, draws of 25, 50 and 100 labels, of which the smaller ones are parts of the larger, and
every method of `course.a_hundred_labels.methods` on the same draws. `rivals` compares ELMo's
features with what could explain their lead, text by text. `taught` asks what texts without labels
bring to counts (EM), and what two readers gain that teach each other; there EM reads 2,000 of them,
and all in `em`. All are asked about texts of dev: the test of lesson 15 stays unseen.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from course.a_hundred_labels import methods
from course.a_hundred_labels.co_training import (
    Reader,
    naive_bayes_with_em,
    named,
    on_elmo,
    surest,
    teach_each_other,
)
from course.a_hundred_labels.protocol import Step, Texts, learn_and_answer
from course.a_hundred_labels.tasks import quoted, subjective
from course.command import Prepared, Result, run_experiments
from course.results.accuracy import right_of, share_right
from course.texts.labelled_tasks import Task, opinions, questions

TASKS: dict[str, Callable[[], Task]] = {
    "opinion or plot": subjective,
    "quoted or reported": quoted,
    "kind of question": questions,
    "for or against": opinions,
}
BAG, ELMO = "bag of words", "ELMo features"
EM, ADDED, TAUGHT = "naive Bayes, EM", "both, added", "co-training"
EM_ON_ALL = "naive Bayes, EM on all texts"
ITSELF, ITSELF_ADDED = "ELMo, self-training", "self-training and EM, added"
COUNTS = (25, 50, 100)
MORE = (200, 500, 1_000)
"""For counting words and for ELMo's features: where do their curves meet?"""
CHEAP = (BAG, ELMO)
ASKED, UNLABELLED = 500, 2_000
PAIRS = (
    (ELMO, "naive Bayes"),
    (ELMO, "SVD of the text"),
    (ELMO, "ELMo, untrained"),
    ("layer 1", "layer 0"),
)


def ways(task: Task) -> dict[str, list[Step]]:
    """The methods, by their names in the figures."""
    return {
        BAG: methods.bag_of_words(),
        "naive Bayes": methods.naive_bayes(),
        "naive Bayes SVM": methods.naive_bayes_svm(),
        "SVD of the text": methods.svd_of_text(task.text),
        "static vectors": methods.static_vectors(),
        ELMO: methods.elmo_features(),
        "ELMo, untrained": methods.untrained_elmo(),
        "ELMo, layer 0": methods.words_alone(),
        "ULMFiT": methods.ulmfit(task.text),
        "masked LM": methods.masked_features(),
    }


def curves(tasks: Sequence[str], seeds: Sequence[int]) -> tuple[str, Result]:
    """Each method on each task, by the number of labels, and its lead over the bag of words."""
    found: dict[str, Any] = {}
    for name in tasks:
        task = TASKS[name]()
        test = task.dev.drawn(ASKED, 0)
        found[name] = {"what": task.what, "asked": len(test.texts), "methods": {}}
        rows: dict[str, dict[int, Any]] = {}
        for way, steps in ways(task).items():
            rows[way] = {}
            for count in COUNTS + (MORE if way in CHEAP else ()):
                if count > len(task.train.texts):
                    break
                draws = [task.train.drawn(count, seed) for seed in seeds]
                said = [learn_and_answer(steps, d.texts, d.labels, test.texts) for d in draws]
                rows[way][count] = right_of(said, test.labels)
                share = 100 * float(np.mean(rows[way][count]))
                print(f"{name}, {way}, {count} labels: {share:.1f}", flush=True)
            found[name]["methods"][way] = {
                str(count): {
                    "right": share_right(correct),
                    "lead": share_right(correct - rows[BAG][count]),
                }
                for count, correct in rows[way].items()
            }
    return "Few labels: ten methods on four tasks", {"tasks": found}


def rivals(tasks: Sequence[str], seeds: Sequence[int]) -> tuple[str, Result]:
    """With 100 labels: ELMo's features less each rival, and context at a layer's own width."""
    found: dict[str, Any] = {}
    for name in tasks:
        task = TASKS[name]()
        test = task.dev.drawn(ASKED, 0)
        rows = {}
        for way, steps in _compared(task).items():
            draws = [task.train.drawn(COUNTS[-1], seed) for seed in seeds]
            said = [learn_and_answer(steps, d.texts, d.labels, test.texts) for d in draws]
            rows[way] = right_of(said, test.labels)
        found[name] = {
            f"{one} less {other}": share_right(rows[one] - rows[other]) for one, other in PAIRS
        }
        print(name, found[name], flush=True)
    return "100 labels: ELMo's features and their rivals", {"labels": COUNTS[-1], "tasks": found}


def _compared(task: Task) -> dict[str, list[Step]]:
    every = ways(task) | {"layer 0": methods.one_layer(0), "layer 1": methods.one_layer(1)}
    return {name: every[name] for name in dict.fromkeys(sum(PAIRS, ()))}


def _taught_by_itself(
    reader: Reader, texts: Texts, labels: Sequence[int], unlabelled: Texts
) -> Reader:
    """Self-training: ELMo learns once more, with the texts that the first reader answers surest."""
    rows, answers = surest(reader(unlabelled), sorted(set(labels)))
    return on_elmo([*texts, *(unlabelled[row] for row in rows)], [*labels, *answers])


def taught(tasks: Sequence[str], seeds: Sequence[int]) -> tuple[str, Result]:
    """EM, ELMo, both added, ELMo that teaches itself, and both that teach each other.

    Of each: right answers, its lead over the bag of words, and how far ELMo and how far co-training
    is ahead of it.
    """
    found: dict[str, Any] = {}
    for name in tasks:
        task = TASKS[name]()
        test, free = task.dev.drawn(ASKED, 0), task.text[:UNLABELLED]
        found[name] = {"asked": len(test.texts), "unlabelled": len(free), "methods": {}}
        for count in COUNTS:
            said: dict[str, list[Any]] = {
                way: [] for way in (BAG, EM, ELMO, ADDED, ITSELF, ITSELF_ADDED, TAUGHT)
            }
            for seed in seeds:
                own = task.train.drawn(count, seed)
                learnt = own.texts, own.labels
                counts, elmo = naive_bayes_with_em(*learnt, free), on_elmo(*learnt)
                itself = _taught_by_itself(elmo, *learnt, free)
                said[BAG].append(learn_and_answer(methods.bag_of_words(), *learnt, test.texts))
                for way, readers in {
                    EM: (counts,),
                    ELMO: (elmo,),
                    ADDED: (counts, elmo),
                    ITSELF: (itself,),
                    ITSELF_ADDED: (counts, itself),
                    TAUGHT: teach_each_other(*learnt, free),
                }.items():
                    said[way].append(named(own.labels, *readers)(test.texts))
            rows = {way: right_of(answers, test.labels) for way, answers in said.items()}
            for way, right in rows.items():
                found[name]["methods"].setdefault(way, {})[str(count)] = {
                    "right": share_right(right),
                    "lead": share_right(right - rows[BAG]),
                    "elmo": share_right(rows[ELMO] - right),
                    "taught": share_right(rows[TAUGHT] - right),
                }
                print(f"{name}, {way}, {count} labels: {100 * right.mean():.1f}", flush=True)
    return "Two readers that teach each other", {"tasks": found}


def em(tasks: Sequence[str], seeds: Sequence[int]) -> tuple[str, Result]:
    """EM that reads all of a task's text, as the SVD does in `curves`.

    Its right answers, its lead over the bag of words and over EM that reads what `taught` lets it
    read, and how far ELMo and how far co-training is ahead of it.
    """
    found: dict[str, Any] = {}
    for name in tasks:
        task = TASKS[name]()
        test, free = task.dev.drawn(ASKED, 0), task.text[:UNLABELLED]
        found[name] = {"asked": len(test.texts), "unlabelled": len(task.text), "labels": {}}
        for count in COUNTS:
            said: dict[str, list[Any]] = {way: [] for way in (BAG, EM, ELMO, TAUGHT, EM_ON_ALL)}
            for seed in seeds:
                own = task.train.drawn(count, seed)
                learnt = own.texts, own.labels
                said[BAG].append(learn_and_answer(methods.bag_of_words(), *learnt, test.texts))
                for way, readers in {
                    EM: (naive_bayes_with_em(*learnt, free),),
                    ELMO: (on_elmo(*learnt),),
                    TAUGHT: teach_each_other(*learnt, free),
                    EM_ON_ALL: (naive_bayes_with_em(*learnt, task.text),),
                }.items():
                    said[way].append(named(own.labels, *readers)(test.texts))
            rows = {way: right_of(answers, test.labels) for way, answers in said.items()}
            right = rows[EM_ON_ALL]
            found[name]["labels"][str(count)] = {
                "right": share_right(right),
                "lead": share_right(right - rows[BAG]),
                "gained": share_right(right - rows[EM]),
                "elmo": share_right(rows[ELMO] - right),
                "taught": share_right(rows[TAUGHT] - right),
            }
            print(f"{name}, {count} labels: {100 * right.mean():.1f}", flush=True)
    return "Naive Bayes with EM that reads all of a task's text", {"tasks": found}


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {
    "curves": curves,
    "rivals": rivals,
    "taught": taught,
    "em": em,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and store what came out."""
    return run_experiments(
        "a_hundred_labels.experiments",
        "hundred_labels_",
        __doc__,
        EXPERIMENTS,
        _prepare,
        argv,
        seeds=5,
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    torch.set_num_threads(1)
    return (tuple(TASKS), args.seeds), {
        "interval": "95 %, bootstrap over draws and texts; a lead is taken draw by draw and text "
        "by text",
        "asked": f"{ASKED} texts of dev, all where there are fewer",
        "threads": 1,
    }


if __name__ == "__main__":
    raise SystemExit(main())
