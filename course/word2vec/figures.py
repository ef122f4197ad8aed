"""The pictures of lesson 01: a word's company, noise, what a score costs, runs and rivals."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures import plots
from course.figures.interval_bars import NOT_THERE, interval_bars
from course.figures.picture import Picture
from course.results.accuracy import share
from course.results.intervals import Lead

Numbers = NDArray[np.float64]
POWERS = {"1: as in the text": 1, "3/4: word2vec": 0.75, "1/2: fastText": 0.5, "0: all alike": 0}
MEASURES = {"part of speech": "class", "WordSim-353": "similarity"}
WAYS = ("skip-gram", "counts: PPMI, SVD", "both")
DRAWN_AT_MOST = 9
BLOCK = 50


def company(
    sentences: Sequence[Sequence[str]], word: str, everywhere: Collection[str], reach: int = 2
) -> Picture:
    """The ten words that most often stand near `word`, without those that are near every word."""
    near: Counter[str] = Counter()
    for sentence in sentences:
        for place, token in enumerate(sentence):
            if token == word:
                around = [*sentence[max(0, place - reach) : place]]
                near.update({*around, *sentence[place + 1 : place + reach + 1]})
    most = [(w, n) for w, n in near.most_common() if w not in set(everywhere)][:10]
    return plots.bars(
        [w for w, _ in most],
        {"times": [n for _, n in most]},
        title=f"The company of '{word}'",
        ylabel=f"occurrences within {reach} places",
    )


def noise(distribution: Callable[[NDArray[np.int64], float], Any], counts: Any) -> Picture:
    """How likely each word is to be drawn as noise, the commonest first, by four powers.

    Parameters
    ----------
    distribution : from counts (V,) and a power to probabilities (V,)
    """
    rank = np.unique(np.geomspace(1, len(counts), 60).astype(int)) - 1
    return plots.curves(
        rank + 1,
        {f"power {n}": np.asarray(distribution(counts, p))[rank] for n, p in POWERS.items()},
        title="The smaller the power, the more often rare words are drawn",
        xlabel="rank of the word",
        ylabel="probability to be drawn",
        log_x=True,
        log_y=True,
    )


def costs() -> Picture:
    """The loss of one score, as that of a true pair and as that of noise."""
    scores = np.linspace(-12, 12, 200)
    return plots.curves(
        scores,
        {"true pair": np.logaddexp(0, -scores), "noise": np.logaddexp(0, scores)},
        title="A score costs the more, the more certain and wrong it is",
        xlabel="score",
        ylabel="loss",
    )


def learning(losses: Sequence[float], pairs: int, negatives: int) -> Picture:
    """The loss of a run, in means of fifty steps, beside that of scores of 0."""
    smooth = np.array(losses[: len(losses) // BLOCK * BLOCK]).reshape(-1, BLOCK).mean(1)
    nothing = (negatives + 1) * np.log(2)
    return plots.curves(
        np.arange(1, len(smooth) + 1) * BLOCK,
        {
            "loss": smooth,
            f"nothing learnt: {negatives + 1} log 2": np.full(len(smooth), nothing),
        },
        title="Skip-gram learns, fast at first and then slowly",
        xlabel=f"step ({pairs:,} pairs each)",
        ylabel="mean loss",
    )


def runs(losses: Mapping[str, Numbers], points: int = 10) -> Picture:
    """The losses of short runs, each in so many means; what is too high is drawn at the top."""
    drawn = {
        name: np.minimum(row, DRAWN_AT_MOST).reshape(points, -1).mean(1)
        for name, row in losses.items()
    }
    each = len(next(iter(losses.values()))) // points
    ends = {name: row[-1] for name, row in drawn.items()}
    above = [name for name, end in ends.items() if end == DRAWN_AT_MOST]
    least = min(ends, key=lambda name: ends[name])
    return plots.curves(
        np.arange(1, points + 1) * each,
        drawn,
        title="; ".join([*(f"{name} leaves the figure" for name in above), f"{least} ends lowest"]),
        xlabel="step",
        ylabel=f"loss, drawn at {DRAWN_AT_MOST} at most",
    )


def optimum(target: Numbers, scores: Mapping[str, Numbers], negatives: int) -> Picture:
    """Trained scores (V, V) against those that the counts say are best."""
    return plots.scatter(
        {name: (target.ravel(), found.ravel()) for name, found in scores.items()},
        title="With enough dimensions the scores are PMI - log k",
        xlabel=f"PMI - log {negatives}, from counts",
        ylabel="score v . v' of the trained vectors",
        diagonal=True,
    )


def kept(
    keep: Callable[[Numbers, float, Any], Any],
    frequencies: Mapping[str, float],
) -> Picture:
    """How much of a word survives subsampling, as the paper says and as programs do it.

    Parameters
    ----------
    keep : from frequencies, a threshold and "paper" or "code" to probabilities
    frequencies : of the words that are marked
    """
    frequency = np.logspace(-6, -1, 120)
    return plots.curves(
        frequency,
        {name: np.asarray(keep(frequency, 1e-3, name)) for name in ("paper", "code")},
        title="Programs keep more of a frequent word than the paper says (t = 0.001)",
        xlabel="relative frequency of the word",
        ylabel="probability to keep an occurrence",
        log_x=True,
        marks=frequencies,
    )


def kinds(found: Mapping[str, Numbers], chance: Numbers, network: str, rival: str) -> Picture:
    """How many neighbours are of a word's own part of speech, by how its vector came about.

    Parameters
    ----------
    found : (N,) the share of each word, by vectors; names such as ``counts: flattened``
    chance : the same of random vectors
    network, rival : the two whose difference the title states
    """
    lead = Lead.of(share(found[network] - found[rival]))
    said = {"ahead": "is ahead of", "behind": "is behind"}.get(
        lead.verdict, "is not clearly apart from"
    )
    sides = {
        side: [share(row) if name.startswith(side) else NOT_THERE for name, row in found.items()]
        for side in ("network", "counts", "both")
    }
    return interval_bars(
        [name.partition(": ")[2].replace(", ", ",\n") for name in found],
        sides,
        title=f"The network {said} its best rival: {lead.mean:+.1f} ({lead.low:+.1f} to "
        f"{lead.high:+.1f})",
        ylabel="% of neighbours of one kind",
        level=("random vectors", 100 * float(chance.mean())),
    )


def rivals(numbers: Mapping[str, Any]) -> Picture:
    """The network, counted vectors and both, each tuned, from the stored comparison."""
    measures = [numbers["measures"][key] for key in MEASURES.values()]
    verdicts = {
        label: Lead.of(measure["less counts"]["skip-gram"]).verdict
        for label, measure in zip(MEASURES, measures, strict=True)
    }
    ahead = [label for label, verdict in verdicts.items() if verdict == "ahead"]
    behind = [label for label, verdict in verdicts.items() if verdict == "behind"]
    said = [
        *([f"ahead in {' and '.join(ahead)}"] if ahead else []),
        *([f"behind in {' and '.join(behind)}"] if behind else []),
    ]
    return interval_bars(
        list(MEASURES),
        {name: [measure["values"][name] for measure in measures] for name in WAYS},
        title="Both sides tuned, the network is "
        + (", ".join(said) if said else "not clearly apart from counts"),
        ylabel="% right; correlation x 100",
    )
