"""``python -m elmo_mini.experiments.static NAME ...``: the full-size measurements of lesson 02.

Each trains word vectors several times, on the corpus of the course that is there (Brown, or Lee),
and stores what came out in ``elmo_mini/results`` with its seeds and 95 % intervals.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini import corpora
from elmo_mini.corpora.passages import Instance
from elmo_mini.experiments.command import Prepared, Result, run_experiments
from elmo_mini.extras import brought_by
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.results.intervals import interval
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.glove import Glove
from elmo_mini.word_vectors.majority_ceiling import majority_ceiling
from elmo_mini.word_vectors.pseudo_word_vectors import (
    answers_by_bag,
    context_average,
    held_out_answers,
    look_at,
)
from elmo_mini.word_vectors.pseudo_words import LEAST, PAIRS, SKIP, pseudo_words_of
from elmo_mini.word_vectors.scale import SCALES, losses_by_scale, spread
from elmo_mini.word_vectors.table import WordVectors
from elmo_mini.word_vectors.word2vec_options import COURSE_OPTIONS, course_options
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

with brought_by("experiments"):
    import gensim

TRAINED, RANDOM, BAG = "trained vectors", "random vectors", "bag of words"
SAME_BAG, SPELT = "bag of the words with vectors", "the ceiling, as spelt"
DIMENSION = 50
GLOVE: dict[str, Any] = {
    "vector_size": 50,
    "window": 5,
    "min_count": 5,
    "x_max": 10.0,
    "epochs": 15,
}


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


def senseval(name: str, sentences: list[list[str]], seeds: Sequence[int]) -> tuple[str, Result]:
    """The ceiling of the word alone, and readers of the ten words on each side."""
    corpus = corpora.load("senseval")
    vocabulary = Vocabulary.from_sentences(sentences, min_count=5)
    tables: dict[str, list[WordVectors]] = {TRAINED: [], RANDOM: []}
    for seed in seeds:
        tables[TRAINED].append(Word2Vec(sentences, sg=1, seed=seed, **course_options(name)))
        drawn = np.random.default_rng(seed).standard_normal((len(vocabulary), DIMENSION))
        tables[RANDOM].append(WordVectors(vocabulary, drawn.astype(np.float32)))
        print(f"seed {seed}: trained", flush=True)
    words: Result = {}
    for word in sorted({instance.word for instance in corpus.instances()}):
        instances = list(corpus.instances(word))
        senses = [instance.sense for instance in instances]
        forms = [instance.words[instance.position].lower() for instance in instances]
        distinct = list({instance.words: instance for instance in instances}.values())
        answers = np.array([instance.sense for instance in distinct])
        places = [([w.lower() for w in i.words], i.position) for i in distinct]
        right = {
            kind: np.stack(
                [
                    held_out_answers(
                        np.stack([context_average(*place, model) for place in places]),
                        answers,
                        c=1.0,
                    )
                    == answers
                    for model in models
                ]
            )
            for kind, models in tables.items()
        }
        right[BAG] = (answers_by_bag(places, answers) == answers)[None]
        right[SAME_BAG] = (answers_by_bag(places, answers, vocabulary.words) == answers)[None]
        spelt = (_by_spelling(forms, senses, distinct) == answers)[None]
        words[word] = {
            "occurrences": len(senses),
            "distinct contexts": len(distinct),
            "senses": len(set(senses)),
            "ceiling of the word": majority_ceiling([word] * len(senses), senses),
            "ceiling of its forms": majority_ceiling(forms, senses),
            "right": {kind: _over_contexts(rows) for kind, rows in right.items()},
            "lead of trained vectors": {
                other: _over_contexts(right[TRAINED].astype(float) - rows.mean(0))
                for other, rows in {**right, SPELT: spelt}.items()
                if other != TRAINED
            },
            "lead of random vectors": {
                SPELT: _over_contexts(right[RANDOM].astype(float) - spelt.mean(0))
            },
        }
        print(word, {k: v["mean"] for k, v in words[word]["right"].items()}, flush=True)
    return f"senseval: the word alone against its context (vectors from {name})", {
        "options": {**course_options(name), "sg": 1},
        "interval": "95 %, bootstrap over the distinct contexts and the seeds",
        "classifier": "logistic regression (C=1) on the mean vector of 10 words on each side, "
        "trained or drawn at random, or on which words these are (all, or those with a vector); "
        "accuracy over 5 held-out folds of the distinct contexts",
        "words": words,
    }


def _by_spelling(
    forms: Sequence[str], senses: Sequence[str], asked: Sequence[Instance]
) -> NDArray[np.str_]:
    """The commonest sense of each form over all occurrences: what one vector can say at best."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for form, sense in zip(forms, senses, strict=True):
        seen[form][sense] += 1
    return np.array([seen[i.words[i.position].lower()].most_common(1)[0][0] for i in asked])


def _over_contexts(rows: NDArray[Any]) -> dict[str, float]:
    """Mean of (seeds, contexts), with an interval over both."""
    mean, low, high = bootstrap_interval(rows.astype(float), np.arange(rows.shape[1]))
    return {"mean": mean, "low": low, "high": high}


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
    "senseval": senseval,
    "variance": variance,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments("static", __doc__, EXPERIMENTS, _prepare, argv, seeds=5)


def _prepare(args: argparse.Namespace) -> Prepared:
    corpus = corpora.course_text()
    arguments = (corpus.name, list(corpus.sentences(lower=True)), args.seeds)
    return arguments, {"corpus": corpus.name, "threads": 1}


if __name__ == "__main__":
    raise SystemExit(main())
