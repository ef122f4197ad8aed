"""GloVe trained on a corpus: sparse co-occurrence counts, AdaGrad on batches of pairs.

The model, its weight and its loss are those of `elmo_mini.models.glove`, and so is the paper:
Pennington, Socher & Manning 2014 (EMNLP). The first learning rate of 0.05 is the authors'.

Letters in the shape comments: V words, D dimensions, P pairs with a count above 0.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from elmo_mini.divergence import check_finite, check_history
from elmo_mini.models.glove import check_window, glove_weight
from elmo_mini.progress import progress_bar
from elmo_mini.settings import above_0, whole_number
from elmo_mini.text.sentences import word_lists
from elmo_mini.text.vocabulary import frequent_words
from elmo_mini.word_vectors.table import WordVectors
from elmo_mini.word_vectors.word2vec_options import MOST

Counts = sparse.csr_matrix


def sparse_counts(
    sentences: Sequence[Sequence[int]], vocabulary_size: int, window: int
) -> "Counts":
    """`cooccurrence_counts` of the page as a sparse matrix (V, V), one distance at a time."""
    check_window(window)
    lengths = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
    ids = np.fromiter((i for s in sentences for i in s), dtype=np.int64, count=int(lengths.sum()))
    number = np.repeat(np.arange(len(sentences)), lengths)
    shape = (vocabulary_size, vocabulary_size)
    counts = sparse.csr_matrix(shape, dtype=np.float64)
    longest = int(lengths.max(initial=1))
    for distance in range(1, min(window, longest - 1) + 1):
        near = number[distance:] == number[:-distance]
        left, right = ids[:-distance][near], ids[distance:][near]
        weight = np.full(len(left), 1 / distance)
        counts = counts + sparse.csr_matrix((weight, (left, right)), shape=shape)
    return (counts + counts.T).tocsr()


class Glove(WordVectors):
    """GloVe vectors of a text; `vectors` is the sum of both tables, w + c.

    AdaGrad on batches: each pass meets the same batches of pairs in a new order. The batches are
    drawn once, and each is kept as a sparse table, so that the sums over a word's pairs are
    products with it.

    Parameters
    ----------
    sentences : tokenised sentences
    vector_size : D
    window, min_count : as in word2vec; pairs do not cross sentences
    x_max, alpha : of the weight f. x_max=10 suits a text of a million words, 100 is the paper's
        choice for billions.
    learning_rate : AdaGrad's
    epochs : passes over the pairs
    batch_pairs : pairs whose gradients are summed before a step
    progress : show a bar on standard output

    Attributes
    ----------
    loss_history : mean over the pairs of f (...)^2, one number a pass

    Raises
    ------
    ValueError
        If an option is outside its range, no word occurs `min_count` times, or no two words
        stand together.
    FloatingPointError
        If training diverges.
    """

    def __init__(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        vector_size: int = 50,
        window: int = 10,
        min_count: int = 5,
        x_max: float = 10.0,
        alpha: float = 0.75,
        learning_rate: float = 0.05,
        epochs: int = 15,
        batch_pairs: int = 20_000,
        seed: int = 1,
        progress: bool = False,
    ) -> None:
        whole = {
            "vector_size": vector_size,
            "window": window,
            "epochs": epochs,
            "batch_pairs": batch_pairs,
        }
        for name, value in whole.items():
            whole_number(name, value, 1, MOST.get(name))
        whole_number("min_count", min_count, 0)
        seed = whole_number("seed", seed, 0)
        for name, number in (("x_max", x_max), ("alpha", alpha), ("learning_rate", learning_rate)):
            above_0(name, number)
        sentences = list(word_lists(sentences))
        vocabulary = frequent_words(sentences, min_count)
        counts = sparse_counts(list(map(vocabulary.encode, sentences)), len(vocabulary), window)
        if not counts.nnz:
            raise ValueError("no two words of the vocabulary stand together in a sentence")
        self.pairs = int(counts.nnz)
        tables, self.loss_history = fit(
            counts,
            vector_size,
            x_max=x_max,
            alpha=alpha,
            learning_rate=learning_rate,
            epochs=epochs,
            batch_pairs=batch_pairs,
            seed=seed,
            progress=progress,
        )
        super().__init__(vocabulary, tables[0] + tables[1])


def fit(
    counts: "Counts",
    vector_size: int,
    *,
    x_max: float,
    alpha: float,
    learning_rate: float,
    epochs: int,
    batch_pairs: int,
    seed: int,
    progress: bool = False,
) -> tuple[list[NDArray[np.float32]], list[float]]:
    """Minimise J for a sparse table of counts.

    Returns
    -------
    Both tables of vectors (V, D), and the mean weighted squared error of each pass, measured
    on every batch before its step
    """
    rng = np.random.default_rng(seed)
    size = counts.shape[0]
    batches = _batches(counts, x_max, alpha, batch_pairs, rng)
    # As in the authors' program: start vectors and biases are uniform, and small.
    rows = ((rng.random((size, vector_size + 1)) - 0.5) / vector_size).astype(np.float32)
    columns = ((rng.random((size, vector_size + 1)) - 0.5) / vector_size).astype(np.float32)
    squares = [np.full_like(rows, 1.0), np.full_like(columns, 1.0)]
    history = []
    with progress_bar(total=epochs * len(batches), what="GloVe", show=progress) as bar:
        for _ in range(epochs):
            total = 0.0
            for number in rng.permutation(len(batches)):
                batch = batches[number]
                total += batch.step(rows, columns, squares, np.float32(learning_rate))
                bar.update()
            history.append(total / counts.nnz)
            check_finite(f"lower learning_rate={learning_rate}", loss=history[-1])
    check_history(history, f"lower learning_rate={learning_rate}")
    return [rows[:, :-1].copy(), columns[:, :-1].copy()], history


class _Batch:
    """Pairs with their logs and weights, and a sparse table (V, V) of their errors to come."""

    def __init__(
        self,
        i: NDArray[np.int32],
        j: NDArray[np.int32],
        logs: NDArray[np.float32],
        weights: NDArray[np.float32],
        size: int,
    ) -> None:
        self.table = sparse.csr_matrix((logs, (i, j)), shape=(size, size), dtype=np.float32)
        self.i = np.repeat(np.arange(size, dtype=np.int32), np.diff(self.table.indptr))
        self.j = self.table.indices
        self.logs = self.table.data.copy()
        self.weights = sparse.csr_matrix((weights, (i, j)), shape=(size, size)).data

    def step(
        self,
        rows: NDArray[np.float32],
        columns: NDArray[np.float32],
        squares: list[NDArray[np.float32]],
        rate: np.float32,
    ) -> float:
        """One AdaGrad step on both tables (vectors, and the bias as last column)."""
        w, c = rows[self.i], columns[self.j]  # (P, D + 1)
        error = np.einsum("pd,pd->p", w[:, :-1], c[:, :-1]) + w[:, -1] + c[:, -1] - self.logs
        weighted = self.weights * error
        self.table.data = weighted
        with_ones = [np.array(table) for table in (rows, columns)]
        for table in with_ones:
            table[:, -1] = 1.0  # the derivative for a bias is the error itself
        gradients = self.table @ with_ones[1], self.table.T @ with_ones[0]  # (V, D + 1)
        for table, gradient, square in zip((rows, columns), gradients, squares, strict=True):
            square += gradient * gradient
            table -= rate * gradient / np.sqrt(square)
        return float(weighted @ error)


def _batches(
    counts: "Counts", x_max: float, alpha: float, batch_pairs: int, rng: np.random.Generator
) -> list[_Batch]:
    table = counts.tocoo()
    logs = np.log(table.data).astype(np.float32)
    weights = glove_weight(table.data, x_max, alpha).astype(np.float32)
    order = rng.permutation(len(logs))
    pieces = np.array_split(order, max(1, round(len(order) / batch_pairs)))
    return [
        _Batch(table.row[p], table.col[p], logs[p], weights[p], counts.shape[0]) for p in pieces
    ]
