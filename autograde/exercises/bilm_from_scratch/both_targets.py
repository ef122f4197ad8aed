"""Exercise `both_targets`: what each direction is asked at each place."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import LISTED, tensor_of
from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call_with_tensors,
)
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.bilm.plain import reverse_each

NOBODY_ASKS = -100


def both_targets(words: Tensor, mask: Tensor) -> Tensor:
    """(2, B, T): the word after each place, the word before it; -100 where there is none.

    The pairs that `plain.bilm_loss` takes: a token and the one before it are both there.
    """
    ahead, behind = torch.full_like(words, NOBODY_ASKS), torch.full_like(words, NOBODY_ASKS)
    pair = mask[:, 1:]
    ahead[:, :-1][pair] = words[:, 1:][pair]
    behind[:, 1:][pair] = words[:, :-1][pair]
    return torch.stack([ahead, behind])


def _sentences(lengths: Sequence[int], width: int, padding: int = 0) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        mask = np.arange(width) < np.array(lengths)[:, None]
        words = rng.permutation(np.arange(2, 2 + mask.size)).reshape(mask.shape)
        return {"words": np.where(mask, words, padding), "mask": mask}

    return make


def _numbered(rng: np.random.Generator) -> Inputs:
    return {"words": np.array([[1, 7, 8, 9, 2]]), "mask": np.ones((1, 5), bool)}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The targets, if `cross_entropy` would take them."""

    def targets(*arguments: Tensor) -> Tensor:
        came = tensor_of(lambda: answer(*arguments), ONE_TENSOR)
        if came.dtype != torch.long:
            raise AnswerRefused(OTHER_TYPE)
        return came

    return call_with_tensors(targets, inputs)


def _targets(
    words: Tensor,
    mask: Tensor,
    *,
    ahead: int = 1,
    behind: int = -1,
    asks_padding: bool = False,
    of_padding: bool = False,
    nobody: int = NOBODY_ASKS,
    wraps: bool = False,
    first: int = 0,
    last: int = 0,
) -> Tensor:
    """By loops, with one thing done otherwise; so many tokens are skipped at each end."""
    steps = words.shape[1]
    out = torch.full((2, *words.shape), nobody)
    for d, shift in enumerate((ahead, behind)):
        for b in range(len(words)):
            for t in range(first, int(mask[b].sum()) - last if last else steps):
                place = (t + shift) % steps if wraps else t + shift
                if not 0 <= place < steps:
                    continue
                asked = asks_padding or bool(mask[b, t])
                there = of_padding or bool(mask[b, place])
                if asked and there:
                    out[d, b, t] = words[b, place]
    return out


def _by_roll(
    words: Tensor,
    mask: Tensor,
    *,
    shifts: tuple[int, int] = (-1, 1),
    hide: tuple[str, str] = ("~mask | last", "~mask | first"),
) -> Tensor:
    """Each side rolled, and emptied where `hide` says so."""
    t = torch.arange(words.shape[1]).expand(words.shape)
    last, first = t == mask.sum(1, keepdim=True) - 1, t == 0
    places = {
        "~mask | last": ~mask | last,
        "mask | last": mask | last,
        "last": last,
        "~mask": ~mask,
        "nothing": torch.zeros_like(mask),
        "~mask | first": ~mask | first,
        "mask | first": mask | first,
        "first": first,
    }
    sides = zip(shifts, hide, strict=True)
    return torch.stack([words.roll(n, 1).masked_fill(places[at], NOBODY_ASKS) for n, at in sides])


def _ends_asked(words: Tensor, mask: Tensor) -> Tensor:
    out = _targets(words, mask)
    for b, length in enumerate(mask.sum(1).tolist()):
        if length:
            out[0, b, length - 1], out[1, b, 0] = words[b, length - 1], words[b, 0]
    return out


def _in_one_table(words: Tensor, mask: Tensor) -> Tensor:
    ahead, behind = _targets(words, mask)
    pair = mask[:, 1:]
    ahead[:, 1:][pair] = words[:, :-1][pair]
    return torch.stack([ahead, torch.full_like(behind, NOBODY_ASKS)])


def _rolled_after_masking(words: Tensor, mask: Tensor) -> Tensor:
    marked = words.masked_fill(~mask, NOBODY_ASKS)
    return torch.stack([marked.roll(-1, 1), marked.roll(1, 1)])


def _swapped_after_masking(words: Tensor, mask: Tensor) -> Tensor:
    marked = words.masked_fill(~mask, NOBODY_ASKS)
    swapped = torch.full((2, *words.shape), NOBODY_ASKS)
    swapped[1, :, :-1], swapped[0, :, 1:] = marked[:, 1:], marked[:, :-1]
    return swapped


def _backward_half(turned: Any, of: int = 1) -> Any:
    """The backward targets made from the right ones of one direction, reversed."""

    def answer(words: Tensor, mask: Tensor) -> Tensor:
        right = _targets(words, mask)
        return torch.stack([right[0], turned(right[of], mask)])

    return answer


def _each_turned(targets: Tensor, mask: Tensor) -> Tensor:
    return reverse_each(targets, mask.sum(1))


def _whole_row_turned(targets: Tensor, mask: Tensor) -> Tensor:
    return targets.flip(1)


def _padded_at(sides: tuple[tuple[int, int], tuple[int, int]], kept: Any, masked: Any) -> Any:
    """By `pad`: where each side gets its place, which words stay, and what is emptied."""

    def answer(words: Tensor, mask: Tensor) -> Tensor:
        marked = words.masked_fill(kept(mask), NOBODY_ASKS)
        cut = marked[:, 1:], marked[:, :-1]
        padded = [
            torch.nn.functional.pad(part, side, value=NOBODY_ASKS)
            for part, side in zip(cut, sides, strict=True)
        ]
        return torch.stack(padded).masked_fill(masked(mask), NOBODY_ASKS)

    return answer


def _by_padding(words: Tensor, mask: Tensor) -> Tensor:
    marked = words.masked_fill(~mask, NOBODY_ASKS)
    ahead = torch.nn.functional.pad(marked[:, 1:], (0, 1), value=NOBODY_ASKS)
    behind = torch.nn.functional.pad(marked[:, :-1], (1, 0), value=NOBODY_ASKS)
    return torch.stack([ahead, behind]).masked_fill(~mask, NOBODY_ASKS)


def _without_the_boundaries(words: Tensor, mask: Tensor) -> Tensor:
    ahead, behind = _targets(words, mask)
    for b, length in enumerate(mask.sum(1).tolist()):
        ahead[b, max(length - 2, 0) : length] = NOBODY_ASKS
        behind[b, :2] = NOBODY_ASKS
    return torch.stack([ahead, behind])


def _in_other_places(words: Tensor, mask: Tensor) -> Tensor:
    """The backward reader is asked for the word itself; all rows are as long as the first."""
    there = mask[:1].expand_as(mask)
    ahead = _targets(words, there)[0]
    return torch.stack([ahead, words.masked_fill(~there, NOBODY_ASKS)])


ONE_TENSOR = (
    "Your answer is of type {kind}. Return one tensor, (2, B, T): `cross_entropy` takes nothing "
    "else."
)
OTHER_TYPE = (
    "`cross_entropy` takes targets of the type `torch.long`, and yours have another. Make them "
    "like `words`: `torch.full_like(words, -100)`."
)
MASK_TURNED = (
    "`mask` is True where a token stands, and `masked_fill` writes where it is True: you empty the "
    "tokens. Empty the padding, `~mask`."
)
PADDING_ASKED = (
    "A place of padding behind a sentence is asked for its last word. Nobody stands there: -100 "
    "wherever `mask` is False."
)
JUST_READ = (
    "is asked for the word that it has just read: its targets are cut and not shifted. Put the "
    "-100 at the other end."
)
SWAPPED = (
    "The forward reader is asked for the word before, which it has read, and the backward reader "
    "for the word after. Both would copy. Swap them."
)
READING_ORDER = (
    "Your backward targets stand in the order of reading, last word first. `BiLM` has turned the "
    "backward states back already: place t belongs to word t, and is asked for the word at t - 1."
)
TURNED_ROUND = (
    "You reverse the forward targets to get the backward ones. Each place keeps its word: the "
    "backward target at t is `words` at t - 1, so shift to the right and reverse nothing."
)
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
        Mistake(
            "the directions are swapped",
            lambda w, m: _targets(w, m, ahead=-1, behind=1),
            SWAPPED,
            hint=1,
        ),
        Mistake(
            "the directions are swapped, and padding is asked",
            _swapped_after_masking,
            SWAPPED,
            hint=1,
        ),
        Mistake(
            "rolled after masking",
            _rolled_after_masking,
            "`roll` goes round the corner: it brings the first token to the last place, and in a "
            "short sentence the padding asks for the last word. Shift with slices, or empty those "
            "places after rolling.",
            hint=3,
        ),
        Mistake(
            "the backward targets in reading order",
            _backward_half(_each_turned),
            READING_ORDER,
            hint=1,
        ),
        Mistake(
            "the backward targets in reading order, whole rows",
            _backward_half(_whole_row_turned),
            READING_ORDER,
            hint=1,
        ),
        Mistake(
            "the forward targets reversed",
            _backward_half(_each_turned, of=0),
            TURNED_ROUND,
            hint=1,
        ),
        Mistake(
            "the forward targets reversed, whole rows",
            _backward_half(_whole_row_turned, of=0),
            TURNED_ROUND,
            hint=1,
        ),
        Mistake(
            "both are asked for the next word",
            lambda w, m: _targets(w, m, behind=1),
            "The backward reader comes from the right, so it has read the word at t + 1 already. "
            "Ask it for the word at t - 1.",
            hint=1,
        ),
        Mistake(
            "both are asked for the word before",
            lambda w, m: _targets(w, m, ahead=-1),
            "The forward reader has read the word at t - 1 already. Ask it for the one at t + 1.",
            hint=1,
        ),
        Mistake(
            "nothing is shifted",
            lambda w, m: _targets(w, m, ahead=0, behind=0),
            "Each reader is asked for the word that it has just read. Shift: t + 1 for the forward "
            "reader, t - 1 for the backward one.",
            hint=1,
        ),
        Mistake(
            "shifted by two",
            lambda w, m: _targets(w, m, ahead=2, behind=-2),
            "You shift by two places. The neighbours are at t + 1 and t - 1.",
            hint=1,
        ),
        Mistake(
            "the padding is a target",
            lambda w, m: _targets(w, m, of_padding=True),
            "The last token of a short sentence is asked for padding. Nothing comes after it: "
            "-100.",
            hint=2,
        ),
        Mistake(
            "the padding is asked",
            lambda w, m: _targets(w, m, asks_padding=True),
            PADDING_ASKED,
            hint=2,
        ),
        Mistake(
            "the padding is asked by the backward reader",
            lambda w, m: _by_roll(w, m, hide=("~mask | last", "first")),
            PADDING_ASKED,
            hint=2,
        ),
        Mistake(
            "the mask is negated",
            _padded_at(((0, 1), (1, 0)), torch.logical_not, lambda mask: mask),
            MASK_TURNED,
            hint=2,
        ),
        Mistake(
            "the mask is negated before the shift",
            _padded_at(((0, 1), (1, 0)), lambda mask: mask, torch.logical_not),
            MASK_TURNED,
            hint=2,
        ),
        Mistake(
            "the mask is negated for the forward reader",
            lambda w, m: _by_roll(w, m, hide=("mask | last", "~mask | first")),
            MASK_TURNED,
            hint=2,
        ),
        Mistake(
            "the mask is negated for the backward reader",
            lambda w, m: _by_roll(w, m, hide=("~mask | last", "mask | first")),
            MASK_TURNED,
            hint=2,
        ),
        Mistake(
            "the forward targets are cut and not shifted",
            _padded_at(((1, 0), (1, 0)), torch.logical_not, torch.logical_not),
            f"The forward reader {JUST_READ}",
            hint=1,
        ),
        Mistake(
            "the backward targets are cut and not shifted",
            _padded_at(((0, 1), (0, 1)), torch.logical_not, torch.logical_not),
            f"The backward reader {JUST_READ}",
            hint=1,
        ),
        Mistake(
            "the forward targets are not shifted",
            lambda w, m: _by_roll(w, m, shifts=(0, 1)),
            "The forward reader is asked for the word that it has just read. Ask it for the one at "
            "t + 1.",
            hint=1,
        ),
        Mistake(
            "the backward targets are not shifted",
            lambda w, m: _by_roll(w, m, shifts=(-1, 0)),
            "The backward reader is asked for the word that it has just read. Ask it for the one "
            "at t - 1.",
            hint=1,
        ),
        Mistake(
            "both are written into one table",
            _in_one_table,
            "You write the backward targets over the forward ones, and the second table stays "
            "empty. Each direction has a tensor of its own.",
            hint=3,
        ),
        Mistake(
            "the mask is not used",
            lambda w, m: _targets(w, m, asks_padding=True, of_padding=True),
            "The mask is never used, so padding is asked, and asked for. Both places of a pair "
            "must be tokens.",
            hint=2,
        ),
        Mistake(
            "round the corner",
            lambda w, m: _targets(w, m, wraps=True),
            "`roll` brings the first token to the end, and the last to the front. At the ends "
            "there is nothing to ask for: -100.",
            hint=3,
        ),
        Mistake(
            "rolled, and masked by the place itself",
            lambda w, m: torch.stack([w.roll(-1, 1), w.roll(1, 1)]).masked_fill(~m, NOBODY_ASKS),
            "You roll the words and empty the padding. Two places of each sentence are left: the "
            "first token has nothing before it, and the last one nothing after it.",
            hint=3,
        ),
        *(
            Mistake(
                f"the forward targets are rolled, and emptied at {named}",
                lambda w, m, hide=hide: _by_roll(w, m, hide=(hide, "~mask | first")),
                says,
                hint=3,
            )
            for named, hide, says in (
                (
                    "the padding alone",
                    "~mask",
                    "`roll` brings the first token to the end, and the last token of a sentence "
                    "is asked for it, or for padding. Nothing comes after the last token: -100.",
                ),
                (
                    "the last token alone",
                    "last",
                    "The forward targets of the padding are not emptied: `roll` brings the first "
                    "token to the end of the row. Write -100 wherever `mask` is False.",
                ),
                (
                    "no place",
                    "nothing",
                    "`roll` brings the first token to the end of the row, and nothing empties the "
                    "forward targets. Write -100 at the last token *or* where `mask` is False.",
                ),
            )
        ),
        Mistake(
            "the backward targets are rolled, and emptied at no place",
            lambda w, m: _by_roll(w, m, hide=("~mask | last", "nothing")),
            "`roll` brings the end of the row to the front, and nothing empties the backward "
            "targets. Write -100 at the first token *or* where `mask` is False.",
            hint=3,
        ),
        *(
            Mistake(
                f"{which} skipped",
                lambda w, m, first=first, last=last: _targets(w, m, first=first, last=last),
                says,
                hint=3,
            )
            for which, first, last, says in (
                (
                    "the first and the last token are",
                    1,
                    1,
                    "Your loop skips the first and the last token for both readers. The first has "
                    "a word after it, and the last has one before it: each lacks one target only.",
                ),
                (
                    "the first token is",
                    1,
                    0,
                    "Your loop skips the first token for both readers. Nothing comes before it, "
                    "but a word comes after it: the forward reader is asked there.",
                ),
                (
                    "the last token is",
                    0,
                    1,
                    "Your loop skips the last token for both readers. Nothing comes after it, but "
                    "a word comes before it: the backward reader is asked there.",
                ),
            )
        ),
        Mistake(
            "the ends are asked for themselves",
            _ends_asked,
            "At the ends of a sentence your readers are asked for the token that stands "
            "there, which they have just read. Nothing comes before the first token and "
            "nothing after the last: -100.",
            hint=2,
        ),
        Mistake(
            "the backward reader is asked for the word before the last one",
            lambda w, m: _targets(w, m, behind=-2),
            "The backward reader is asked for the word two places before. Ask it for the one "
            "at t - 1.",
            hint=1,
        ),
        Mistake(
            "every sentence is as long as the first",
            lambda w, m: _targets(w, m[:1].expand_as(m)),
            "You take the length of the first sentence for all. Each has its own: its row of "
            "`mask` says it.",
            hint=2,
        ),
        Mistake(
            "0 where nobody asks",
            lambda w, m: _targets(w, m, nobody=0),
            "You write 0 where there is no target, and 0 is a word. `cross_entropy` leaves out "
            "-100.",
            hint=3,
        ),
        Mistake(
            "floats",
            lambda w, m: _targets(w, m).float(),
            OTHER_TYPE,
            hint=3,
        ),
        Mistake(
            "a pair",
            lambda w, m: tuple(_targets(w, m)),
            LISTED.format(kind="tuple"),
            hint=3,
        ),
        Mistake(
            "nobody is asked for the boundaries",
            _without_the_boundaries,
            "Nobody is asked for the first or the last token of a sentence. They are words, too: "
            "the forward reader predicts the end, and the backward reader the beginning.",
            hint=1,
        ),
        Mistake(
            "the backward word itself, and one length for all",
            _in_other_places,
            "Two things. Your backward reader is asked for the word that it has just read: ask it "
            "for the one at t - 1. And you take the length of the first sentence for all.",
            hint=1,
        ),
        Mistake(
            "-1 where nobody asks",
            lambda w, m: _targets(w, m, nobody=-1),
            "You write -1 where there is no target. What `cross_entropy` leaves out is -100.",
            hint=3,
        ),
        Mistake(
            "the forward targets only",
            lambda w, m: _targets(w, m)[0],
            "Only the forward targets are there. Put both into one tensor: `torch.stack`.",
            hint=3,
        ),
        Mistake(
            "side by side",
            lambda w, m: torch.cat(tuple(_targets(w, m)), 1),
            "You joined the two along the sentence. Stack them on an axis of their own: "
            "`torch.stack([ahead, behind])` is (2, B, T).",
            hint=3,
        ),
        Mistake(
            "on the last axis",
            lambda w, m: _targets(w, m).movedim(0, -1),
            "The two directions stand on the last axis. They come first: (2, B, T).",
            hint=3,
        ),
        Mistake(
            "in the middle",
            lambda w, m: _targets(w, m).transpose(0, 1),
            "The two directions stand on axis 1. They come first, (2, B, T): `torch.stack` without "
            "`dim=1`.",
            hint=3,
        ),
        Mistake(
            "in the middle, and swapped",
            lambda w, m: _targets(w, m, ahead=-1, behind=1).transpose(0, 1),
            "Two things. The two directions stand on axis 1, and they come first: (2, B, T). And "
            "the word after a place is the forward reader's, the word before it the backward "
            "reader's.",
            hint=1,
        ),
    ),
    right_answers={"loops": _targets, "shift and pad": _by_padding, "by roll": _by_roll},
)
