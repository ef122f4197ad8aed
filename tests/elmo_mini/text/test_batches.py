import random

import numpy as np
import pytest
import torch

from elmo_mini.text.batches import batches_of_like_length, pad, shuffled_batches

LENGTHS = np.random.default_rng(1).integers(1, 40, 1003).tolist()


def spread(batches: list[list[int]]) -> list[int]:
    """How far apart the lengths of each batch lie."""
    return [max(LENGTHS[r] for r in rows) - min(LENGTHS[r] for r in rows) for rows in batches]


def test_rows_are_cut_by_length_and_stay_in_their_order_among_equals() -> None:
    assert batches_of_like_length([3, 1, 3, 2, 1], 2) == [[1, 4], [3, 0], [2]]
    assert batches_of_like_length([3, 1, 3, 2, 1], 2, [2, 4, 0]) == [[4, 2], [0]]
    assert batches_of_like_length([], 2) == []


@pytest.mark.parametrize(("pool", "mean", "most"), [(50, 3, 40), (None, 1, 1)])
def test_batches_hold_every_row_once_and_like_lengths(
    pool: int | None, mean: float, most: int
) -> None:
    shuffle = np.random.default_rng(2).shuffle
    first, second = (list(shuffled_batches(LENGTHS, 10, shuffle, pool=pool)) for _ in range(2))
    for batches in (first, second):
        assert sorted(row for rows in batches for row in rows) == list(range(1003))
        assert np.mean(spread(batches)) < mean
        assert max(spread(batches)) <= most
    assert first != second
    assert [len(rows) for rows in first].count(10) == 100


def test_any_generator_shuffles() -> None:
    one, other = (
        list(shuffled_batches(LENGTHS, 10, random.Random(seed).shuffle)) for seed in (0, 0)
    )
    assert one == other
    assert list(shuffled_batches([], 10, random.Random(0).shuffle)) == []


def test_pad() -> None:
    ids, mask = pad([[4, 5], [6], [7, 8, 9], []], 2, device="cpu")
    assert ids.tolist() == [[4, 5, 2], [6, 2, 2], [7, 8, 9], [2, 2, 2]]
    assert mask.tolist() == [[True, True, False], [True, False, False], [True] * 3, [False] * 3]
    assert (ids.dtype, mask.dtype) == (torch.int64, torch.bool)
    assert [table.device.type for table in pad([[1], []], device="meta")] == ["meta", "meta"]
    with pytest.raises(ValueError, match="nothing to pad"):
        pad([], device="cpu")
