"""Word-sense classifiers on context words: *hard*, *interest*, *line* and *serve* (senseval).

``python -m course.static_limits.experiments senseval`` measures them for lesson 02.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.command import Result
from course.static_limits.majority_ceiling import majority_ceiling
from course.static_limits.pseudo_word_vectors import (
    bag_of_words_predictions,
    context_average,
    held_out_predictions,
)
from elmo_mini import corpora
from elmo_mini.corpora.passages import Instance
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import WordVectors
from elmo_mini.word_vectors.word2vec_options import course_options
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

TRAINED, RANDOM, BAG = "trained vectors", "random vectors", "bag of words"
SAME_BAG, SPELT = "bag of the words with vectors", "the ceiling, as spelt"
NEAR_LESS_FAR = "1 word on each side less 10"
DIMENSION, REACHES = 50, (1, 3, 5, 10)

Places = Sequence[tuple[Sequence[str], int]]
Right = NDArray[np.bool_]


def senseval(name: str, sentences: list[list[str]], seeds: Sequence[int]) -> tuple[str, Result]:
    """The ceiling of the word alone, and readers of one to ten words on each side."""
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
        read = {reach: _readings(places, answers, tables, reach) for reach in REACHES}
        spelt = (_by_spelling(forms, senses, distinct) == answers)[None]
        words[word] = {
            "occurrences": len(senses),
            "distinct contexts": len(distinct),
            "senses": len(set(senses)),
            "ceiling of the word": majority_ceiling([word] * len(senses), senses),
            "ceiling of its forms": majority_ceiling(forms, senses),
            "words on each side": {
                str(reach): _judged(right, spelt) for reach, right in read.items()
            },
            NEAR_LESS_FAR: {
                kind: _over_contexts(near.astype(float) - read[REACHES[-1]][kind])
                for kind, near in read[REACHES[0]].items()
            },
        }
        for reach, by in words[word]["words on each side"].items():
            means = {kind: round(found["mean"], 3) for kind, found in by["right"].items()}
            print(word, reach, means, flush=True)
    return f"senseval: the word alone against its context (vectors from {name})", {
        "options": {**course_options(name), "sg": 1},
        "interval": "95 %, bootstrap over the distinct contexts and the seeds",
        "classifier": "logistic regression (C=1) on the mean vector of the words on each side, "
        "trained or drawn at random, or on which words these are (all, or those with a vector); "
        "accuracy over 5 held-out folds of the distinct contexts",
        "words": words,
    }


def _readings(
    places: Places,
    answers: NDArray[np.str_],
    tables: Mapping[str, Sequence[WordVectors]],
    reach: int,
) -> dict[str, Right]:
    """For each kind of reader, which contexts it has right: (seeds, contexts), or (1, contexts)."""
    right = {
        kind: np.stack(
            [
                held_out_predictions(
                    np.stack([context_average(*place, model, reach) for place in places]),
                    answers,
                    c=1.0,
                )
                == answers
                for model in models
            ]
        )
        for kind, models in tables.items()
    }
    known = tables[TRAINED][0].vocabulary.words
    right[BAG] = (bag_of_words_predictions(places, answers, window=reach) == answers)[None]
    right[SAME_BAG] = (bag_of_words_predictions(places, answers, known, window=reach) == answers)[
        None
    ]
    return right


def _judged(right: Mapping[str, Right], spelt: Right) -> Result:
    """The share that each reader has right, and how far the vectors are ahead of the others."""

    def ahead(kind: str, other: Right) -> dict[str, float]:
        return _over_contexts(right[kind].astype(float) - other.mean(0))

    others = {kind: rows for kind, rows in right.items() if kind != TRAINED} | {SPELT: spelt}
    return {
        "right": {kind: _over_contexts(rows) for kind, rows in right.items()},
        f"lead of {TRAINED}": {kind: ahead(TRAINED, rows) for kind, rows in others.items()},
        f"lead of {RANDOM}": {SPELT: ahead(RANDOM, spelt)},
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
