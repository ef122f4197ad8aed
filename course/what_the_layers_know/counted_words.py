"""``python -m course.what_the_layers_know.counted_words pos``: the rival of lesson 09's line.

The clues of sections 2 and 3 have seen two thousand labelled words, the layers four million words
more. So the rival reads both: the clues, and vectors that are counted in the layers' own text, of
the word and its neighbours. It is logistic regression; no network has read anything for it.
"""

from argparse import Namespace
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from course.baselines.counted_vectors import CountedVectors
from course.baselines.word_clues import clues
from course.command import Prepared, Result, run_experiments
from course.texts.small_tasks import labelled_words
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.extras import brought_by
from elmo_mini.probing.linear_probe import linear_probe
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.probing_tasks import Occurrence
from elmo_mini.probing.report import bootstrap_interval, sentence_numbers, share_right
from elmo_mini.training.pretraining.sources import course_text

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

Right = NDArray[np.bool_]
WORDS, SETS, LAYER = 2_000, 5, 1
SCALES, C = (0.1, 0.2, 0.4), (1.0, 3.0, 10.0)
RIVAL, PROBE = "clues and counted vectors", f"layer {LAYER}"
LEAD = f"{PROBE} less {RIVAL}"


class Rival:
    """Clues and counted vectors of some running words, and a classifier that reads both."""

    def __init__(self, words: Sequence[Occurrence], counted: CountedVectors) -> None:
        self.labels = np.array([o.label for o in words])
        self.clues = [[c for c in clues(o.words)[o.position] if c[1] != "2"] for o in words]
        around = [["", *o.words, ""][o.position : o.position + 3] for o in words]
        self.vectors = np.stack([counted(three).ravel() for three in around])

    def right(
        self, train: NDArray[np.int64], test: NDArray[np.int64], scale: float, c: float
    ) -> Right:
        """Which labels of the test rows it finds, after learning those of the training rows."""
        table = CountVectorizer(analyzer=list)
        seen = table.fit_transform([self.clues[row] for row in train])
        asked = table.transform([self.clues[row] for row in test])
        both, new = (
            sparse.hstack([known, sparse.csr_matrix(scale * self.vectors[rows])]).tocsr()
            for known, rows in ((seen, train), (asked, test))
        )
        said = LogisticRegression(C=c, max_iter=300).fit(both, self.labels[train]).predict(new)
        found: Right = said == self.labels[test]
        return found

    def chosen(self, train: NDArray[np.int64]) -> tuple[float, float]:
        """Scale of the vectors and C with which each half of the rows is best told by the other."""
        one, other = np.array_split(train, 2)

        def right(settings: tuple[float, float]) -> int:
            ways = ((one, other), (other, one))
            return sum(int(self.right(known, held, *settings).sum()) for known, held in ways)

        return max(product(SCALES, C), key=right)


def parts_of_speech(sets: int = SETS) -> tuple[str, Result]:
    """The lesson's two thousand words, and more sets of them, asked about the same test words."""
    task = labelled_words(WORDS, WORDS)
    size = len(task.train)
    pool = labelled_words(sets * size, WORDS).train
    running = [*pool, *task.test]
    asked = np.arange(len(pool), len(running))
    learned = [np.arange(first, first + size) for first in range(0, len(pool) - size + 1, size)]
    rival = Rival(running, CountedVectors(course_text()))
    scale, c = rival.chosen(learned[0])
    layer = occurrence_vectors(load_pretrained(), running, [LAYER], progress=False)[:, 0]
    truth = rival.labels[asked]
    counted, probed = [], []
    for rows in learned:
        counted.append(rival.right(rows, asked, scale, c))
        probed.append(linear_probe(layer[rows], rival.labels[rows].tolist(), layer[asked]) == truth)
        print(f"{counted[-1].mean():.3f}, {PROBE} {probed[-1].mean():.3f}", flush=True)
    ahead = np.array(probed, float) - np.array(counted, float)
    mean, low, high = bootstrap_interval(ahead, sentence_numbers(task.test))
    met = {running[row].form for row in learned[0]}
    new = np.array([o.form not in met for o in task.test])
    groups = {"all": ~np.zeros_like(new), "words that it has met": ~new, "new words": new}
    tests = {
        name: (rows, [o for o, of_it in zip(task.test, rows, strict=True) if of_it])
        for name, rows in groups.items()
    }
    return f"{task.title}: {PROBE}, and clues with vectors that are counted in its text", {
        "rival": "logistic regression on the clues and the counted vectors of three words",
        "chosen on halves of the training words": {"scale of the vectors": scale, "C": c},
        "words to learn from, for the test": [size, len(task.test)],
        "right": {name: share_right(counted[0][rows], of) for name, (rows, of) in tests.items()},
        LEAD: {name: share_right(ahead[0][rows], of) for name, (rows, of) in tests.items()},
        f"{LEAD}, over sets and sentences": {
            "mean": mean,
            "low": low,
            "high": high,
            "values": ahead.mean(1).tolist(),
        },
        "interval": "95 %, bootstrap over test sentences",
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return run_experiments(
        "what_the_layers_know.counted_words",
        "counted_words_",
        __doc__,
        {"pos": parts_of_speech},
        _prepare,
        argv,
    )


def _prepare(args: Namespace) -> Prepared:
    return (), {}


if __name__ == "__main__":
    raise SystemExit(main())
