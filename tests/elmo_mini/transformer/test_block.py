"""The block against PyTorch's layer, and in the masked model of lesson 12."""

import torch
from torch import nn

from course.attention.from_pytorch import exchange_blocks, weights_of_layer
from elmo_mini.transformer.attention import only_back
from elmo_mini.transformer.block import Block
from elmo_mini.transformer.masked_lm import MaskedLM, MaskedLMOptions


def test_the_block_is_pytorchs_layer() -> None:
    torch.manual_seed(0)
    theirs = nn.TransformerEncoderLayer(12, 3, 48, 0.0, "gelu", batch_first=True).eval()
    own = Block(12, 3)
    own.load_state_dict(weights_of_layer(theirs))
    x, mask = torch.randn(3, 6, 12), torch.arange(6) < torch.tensor([6, 2, 4])[:, None]
    with torch.no_grad():
        wanted = theirs(x, src_key_padding_mask=~mask)
        assert torch.allclose(own(x, mask)[mask], wanted[mask], atol=1e-5)


def test_blocks_are_exchanged_in_a_masked_model() -> None:
    torch.manual_seed(0)
    model = MaskedLM(MaskedLMOptions(words=20, dim=8, heads=2)).eval()
    ids, mask = torch.randint(20, (2, 5)), torch.ones(2, 5, dtype=torch.bool)
    with torch.no_grad():
        before = model(ids, mask)
        exchange_blocks(model, nn.ModuleList(Block(8, 2) for _ in range(2)))
        assert isinstance(model.blocks[0], Block)
        assert torch.allclose(model(ids, mask), before, atol=1e-5)


def test_a_block_without_places_sees_a_bag_and_one_that_looks_back_does_not() -> None:
    torch.manual_seed(0)
    x, mask, order = torch.randn(1, 5, 8), torch.ones(1, 5).bool(), torch.tensor([1, 0, 2, 3, 4])
    with torch.no_grad():
        for block, blind in ((Block(8, 2), True), (Block(8, 2, only_back), False)):
            same = torch.allclose(block(x[:, order], mask)[:, 2:], block(x, mask)[:, 2:], atol=1e-5)
            first = torch.allclose(
                block(x[:, order], mask)[:, :2], block(x, mask)[:, [1, 0]], atol=1e-5
            )
            assert same
            assert first == blind
