"""Counted vectors: windows by their mean, positive PMI, and intervals over pairs."""

import numpy as np

from course.word2vec import against_counts as counts
from elmo_mini.models.skip_gram import shifted_pmi


def test_a_window_is_counted_by_the_mean_of_its_draws() -> None:
    found = counts.window_counts([[0, 1, 2], [2]], 3, 2).toarray()
    assert found.tolist() == [[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]]


def test_counted_vectors_give_the_positive_pmi_back() -> None:
    drawn = np.random.default_rng(0).integers(0, 9, (12, 12)).astype(float) + np.eye(12)
    table = counts.sparse.csr_matrix(drawn + drawn.T)
    wanted = np.maximum(shifted_pmi(table.toarray(), 2), 0)
    left = counts.counted_vectors(table, 2, 1.0, 11)
    assert np.allclose(left @ left.T, wanted @ wanted.T, atol=0.05)


def test_a_correlation_and_its_lead_have_intervals_over_pairs() -> None:
    marks = np.arange(40.0)
    noise = np.random.default_rng(0).standard_normal(40)
    alone = counts.over_pairs(marks[None], None, marks)
    assert np.allclose([alone["mean"], alone["low"], alone["high"]], 1)
    lead = counts.over_pairs(marks[None], noise[None], marks)
    assert 0 < lead["low"] < lead["mean"] < lead["high"]


def test_halves_are_apart_and_the_best_setting_is_chosen() -> None:
    one, other = counts.halves(9)
    assert sorted([*one, *other]) == list(range(9))
    assert counts.best({(2, 5): 0.1, (5, 5): 0.3}) == (5, 5)
