"""Exercise `embedding_dropout`: a batch does without some word types altogether."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, refuse_changed
from autograde.checking.differentiable import tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON
from autograde.exercises.awd_lstm.masks import drawn_alike, factor_of_kept, share_near, window_of
from elmo_mini.models import awd_lstm

CALLS = 32  # with p = 0.3, a word is kept in all of them once in 90,000 times


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What every right answer has in common: what each word's vector was multiplied by."""
    p, ids = inputs["p"], inputs["ids"]
    wanted = (*ids.shape, inputs["table"].shape[1])
    masks = []
    for _ in range(4):
        table = torch.from_numpy(inputs["table"].copy()).requires_grad_()
        numbers = window_of(ids)
        came = tensor_of(lambda t=table, n=numbers: answer(t, n, p))  # type: ignore[misc]
        refuse_changed(inputs, {"table": table, "ids": numbers})
        if tuple(came.shape) != wanted:
            raise AnswerRefused(
                f"Your answer has the shape {tuple(came.shape)}. It is {wanted}: a vector for each "
                "of the words in `ids`."
            )
        if not came.requires_grad:
            raise AnswerRefused(
                "No gradient reaches the table, so no word would ever learn. Leave out "
                "`.detach()` and `.data`."
            )
        masks.append((came / table[numbers]).detach().numpy())
    mask, other, *_ = masks
    types = [mask[ids == number] for number in np.unique(ids)]
    of_rows = ids + len(inputs["table"]) * np.arange(len(ids))[:, None]  # other words in each row
    one_fate = all(_have_one_fate(each, ids) for each in masks)
    in_each_row = all(_have_one_fate(each, of_rows) for each in masks)
    of_words = float(np.mean([bool(t[0, 0]) for t in types]))
    told = factor_of_kept(mask, p, of_words) | {
        "in a row a word has one fate": in_each_row,
        "a word has one fate wherever it stands": one_fate,
    }
    if p == 0:
        return told
    if len(types) < 100:  # of few words, chance may have dropped none or all
        return told | {
            "what is kept is multiplied by one number": True,
            "it is divided by the share that chance has kept": False,
        }
    fates = np.array([word[0, 0] for word in types])
    whole = bool(np.allclose(mask, mask[..., :1]))
    varies = not np.allclose(mask, other)
    return (
        {"some numbers are 0": bool((mask == 0).any())}
        | told
        | {
            "a vector is dropped whole": whole,
            "all words lose the same numbers": bool(np.allclose(mask, mask[:1, :1])),
            # Where rows or columns are dropped there are few: their share is left to chance.
            "share of the words dropped": (
                share_near(float((fates == 0).mean()), p) if whole and one_fate else p
            ),
            "another call drops other words": varies,
            "each call drops equally many words": (
                whole and one_fate and len({_dropped(m, ids) for m in masks}) == 1
            ),
        }
        | (_at_the_ends(answer, inputs) if whole and one_fate and varies else _SEEN_AT_THE_ENDS)
    )


def _have_one_fate(mask: NDArray[np.floating], ids: NDArray[np.integer]) -> bool:
    """Whether each word is multiplied by the same numbers wherever it stands."""
    _, first, which = np.unique(ids.ravel(), return_index=True, return_inverse=True)
    flat = mask.reshape(ids.size, -1)
    return bool(np.allclose(flat, flat[first][which]))


_SEEN_AT_THE_ENDS: dict[str, Plain] = {
    "word 0 is dropped now and then": True,
    "the last word is, too": True,
}


def _at_the_ends(answer: Answer, inputs: Inputs) -> dict[str, Plain]:
    """Whether the first word and the last one are dropped now and then."""
    table = torch.from_numpy(inputs["table"])
    ids = torch.tensor([[0, len(table) - 1]])
    calls = torch.stack([answer(table, ids, inputs["p"])[0] for _ in range(CALLS)])
    return dict(zip(_SEEN_AT_THE_ENDS, (calls == 0).all(-1).any(0).tolist(), strict=True))


def _dropped(mask: NDArray[np.floating], ids: NDArray[np.integer]) -> int:
    """How many words of the batch are dropped."""
    return len(np.unique(ids[mask[..., 0] == 0]))


@Case.drawn
def _batch(rng: Random, words: int, rows: int, steps: int, p: float) -> Inputs:
    table = rng.uniform(0.5, 2.0, (words, 60)) * rng.choice((-1, 1), (words, 60))
    ids = rng.permutation(np.resize(np.arange(words), rows * (steps - 1))).reshape(rows, -1)
    ids = np.insert(ids, 0, ids[:, 0], axis=1)  # a word twice in a row; and all words
    return {"table": table.astype(np.float32), "ids": ids, "p": p}


def _natural(table: Tensor, ids: Tensor, p: float) -> Tensor:
    keep = torch.full((len(table), 1), 1 - p)
    mask = torch.bernoulli(keep) / (1 - p)
    return (table * mask)[ids]


def _by_place(table: Tensor, ids: Tensor, p: float) -> Tensor:
    kept = (torch.rand(table.shape[0]) >= p).float() / (1 - p)
    return functional.embedding(ids, table) * kept[ids].unsqueeze(-1)


def _with_dropout(table: Tensor, ids: Tensor, p: float) -> Tensor:
    return table[ids] * functional.dropout(torch.ones(len(table)), p)[ids][..., None]


SLIPS = """
--- hint 1
each place on its own: (len(table), 1) -> (*ids.shape, 1) \
        && (table * mask)[ids] -> table[ids] * mask
    A word is dropped here and kept there. Draw once for each word of the table: a dropped word is
    missing wherever it stands.
numbers in place of words: (len(table), 1) -> table.shape
    You drop single numbers of the vectors. Draw one number for each word: its vector is kept or
    dropped whole.
columns in place of words: (len(table), 1) -> (1, table.shape[1])
    You drop the same dimensions of all words. Draw one number for each row of the table.
each row drops words of its own: (len(table), 1) -> (len(ids), len(table), 1) \
        && (table * mask)[ids] -> table[ids] * mask[torch.arange(len(ids))[:, None], ids]
    Each row of the batch drops words of its own. Toss once for each word of the table, (V, 1): a
    dropped word is missing in every row.
single numbers at each place: (len(table), 1) -> (*ids.shape, table.shape[1]) \
        && (table * mask)[ids] -> table[ids] * mask
    You drop numbers of the vectors, as locked dropout does. Here whole words are dropped.
--- hint 2
not scaled: / (1 - p) ->
    The words that are kept are not made larger. Divide by 1 - p.
divided by p: / (1 - p) -> / p
    You divide by p, the share that is dropped. Divide by the share that is kept, 1 - p.
multiplied by 1 - p: / (1 - p) -> * (1 - p)
    You make what is kept smaller. Divide by 1 - p.
p is kept: , 1), 1 - p) -> , 1), p)
    You keep a share p of the words. p is the share that is dropped.
p is kept, and divided by: every 1 - p -> p
    You keep a share p of the words. p is the share that is dropped.
word 0 stays: mask = -> keep[0] = 1⏎mask =
word 0 stays as it is: torch.bernoulli(keep) / (1 - p) -> torch.bernoulli(keep) / (1 - p) \
        ⏎mask[0] = 1
    Word 0 is never dropped. It stands in the table as the others do: toss for it, too.
the last word stays: mask = -> keep[-1] = 1⏎mask =
    The last word of the table is never dropped. Toss for it, too.
divided by the share that was kept: torch.bernoulli(keep) / (1 - p) \
        -> torch.bernoulli(keep)⏎mask = mask / mask.mean().clamp(0.1)
    You divide by the share that chance has kept in this call. Divide by 1 - p, the share that is
    kept on average.
made larger twice: / (1 - p) -> / (1 - p) ** 2
    You divide by 1 - p twice. `functional.dropout` and `nn.Dropout` divide already.
exactly p V words: torch.bernoulli(keep) / (1 - p) \
        -> (torch.randperm(len(table)) >= int(p * len(table)))[:, None] / (1 - p)
    You drop equally many words at each call. Each is dropped with chance p, on its own: toss for
    each.
--- hint 3
something stands for a dropped word: (table * mask)[ids] \
        -> torch.where(mask > 0, table * mask, table.mean(0))[ids]
a dropped word keeps its vector: (table * mask)[ids] \
        -> torch.where(mask > 0, table * mask, table)[ids]
    Something else stands in the place of a dropped word. Its vector is 0.
numbers side by side in memory: (table * mask)[ids] \
        -> (table * mask)[ids.view(-1)].view(*ids.shape, -1)
    `ids` may be a window of longer rows, whose numbers do not lie side by side in memory. Take
    `.reshape(-1)` or `.flatten()` in place of `.view(-1)`.
the same words at each call: keep = -> torch.manual_seed(0)⏎keep =
    Every call drops the same words, because you set the seed. Leave that to whoever starts the run.
nothing is dropped: (table * mask)[ids] -> table[ids] + 0
    Nothing is dropped. The mask is never used.
the mask alone: (table * mask)[ids] -> (0 * table + mask)[ids]
    You return the mask. Multiply the vectors by it.
"""

EXERCISE = Exercise(
    id="embedding_dropout",
    title="Do without some words",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=awd_lstm.embedding_dropout,
    run=drawn_alike(_run),
    cases=(
        Case("301 words", _batch(301, 12, 60, 0.3)),
        Case("most words are dropped", _batch(601, 10, 70, 0.8), weight=2),
        Case(
            "the same word twice in a row",
            _batch(3, 2, 6, 0.4),
            edge=True,
            asks="There are three words only, and each stands several times in the batch.",
        ),
        Case("p = 0", _batch(5, 2, 4, 0.0), edge=True, asks="Nothing is dropped or made larger."),
    ),
    mistakes=slips(_natural, SLIPS),
    right_answers={"place by place": _by_place, "dropout of ones": _with_dropout},
)
