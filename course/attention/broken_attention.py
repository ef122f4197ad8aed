"""Language models of blocks with one planted fault each, and what can be seen of them.

Each fault is one slip of the kind that gives no error. Three of them are planted in lesson 13.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from course.attention.next_words import learn_next_words
from course.texts.small_text import SmallText
from elmo_mini.transformer.attention import MultiHead, both_sides, only_back
from elmo_mini.transformer.block import Block
from elmo_mini.transformer.causal_lm import CausalLM, next_word_loss

AHEAD = "every place looks to both sides"
STRETCHES = "the heads are cut with reshape, without turning the axes"
LATE = "places are closed after the softmax, not before"
LARGE = "the scores are not divided"
ASKED = "each state is asked for the word that it has just read"
SLOW = "the learning rate is a hundred times too small"
FAULTS = (AHEAD, STRETCHES, LATE, LARGE, ASKED, SLOW)
RUNS = {"A": STRETCHES, "B": LATE, "C": LARGE}
MOVED = 1e-4


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
            shares = scores.softmax(-1) * allowed[:, None]
        else:
            shares = scores.masked_fill(~allowed[:, None], -torch.inf).softmax(-1)
        found = shares @ v
        if self.fault != STRETCHES:
            found = found.transpose(1, 2)
        return self.out(found.reshape(x.shape)), shares


def faulty_block(fault: str) -> Callable[[int, int], Block]:
    """What makes blocks with this fault, if it is one of blocks."""

    def block(dim: int, heads: int) -> Block:
        made = Block(dim, heads, both_sides if fault == AHEAD else only_back)
        made.attention = FaultyHeads(dim, heads)
        made.attention.fault = fault
        return made

    return block


def faulty_loss(fault: str) -> Callable[[nn.Module, Tensor, Tensor], Tensor]:
    """The loss of a language model; with `ASKED`, of the word that each state has read."""

    def copied(model: nn.Module, ids: Tensor, mask: Tensor) -> Tensor:
        return functional.cross_entropy(model(ids, mask)[mask], ids[mask])

    return copied if fault == ASKED else next_word_loss


@torch.no_grad()
def reach(model: nn.Module, ids: Tensor, other: int) -> Tensor:
    """(T, T): row s says at which places the scores move when `other` stands at place s.

    Parameters
    ----------
    ids : (T,) one text
    """
    texts = ids.repeat(1 + len(ids), 1)  # (1 + T, T): as it is, then another word at each place
    texts[1:].fill_diagonal_(other)
    scores = model(texts)
    return (scores[1:] - scores[:1]).abs().amax(-1) > MOVED


@torch.no_grad()
def first_shares(model: CausalLM, ids: Tensor, mask: Tensor) -> tuple[float, float]:
    """Of the shares in the first block: the largest of a row, and the sum of a row; means.

    Parameters
    ----------
    ids, mask : (B, T) texts and their tokens; the means go over heads and tokens
    """
    block = cast(Block, model.blocks[0])
    x = model.norm(model.word(ids) + model.place.weight[: ids.shape[1]])
    shares = block.attention(x, block.look(mask))[1].transpose(0, 1)[:, mask]  # (A, tokens, T)
    return float(shares.amax(-1).mean()), float(shares.sum(-1).mean())


def broken_lm(name: str, words: int, dim: int, longest: int, seed: int = 0) -> CausalLM:
    """The untrained model of run A, B or C, or a sound one for any other name."""
    torch.manual_seed(seed)
    return CausalLM(words, dim, longest=longest, block=faulty_block(RUNS.get(name, "")))


@dataclass(frozen=True)
class Run:
    """What can be seen of a run without its code.

    Attributes
    ----------
    perplexity : of the next word, on held-out sentences, at the end
    reach : (T, T), as `reach` gives it for the sentence that was asked for
    """

    perplexity: float
    reach: Tensor


def four_runs(text: SmallText, sentence: Tensor, longest: int, steps: int) -> dict[str, Run]:
    """The sound run and A, B and C; prints what the shares look like before training.

    Parameters
    ----------
    sentence : (T,) word numbers of a sentence whose words are replaced, each in turn
    """
    words, held_out = len(text.vocabulary), text.numbers(text.held_out)
    runs = {}
    for name in ("sound", *RUNS):
        model = broken_lm(name, words, 64, longest)
        largest, total = first_shares(model, *held_out)
        print(f"{name:>6}: largest share {largest:.2f}, a row adds up to {total:.2f}")
        loss = faulty_loss(RUNS.get(name, ""))
        end = learn_next_words(model, text, steps, loss=loss)[-1]
        runs[name] = Run(float(end), reach(model, sentence, words - 1))
    return runs
