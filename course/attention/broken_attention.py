"""Language models of blocks with one planted fault each, and what can be seen of them.

Each fault is one slip of the kind that gives no error. Three of them are planted in lesson 13.
"""

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor

from elmo_mini.models.attention import Block, MultiHead, causal_mask, full_mask
from elmo_mini.models.fine_tuning import CausalLM

AHEAD = "every position looks to both sides"
STRETCHES = "the heads are cut with reshape, without turning the axes"
LATE = "positions are closed after the softmax, not before"
LARGE = "the scores are not divided"
ASKED = "each state is asked for the word that it has just read"
SLOW = "the learning rate is a hundred times too small"
FAULTS = (AHEAD, STRETCHES, LATE, LARGE, ASKED, SLOW)
RUNS = {"A": STRETCHES, "B": LATE, "C": LARGE}


class FaultyHeads(MultiHead):
    """Heads with one fault, or with none."""

    fault = ""

    def forward(self, x: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """As `MultiHead`."""
        parts = (self.query(x), self.key(x), self.value(x))
        if self.fault == STRETCHES:
            q, k, v = (part.reshape(len(x), self.heads, x.shape[1], -1) for part in parts)
        else:
            q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        scores = q @ k.transpose(-2, -1)  # (B, A, T, T)
        if self.fault != LARGE:
            scores = scores / k.shape[-1] ** 0.5
        if self.fault == LATE:
            attention_weights = scores.softmax(-1) * allowed[:, None]
        else:
            attention_weights = scores.masked_fill(~allowed[:, None], -torch.inf).softmax(-1)
        found = attention_weights @ v
        if self.fault != STRETCHES:
            found = found.transpose(1, 2)
        return self.out(found.reshape(x.shape)), attention_weights


def faulty_block(fault: str) -> Callable[[int, int], Block]:
    """What makes blocks with this fault, if it is one of blocks."""

    def block(dim: int, heads: int) -> Block:
        made = Block(dim, heads, full_mask if fault == AHEAD else causal_mask)
        made.attention = FaultyHeads(dim, heads)
        made.attention.fault = fault
        return made

    return block


@torch.no_grad()
def first_weights(model: CausalLM, ids: Tensor, mask: Tensor) -> tuple[float, float]:
    """Attention weights of the first block: the largest of a row, and the sum of a row; means.

    Parameters
    ----------
    ids, mask : (B, T) texts and their tokens; the means go over heads and tokens
    """
    block = cast(Block, model.blocks[0])
    x = model.norm(model.word(ids) + model.position_embedding.weight[: ids.shape[1]])
    attention_weights = block.attention(x, block.mask_of(mask))[1].transpose(0, 1)[
        :, mask
    ]  # (A, tokens, T)
    return float(attention_weights.amax(-1).mean()), float(attention_weights.sum(-1).mean())


def broken_lm(name: str, words: int, dim: int, longest: int, seed: int = 0) -> CausalLM:
    """The untrained model of run A, B or C, or a sound one for any other name."""
    torch.manual_seed(seed)
    return CausalLM(words, dim, longest=longest, block=faulty_block(RUNS.get(name, "")))
