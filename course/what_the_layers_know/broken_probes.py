"""Probes by the nearest neighbour, sound or with one planted fault, and their symptoms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures import plots
from course.figures.picture import Picture
from elmo_mini.embedding.stream import Floats, embed_stream
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.tasks import Occurrence

LEAK, SHIFTED, BLIND = "test sentences in training", "labels shifted", "no context"
RUNS = {"A": LEAK, "B": BLIND, "C": "", "D": SHIFTED}
OTHER_WORD = "zebra"
TRAINED, ASKED = 700, 300
Labels = NDArray[np.str_]
Nearest = Callable[[Floats, Sequence[str], Floats, int], Any]


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a probe without its code.

    Attributes
    ----------
    test : share right on the test sentences, by the labels that the probe's author has
    fresh : share right on sentences that were labelled afterwards, by somebody else
    offsets : (3,) share of the fresh words whose answer is the published label of the word before,
        of the word itself, of the word after
    moved : how far the vector of a sentence's first word moves when the next word is replaced
    """

    test: float
    fresh: float
    offsets: NDArray[np.float64]
    moved: float


def three_parts(
    occurrences: Sequence[Occurrence], vectors: Floats, train: int
) -> list[tuple[Sequence[Occurrence], Floats]]:
    """Whole sentences: some 700 words to learn from, and twice 300 after the first `train`."""
    parts, end = [], 0
    for start, words in ((0, TRAINED), (train, ASKED), (None, ASKED)):
        first = end if start is None else start
        end = min(first + words, len(occurrences))
        while end < len(occurrences) and occurrences[end].position:
            end += 1
        parts.append((occurrences[first:end], vectors[first:end]))
    return parts


def draw_symptoms(seen: Mapping[str, Symptoms], title: str) -> Picture:
    """A table with a row for each probe."""
    columns = ["test", "fresh", "before", "itself", "after", "moved"]
    rows = np.array([[s.test, s.fresh, *s.offsets, s.moved] for s in seen.values()])
    return plots.table(rows, list(seen), columns, title=title)


def symptoms(
    name: str,
    bilm: FastBiLM,
    train: tuple[Sequence[Occurrence], Floats],
    test: tuple[Sequence[Occurrence], Floats],
    fresh: tuple[Sequence[Occurrence], Floats],
    nearest: Nearest,
) -> Symptoms:
    """The symptoms of one of the four probes.

    Parameters
    ----------
    train, test, fresh : every word of whole sentences in their order, and all layers of each,
        (N, L + 1, 2H)
    nearest : labels by the nearest examples; called as nearest(known, labels, asked, 1)

    Raises
    ------
    KeyError
        There is no such run.
    """
    fault = RUNS[name]
    layer = 0 if fault == BLIND else 1
    given = 1 if fault == SHIFTED else 0
    known, labels = train[1][:, layer], labels_beside(train[0], given)
    if fault == LEAK:
        known = np.concatenate([known, test[1][:, layer]])
        labels = np.concatenate([labels, labels_beside(test[0], 0)])
    on_test, on_fresh = (
        np.array(nearest(known, labels.tolist(), part[1][:, layer], 1)) for part in (test, fresh)
    )
    return Symptoms(
        float(np.mean(on_test == labels_beside(test[0], given))),
        float(np.mean(on_fresh == labels_beside(fresh[0], 0))),
        np.array([np.mean(on_fresh == labels_beside(fresh[0], at)) for at in (-1, 0, 1)]),
        _movement(bilm, fresh[0][0].words, layer),
    )


def labels_beside(occurrences: Sequence[Occurrence], at: int) -> Labels:
    """The label of the word `at` places further on in the same sentence; "" outside it."""
    found = []
    for row, occurrence in enumerate(occurrences):
        inside = 0 <= occurrence.position + at < len(occurrence.words)
        found.append(occurrences[row + at].label if inside else "")
    return np.array(found)


def _movement(bilm: FastBiLM, words: Sequence[str], layer: int) -> float:
    changed = [words[0], OTHER_WORD, *words[2:]]
    before, after = (e.every_layer()[layer, 0] for e in embed_stream(bilm, [list(words), changed]))
    return float(np.abs(before - after).max())
