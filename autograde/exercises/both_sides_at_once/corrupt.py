"""Exercise `corrupt`: inputs and targets of a masked language model."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from autograde.checking.answers import (
    ON_A_COPY,
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    equal,
    plain,
    refuse_changed,
    returned,
)
from autograde.checking.exercise import Case, Exercise, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.both_sides_at_once import LESSON

WORDS, MASK, SHORT = 1000, 4, 7
MANY, UNEVEN = 2500, 0.045  # of so many, the share of one among three strays by 0.009
NOT_FROM_TORCH = (
    "From one seed of PyTorch your function gives two different tables: something is drawn that "
    "does not come from PyTorch. Draw with `torch.rand` and `torch.randint`."
)


def corrupt(ids: Tensor, words: int, share: float = 0.15) -> tuple[Tensor, Tensor]:
    """Inputs and targets, (B, T) each; -1 where there is no target."""
    chosen = (torch.rand(ids.shape) < share) & (ids >= 5)
    lot = torch.rand(ids.shape)
    others = torch.randint(5, words, ids.shape)
    inputs = ids.clone()
    inputs[chosen & (lot < 0.8)] = 4
    swapped = chosen & (lot >= 0.8) & (lot < 0.9)
    inputs[swapped] = others[swapped]
    targets = ids.clone()
    targets[~chosen] = -1
    return inputs, targets


def _by_halves(ids: Tensor, words: int, share: float = 0.15) -> tuple[Tensor, Tensor]:
    chosen = torch.bernoulli(torch.full(ids.shape, share)).bool() & (ids > 4)
    hidden = chosen & torch.bernoulli(torch.full(ids.shape, 0.8)).bool()
    swapped = chosen & ~hidden & torch.bernoulli(torch.full(ids.shape, 0.5)).bool()
    inputs = ids.masked_fill(hidden, 4)
    inputs = torch.where(swapped, torch.randint(5, words, ids.shape), inputs)
    return inputs, ids.masked_fill(~chosen, -1)


@Case.drawn
def _page(
    rng: Random, rows: int, width: int, padding: float = 0.0, share: float | None = None
) -> Inputs:
    ids = rng.integers(5, WORDS, (rows, width))
    ids[:, 0], ids[:, -1], ids[:, width // 5] = 2, 3, MASK
    if padding:
        ids[:, -int(padding * width) :] = 0
        ids[:, width // 3], ids[:, width // 4] = 3, 1
    return {"ids": ids, "words": WORDS} | ({} if share is None else {"share": share})


@Case.drawn
def _one_word(rng: Random, word: int, words: int = 7, share: float | None = None) -> Inputs:
    page: Inputs = {"ids": np.full((160, 180), word), "words": words}
    return page | ({} if share is None else {"share": share})


def _short_rows(rng: Random) -> Inputs:
    """Five words in each row: 15 in 100 of them are not yet one."""
    ids = rng.integers(5, WORDS, (1000, SHORT))
    ids[:, 0], ids[:, -1] = 2, 3
    return {"ids": ids, "words": WORDS}


def _only_special(rng: Random) -> Inputs:
    return {"ids": np.tile(np.array([2, 1, 3, 0, 0]), (3, 1)), "words": WORDS}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Twice what is read and asked, from one state of the generator; a third from it again."""
    pages: list[Plain] = []
    with torch.random.fork_rng(devices=[]):
        for call in range(3):
            if call != 1:
                torch.manual_seed(12)
            ids = torch.from_numpy(inputs["ids"].copy())
            share = (inputs["share"],) if "share" in inputs else ()
            came = returned(answer(ids, inputs["words"], *share))
            refuse_changed({"ids": inputs["ids"]}, {"ids": ids}, ON_A_COPY)
            if not isinstance(came, tuple | list) or len(came) != 2:
                raise AnswerRefused("Return two tensors: what is read, and what is asked.")
            for name, tensor in zip(("read", "asked"), came, strict=True):
                if not isinstance(tensor, Tensor) or tensor.dtype != torch.long:
                    raise AnswerRefused(
                        f"What is {name} must be a tensor of the type `torch.long`, as `ids` is: "
                        "an embedding and `cross_entropy` take nothing else."
                    )
                if tensor.shape != ids.shape:
                    raise AnswerRefused(
                        f"What is {name} has the shape {tuple(tensor.shape)}, and `ids` has "
                        f"{tuple(ids.shape)}: keep every position."
                    )
            pages.append(plain(tuple(came)))
    if not equal(pages[0], pages.pop()):
        raise AnswerRefused(NOT_FROM_TORCH)
    return pages


def _statistics(inputs: Inputs, outputs: Plain) -> Plain:
    """What all right draws share."""
    pages: Any = outputs
    ids, special = inputs["ids"], inputs["ids"] < 5
    shown, targets = (np.stack([page[part] for page in pages]) for part in (0, 1))  # (2, B, T)
    both = np.broadcast_to(ids, shown.shape)
    there = targets != -1
    chosen = there & ~special
    ordinary = max(1, 2 * int((~special).sum()))
    found = {
        "share of special positions that are asked for": _share(there[:, special]),
        "some special position is asked for": float(there[:, special].any()),
        "share of special positions that are changed": _share((shown != both)[:, special]),
        "share of ordinary words that are asked for": chosen.sum() / ordinary,
        "share of words not asked for that are changed": _share((shown != both)[~there]),
    }
    if special.all() or ids.shape[1] == SHORT:
        return found
    swapped = shown[chosen & (shown != both) & (shown != MASK)]
    shares = {
        "of the chosen, share whose target is their own word": _share((targets == both)[chosen]),
        "of the chosen, share read as [MASK]": _share((shown == MASK)[chosen]),
    }
    if inputs["words"] < WORDS:  # whether "another word" may be the word itself shows here alone
        every = set(range(5, inputs["words"])) - set(ids.flat)
        return (
            found
            | shares
            | {
                "clearly more than 80 in 100 are read as [MASK]": float(
                    _share((shown == MASK)[chosen]) > 0.8165
                ),
                "of the random words there are special ones": float((swapped < 5).any()),
                "each word but this one comes as a random word": float(
                    set(swapped.tolist()) == every
                ),
                "the random words come about equally often": float(_even(swapped, every)),
            }
        )
    columns, masked = chosen.sum(1), (chosen & (shown == MASK)).sum(2)
    lot = chosen[0] & chosen[1]
    top, left = (np.arange(size) < size // 2 for size in ids.shape)
    return (
        {"words side by side may be chosen": float((chosen[..., 1:] & chosen[..., :-1]).any())}
        | found
        | shares
        | {
            "of the chosen, share read as another word": len(swapped) / max(1, chosen.sum()),
            "of the chosen, share read as they are": _share((shown == both)[chosen]),
            "of the random words there are special ones": float((swapped < 5).any()),
            "clearly fewer than 15 in 100 words are asked for": float(
                chosen.sum() / ordinary < 0.1425
            ),
            "random words come from all of the vocabulary": float(
                len(swapped) > 0 and abs(swapped.mean() / WORDS - 0.5) < 0.08
            ),
            "a third of the vocabulary and more comes as a random word": float(
                len(set(swapped.tolist())) > WORDS / 3
            ),
            "most places are chosen in both of two calls": float(
                lot.sum() > 0.5 * max(1, chosen[0].sum())
            ),
            "share of columns that are chosen in all rows or in none": float(
                ((columns == 0) | (columns == chosen.shape[1]))[:, ~special.all(0)].mean()
            ),
            "the chosen words of most rows have one fate": float(
                (masked == chosen.sum(2)).mean() > 0.4
            ),
            "words above are hidden about as often as words below": _alike(
                (shown == MASK)[:, top][chosen[:, top]], (shown == MASK)[:, ~top][chosen[:, ~top]]
            ),
            "words on the left are hidden about as often as words on the right": _alike(
                (shown == MASK)[..., left][chosen[..., left]],
                (shown == MASK)[..., ~left][chosen[..., ~left]],
            ),
            "a row has no chosen word": float((chosen.sum(2) == 0).any()),
            "the two calls are the same": float(equal(pages[0], pages[1])),
        }
    )


def _even(drawn: NDArray[np.int64], words: set[int]) -> bool:
    """Whether these words come about equally often; where they hardly come, chance decides."""
    counts = np.array([(drawn == word).sum() for word in sorted(words)])
    return counts.sum() < MANY or bool(abs(counts / counts.sum() - 1 / len(words)).max() < UNEVEN)


def _share(true: Any) -> float:
    return float(true.mean()) if true.size else 0.0


def _alike(one: Any, other: Any) -> float:
    return float(abs(_share(one) - _share(other)) < 0.1)


SLIPS = """
--- hint 1
one choice for all rows: torch.rand(ids.shape) < share -> torch.rand(ids.shape[1]) < 0.15
    You draw once for each column, so all sentences are asked for at the same positions. Draw a
    number for every position, (B, T).
whole sentences are chosen: torch.rand(ids.shape) < share -> torch.rand(len(ids), 1) < 0.15
    You draw once for each sentence, so whole sentences are hidden. Draw a number for every
    position, (B, T).
a fixed number in each row: torch.rand(ids.shape) < share \
        -> torch.rand(ids.shape).masked_fill(ids < 5, 2).argsort(1).argsort(1) \
        < (share * (ids >= 5).sum(1, keepdim=True)).round().clamp(min=1)
    You choose a fixed number in each row. A short sentence is then asked for more than 15 in 100,
    or for nothing. Every word has its own chance.
at least one in each row: chosen = (torch.rand(ids.shape) < share) \
        -> luck = torch.rand(ids.shape).masked_fill(ids < 5, 2) \
        ⏎chosen = ((luck < share) | (luck == luck.amin(1, keepdim=True)))
    You choose at least one word in each row, so a short sentence is asked for more than 15 in 100.
    Every word has its own chance, and a row may have none.
no two side by side: chosen = (torch.rand(ids.shape) < share) & (ids >= 5) \
        -> chosen = (torch.rand(ids.shape) < share) & (ids >= 5) \
        ⏎chosen[:, 1:] &= ~chosen[:, :-1]
    You never choose two words side by side. Each ordinary word is chosen with `share`, whatever
    else is chosen in its row.
the share of all positions: (torch.rand(ids.shape) < share) & (ids >= 5) \
        -> (torch.rand(ids.shape) < share / (ids >= 5).float().mean()) & (ids >= 5)
    You choose `share` of all positions, marks and padding among them, so too many words are hidden.
    Each ordinary word is chosen with `share`, however many marks stand beside it.
one fate for each sentence: lot = torch.rand(ids.shape) -> lot = torch.rand(len(ids), 1)
one fate for the whole table: lot = torch.rand(ids.shape) -> lot = torch.rand(1, 1)
    One lot says what becomes of all chosen words of a sentence. Draw one for every position, (B,
    T).
--- hint 2
fates in the order of reading: lot = torch.rand(ids.shape) -> lot = \
        (chosen.flatten().cumsum(0) - 1).view(ids.shape) / chosen.sum().clamp(min=1)
    The first words of the batch are hidden and the last ones left. Draw the fate of each position.
fates in the order of each row: lot = torch.rand(ids.shape) \
        -> lot = (chosen.cumsum(1) - 1) / chosen.sum(1, keepdim=True).clamp(min=1)
    The first words of each row are hidden and the last ones left. Draw the fate of each position.
all chosen are hidden: lot < 0.8)] = 4 -> lot < 2)] = 4 && lot >= 0.8 -> lot > 2
    Every chosen word becomes `[MASK]`. Of the chosen ones 80 in 100 do, 10 become a random word,
    and 10 stay.
no chosen word is hidden: = 4 -> = ids[chosen & (lot < 0.8)]
    No word becomes `[MASK]`. 80 in 100 of the chosen ones do.
90 in 100 of the chosen are hidden: lot < 0.8)] = 4 -> lot < 0.9)] = 4 \
        && (lot >= 0.8) & (lot < 0.9) -> (lot >= 0.9) & (lot < 0.95)
    90 in 100 of the chosen words become `[MASK]`, and 5 and 5 are left. 80 in 100 become `[MASK]`,
    10 a random word, and 10 stay.
the rest is all random: (lot < 0.9) -> (lot < 1)
    No chosen word stays. Of the chosen ones 80 in 100 become `[MASK]`, 10 a random word, 10 stay.
none is random: (lot < 0.9) -> (lot < 0.8)
    No chosen word becomes a random one. Of the chosen ones 10 in 100 do, and 10 stay.
80 and 20 of all: (lot < 0.8) -> (lot < 0.1) && (lot >= 0.8) -> (lot >= 0.1)
    You hide 10 in 100 and swap 80. It is the other way round: 80 in 100 become `[MASK]`, 10 a
    random word, 10 stay.
a lot for each fate, and 10 in 100 of the rest: lot = torch.rand(ids.shape) \
        -> lot, other = torch.rand(ids.shape), torch.rand(ids.shape) \
        && (lot < 0.9) -> (other < 0.1)
    Of the words that are not hidden you swap 10 in 100; that is 2 in 100 of the chosen. 10 in 100
    of the chosen are one half of those that are not hidden.
a new lot for the random words: & (lot >= 0.8) & (lot < 0.9) -> & (torch.rand(ids.shape) < 0.1)
    Some of your random words fall on words that are hidden already. Draw one lot for each position,
    and cut it into three: up to 0.8, up to 0.9, the rest.
all chosen are hidden, and some swapped then: inputs[chosen & (lot < 0.8)] -> inputs[chosen]
    You hide every chosen word, and then swap some: nothing stays as it is. Of the chosen ones 80 in
    100 are hidden.
words of the page come as random ones: torch.randint(5, words, ids.shape) \
        -> ids.flatten()[torch.randperm(ids.numel())].view(ids.shape)
    Your random words come from the batch, marks and padding among them. Draw them from the
    vocabulary: any word from 5 to `words` - 1 may come.
one random word for all: \
        torch.randint(5, words, ids.shape) -> torch.randint(5, words, (1,)).expand_as(ids)
    One random word is drawn for all positions. Draw one for each.
one random word for a whole column or row: \
        torch.randint(5, words, ids.shape) -> torch.randint(5, words, ids[:1].shape).expand_as(ids)
    The random words of a whole column, or of a whole row, are one. Draw one for each position.
ordinary words of the page come as random ones: torch.randint(5, words, ids.shape) \
        -> torch.cat([ids[ids >= 5], ids.flatten()])[\
        torch.randint(max(1, int((ids >= 5).sum())), ids.shape)]
    Your random words come from the batch. Draw them from the vocabulary: any word from 5 to
    `words` - 1 may come, with the same chance.
--- hint 3
all ordinary words are chosen: (torch.rand(ids.shape) < share) & (ids >= 5) -> ids >= 5
    You choose every ordinary word. `share` of them are chosen, 15 in 100 by default.
the hidden ones are swapped, too: (lot >= 0.8) & (lot < 0.9) -> (lot < 0.9)
    You hide words and then write random ones over them. The random words come where the lot is from
    0.8 to 0.9.
only the swapped are asked: targets[~chosen] -> targets[~swapped]
    You ask for the swapped words alone. All chosen ones are asked for.
the corrupted word is asked: targets = ids.clone() -> targets = inputs.clone()
    You ask for what is read, and `[MASK]` is no answer. Ask for the word that stood there.
everything is asked: targets[~chosen] = -1 -> targets[ids < 5] = -1
    You ask for every word. Only the chosen ones are asked for.
only the hidden are asked: targets[~chosen] = -1 -> targets[inputs != 4] = -1
    You ask for the hidden words only. Those that were swapped or left as they were are asked for,
    too: the model cannot know which they are.
only the changed are asked: targets[~chosen] = -1 -> targets[inputs == ids] = -1
    You ask for the words that are changed. Those that stay as they were are asked for, too.
the others are asked: targets[~chosen] = -1 -> targets[chosen] = -1
    You ask for the words that are not chosen. The `~` is on the wrong side.
-100 where nothing is asked: = -1 -> = -100
    You write another number than -1 where nothing is asked. Whoever takes -1 for the sign of it
    would ask there.
{share} in 100 are chosen: torch.rand(ids.shape) < share -> torch.rand(ids.shape) < {number} \
        | share number = 1.5 0.015, 80 0.8, 85 0.85, 50 0.5, 10 0.1, 20 0.2
    You ask for another share of the words. `share` says how many are chosen, 15 in 100 if nobody
    says otherwise.
the share is always 15 in 100: torch.rand(ids.shape) < share -> torch.rand(ids.shape) < 0.15
    You choose 15 in 100 also where another `share` was asked for.
the others are chosen: torch.rand(ids.shape) < share -> torch.rand(ids.shape) > share
    You choose 85 words in 100 and leave 15: the comparison is the wrong way round.
padding and marks are chosen, too: & (ids >= 5) -> & (ids >= 0)
    You choose marks and padding, too. The numbers 0 to 4 are no words of the text: nobody asks for
    them.
padding is chosen: & (ids >= 5) -> & (ids > 1)
    You choose `[CLS]` and `[SEP]`, too. Nothing below 5 is asked for.
unknown words are chosen: & (ids >= 5) -> & (ids != 0) & (ids != 2) & (ids != 3) & (ids != 4)
    `[UNK]`, 1, is special, too: which word it was, nobody can say. Nothing below 5 is asked for.
the mark of a blank is a word: & (ids >= 5) -> & (ids > 3)
    You choose `[MASK]`, word 4, too. Nothing below 5 is asked for.
padding is left out, the marks are chosen: & (ids >= 5) -> & (ids > 0)
    You leave out the padding and choose the marks. Nothing below 5 is asked for.
word 5 is left out: ids >= 5 -> ids > 5
    Word 5 is never chosen. It is the first ordinary word: `ids >= 5`.
word 5 alone is special: ids >= 5 -> ids < 5
    You choose the special words and leave the ordinary ones out: the comparison is the wrong way
    round.
hidden by another special word: = 4 -> = 1
    You write another special word where one is hidden. `[MASK]` is word 4.
hidden by an ordinary word: = 4 -> = 5
    You write 5 where a word is hidden, and that is an ordinary word. `[MASK]` is word 4.
the chosen are not minded for hiding: inputs[chosen & (lot < 0.8)] -> inputs[lot < 0.8]
    You hide words that nobody asks for. Only the chosen ones are touched.
the chosen are not minded for the random words: swapped = chosen & -> swapped = (ids >= 5) &
    You swap words that nobody asks for. Only the chosen ones are touched.
--- no hint
another share by default: share: float = 0.15 -> share: float = 0.8
    Without a third argument your function chooses another share than 15 in 100.
numbers of NumPy: torch.rand(ids.shape) < share \
        -> torch.from_numpy(np.random.random(tuple(ids.shape))) < share
    You draw with another generator than PyTorch's, such as NumPy's or Python's own. Whoever sets
    PyTorch's seed cannot repeat that: draw with `torch.rand` and `torch.randint`.
the seed is set: chosen = -> torch.manual_seed(0) ⏎chosen =
the same draw each time: lot = -> torch.manual_seed(0) ⏎lot = \
        && chosen = -> torch.manual_seed(0) ⏎chosen =
    Every call chooses the same positions: your function sets the seed. Leave the seed to the
    caller, or the model never meets the other words.
special words among the random ones: torch.randint(5, words -> torch.randint(0, words
    Among your random words are special ones, such as `[MASK]` and padding. Draw from 5 on.
the last word is never a random one: torch.randint(5, words -> torch.randint(5, words - 1
    The last word never comes as a random one: `torch.randint` leaves its end out itself.
some words come as random ones more often: torch.randint(5, words, ids.shape) \
        -> torch.randint(words, ids.shape).clamp(min=5)
    Some words come as random ones more often than others: a clamp puts all special numbers on word
    5, a remainder begins again with the first words. Draw from 5 to `words` - 1 from the start:
    `torch.randint(5, words, ...)`.
the next word for a random one: torch.randint(5, words, ids.shape) \
        -> 5 + (ids - 4) % (words - 5)
    You put the next word of the vocabulary, and no random one: draw with `torch.randint(5, words,
    ...)`.
few random words: torch.randint(5, words -> torch.randint(5, words // 2
    Your random words come from a part of the vocabulary. Any word from 5 to `words` - 1 may come.
the two are swapped: return inputs, targets -> return targets, inputs
    The two stand the other way round: first what is read, then what is asked.
"""

SLIPS_OF_HALVES = """
--- hint 2
the hidden are swapped: chosen & ~hidden & -> chosen & hidden &
    You swap words that you have hidden. The random words come among those that are not hidden.
--- hint 3
all words are asked: ids.masked_fill(~chosen, -1) -> ids
    You ask at every position. Where nothing was chosen, -1 says so.
"""


def _part_of_each_row(ids: Tensor, words: int, share: float = 0.15) -> tuple[Tensor, Tensor]:
    special = ids < 5
    order = torch.rand(ids.shape).masked_fill(special, 2.0).argsort(1).argsort(1)
    chosen = order < (share * (~special).sum(1, keepdim=True)).long()
    lot = torch.rand(ids.shape)
    inputs = torch.where(chosen & (lot < 0.8), MASK, ids)
    inputs = torch.where(chosen & (lot > 0.9), torch.randint(5, words, ids.shape), inputs)
    return inputs, ids.masked_fill(~chosen, -1)


EXERCISE = Exercise(
    id="corrupt",
    title="Hide some words",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
    reference=corrupt,
    run=_run,
    view=_statistics,
    rtol=0.0,
    atol=0.03,
    cases=(
        Case("a large page", _page(180, 180), weight=3),
        Case("a page with marks and padding", _page(180, 180, 0.3), weight=2),
        Case("40 in 100 are asked for", _page(180, 180, share=0.4), weight=2),
        Case(
            "word 5 alone, of a vocabulary of 7",
            _one_word(5),
            edge=True,
            asks="Word 5 is the first ordinary one, and the last is `words` - 1.",
        ),
        Case(
            "word 6 alone, of a vocabulary of 7",
            _one_word(6),
            edge=True,
            asks="Word 5 is an ordinary one, and may come as a random word.",
        ),
        Case(
            "word 6 alone, of a vocabulary of 9",
            _one_word(6, words=9, share=0.9),
            edge=True,
            asks="Words 5 to 8 come as random words, one as often as another.",
        ),
        Case(
            "short rows",
            _short_rows,
            edge=True,
            asks="15 in 100 of the words of short rows, too.",
        ),
        Case(
            "nothing but marks and padding",
            _only_special,
            edge=True,
            asks="No word can be chosen: all stays, and nothing is asked.",
        ),
    ),
    mistakes=(
        *slips(corrupt, SLIPS),
        *slips(_by_halves, SLIPS_OF_HALVES),
        Mistake(
            "a part of each row, rounded down",
            _part_of_each_row,
            "You choose 15 in 100 of each row and round down: none of five words. Draw a "
            "number for each place, and choose where it is below `share`.",
            1,
        ),
    ),
    right_answers={
        "by halves of the rest": _by_halves,
    },
)
