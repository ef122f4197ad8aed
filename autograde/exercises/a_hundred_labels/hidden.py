"""The texts that nobody has measured on, and how far a method leaves the bag of words behind.

In self-study they are the test part of the lesson's task, on the learner's own disk: hidden from
the eye, not from a thief. A course that marks sets the variable `BEFORE_BERT_HIDDEN` to a file of
its own that no learner has. It holds a line of JSON for each text, such as
``{"part": "test", "text": "a small gem .", "label": "opinion"}``; the parts are train and test.
"""

import json
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import CourseAtFault
from course.a_hundred_labels.methods import bag_of_words
from course.a_hundred_labels.protocol import learn_and_answer
from course.a_hundred_labels.tasks import first_task
from course.texts.labelled_tasks import Labelled, Task
from elmo_mini.corpora.splits import Part
from elmo_mini.errors import in_a_sentence
from elmo_mini.files import as_path, existing_file
from elmo_mini.plain_text import NotPlainText, lines_of

VARIABLE = "BEFORE_BERT_HIDDEN"
DRAWS = 3
MOST_ASKED = 400
MOST_UNLABELLED = 2_000


def task() -> Task:
    """The lesson's task, or that of the file that the variable names.

    Raises
    ------
    CourseAtFault
        If the file cannot be read so; the text says what is wrong.
    """
    path = os.environ.get(VARIABLE)
    return _from_file(as_path(path)) if path else first_task()


@lru_cache(maxsize=1)
def _from_file(path: Path) -> Task:
    rows: dict[Part, list[tuple[list[str], str]]] = {"train": [], "test": []}
    try:
        lines = list(lines_of(existing_file(path, f"file of hidden texts ({VARIABLE})")))
    except (OSError, NotPlainText) as wrong:
        raise CourseAtFault(f"{VARIABLE}: {in_a_sentence(wrong)}") from wrong
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            words, label = row["text"].lower().split(), row["label"]
            if not words or not isinstance(label, str | int):
                raise ValueError("a text without a word, or no label")
            rows[row["part"]].append((words, str(label)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
            raise CourseAtFault(
                f"{VARIABLE}: line {number} of the file is no labelled text ({wrong}); a line is "
                'such as {"part": "test", "text": "a small gem .", "label": "opinion"}'
            ) from wrong
    classes = tuple(sorted({label for part in rows.values() for _, label in part}))
    if min(map(len, rows.values())) < 100 or len(classes) < 2:
        raise CourseAtFault(f"{VARIABLE}: the file needs 100 texts of each part, and two classes")
    parts = {
        part: Labelled([text for text, _ in pairs], [classes.index(label) for _, label in pairs])
        for part, pairs in rows.items()
    }
    text = parts["train"].texts
    return Task("hidden", "a task of your course", classes, text, dev=parts["test"], **parts)


def train(labels: int, seed: int, draw: int) -> Labelled:
    """So many labelled texts of the task; those of a smaller number are among them."""
    return task().train.drawn(labels, seed + draw)


def test(seed: int) -> Labelled:
    """The hidden texts that are asked for, with their labels."""
    return task().test.drawn(MOST_ASKED, seed)


def unlabelled() -> list[list[str]]:
    """Texts of the task without labels."""
    return task().text[:MOST_UNLABELLED]


@lru_cache(maxsize=64)
def baseline_errors(labels: int, seed: int) -> float:
    """The mean share of the asked texts that a bag of words has wrong."""
    wrong = []
    for draw in range(DRAWS):
        own = train(labels, seed, draw)
        said = learn_and_answer(bag_of_words(), own.texts, own.labels, test(seed).texts)
        wrong.append(np.asarray(said) != np.array(test(seed).labels))
    return float(np.mean(wrong))


def avoided(answers: NDArray[np.int64], labels: int, seed: int) -> float:
    """The share of the baseline's errors that is avoided; below 0, there are more errors."""
    wrong = float((answers != np.array(test(seed).labels)).mean())
    base = baseline_errors(labels, seed)
    return (base - wrong) / max(base, 0.02)
