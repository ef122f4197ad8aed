"""Heads and blocks are PyTorch's, with its weights under our names."""

import pytest
import torch
from torch import nn

from course.attention import from_pytorch
from course.attention.pre_norm import PreNormBlock
from course.both_sides_at_once.fill import fill
from elmo_mini.models.attention import Block, MultiHead, full_mask
from elmo_mini.transformer.files import load_masked_lm

TOKENS = torch.arange(10) < torch.tensor([[10], [4], [7]])


def test_heads_are_pytorch_s() -> None:
    torch.manual_seed(0)
    theirs, own = nn.MultiheadAttention(64, 4, batch_first=True).eval(), MultiHead(64, 4)
    own.load_state_dict(from_pytorch.weights_of_heads(theirs))
    x = torch.randn(3, 10, 64)
    found, weights = own(x, TOKENS[:, None, :].expand(-1, 10, -1))
    wanted = theirs(x, x, x, key_padding_mask=~TOKENS, average_attn_weights=False)
    torch.testing.assert_close(found, wanted[0], rtol=0, atol=1e-5)
    torch.testing.assert_close(weights, wanted[1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("norm_first", [False, True])
def test_blocks_are_pytorch_s(norm_first: bool) -> None:
    torch.manual_seed(0)
    theirs = nn.TransformerEncoderLayer(
        *(64, 4, 256, 0.0, nn.functional.gelu), batch_first=True, norm_first=norm_first
    ).eval()
    own = PreNormBlock(64, 4, full_mask, 0.0) if norm_first else Block(64, 4)
    x = torch.randn(3, 10, 64)
    own.load_state_dict(from_pytorch.weights_of_layer(theirs))
    wanted = theirs(x, src_key_padding_mask=~TOKENS)
    torch.testing.assert_close(own(x, TOKENS)[TOKENS], wanted[TOKENS], rtol=0, atol=1e-4)


def test_blocks_in_the_masked_model_change_nothing() -> None:
    model, words = load_masked_lm()
    blank = "he has been there for ten [MASK] ."
    before = fill(model, words, blank, 3)[0]
    sizes = model.options
    own = nn.ModuleList(Block(sizes.dim, sizes.heads) for _ in range(sizes.layers))
    from_pytorch.exchange_blocks(model, own)
    assert model.blocks is own
    assert str(fill(model, words, blank, 3)[0]) == str(before)
    assert str(before).startswith("years")
