"""``python -m course.static_limits.experiments NAME ...``: the full-size measurements of lesson 02.

Each trains word vectors several times, on the corpus of the course that is there (Brown, or Lee),
and stores what came out in ``course/results`` with its seeds and 95 % intervals.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from course.static_limits.pseudo_word_vectors import look_at
from course.static_limits.pseudo_words import LEAST, PAIRS, SKIP, pseudo_words_of
from course.static_limits.senseval_readers import senseval
from course.static_limits.vector_norms import SCALES, losses_by_scale, spread
from elmo_mini import corpora
from elmo_mini.extras import brought_by
from elmo_mini.recurrent.training import seeded
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.glove import Glove
from elmo_mini.word_vectors.table import WordVectors
from elmo_mini.word_vectors.word2vec import (
    dynamic_window_pairs,
    keep_probability,
    noise_distribution,
    sgns_step,
    train_skip_gram,
)
from elmo_mini.word_vectors.word2vec_options import COURSE_OPTIONS, course_options
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

with brought_by("experiments"):
    import gensim

GLOVE: dict[str, Any] = {
    "vector_size": 50,
    "window": 5,
    "min_count": 5,
    "x_max": 10.0,
    "epochs": 15,
}
PLAIN: dict[str, Any] = {"sample": 1e-3, "negative": 5, "batch": 1000}
PASSES = (1, 3)  # lesson 01 reads Brown once, the fast trainer three times


def pseudo_words(name: str, sentences: list[list[str]], seeds: Sequence[int]) -> tuple[str, Result]:
    """Merge pairs of words, train two kinds, measure the merged vectors and their contexts."""
    rows: list[list[Result]] = []
    counted: list[list[Result]] = []
    for seed in seeds:
        text, words = pseudo_words_of(name, sentences, seed)
        model = Word2Vec(text, sg=1, seed=seed, **course_options(name))
        rows.append(look_at(words, text, model))
        counted.append(look_at(words, text, Glove(text, seed=seed, **GLOVE)))
        print(f"seed {seed}: {_line(rows[-1])}", flush=True)
    return (
        f"Pseudo-words: {PAIRS} pairs merged in {name}, skip-gram and GloVe, {len(seeds)} seeds",
        {
            "options": {**course_options(name), "sg": 1},
            "rule": "pairs drawn by seed among words of 5 letters or more with at least "
            f"{LEAST[name]} occurrences, the {SKIP[name]} commonest left out",
            "summary": _summary(rows),
            "pairs": [row for rows_of_seed in rows for row in rows_of_seed],
            "GloVe": {
                "options": GLOVE,
                "summary": _summary(counted),
                "pairs": [row for rows_of_seed in counted for row in rows_of_seed],
            },
        },
    )


def plain_skip_gram(
    name: str, sentences: list[list[str]], seeds: Sequence[int]
) -> tuple[str, Result]:
    """The same merged pairs, with vectors of the plain loop of lesson 01."""
    rows: dict[str, list[list[Result]]] = {str(passes): [] for passes in PASSES}
    for seed in seeds:
        text, words = pseudo_words_of(name, sentences, seed)
        for passes in PASSES:
            vectors = _as_in_lesson_01(text, passes, seed)
            rows[str(passes)].append(look_at(words, text, vectors))
            print(f"seed {seed}, passes {passes}: {_line(rows[str(passes)][-1])}", flush=True)
    return (
        f"Pseudo-words: {PAIRS} pairs merged in {name}, skip-gram by the plain loop of lesson 01, "
        f"{len(seeds)} seeds",
        {
            "options": {**COURSE_OPTIONS, **PLAIN},
            "passes": {
                passes: {
                    "summary": _summary(found),
                    "pairs": [row for rows_of_seed in found for row in rows_of_seed],
                }
                for passes, found in rows.items()
            },
        },
    )


def _as_in_lesson_01(text: list[list[str]], passes: int, seed: int) -> WordVectors:
    vocabulary = Vocabulary.from_sentences(text, min_count=COURSE_OPTIONS["min_count"])
    kept = keep_probability(vocabulary.frequencies, PLAIN["sample"])
    rng = np.random.default_rng(seed)
    pairs: list[tuple[int, int]] = []
    for sentence in text:
        ids = [i for i in vocabulary.encode(sentence) if rng.random() < kept[i]]
        pairs.extend(dynamic_window_pairs(ids, COURSE_OPTIONS["window"], rng))
    rows = torch.from_numpy(rng.permutation(np.array(pairs))).repeat(passes, 1)
    noise = torch.as_tensor(noise_distribution(vocabulary.counts))
    with seeded(seed, torch.device("cpu")):
        table, _, _ = train_skip_gram(
            rows,
            noise,
            sgns_step,
            COURSE_OPTIONS["vector_size"],
            PLAIN["negative"],
            PLAIN["batch"],
            COURSE_OPTIONS["alpha"],
            lambda *_: None,
        )
    return WordVectors(vocabulary, table.numpy())


def _summary(rows: Sequence[list[Result]]) -> Result:
    """The mean of each measure, and how closely positions follow shares, over the seeds."""

    def column(rows_of_seed: list[Result], key: str) -> NDArray[np.float64]:
        return np.array([row[key] for row in rows_of_seed])

    keys = [key for key in rows[0][0] if key not in ("words", "occurrences")]
    summary = {key: interval([column(r, key).mean() for r in rows]) for key in keys}
    sides = [column(r, "cosine with the first") - column(r, "cosine with the second") for r in rows]
    placed = {
        key: [column(r, key) for r in rows] for key in ("position", "position, vectors of length 1")
    } | {"first cosine less the second": sides}
    for key, columns in placed.items():
        summary[f"correlation of share and {key}"] = interval(
            [
                np.corrcoef(column(r, "share of the first"), found)[0, 1]
                for r, found in zip(rows, columns, strict=True)
            ]
        )
    return summary


def _line(rows: list[Result]) -> str:
    mean = {k: np.mean([r[k] for r in rows]) for k in ("accuracy from context", "majority")}
    return ", ".join(f"{key} {value:.3f}" for key, value in mean.items())


def variance(name: str, sentences: list[list[str]], seeds: Sequence[int]) -> tuple[str, Result]:
    """Variance of skip-gram's and CBOW's numbers, and how fast a classifier learns from them."""
    tables: dict[str, list[float]] = {}
    learning: dict[str, list[NDArray[np.float64]]] = {}
    for seed in seeds:
        text, words = pseudo_words_of(name, sentences, seed)
        for rate in (0.025, 0.05):
            options = {**course_options(name), "alpha": rate, "seed": seed}
            for sg, kind in ((1, "skip-gram"), (0, "CBOW")):
                ours = Word2Vec(text, sg=sg, **options)
                theirs = gensim.models.Word2Vec(text, sg=sg, workers=1, **options)
                for library, vectors in (
                    ("elmo_mini", ours.vectors),
                    ("gensim", theirs.wv.vectors),
                ):
                    tables.setdefault(f"{library}, {kind}, alpha {rate}", []).append(
                        spread(vectors)
                    )
                if rate == COURSE_OPTIONS["alpha"]:
                    learning.setdefault(kind, []).append(losses_by_scale(words, text, ours))
        print(f"seed {seed}: { ({key: round(v[-1], 4) for key, v in tables.items()}) }", flush=True)
    ratios = {
        key.replace(", skip-gram", ""): interval(
            np.array(tables[key.replace("skip-gram", "CBOW")]) / np.array(tables[key])
        )
        for key in tables
        if "skip-gram" in key
    }
    return f"Variance of CBOW and skip-gram vectors on {name}, {len(seeds)} seeds", {
        "options": {**course_options(name), "alpha": "0.025 and 0.05"},
        "variance": {key: interval(values) for key, values in tables.items()},
        "variance of CBOW over skip-gram": ratios,
        "classifier": "logistic regression, 100 steps of gradient descent at rate 0.1, on context "
        "averages times a scale, mean over the pseudo-words (elmo_mini, alpha 0.05)",
        "scales": SCALES.tolist(),
        "loss after 100 steps": {
            kind: [interval(column) for column in np.array(rows).T]
            for kind, rows in learning.items()
        },
    }


EXPERIMENTS: dict[str, Callable[[str, list[list[str]], Sequence[int]], tuple[str, Result]]] = {
    "pseudo-words": pseudo_words,
    "plain-skip-gram": plain_skip_gram,
    "senseval": senseval,
    "variance": variance,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "static_limits.experiments", "static_", __doc__, EXPERIMENTS, _prepare, argv, seeds=5
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    corpus = corpora.course_text()
    arguments = (corpus.name, list(corpus.sentences(lower=True)), args.seeds)
    return arguments, {"corpus": corpus.name, "threads": 1}


if __name__ == "__main__":
    raise SystemExit(main())
