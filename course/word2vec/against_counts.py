"""``python -m course.word2vec.against_counts``: gensim's skip-gram and counted vectors, both tuned.

On each side eight settings are tried: for skip-gram the window and the rounds, for PPMI with SVD
the window, the shift and the power of the singular values. The setting is chosen on half of the
words, or of the pairs, by the first seed alone; what is stored is measured on the other half.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from scipy.sparse.linalg import svds

from course.baselines.counted_vectors import positive_pmi
from course.results.accuracy import share, share_right
from course.results.stored import FOLDER, write_result
from course.word2vec import analogies
from course.word2vec.word_similarity import judged_pairs
from elmo_mini import corpora
from elmo_mini.extras import brought_by
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import unit

with brought_by("experiments"):
    from gensim.models import Word2Vec
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

NAME = "word2vec_against_counts"
CLASSES = {"NN": "noun", "VB": "verb", "JJ": "adjective", "RB": "adverb"}
NUMBERS, LEAST, BOOTSTRAPS = 100, 20, 2_000
WINDOWS, ROUNDS, SHIFTS, POWERS = (2, 5), (5, 10, 20, 40), (1, 5), (0.5, 1.0)
NETWORK, COUNTS, BOTH, RANDOM = "skip-gram", "counts: PPMI, SVD", "both", "random vectors"

Floats = NDArray[np.float64]
Sentences = Sequence[Sequence[str]]
Setting = tuple[Any, ...]


def window_counts(texts: Sequence[Sequence[int]], words: int, window: int) -> sparse.csr_matrix:
    """(V, V) pairs of ids as a dynamic window cuts them, by their mean: C - d + 1 of C draws."""
    rows, columns, weights = [], [], []
    for distance in range(1, window + 1):
        for ids in texts:
            here, there = ids[:-distance], ids[distance:]
            rows += [*here, *there]
            columns += [*there, *here]
            weights += [(window - distance + 1) / window] * (2 * len(here))
    return sparse.csr_matrix((weights, (rows, columns)), shape=(words, words))


def counted_vectors(counts: sparse.csr_matrix, shift: int, power: float, size: int) -> Floats:
    """(V, size) singular vectors of the positive PMI less log `shift`."""
    left, values, _ = svds(positive_pmi(counts, shift), size, random_state=0)
    return np.asarray(left * values**power, dtype=np.float64)


def skip_gram(sentences: Sentences, words: Sequence[str], setting: Setting, seed: int) -> Floats:
    """(V, 100) gensim's vectors after so many rounds with a window."""
    window, rounds = setting
    model = Word2Vec(
        sentences,
        sg=1,
        vector_size=NUMBERS,
        window=window,
        epochs=rounds,
        negative=5,
        min_count=5,
        sample=1e-3,
        workers=1,
        seed=seed,
    )
    return np.stack([model.wv[word] for word in words]).astype(np.float64)


def parts_of_speech(
    vocabulary: Vocabulary, tagged: Sequence[Sequence[tuple[str, str]]]
) -> tuple[list[int], list[str]]:
    """Ids of the frequent nouns, verbs, adjectives and adverbs, and each one's commonest class."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in tagged:
        for word, tag in sentence:
            seen[word.lower()][CLASSES.get(tag[:2], "")] += 1
    commonest = {word: tags.most_common(1)[0][0] for word, tags in seen.items()}
    ids = [
        number
        for number, word in enumerate(vocabulary.words)
        if vocabulary.counts[number] >= LEAST and commonest.get(word)
    ]
    return ids, [commonest[vocabulary.words[number]] for number in ids]


def halves(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two halves of so many places, drawn by one seed."""
    order = np.random.default_rng(0).permutation(size)
    return order[: size // 2], order[size // 2 :]


def classed_right(vectors: Floats, classes: Sequence[str]) -> Floats:
    """(N,) 1 where a linear classifier, by cross-validation, names the class of a row."""
    probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    return np.asarray(cross_val_predict(probe, vectors, classes, cv=5) == np.array(classes), float)


def correlation(cosines: Floats, marks: Floats) -> float:
    """Spearman's, of cosines and what people say."""
    return float(stats.spearmanr(cosines, marks).statistic)


def over_pairs(rows: Floats, less: Floats | None, marks: Floats) -> dict[str, float]:
    """A mean correlation over seeds, or its lead, with a 95 % bootstrap interval over pairs.

    Parameters
    ----------
    rows : cosines (seeds, N)
    less : those of the rival, taken away
    """

    def value(chosen: NDArray[np.int64]) -> float:
        def mean(of: Floats) -> float:
            return float(np.mean([correlation(row[chosen], marks[chosen]) for row in of]))

        return mean(rows) - (0.0 if less is None else mean(less))

    rng, size = np.random.default_rng(0), len(marks)
    drawn = [value(rng.integers(0, size, size)) for _ in range(BOOTSTRAPS // 4)]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return {"mean": value(np.arange(size)), "low": float(low), "high": float(high)}


def best(found: Mapping[Setting, float]) -> Setting:
    """The setting with the largest value."""
    return max(found, key=lambda setting: found[setting])


def measured(seeds: Sequence[int], say: Callable[[str], None]) -> dict[str, Any]:
    """Both sides tuned and measured on Brown."""
    corpus = corpora.load("brown")
    sentences = list(corpus.sentences(lower=True))
    vocabulary = Vocabulary.from_sentences(sentences, min_count=5)
    texts = [vocabulary.encode(sentence) for sentence in sentences]
    ids, classes = parts_of_speech(vocabulary, list(corpus.tagged_sentences()))
    judged = [row for row in judged_pairs() if row[0] in vocabulary and row[1] in vocabulary]
    a, b = zip(
        *((vocabulary.id(one), vocabulary.id(other)) for one, other, _ in judged), strict=True
    )
    marks = np.array([mark for *_, mark in judged])
    dev, test = halves(len(ids))
    dev_pairs, test_pairs = halves(len(judged))

    def cosines(vectors: Floats) -> Floats:
        table = unit(vectors.astype(np.float32))
        return np.asarray((table[list(a)] * table[list(b)]).sum(1), dtype=np.float64)

    def right(vectors: Floats) -> Floats:
        return classed_right(unit(vectors.astype(np.float32))[ids].astype(np.float64), classes)

    tables: dict[str, dict[Setting, Floats]] = {NETWORK: {}, COUNTS: {}}
    for window in WINDOWS:
        counts = window_counts(texts, len(vocabulary), window)
        for shift, power in product(SHIFTS, POWERS):
            tables[COUNTS][window, shift, power] = counted_vectors(counts, shift, power, NUMBERS)
    for setting in product(WINDOWS, ROUNDS):
        tables[NETWORK][setting] = skip_gram(sentences, vocabulary.words, setting, seeds[0])
        say(f"skip-gram, {setting}")
    tried: dict[str, dict[str, dict[Setting, float]]] = {"class": {}, "similarity": {}}
    for name, of in tables.items():
        tried["class"][name] = {s: float(right(v)[dev].mean()) for s, v in of.items()}
        tried["similarity"][name] = {
            s: correlation(cosines(v)[dev_pairs], marks[dev_pairs]) for s, v in of.items()
        }
    chosen = {measure: {name: best(of) for name, of in by.items()} for measure, by in tried.items()}
    say(str(chosen))

    def networks(setting: Setting) -> list[Floats]:
        return [tables[NETWORK][setting]] + [
            skip_gram(sentences, vocabulary.words, setting, seed) for seed in seeds[1:]
        ]

    listed, _ = analogies.questions(vocabulary.words[:4_000])
    measures, arithmetic = {}, {}
    for measure in tried:
        nets = networks(chosen[measure][NETWORK])
        say(f"{measure}: seeds done")
        table = tables[COUNTS][chosen[measure][COUNTS]]
        if measure == "class":
            rng = np.random.default_rng(0)
            rows = {
                NETWORK: np.stack([right(net)[test] for net in nets]),
                COUNTS: np.stack([right(table)[test]] * len(nets)),
                BOTH: np.stack([_joined_right(net, table, ids, classes)[test] for net in nets]),
                RANDOM: np.stack([right(rng.standard_normal(table.shape))[test] for _ in nets]),
            }
            values = {name: share_right(row) for name, row in rows.items()}
            leads = {
                NETWORK: share_right(rows[NETWORK] - rows[COUNTS]),
                BOTH: share_right(rows[BOTH] - rows[COUNTS]),
            }
        else:
            people = marks[test_pairs]
            net_rows = np.stack([cosines(net)[test_pairs] for net in nets])
            count_rows = np.stack([cosines(table)[test_pairs]] * len(nets))
            both = net_rows + count_rows
            values = {
                NETWORK: over_pairs(net_rows, None, people),
                COUNTS: over_pairs(count_rows, None, people),
                BOTH: over_pairs(both, None, people),
            }
            leads = {
                NETWORK: over_pairs(net_rows, count_rows, people),
                BOTH: over_pairs(both, count_rows, people),
            }
        measures[measure] = {"values": values, "less counts": leads}
        arithmetic[measure] = {
            NETWORK: _arithmetic([unit(net.astype(np.float32)) for net in nets], listed),
            COUNTS: _arithmetic([unit(table.astype(np.float32))], listed),
        }
    return {
        "words asked": dict(Counter(classes[place] for place in test)),
        "pairs asked": len(test_pairs),
        "numbers": NUMBERS,
        "seeds": list(seeds),
        "chosen": {m: {n: list(s) for n, s in by.items()} for m, by in chosen.items()},
        "tried, on the other half": {
            m: {n: [[*map(float, s), v] for s, v in of.items()] for n, of in by.items()}
            for m, by in tried.items()
        },
        "measures": measures,
        "arithmetic": arithmetic,
    }


def _joined_right(net: Floats, table: Floats, ids: list[int], classes: list[str]) -> Floats:
    """`classed_right` of both vectors of a word side by side."""
    both = [unit(part.astype(np.float32))[ids].astype(np.float64) for part in (net, table)]
    return classed_right(np.concatenate(both, 1), classes)


def _arithmetic(units: Sequence[Any], listed: Mapping[str, Any]) -> dict[str, Any]:
    """By kind of question: a word of the question comes first; the arithmetic; none; the lead."""
    found = [analogies.answers(table, listed) for table in units]
    return {
        kind: {way: share(np.stack([of[kind][way] for of in found])) for way in analogies.WAYS}
        | {
            "lead": share(
                np.stack(
                    [of[kind][analogies.FORBIDDEN] - of[kind][analogies.ALONE] for of in found]
                )
            )
        }
        for kind in found[0]
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=FOLDER, help="where to store")
    args = parser.parse_args()
    seeds = args.seeds
    numbers = measured(range(1, seeds + 1), lambda line: print(line, flush=True))
    write_result(
        NAME,
        "skip-gram against counted vectors of the same text, Brown, each with the best of eight "
        "settings",
        numbers,
        command=f"python -m course.word2vec.against_counts --seeds {seeds}",
        folder=args.results,
    )


if __name__ == "__main__":
    main()
