"""The table of a probe: accuracies with intervals, and differences between rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.probing.probing_tasks import Occurrence

BOOTSTRAPS = 2_000


@dataclass(frozen=True)
class Score:
    """How often one row of the table was right.

    Attributes
    ----------
    name : ``layer 1``, ``majority`` ...
    accuracy : mean over the draws
    low, high : its 95 % interval
    by_group : accuracy of each ambiguous word, where there are several
    correct : (draws, test examples), for comparisons
    """

    name: str
    accuracy: float
    low: float
    high: float
    by_group: dict[str, float]
    correct: NDArray[np.bool_] = field(repr=False)


@dataclass(frozen=True)
class ProbeReport:
    """The scores of all rows on one task. Printing it shows the table."""

    task: str
    title: str
    kind: str
    settings: dict[str, Any]
    scores: tuple[Score, ...]
    sentences: NDArray[np.int64] = field(repr=False)

    def __getitem__(self, name: str) -> Score:
        for score in self.scores:
            if score.name == name:
                return score
        raise KeyError(f"no row {name!r}; there are {', '.join(s.name for s in self.scores)}")

    def difference(self, name: str, other: str) -> tuple[float, float, float]:
        """Accuracy of `name` less that of `other` on the same examples, and its 95 % interval."""
        ours, theirs = self[name].correct, self[other].correct
        draws = max(len(ours), len(theirs))
        gain = np.broadcast_to(ours, (draws, ours.shape[1])).astype(float) - theirs
        return bootstrap_interval(gain, self.sentences)

    def __str__(self) -> str:
        width = max(len(score.name) for score in self.scores)
        lines = [self.title, "  " + ", ".join(f"{k} {v}" for k, v in self.settings.items())]
        lines.append(f"  {'':{width}}  accuracy  95 % interval")
        lines += [
            f"  {s.name:{width}}  {s.accuracy:8.3f}  {s.low:.3f} to {s.high:.3f}"
            for s in self.scores
        ]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the single answers, for JSON."""
        rows = {
            s.name: {
                "accuracy": round(s.accuracy, 4),
                "interval_95": [round(s.low, 4), round(s.high, 4)],
                **({"by_word": {g: round(a, 4) for g, a in s.by_group.items()}}),
            }
            for s in self.scores
        }
        return {"task": self.task, "probe": self.kind, "settings": self.settings, "rows": rows}


def stored_points(
    rows: Mapping[str, Mapping[str, Any]], names: Iterable[str]
) -> list[dict[str, float]]:
    """The named rows of `ProbeReport.as_dict`, each with ``mean``, ``low`` and ``high``."""
    points = []
    for row in map(rows.__getitem__, names):
        low, high = row["interval_95"]
        points.append({"mean": row["accuracy"], "low": low, "high": high})
    return points


def bootstrap_interval(
    outcome: NDArray[np.float64], sentences: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Mean of (draws, examples) with a 95 % bootstrap interval over sentences and draws.

    Sentences are drawn whole, since the words of one sentence are not independent.

    Raises
    ------
    ValueError
        If there is nothing to draw from, or not one sentence for each example.
    """
    if not outcome.size or outcome.shape[1:] != sentences.shape:
        raise ValueError(
            f"the outcome has shape {outcome.shape} and the sentences {sentences.shape}; (draws, "
            "examples) and (examples,) fit together, at least one of each"
        )
    draws, number = len(outcome), int(sentences.max()) + 1
    sums = np.stack([np.bincount(sentences, row, number) for row in outcome])
    sizes = np.bincount(sentences, minlength=number)
    random = np.random.default_rng(0)
    by_sentence = random.multinomial(number, np.full(number, 1 / number), BOOTSTRAPS)
    by_draw = random.multinomial(draws, np.full(draws, 1 / draws), BOOTSTRAPS) / draws
    means = ((by_sentence @ sums.T) * by_draw).sum(1) / (by_sentence @ sizes)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(outcome.mean()), float(low), float(high)


def sentence_numbers(occurrences: Sequence[Occurrence]) -> NDArray[np.int64]:
    """(N,) which sentence each occurrence stands in, numbered from 0."""
    numbers: dict[tuple[str, ...], int] = {}
    return np.array([numbers.setdefault(o.words, len(numbers)) for o in occurrences])


def share_right(
    right: NDArray[np.bool_] | NDArray[np.float64], occurrences: Sequence[Occurrence]
) -> dict[str, float]:
    """``mean``, ``low`` and ``high`` of (N,) right answers, or of differences between two probes.

    The 95 % interval comes from drawing the sentences of the N occurrences anew. Other words to
    learn from would move the mean, too; that is not in the interval.
    """
    mean, low, high = bootstrap_interval(
        np.asarray(right, dtype=float)[None], sentence_numbers(occurrences)
    )
    return {"mean": mean, "low": low, "high": high}
