"""Heads against PyTorch's, and what may not reach a place."""

import pytest
import torch
from torch import nn

from course.attention.from_pytorch import weights_of_heads
from elmo_mini.errors import ConfigurationError
from elmo_mini.transformer.attention import MultiHead, both_sides, one_head, only_back

MASK = torch.arange(6) < torch.tensor([6, 2, 4])[:, None]


def test_shares_are_of_open_places_and_add_up_to_one() -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 8)
    allowed = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0]]).bool()
    found, shares = one_head(q, k, v, allowed)
    assert torch.allclose(shares.sum(-1), torch.ones(2, 4))
    assert not shares[:, ~allowed].any()
    assert torch.allclose(found[:, 1], v[:, 3])


def test_a_fitting_key_is_found_among_many() -> None:
    keys = 9 * torch.eye(5)
    found, _ = one_head(keys[3:4], keys, torch.arange(5.0)[:, None], torch.ones(1, 5).bool())
    assert found.item() == pytest.approx(3)


@pytest.mark.parametrize("look", [both_sides, only_back])
def test_heads_are_those_of_pytorch(look: object) -> None:
    assert callable(look)
    torch.manual_seed(0)
    theirs, own = nn.MultiheadAttention(12, 3, batch_first=True).eval(), MultiHead(12, 3)
    own.load_state_dict(weights_of_heads(theirs))
    x = torch.randn(3, 6, 12)
    back = None if look is both_sides else ~torch.ones(6, 6, dtype=torch.bool).tril()
    with torch.no_grad():
        found, shares = own(x, look(MASK))
        wanted, wanted_shares = theirs(
            x, x, x, key_padding_mask=~MASK, attn_mask=back, average_attn_weights=False
        )
    assert torch.allclose(found, wanted, atol=1e-5)
    assert torch.allclose(shares, wanted_shares, atol=1e-5)


def test_only_back_closes_what_stands_ahead_and_no_row() -> None:
    table = only_back(MASK)
    assert table.shape == (3, 6, 6)
    assert table[0].tolist() == torch.ones(6, 6).tril().bool().tolist()
    assert table.any(-1).all()
    assert not table[1, :, 2:].any()


def test_heads_that_cannot_share_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="5 heads cannot share 12"):
        MultiHead(12, 5)
