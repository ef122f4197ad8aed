"""``python -m course.what_the_layers_know.counted_senses votes``: a rival of lesson 09's vote.

The layers vote on senses, and naive Bayes hears the vote. The labelled sentences are all that naive
Bayes has read, the layers have read millions of words more. So vectors that are counted in these
words vote as well: those of the word and its neighbours, side by side in their order.
"""

from argparse import Namespace
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from course.baselines.counted_vectors import CountedVectors
from course.baselines.naive_bayes import naive_bayes
from course.command import Prepared, Result, run_experiments
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.probing_tasks import Occurrence, course_senses
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.training.pretraining.sources import course_text

Vectors = NDArray[np.float32] | NDArray[np.float64]
Right = NDArray[np.bool_]
LAYERS, REACHES = (1, 2), {"five words": 2, "seven words": 3}
VOTERS, WEIGHT, SMOOTHING, BESIDE = 3, 3, 0.5, 2
ALONE, BOTH = "the vote alone", "naive Bayes that hears it"


def around(place: Occurrence, reach: int) -> list[str]:
    """The words from `reach` before to `reach` after, in lower case; "" outside the sentence."""
    edge = [""] * reach
    words = [*edge, *(word.lower() for word in place.words), *edge]
    return words[place.position : place.position + 2 * reach + 1]


def nearest_votes(train: Vectors, labels: Sequence[str], test: Vectors, k: int) -> list[str]:
    """What the `k` nearest by cosine vote for; of equals, the label whose example is nearest."""
    lengths = np.linalg.norm(train, axis=1, keepdims=True)
    found = []
    for similarity in test @ (train / np.maximum(lengths, 1e-9)).T:
        nearest = [labels[row] for row in np.argsort(-similarity)[:k]]
        found.append(max(nearest, key=nearest.count))
    return found


class Judged:
    """Words in labelled sentences, and who finds their senses, word by word, as in the lesson."""

    def __init__(self, train: Sequence[Occurrence], test: Sequence[Occurrence]) -> None:
        places = [*train, *test]
        self.labels = np.array([place.label for place in places])
        self.clues = [[f"{i}: {word}" for i, word in enumerate(around(p, BESIDE))] for p in places]
        self.asked = np.arange(len(places)) >= len(train)
        groups = np.array([place.group for place in places])
        self.words = np.unique(groups[self.asked], return_inverse=True)[1]
        self.parts = [
            tuple(np.flatnonzero((groups == group) & part) for part in (~self.asked, self.asked))
            for group in np.unique(groups)
        ]

    def right(self, vectors: Vectors | None, bayes: bool) -> Right:
        """(M,) whether the vote, naive Bayes, or naive Bayes that hears the vote has the sense."""
        right = np.zeros(len(self.labels), bool)
        for train, test in self.parts:
            labels = self.labels[train]
            if vectors is not None:
                said = np.array(
                    nearest_votes(vectors[train], labels.tolist(), vectors[test], VOTERS)
                )
            if bayes:
                known, asked = ([self.clues[row] for row in rows] for rows in (train, test))
                senses, score = naive_bayes(known, labels, asked, SMOOTHING)
                if vectors is not None:
                    score = score + np.log(WEIGHT) * (said[:, None] == senses)
                said = senses[score.argmax(1)]
            right[test] = said == self.labels[test]
        found: Right = right[self.asked]
        return found

    def share(self, one: Right, other: Right | None = None) -> dict[str, float]:
        """How many are right, or how far one is ahead; the interval is over words."""
        outcome = one.astype(float) - (0 if other is None else other)
        mean, low, high = bootstrap_interval(outcome[None], self.words)
        return {"mean": mean, "low": low, "high": high}


def votes() -> tuple[str, Result]:
    """The senses of the course's sentences: layers, and counted vectors of five or seven words."""
    task = course_senses()
    places, judged = [*task.train, *task.test], Judged(task.train, task.test)
    layers = occurrence_vectors(load_pretrained(), places, list(LAYERS), progress=False)
    counted = CountedVectors(course_text())
    vectors: dict[str, Vectors] = {f"layer {j}": layers[:, i] for i, j in enumerate(LAYERS)}
    for name, reach in REACHES.items():
        vectors[name] = np.stack([counted(around(place, reach)).ravel() for place in places])
    bayes = judged.right(None, bayes=True)
    ways = {
        way: {name: judged.right(read, way == BOTH) for name, read in vectors.items()}
        for way in (ALONE, BOTH)
    }
    return f"{task.title}: votes of layers, and of vectors that are counted in their text", {
        "counted": f"PPMI and SVD of the checkpoint's text, {counted.table.shape[1]} numbers a "
        "word, the words side by side in their order",
        "naive Bayes alone": judged.share(bayes),
        "right": {
            way: {name: judged.share(right) for name, right in found.items()}
            for way, found in ways.items()
        },
        "naive Bayes gains by": {
            name: judged.share(right, bayes) for name, right in ways[BOTH].items()
        },
        "layer less counted": {
            way: {
                f"layer {layer} less {name}": judged.share(found[f"layer {layer}"], found[name])
                for layer in LAYERS
                for name in REACHES
            }
            for way, found in ways.items()
        },
        "interval": "95 %, bootstrap over words",
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return run_experiments(
        "what_the_layers_know.counted_senses",
        "counted_senses_",
        __doc__,
        {"votes": votes},
        _prepare,
        argv,
    )


def _prepare(args: Namespace) -> Prepared:
    return (), {}


if __name__ == "__main__":
    raise SystemExit(main())
