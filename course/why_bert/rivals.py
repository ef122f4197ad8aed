"""What answers without fine-tuning: tables, features, counted vectors, and a frozen state.

Everything is read by one reader, a logistic regression with scikit-learn's usual penalty.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds

from course.baselines.kneser_ney import KneserNey
from course.word2vec import against_counts
from elmo_mini.extras import brought_by
from elmo_mini.text.labelled import Labelled
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import unit

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

Correct = NDArray[np.float64]
SCALE = 0.2  # of standardised numbers beside features of 0 and 1; chosen on dev, with 50 labels
WINDOW, DIM = 4, 96


def read(rows: Sequence[Any], train: Labelled, test: Labelled) -> Correct:
    """(N,) 1 where a logistic regression answers right.

    Parameters
    ----------
    rows : of `train` and of `test`, one row of numbers for each text
    """
    known, asked = rows
    reader = LogisticRegression(max_iter=1_000).fit(known, train.labels)
    return (reader.predict(asked) == np.asarray(test.labels)).astype(float)


def features(train: Labelled, test: Labelled) -> tuple[Any, Any]:
    """Own features, 0 or 1: the last word, two before, their pair, and endings.

    Returns
    -------
    one sparse row for each text of `train` and of `test`; the columns are those seen in `train`
    """
    counts = CountVectorizer(analyzer=features_of)
    return counts.fit_transform(train.texts), counts.transform(test.texts)


def features_of(text: Sequence[str]) -> list[str]:
    """Its features in words; lesson 14 shows the same function."""
    two, before, last = (["<s>", "<s>", *text])[-3:]
    endings = [f"ending {last[-size:]}" for size in (1, 2, 3)]
    words = [f"last {last}", f"before {before}", f"two before {two}", f"pair {two} {before}"]
    return [*words, f"ending before {before[-2:]}", *endings]


def scaled(known: Any, asked: Any) -> tuple[Any, Any]:
    """Rows of numbers, standardised over `known`, and shrunk to stand beside features."""
    known, asked = np.asarray(known, float), np.asarray(asked, float)
    mean, spread = known.mean(0), known.std(0) + 1e-6
    return SCALE * (known - mean) / spread, SCALE * (asked - mean) / spread


def beside(one: Any, other: Any) -> Any:
    """The columns of both tables, side by side."""
    return sparse.hstack([one, other]).tocsr()


def table_of_last_words(train: Labelled, test: Labelled) -> Correct:
    """(N,) 1 where the commonest class of the last word is right; of a new word, of all texts."""
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for text, label in zip(train.texts, train.labels, strict=True):
        seen[text[-1]][label] += 1
    usual = Counter(train.labels)
    answers = [seen.get(text[-1], usual).most_common(1)[0][0] for text in test.texts]
    return (np.asarray(answers) == np.asarray(test.labels)).astype(float)


def bag_of_words(train: Labelled, test: Labelled) -> Correct:
    """(N,) 1 where a bag of words is right."""
    counts = CountVectorizer(analyzer=list)
    known, asked = counts.fit_transform(train.texts), counts.transform(test.texts)
    reader = LogisticRegression(C=3.0, max_iter=1_000).fit(known, train.labels)
    return (reader.predict(asked) == np.asarray(test.labels)).astype(float)


def last_words(table: NDArray[Any], vocabulary: Vocabulary, part: Labelled, words: int = 1) -> Any:
    """(N, words · D) the vectors of the last words of each text, out of a table (V, D)."""
    rows = [vocabulary.encode((["<unk>"] * words + text)[-words:]) for text in part.texts]
    return table[np.array(rows)].reshape(len(rows), -1)


def counted_vectors(stream: Sequence[int], words: int) -> NDArray[np.float64]:
    """(V, D) vectors without a network: positive PMI of neighbours in running text, and an SVD."""
    ids = np.asarray(stream)
    counts = sparse.csr_matrix((words, words))
    for away in range(1, WINDOW + 1):
        pairs = sparse.coo_matrix(
            (np.ones(len(ids) - away), (ids[:-away], ids[away:])), (words,) * 2
        )
        counts = counts + pairs + pairs.T
    found = counts.tocoo()
    totals = np.asarray(found.sum(1)).ravel()
    expected = totals[found.row] * totals[found.col] / totals.sum()
    positive = sparse.csr_matrix(
        (np.maximum(np.log(found.data / expected), 0), (found.row, found.col)), (words, words)
    )
    left, sizes, _ = svds(positive, DIM, random_state=0)
    return np.asarray(left * np.sqrt(sizes))


def expected_next(
    stream: Sequence[int], words: int, contexts: Sequence[Sequence[int]]
) -> NDArray[np.float64]:
    """(N, D) what counts of triples in running text expect behind each context.

    The mean vector of all words, by their probability after Kneser and Ney. The vectors are
    counted, too: of the word before and of the word behind, apart; each has length 1.
    """
    ids = np.asarray(stream)
    ones = np.ones(len(ids) - 1)
    behind = sparse.coo_matrix((ones, (ids[:-1], ids[1:])), (words, words))
    sides = sparse.hstack([behind.T, behind]).tocsr()
    counted: Any = against_counts.counted_vectors(sides, 1, 0.5, DIM)
    triples = KneserNey(stream, words, 3)
    logs = [triples.scores(torch.tensor([context[-2:]]))[0, -1].numpy() for context in contexts]
    return np.asarray(np.exp(np.stack(logs)) @ unit(counted))
