"""The pictures of lesson 01: a word's company, noise, what a score costs, runs and trainers."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures import plots
from course.figures.interval_bars import NOT_THERE, interval_bars
from course.figures.picture import Picture
from elmo_mini.text.vocabulary import Vocabulary

Numbers = NDArray[np.float64]
POWERS = {"1: as in the text": 1, "3/4: word2vec": 0.75, "1/2: fastText": 0.5, "0: all alike": 0}
MEASURES = {"part of speech": "probe", "WordSim-353": "wordsim353", "overlap": "overlap"}
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
    return plots.curves(
        np.arange(1, points + 1) * each,
        drawn,
        title=f"One loss stands out (above {DRAWN_AT_MOST} it is drawn at {DRAWN_AT_MOST})",
        xlabel="step",
        ylabel=f"mean loss of {each} steps",
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
    keep: Callable[[Numbers, float, str], Any], vocabulary: Vocabulary, words: Sequence[str]
) -> Picture:
    """How much of a word survives subsampling, as the paper says and as programs do it.

    Parameters
    ----------
    keep : from frequencies, a threshold and "paper" or "code" to probabilities
    words : are marked at their frequencies, where the vocabulary has them
    """
    frequency = np.logspace(-6, -1, 120)
    return plots.curves(
        frequency,
        {name: np.asarray(keep(frequency, 1e-3, name)) for name in ("paper", "code")},
        title="Programs keep more of a frequent word than the paper says (t = 0.001)",
        xlabel="relative frequency of the word",
        ylabel="probability to keep an occurrence",
        log_x=True,
        marks={w: vocabulary.frequencies[vocabulary.id(w)] for w in words if w in vocabulary},
    )


def trainers(numbers: Mapping[str, Any]) -> Picture:
    """gensim's vectors and ours by three measures, from the stored comparison.

    Of the words whose part of speech is asked, most are nouns: who always says so has that share.
    """
    ways, asked = numbers["results"]["skip-gram"]["ways"], numbers["probed_words"]
    most = max(asked, key=lambda kind: asked[kind])
    share = asked[most] / sum(asked.values())
    level = {"mean": share, "low": share, "high": share}
    return interval_bars(
        list(MEASURES),
        {way: [ways[way][key] for key in MEASURES.values()] for way in ("gensim", "ours")}
        | {f"always '{most}'": [level, NOT_THERE, NOT_THERE]},
        title=f"Both trainers are far above 'always {most}', and near each other",
        ylabel="percent; correlation x 100",
    )
