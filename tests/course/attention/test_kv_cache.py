"""One position at a time, with what is kept, against all positions at once."""

import torch

from course.attention.kv_cache import Kept, attend_next
from elmo_mini.models.attention import MultiHead, causal_mask


def test_position_after_position_finds_what_all_find_at_once() -> None:
    torch.manual_seed(0)
    attention, x = MultiHead(12, 3), torch.randn(2, 5, 12)
    at_once, _ = attention(x, causal_mask(torch.ones(2, 5, dtype=torch.bool)))
    kept: Kept | None = None
    for t in range(5):
        found, kept = attend_next(attention, x[:, t : t + 1], kept)
        torch.testing.assert_close(found, at_once[:, t : t + 1])
    assert kept is not None
    assert [part.shape for part in kept] == [(2, 3, 5, 4)] * 2
