"""Heads and blocks are PyTorch's, and the comparison sees it when they are not."""

from torch import nn

from course.attention import beside_pytorch
from course.attention.permutation import notices_a_swap
from elmo_mini.transformer.attention import MultiHead, both_sides, only_back
from elmo_mini.transformer.block import Block


class WithReLU(Block):
    """A block as of 2017."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__(dim, heads)
        self.wide = nn.Sequential(self.wide, nn.ReLU())

    def load_state_dict(self, state, *how):  # type: ignore[no-untyped-def]
        """As its parent, with the inner layer's other name."""
        return super().load_state_dict(
            {name.replace("wide.", "wide.0."): part for name, part in state.items()}, *how
        )


def test_heads_and_blocks_are_pytorch_s() -> None:
    assert max(beside_pytorch.heads_beside_pytorch(MultiHead).values()) < 1e-5
    assert beside_pytorch.block_beside_pytorch(Block) < 1e-4
    apart, filled = beside_pytorch.masked_model_beside_pytorch(
        Block, "he has been there for ten [MASK] ."
    )
    assert apart < 1e-4
    assert filled.startswith("years")


def test_another_block_is_seen() -> None:
    assert beside_pytorch.block_beside_pytorch(WithReLU) > 1e-3


def test_only_blocks_that_look_back_notice_a_swap() -> None:
    assert notices_a_swap(Block, only_back)
    assert not notices_a_swap(Block, both_sides)
