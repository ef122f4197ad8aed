"""Exercise `bilm_loss`: what both directions are asked, and what their answers cost."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import Answer, Plain, as_tensors
from autograde.checking.differentiable import lengths_of, run_differentiably, slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.models import elmo as plain


def bilm_loss(top: Tensor, mask: Tensor, words: Tensor, W: Tensor, b: Tensor) -> Tensor:
    """(2,): the mean -log p of the word after each token and of the word before, in nats."""
    return plain.bilm_loss([top], mask, words, W, b)


def _in_pairs(top: Tensor, mask: Tensor, words: Tensor, W: Tensor, b: Tensor) -> Tensor:
    ahead, behind = top.chunk(2, -1)
    pair = mask[:, 1:]
    ahead, after = ahead[:, :-1][pair], words[:, 1:][pair]
    behind, before = behind[:, 1:][pair], words[:, :-1][pair]
    forward = functional.cross_entropy(ahead @ W.T + b, after)
    backward = functional.cross_entropy(behind @ W.T + b, before)
    return torch.stack([forward, backward])


def _with_targets(top: Tensor, mask: Tensor, words: Tensor, W: Tensor, b: Tensor) -> Tensor:
    scores = torch.stack(top.chunk(2, -1)) @ W.T + b
    t = torch.arange(words.shape[1])
    last, first = t == mask.sum(1, keepdim=True) - 1, t == 0
    ahead = words.roll(-1, 1).masked_fill(~mask | last, -100)
    behind = words.roll(1, 1).masked_fill(~mask | first, -100)
    asked = zip(scores, [ahead, behind], strict=True)
    return torch.stack([functional.cross_entropy(s.transpose(1, 2), a) for s, a in asked])


def _by_loops(top: Tensor, mask: Tensor, words: Tensor, W: Tensor, b: Tensor) -> Tensor:
    found: list[list[Tensor]] = [[], []]
    for row, sentence, n in zip(top, words, mask.sum(1).tolist(), strict=True):
        ahead, behind = row.chunk(2, -1)
        for t in range(n - 1):
            found[0].append(-torch.log_softmax(W @ ahead[t] + b, -1)[sentence[t + 1]])
        for t in range(1, n):
            found[1].append(-torch.log_softmax(W @ behind[t] + b, -1)[sentence[t - 1]])
    return torch.stack([torch.stack(losses).mean() for losses in found])


@Case.drawn
def _states(rng: Random, lengths: Sequence[int], vocabulary: int, hidden: int) -> Inputs:
    shape = (len(lengths), max(lengths))
    mask = np.arange(shape[1]) < np.array(lengths)[:, None]
    words = rng.integers(1, vocabulary, shape)
    words[:, 1] = 0  # a word like any other
    return {
        "top": rng.standard_normal((*shape, 2 * hidden)).astype(np.float32),
        "mask": mask,
        "words": np.where(mask, words, rng.integers(0, 2, shape)),
        "W": rng.standard_normal((vocabulary, hidden)).astype(np.float32),
        "b": rng.standard_normal(vocabulary).astype(np.float32),
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The two losses, and how much comes back from them to each input that learns."""
    losses = run_differentiably(answer, inputs)
    tensors = {name: as_tensors(value) for name, value in inputs.items()}
    leaves = {name: tensors[name].requires_grad_() for name in ("top", "W", "b")}
    total = answer(*tensors.values()).sum()
    return {"the losses": losses, "what comes back": lengths_of(slopes(total, leaves))}


SLIPS = """
--- hint 1
both are asked for the next word: behind[:, 1:][pair], words[:, :-1] -> \
        behind[:, :-1][pair], words[:, 1:]
    The backward reader comes from the right, so it has read the word at t + 1 already. Ask it for
    the word at t - 1.
both are asked for the word before: ahead[:, :-1][pair], words[:, 1:] -> \
        ahead[:, 1:][pair], words[:, :-1]
    The forward reader has read the word at t - 1 already. Ask it for the one at t + 1.
each is asked for what it has read last but one: \
        ahead[:, :-1][pair], words[:, 1:] -> ahead[:, 1:][pair], words[:, :-1] \
        && behind[:, 1:][pair], words[:, :-1] -> behind[:, :-1][pair], words[:, 1:]
    Each reader is asked for a word that it has read already: the forward one for t - 1, the
    backward one for t + 1. It is the other way round.
nothing is shifted: ahead[:, :-1][pair], words[:, 1:][pair] -> ahead[mask], words[mask] \
        && behind[:, 1:][pair], words[:, :-1][pair] -> behind[mask], words[mask]
    Each reader is asked for the word that it has just read. The state at t is asked for a
    neighbour: t + 1 for the forward reader, t - 1 for the backward one.
the forward reader is asked for its own word: \
        ahead[:, :-1][pair], words[:, 1:][pair] -> ahead[mask], words[mask]
    The forward reader is asked for the word that it has just read. Ask it for the one at t + 1.
the backward reader is asked for its own word: \
        behind[:, 1:][pair], words[:, :-1][pair] -> behind[mask], words[mask]
    The backward reader is asked for the word that it has just read. Ask it for the one at t - 1.
nothing is shifted, in pairs: words[:, 1:][pair] -> words[:, :-1][pair] \
        && words[:, :-1][pair] -> words[:, 1:][pair]
    Each reader is asked for the word that it has just read. The state at t is asked for a
    neighbour: t + 1 for the forward reader, t - 1 for the backward one.
the forward words where they stand: words[:, 1:][pair] -> words[:, :-1][pair]
the forward states one on: ahead[:, :-1][pair] -> ahead[:, 1:][pair]
    The forward reader is asked for the word that it has just read. Ask it for the one at t + 1.
the backward words where they stand: words[:, :-1][pair] -> words[:, 1:][pair]
the backward states one back: behind[:, 1:][pair] -> behind[:, :-1][pair]
    The backward reader is asked for the word that it has just read. Ask it for the one at t - 1.
--- hint 2
divided by {what}: + b, after) -> + b, after, reduction="sum") / {number} \
        && + b, before) -> + b, before, reduction="sum") / {number} \
        | what number = tokens mask.sum(), places pair.numel()
    You divide by the number of {what}. Divide by the number of tokens that a reader is asked for:
    in each sentence one fewer than it has tokens.
the last token is asked for padding: mask[:, 1:] -> mask[:, :-1]
    The last token of a short sentence is asked for padding, and padding is asked for it. Both
    positions of a pair must be tokens.
the last token is asked for padding, forward alone: ahead[:, :-1][pair], words[:, 1:][pair] -> \
        ahead[:, :-1][mask[:, :-1]], words[:, 1:][mask[:, :-1]]
    Your backward loss is right. The forward reader is asked at every token, also at the last one of
    a short sentence, and padding comes after it. Both positions of a pair must be tokens: `mask[:,
    1:]`, for either direction.
padding is asked for the last token, backward alone: behind[:, 1:][pair], words[:, :-1][pair] -> \
        behind[:, 1:][mask[:, :-1]], words[:, :-1][mask[:, :-1]]
    Your forward loss is right. The backward reader is asked at the padding behind a short sentence.
    Both positions of a pair must be tokens: `mask[:, 1:]`, for either direction.
the mask is not used: every [pair] -> .flatten(0, 1)
    The mask is never used, so padding is asked, and asked for. Both positions of a pair must be
    tokens.
padding is asked as word 0: \
        ahead, behind = top -> words = words * mask⏎ahead, behind = top \
        && every [pair] -> .flatten(0, 1)
    Padding is asked, and asked for, as if it were word 0. Both positions of a pair must be tokens.
the mask is guessed from the words: mask[:, 1:] -> (words > 0)[:, 1:]
    You take each 0 in `words` for padding. Which positions are there, `mask` says: padding may hold
    any number, and 0 may be a word.
all sentences are as long as the first: mask[:, 1:] -> mask[:1, 1:].expand(len(mask), -1)
    You take the length of the first sentence for all. Each has its own row in `mask`.
nobody is asked for the ends: pair = mask[:, 1:] -> pair = mask[:, 2:] \
        && ahead[:, :-1][pair], words[:, 1:] -> ahead[:, :-2][pair], words[:, 1:-1] \
        && behind[:, 1:][pair], words[:, :-1] -> behind[:, 2:][pair], words[:, 1:-1]
    Nobody is asked for the first or the last token. They are words, too: the forward reader
    predicts the end, and the backward reader the beginning.
two places away: pair = mask[:, 1:] -> pair = mask[:, 2:] \
        && ahead[:, :-1][pair], words[:, 1:] -> ahead[:, :-2][pair], words[:, 2:] \
        && behind[:, 1:][pair], words[:, :-1] -> behind[:, 2:][pair], words[:, :-2]
    You ask for the word two positions away. The neighbours are at t + 1 and t - 1.
--- hint 3
no bias: every + b ->
    The bias `b` is never added. A score is the product with the word's row of `W`, plus its bias.
a softmax too many: ahead @ W.T + b -> torch.softmax(ahead @ W.T + b, -1) \
        && behind @ W.T + b -> torch.softmax(behind @ W.T + b, -1)
    `cross_entropy` takes the scores as they are and does the softmax itself. You put probabilities
    in.
a softmax too many for the {direction} reader: \
        {states} @ W.T + b -> torch.softmax({states} @ W.T + b, -1) \
        | direction states = forward ahead, backward behind
    `cross_entropy` takes the scores as they are and does the softmax itself. You put probabilities
    of the {direction} reader in.
the losses are added up: + b, after) -> + b, after, reduction="sum") \
        && + b, before) -> + b, before, reduction="sum")
    You add the losses up. A long batch must not cost more than a short one: take the mean.
one number: torch.stack([forward, backward]) -> (forward + backward) / 2
    You average the two directions. Return both, a tensor of two numbers: they are looked at one by
    one, and added later.
one number, twice: torch.stack([forward, backward]) \
        -> torch.stack([forward + backward, forward + backward]) / 2
    You average the two directions, and return that twice. Return each one's own loss: they are
    looked at one by one, and added later.
the sum of both: torch.stack([forward, backward]) -> forward + backward
    You add the two directions. Return both, a tensor of two numbers: they are looked at one by one,
    and added later.
each direction adds up to a half: torch.stack([forward, backward]) \
        -> torch.stack([forward, backward]) / 2
    Each of your losses is halved. Each direction has a mean of its own, over its own tokens.
the perplexities: torch.stack([forward, backward]) -> torch.stack([forward, backward]).exp()
    You return the perplexities. The loss is the mean of -log p; its exponential is for people.
with the wrong sign: torch.stack([forward, backward]) -> -torch.stack([forward, backward])
    Your losses are below 0: the sign is turned. `cross_entropy` has the minus in it already.
the backward loss comes first: [forward, backward] -> [backward, forward]
    The forward loss comes first, then the backward one.
the forward loss twice: [forward, backward] -> [forward, forward]
    Both of your numbers are the forward loss.
a tuple: torch.stack([forward, backward]) -> (forward, backward)
    Return one tensor, not a tuple: `torch.stack([forward, backward])`.
the halves are swapped: ahead, behind = top -> behind, ahead = top
    The first half of a state is the forward reader's, the second half the backward reader's. Yours
    are swapped.
every second number: top.chunk(2, -1) -> top[..., ::2], top[..., 1::2]
    You take every second number for one reader. The first H numbers are the forward reader's, the
    other H the backward one's.
the whole vectors are cut along the words: top.chunk(2, -1) -> top.chunk(2, 1)
    You cut the sentences in two. The two readers stand in the numbers of a vector, the last axis.
--- no hint
word 0 is left out: + b, after) -> + b, after, ignore_index=0) \
        && + b, before) -> + b, before, ignore_index=0)
    `ignore_index=0` leaves out word 0, which is a word here. Which positions are there, `mask`
    says.
the {direction} states are cut off: {states} @ W.T -> {states}.detach() @ W.T \
        | direction states = forward ahead, backward behind
    The numbers are right, and the {direction} reader never learns: you cut its states off. Leave
    out `.detach()` and `.data`.
W is cut off in the {direction} loss: {states} @ W.T -> {states} @ W.detach().T \
        | direction states = forward ahead, backward behind
    The numbers are right, and `W` learns nothing from the {direction} loss. Leave out `.detach()`
    and `.data`.
plain numbers: torch.stack([forward, backward]) \
        -> torch.tensor([forward.item(), backward.item()])
    Your losses are plain numbers, and nothing can be learnt from them. Leave out `.item()`,
    `float()` and `torch.tensor(...)`.
"""
SLIPS_OF_TARGETS = """
--- hint 2
round the corner: ~mask | last -> ~mask && ~mask | first -> ~mask
    `roll` goes round the corner: the last token of a sentence is asked for what stands behind it,
    and the first for the end of the row. At the ends there is nothing to ask: -100.
the forward targets are emptied nowhere: .masked_fill(~mask | last, -100) ->
the backward targets are emptied nowhere: .masked_fill(~mask | first, -100) ->
    The targets of one direction are emptied nowhere. Padding is asked for nothing, nor is the token
    at the sentence's end or beginning that has no neighbour there: -100.
the forward targets are emptied at padding alone: ~mask | last -> ~mask
    The last token of a sentence is asked for what stands behind it. Nothing does: -100.
the forward targets are emptied at the last token alone: ~mask | last -> last
    The forward targets of the padding are not emptied: -100 wherever `mask` is False.
the backward targets are emptied at the first token alone: ~mask | first -> first
    The backward targets of the padding are not emptied: -100 wherever `mask` is False.
the {direction} targets are emptied at the words: ~mask | {end} -> mask | {end} \
        | direction end = forward last, backward first
    `mask` is True at tokens, and `masked_fill` writes where it is True: you empty the {direction}
    targets of the words. Empty those of the padding, `~mask`.
padding counts in the mean: cross_entropy(s.transpose(1, 2), a) \
        -> cross_entropy(s.transpose(1, 2), a, reduction="sum") / a.numel()
    You divide by the number of positions, padding and ends among them. Divide by the number of
    positions that are asked.
--- hint 3
the mean of the sentences' means: functional.cross_entropy(s.transpose(1, 2), a) \
        -> torch.stack([functional.cross_entropy(x, y) for x, y in zip(s, a)]).mean()
    You take the mean of each sentence, and then the mean of these. Every token counts alike: one
    mean over all of them.
--- no hint
0 where nobody asks: every -100 -> 0
    You write 0 where there is no target, and 0 is a word. `cross_entropy` leaves out -100.
"""
SLIPS_OF_LOOPS = """
--- hint 2
the forward reader is never asked at the first token: range(n - 1) -> range(1, n - 1)
    Your forward reader is not asked at the first token. A word comes after it.
the forward reader is never asked for the end: range(n - 1) -> range(n - 2)
    Your forward reader is not asked for the last token. The end of a sentence is bet on, too.
the forward reader is asked once: range(n - 1) -> range(1)
    Your forward reader is asked at the first token alone. It is asked at each that has a word after
    it.
the backward reader is never asked for the beginning: range(1, n) -> range(2, n)
    Your backward reader is not asked for the first token. The beginning of a sentence is bet on,
    too.
the backward reader is never asked at the last token: range(1, n) -> range(1, n - 1)
    Your backward reader is not asked at the last token. A word comes before it.
the backward reader is asked at the first token, too: range(1, n) -> range(n)
    Your backward reader is asked at the first token. Nothing comes before it: position -1, and what
    `roll` brings there, is the end of the row.
--- hint 3
no bias for the {direction} reader: W @ {states}[t] + b -> W @ {states}[t] \
        | direction states = forward ahead, backward behind
    The bias is missing in the {direction} reader's scores. It belongs to both directions.
"""

EXERCISE = Exercise(
    id="bilm_loss",
    title="What each direction is asked",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=bilm_loss,
    run=_run,
    cases=(
        Case("one sentence of 4 tokens", _states((4,), 5, 3)),
        Case("two sentences of one length", _states((5, 5), 6, 2), weight=2),
        Case("sentences of 6, 2 and 4 tokens", _states((6, 2, 4), 7, 3), weight=2),
        Case("the shortest comes first", _states((2, 5), 4, 2)),
        Case("as many words as places", _states((3, 4), 4, 4), edge=True),
    ),
    mistakes=(
        *slips(_in_pairs, SLIPS),
        *slips(_with_targets, SLIPS_OF_TARGETS),
        *slips(_by_loops, SLIPS_OF_LOOPS),
    ),
    right_answers={"targets with -100": _with_targets, "loops": _by_loops},
)
