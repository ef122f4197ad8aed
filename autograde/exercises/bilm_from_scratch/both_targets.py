"""Exercise `both_targets`: what each direction is asked at each place."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain
from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON


def both_targets(words: Tensor, mask: Tensor) -> Tensor:
    """(2, B, T): the word after each place, the word before it; -100 where there is none.

    The pairs that `plain.bilm_loss` takes: a token and the one before it are both there.
    """
    ahead, behind = torch.full_like(words, -100), torch.full_like(words, -100)
    pair = mask[:, 1:]
    ahead[:, :-1] = words[:, 1:].masked_fill(~pair, -100)
    behind[:, 1:] = words[:, :-1].masked_fill(~pair, -100)
    return torch.stack([ahead, behind])


def _by_loops(words: Tensor, mask: Tensor) -> Tensor:
    out = torch.full((2, *words.shape), -100)
    for b, n in enumerate(mask.sum(1).tolist()):
        for t in range(n):
            out[0, b, t] = words[b, t + 1] if t + 1 < n else -100
            out[1, b, t] = words[b, t - 1] if t > 0 else -100
    return out


def _by_roll(words: Tensor, mask: Tensor) -> Tensor:
    t = torch.arange(words.shape[1])
    last, first = t == mask.sum(1, keepdim=True) - 1, t == 0
    ahead = words.roll(-1, 1).masked_fill(~mask | last, -100)
    behind = words.roll(1, 1).masked_fill(~mask | first, -100)
    return torch.stack([ahead, behind])


def _by_padding(words: Tensor, mask: Tensor) -> Tensor:
    marked = words.masked_fill(~mask, -100)
    ahead = functional.pad(marked[:, 1:], (0, 1), value=-100)
    behind = functional.pad(marked[:, :-1], (1, 0), value=-100)
    return torch.stack([ahead, behind]).masked_fill(~mask, -100)


@Case.drawn
def _sentences(rng: Random, lengths: Sequence[int], width: int, padding: int = 0) -> Inputs:
    mask = np.arange(width) < np.array(lengths)[:, None]
    words = rng.permutation(np.arange(2, 2 + mask.size)).reshape(mask.shape)
    return {"words": np.where(mask, words, padding), "mask": mask}


def _numbered(rng: Random) -> Inputs:
    return {"words": np.array([[1, 7, 8, 9, 2]]), "mask": np.ones((1, 5), bool)}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The targets, if `cross_entropy` would take them."""
    came = run_differentiably(answer, inputs, ONE_TENSOR)
    if isinstance(came, np.ndarray) and came.dtype != np.int64:
        raise AnswerRefused(OTHER_TYPE)
    return came


ONE_TENSOR = (
    "Your answer is of type {kind}. Return one tensor, (2, B, T): `cross_entropy` takes nothing "
    "else."
)
OTHER_TYPE = (
    "`cross_entropy` takes targets of the type `torch.long`, and yours have another. Make them "
    "like `words`: `torch.full_like(words, -100)`."
)

SLIPS = """
--- hint 1
both are asked for the next word: [ahead, behind] -> [ahead, ahead]
    The backward reader comes from the right, so it has read the word at t + 1 already. Ask it for
    the word at t - 1.
nothing is shifted: [ahead, behind]) -> [words, words]).masked_fill(~mask, -100)
    Each reader is asked for the word that it has just read. Shift: t + 1 for the forward reader, t
    - 1 for the backward one.
the backward word itself, and one length for all: \
        pair = mask -> mask = mask[:1].expand_as(mask) ⏎pair = mask \
        && [ahead, behind] -> [ahead, words.masked_fill(~mask, -100)]
    Two things. Your backward reader is asked for the word that it has just read: ask it for the one
    at t - 1. And you take the length of the first sentence for all.
in the middle, and swapped: [ahead, behind] -> [behind, ahead], 1
    Two things. The two directions stand on axis 1, and they come first: (2, B, T). And the word
    after a place is the forward reader's, the word before it the backward reader's.
--- hint 2
the padding is a target: words[:, 1:].masked_fill(~pair -> words[:, 1:].masked_fill(~mask[:, :-1]
    The last token of a short sentence is asked for padding. Nothing comes after it: -100.
the mask is guessed from the words: pair = mask[:, 1:] -> pair = (words > 0)[:, 1:]
    You take each 0 in `words` for padding. Which places are there, `mask` says: padding may hold
    any number, and 0 may be a word.
the mask is not used: every .masked_fill(~pair, -100) ->
    The mask is never used, so padding is asked, and asked for. Both places of a pair must be
    tokens.
--- hint 3
both are written into one table: behind[:, 1:] = -> ahead[:, 1:] =
    You write the backward targets over the forward ones, and the second table stays empty. Each
    direction has a tensor of its own.
floats: [ahead, behind]) -> [ahead, behind]).float()
    `cross_entropy` takes targets of the type `torch.long`, and yours have another. Make them like
    `words`: `torch.full_like(words, -100)`.
a pair: torch.stack([ahead, behind]) -> (ahead, behind)
    Return one tensor, not a tuple: `torch.stack(...)` makes one of tensors that have one shape.
the forward targets only: torch.stack([ahead, behind]) -> ahead
    Only the forward targets are there. Put both into one tensor: `torch.stack`.
side by side: torch.stack([ahead, behind]) -> torch.cat([ahead, behind], 1)
    You joined the two along the sentence. Stack them on an axis of their own: `torch.stack([ahead,
    behind])` is (2, B, T).
on the last axis: [ahead, behind] -> [ahead, behind], -1
    The two directions stand on the last axis. They come first: (2, B, T).
in the middle: [ahead, behind] -> [ahead, behind], 1
    The two directions stand on axis 1. They come first, (2, B, T): `torch.stack` without `dim=1`.
"""

SLIPS_OF_LOOPS = """
--- hint 1
the backward targets in reading order: out[1, b, t] -> out[1, b, n - 1 - t]
the backward targets in reading order, whole rows: out[1, b, t] -> out[1, b, words.shape[1] - 1 - t]
    Your backward targets stand in the order of reading, last word first. `BiLM` has turned the
    backward states back already: place t belongs to word t, and is asked for the word at t - 1.
the forward targets reversed: out[1, b, t] = words[b, t - 1] if t > 0 \
        -> out[1, b, n - 1 - t] = words[b, t + 1] if t + 1 < n
the forward targets reversed, whole rows: out[1, b, t] = words[b, t - 1] if t > 0 \
        -> out[1, b, words.shape[1] - 1 - t] = words[b, t + 1] if t + 1 < n
    You reverse the forward targets to get the backward ones. Each place keeps its word: the
    backward target at t is `words` at t - 1, so shift to the right and reverse nothing.
both are asked for the word before: words[b, t + 1] if t + 1 < n -> words[b, t - 1] if t > 0
the forward reader is asked for the word before: words[b, t + 1] -> words[b, t - 1]
    The forward reader has read the word at t - 1 already. Ask it for the one at t + 1.
shifted by two: words[b, t + 1] if t + 1 < n -> words[b, t + 2] if t + 2 < n \
        && words[b, t - 1] if t > 0 -> words[b, t - 2] if t > 1
    You shift by two places. The neighbours are at t + 1 and t - 1.
the backward reader is asked for the word before the last one: \
        words[b, t - 1] if t > 0 -> words[b, t - 2] if t > 1
    The backward reader is asked for the word two places before. Ask it for the one at t - 1.
nobody is asked for the boundaries: if t + 1 < n -> if t + 2 < n && if t > 0 -> if t > 1
    Nobody is asked for the first or the last token of a sentence. They are words, too: the forward
    reader predicts the end, and the backward reader the beginning.
--- hint 2
the ends are asked for themselves: every else -100 -> else words[b, t]
    At the ends of a sentence your readers are asked for the token that stands there, which they
    have just read. Nothing comes before the first token and nothing after the last: -100.
every sentence is as long as the first: mask.sum(1).tolist() -> [int(mask[0].sum())] * len(mask)
    You take the length of the first sentence for all. Each has its own: its row of `mask` says it.
--- hint 3
the first and the last token are skipped: range(n) -> range(1, n - 1)
    Your loop skips the first and the last token for both readers. The first has a word after it,
    and the last has one before it: each lacks one target only.
the first token is skipped: range(n) -> range(1, n)
    Your loop skips the first token for both readers. Nothing comes before it, but a word comes
    after it: the forward reader is asked there.
the last token is skipped: range(n) -> range(n - 1)
    Your loop skips the last token for both readers. Nothing comes after it, but a word comes before
    it: the backward reader is asked there.
0 where nobody asks: every -100 -> 0
    You write 0 where there is no target, and 0 is a word. `cross_entropy` leaves out -100.
-1 where nobody asks: every -100 -> -1
    You write -1 where there is no target. What `cross_entropy` leaves out is -100.
"""

SLIPS_OF_ROLL = """
--- hint 1
the forward targets are not shifted: words.roll(-1, 1) -> words
    The forward reader is asked for the word that it has just read. Ask it for the one at t + 1.
the backward targets are not shifted: words.roll(1, 1) -> words
    The backward reader is asked for the word that it has just read. Ask it for the one at t - 1.
--- hint 2
the padding is asked: ~mask | first -> ~mask.roll(1, 1) | first
the padding is asked by the backward reader: ~mask | first -> first
    A place of padding behind a sentence is asked for its last word. Nobody stands there: -100
    wherever `mask` is False.
the mask is negated for the forward reader: ~mask | last -> mask | last
the mask is negated for the backward reader: ~mask | first -> mask | first
    `mask` is True where a token stands, and `masked_fill` writes where it is True: you empty the
    tokens. Empty the padding, `~mask`.
--- hint 3
rolled after masking: words.roll(-1, 1).masked_fill(~mask | last, -100) \
        -> words.masked_fill(~mask, -100).roll(-1, 1) \
        && words.roll(1, 1).masked_fill(~mask | first, -100) \
        -> words.masked_fill(~mask, -100).roll(1, 1)
    `roll` goes round the corner: it brings the first token to the last place, and in a short
    sentence the padding asks for the last word. Shift with slices, or empty those places after
    rolling.
round the corner: ~mask | last -> ~mask | ~mask.roll(-1, 1) \
        && ~mask | first -> ~mask | ~mask.roll(1, 1)
    `roll` brings the first token to the end, and the last to the front. At the ends there is
    nothing to ask for: -100.
rolled, and masked by the place itself: ~mask | last -> ~mask && ~mask | first -> ~mask
    You roll the words and empty the padding. Two places of each sentence are left: the first token
    has nothing before it, and the last one nothing after it.
the wrong ends are emptied: ~mask | last -> ~mask | first && ~mask | first -> ~mask | last
    You empty the wrong ends. The forward reader has nothing to predict at the last token, and the
    backward reader has nothing at the first.
the {reader} targets are rolled over the sentences: roll({n}, 1) -> roll({n}, 0) \
        | reader n = forward -1, backward 1
    Your {reader} targets come from another sentence: you roll along axis 0. The words stand on
    axis 1.
the forward targets are rolled, and emptied at the padding alone: ~mask | last -> ~mask
    `roll` brings the first token to the end, and the last token of a sentence is asked for it, or
    for padding. Nothing comes after the last token: -100.
the forward targets are rolled, and emptied at the last token alone: ~mask | last -> last
    The forward targets of the padding are not emptied: `roll` brings the first token to the end of
    the row. Write -100 wherever `mask` is False.
the forward targets are rolled, and emptied at no place: .masked_fill(~mask | last, -100) ->
    `roll` brings the first token to the end of the row, and nothing empties the forward targets.
    Write -100 at the last token *or* where `mask` is False.
the backward targets are rolled, and emptied at no place: .masked_fill(~mask | first, -100) ->
the backward targets are rolled, and emptied where both hold: ~mask | first -> ~mask & first
    `roll` brings the end of the row to the front, and nothing empties the backward targets. Write
    -100 at the first token *or* where `mask` is False.
"""

SLIPS_OF_PADDING = """
--- hint 1
the directions are swapped: [ahead, behind] -> [behind, ahead]
the directions are swapped, and padding is asked: \
        [ahead, behind]).masked_fill(~mask, -100) -> [behind, ahead])
    The forward reader is asked for the word before, which it has read, and the backward reader for
    the word after. Both would copy. Swap them.
the forward targets are cut and not shifted: (0, 1) -> (1, 0)
    The forward reader is asked for the word that it has just read: its targets are cut and not
    shifted. Put the -100 at the other end.
the backward targets are cut and not shifted: (1, 0) -> (0, 1)
    The backward reader is asked for the word that it has just read: its targets are cut and not
    shifted. Put the -100 at the other end.
--- hint 2
the mask is negated: behind]).masked_fill(~mask -> behind]).masked_fill(mask
the mask is negated before the shift: words.masked_fill(~mask -> words.masked_fill(mask
    `mask` is True where a token stands, and `masked_fill` writes where it is True: you empty the
    tokens. Empty the padding, `~mask`.
"""

EXERCISE = Exercise(
    id="both_targets",
    title="What each direction is asked",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=both_targets,
    run=_run,
    codes=True,
    cases=(
        Case("one sentence", _numbered),
        Case("sentences of 5, 3 and 4 tokens", _sentences((5, 3, 4), 5), weight=2),
        Case("padding that has a number of its own", _sentences((2, 4), 5, 1), weight=1),
        Case("a sentence of one token, and none", _sentences((1, 0, 3), 3), edge=True),
    ),
    mistakes=(
        *slips(both_targets, SLIPS),
        *slips(_by_loops, SLIPS_OF_LOOPS),
        *slips(_by_roll, SLIPS_OF_ROLL),
        *slips(_by_padding, SLIPS_OF_PADDING),
    ),
    right_answers={"loops": _by_loops, "shift and pad": _by_padding, "by roll": _by_roll},
)
