"""GloVe's trainer: sparse counts against the page's, AdaGrad against PyTorch's, toy tables."""

import numpy as np
import pytest
import torch
from scipy import sparse

from elmo_mini.models.glove import cooccurrence_counts, glove_loss
from elmo_mini.word_vectors.glove_trainer import Glove, fit, sparse_counts


def test_the_sparse_table_is_the_full_one() -> None:
    rng = np.random.default_rng(0)
    sentences = [rng.integers(0, 9, size=n).tolist() for n in (12, 1, 0, 7, 30)]
    for window in (1, 4, 50):
        full = cooccurrence_counts(sentences, 9, window)
        np.testing.assert_allclose(sparse_counts(sentences, 9, window).toarray(), full)
        np.testing.assert_array_equal(full, full.T)


@pytest.mark.parametrize("count", [cooccurrence_counts, sparse_counts])
def test_a_window_below_one_is_refused(count: object) -> None:
    assert callable(count)
    with pytest.raises(ValueError, match="window"):
        count([[0, 1]], 2, 0)


def test_passes_over_one_batch_are_adagrad_with_the_gradient_of_the_loss() -> None:
    """Three steps, so that the biases have moved before the last ones."""
    table = sparse.csr_matrix(np.triu(np.random.default_rng(3).uniform(1, 50, (6, 6))))
    fixed = {"x_max": 10.0, "alpha": 0.75, "learning_rate": 0.05, "batch_pairs": 1000}
    after, _ = fit(table, 4, epochs=3, seed=5, **fixed)  # type: ignore[arg-type]
    start = [torch.tensor(part) for part in _start(6, 4, seed=5)]
    leaves = [part[:, :-1].clone() for part in start] + [part[:, -1].clone() for part in start]
    leaves = [leaf.requires_grad_() for leaf in leaves]
    optimiser = torch.optim.Adagrad(leaves, lr=0.05, initial_accumulator_value=1.0, eps=0.0)
    counts = torch.tensor(table.toarray(), dtype=torch.float32)
    for _ in range(3):
        optimiser.zero_grad()
        (0.5 * glove_loss(*leaves, counts, x_max=10.0)).backward()
        optimiser.step()
    for leaf, found in zip(leaves, after, strict=False):
        torch.testing.assert_close(torch.tensor(found), leaf.detach(), rtol=1e-4, atol=1e-5)


def _start(size: int, dimension: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    rng.permutation(int(np.triu(np.ones((size, size))).sum()))  # the order of the pairs
    return [
        ((rng.random((size, dimension + 1)) - 0.5) / dimension).astype(np.float32) for _ in range(2)
    ]


def test_a_table_of_low_rank_is_learnt() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(0, 0.6, (2, 30, 3))
    counts = np.exp(left @ right.T + 1.5)
    (w, c), history = fit(
        sparse.csr_matrix(counts),
        4,
        x_max=10.0,
        alpha=0.75,
        learning_rate=0.2,
        epochs=400,
        batch_pairs=100,
        seed=0,
    )
    assert history[-1] < 0.02 * history[0]
    assert w.shape == c.shape == (30, 4)


def test_words_of_one_kind_come_together_and_the_seed_decides() -> None:
    rng = np.random.default_rng(0)
    kinds = [["red", "green", "blue"], ["cat", "dog", "cow"]]
    company = [["paint", "bright", "wall"], ["feed", "bark", "tail"]]
    sentences = []
    for _ in range(600):
        k = int(rng.integers(2))
        sentences.append(
            [str(rng.choice(company[k])), str(rng.choice(kinds[k])), str(rng.choice(company[k]))]
        )
    options = {"vector_size": 6, "window": 2, "min_count": 1, "epochs": 30, "batch_pairs": 10}
    model = Glove(sentences, seed=2, **options)  # type: ignore[arg-type]
    for word, others in (("red", kinds[0]), ("dog", kinds[1])):
        inside = np.mean([model.similarity(word, w) for w in others if w != word])
        outside = np.mean([model.similarity(word, w) for k in kinds for w in k if w not in others])
        assert inside > outside + 0.3
    assert model.loss_history[-1] < model.loss_history[0]
    again = Glove(sentences, seed=2, **options)  # type: ignore[arg-type]
    np.testing.assert_array_equal(model.vectors, again.vectors)
    assert not np.array_equal(model.vectors, Glove(sentences, seed=3, **options).vectors)  # type: ignore[arg-type]


def test_texts_without_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="min_count=5"):
        Glove([["a", "b"]])
    with pytest.raises(ValueError, match="stand together"):
        Glove([["a"]] * 9)
