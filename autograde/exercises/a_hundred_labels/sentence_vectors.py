"""Exercise `sentence_vectors`: one vector for each text, from the layers of a biLM."""

import zlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON

Texts = Sequence[Sequence[str]]
LayersOf = Callable[[Texts], tuple[list[Tensor], Tensor]]
MOST, LAYERS, DIM = 64, 3, 4
WORDS = ("the", "film", "is", "a", "small", "gem", "and", "its", "end", "was", "never", "so", "sad")


@torch.no_grad()
def sentence_vectors(texts: Texts, layers_of: LayersOf) -> Any:
    """(N, (L + 1) 2H): the mean over the words of each layer, side by side."""
    return _right(texts, layers_of)


@cache
def _of_word(word: str, count: int) -> Tensor:
    drawn = np.random.default_rng(zlib.crc32(word.encode())).standard_normal((count, DIM))
    return torch.tensor(drawn, dtype=torch.float32)


def _layers_of(batch: Texts, count: int = LAYERS) -> tuple[list[Tensor], Tensor]:
    """Layers in which every word has its own numbers; at boundaries and padding they are large."""
    if not 0 < len(batch) <= MOST:
        raise AnswerRefused(
            f"You ask `layers_of` for {len(batch)} texts at once. Give it from 1 to {MOST}."
        )
    layers = torch.full((count, len(batch), max(map(len, batch)) + 2, DIM), 50.0)
    mask = torch.zeros(layers.shape[1:3], dtype=torch.bool)
    for b, words in enumerate(batch):
        layers[:, b, 0], layers[:, b, len(words) + 1] = -20.0, 30.0
        for t, word in enumerate(words, 1):
            layers[:, b, t] = _of_word(word, count)
        mask[b, : len(words) + 2] = True
    return list(layers), mask


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """(N, layers times numbers)."""
    texts = [list(words) for words in inputs["texts"]]
    wide = inputs["layers"] * DIM
    came = plain(returned(answer(texts, partial(_layers_of, count=inputs["layers"]))))
    refuse_changed(inputs, {"texts": texts})
    if isinstance(came, list | tuple) and {np.shape(row) for row in came} == {(wide,)}:
        came = np.array(came)
    if isinstance(came, np.ndarray) and came.shape == (len(texts), inputs["layers"], DIM):
        raise AnswerRefused(
            f"Your array has shape {came.shape}. Put the layers of a text side by side: "
            f"{(len(texts), wide)}."
        )
    if not isinstance(came, np.ndarray) or came.ndim != 2 or len(came) != len(texts):
        raise AnswerRefused(
            f"Return an array with one row for each of the {len(texts)} texts, in their order."
        )
    return came


@Case.drawn
def _texts(rng: Random, *lengths: int, layers: int = LAYERS) -> Inputs:
    texts = [list(map(str, rng.choice(WORDS, length))) for length in lengths]
    return {"texts": texts, "layers": layers}


@Case.drawn
def _many(rng: Random, count: int) -> Inputs:
    texts = [list(map(str, rng.choice(WORDS, rng.integers(1, 9)))) for _ in range(count)]
    return {"texts": texts, "layers": LAYERS}


def _by_mask(texts: Texts, layers_of: LayersOf) -> Any:
    found = []
    for start in range(0, len(texts), 50):
        layers, mask = layers_of(texts[start : start + 50])
        inner = mask[:, 2:].unsqueeze(-1).float()
        means = [(layer[:, 1:-1] * inner).sum(1) / inner.sum(1) for layer in layers]
        found.append(torch.cat(means, -1))
    return torch.cat(found).numpy()


def _one_at_a_time(texts: Texts, layers_of: LayersOf) -> Any:
    each = [torch.stack(layers_of([text])[0])[:, 0, 1:-1].mean(1).flatten() for text in texts]
    return [vector.tolist() for vector in each]


def _right(texts: Texts, layers_of: LayersOf) -> Any:
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    found: list[Any] = [None] * len(texts)
    for start in range(0, len(order), 64):
        rows = order[start : start + 64]
        layers, _ = layers_of([texts[row] for row in rows])
        for b, row in enumerate(rows):
            end = 1 + len(texts[row])
            found[row] = torch.cat([layer[b, 1:end].mean(0) for layer in layers])
    return torch.stack(found).numpy()


SLIPS = """
--- hint 1
padding is counted: layer[b, 1:end] -> layer[b, 1:-1]
    Padding is among what you average, so a text's vector hangs on the longest text beside it.
    Average over the words of this text alone.
boundaries are counted: layer[b, 1:end] -> layer[b, : end + 1]
    The two boundaries are among what you average. Begin at position 1, and stop after the last
    word.
boundaries and padding are counted: layer[b, 1:end] -> layer[b]
    You average over all positions: boundaries and padding are among them. Average over the words.
one position too early: layer[b, 1:end] -> layer[b, : end - 1]
    Your words begin one position too early: position 0 is the boundary, and word 1 stands at 1.
the last word is left out: layer[b, 1:end] -> layer[b, 1 : max(2, end - 1)]
    The last word is missing. A text of n words has them at the positions 1 to n.
the last boundary is counted: layer[b, 1:end] -> layer[b, 1 : end + 1]
    The boundary after the last word is among what you average. The words stand at 1 to n.
the last boundary of shorter texts is counted: layer[b, 1:end] \
        -> layer[b, 1 : min(end + 1, layer.shape[1] - 1)]
    You leave out the last column. There stands the boundary of the longest text; a shorter one has
    its own earlier, before its padding, and you average it. The words stand at 1 to n.
--- hint 2
the top layer alone: for layer in layers] -> for layer in layers[-1:]]
    You keep the top layer alone. Put the means of all layers side by side.
the lowest layer is left out: for layer in layers] -> for layer in layers[1:]]
    You leave out the token layer. Put the means of all layers side by side.
the mean of the layers: torch.cat([layer[b, 1:end].mean(0) for layer in layers]) \
        -> torch.stack([layer[b, 1:end].mean(0) for layer in layers]).mean(0)
    You average the layers into one. Put them side by side: what follows may weigh them.
three layers, however many there are: for layer in layers] -> for layer in layers[:3]]
    You take three layers. `layers_of` gives as many as its model has: take them all.
the layers in turn: torch.cat([layer[b, 1:end].mean(0) for layer in layers]) \
        -> torch.stack([layer[b, 1:end].mean(0) for layer in layers], 1).flatten()
    Your numbers come by turns from each layer. All of the lowest layer stand first, then all of the
    next.
one layer below the other: torch.cat([layer[b, 1:end].mean(0) for layer in layers]) \
        -> torch.stack([layer[b, 1:end].mean(0) for layer in layers])
    You put the layers one below the other, with an axis of their own. Put them side by side, in one
    row for each text: `torch.cat`.
the layers from the top down: for layer in layers] -> for layer in layers[::-1]]
    Your layers stand from the top down. Begin with the lowest.
the sum in place of the mean: .mean(0) for layer -> .sum(0) for layer
    You add up the words. A long text then has a long vector: take the mean.
divided by the longest length: .mean(0) for layer \
        -> .sum(0) / max(len(texts[other]) for other in rows) for layer
    You divide by the length of the longest text of the batch. Each text has a length of its own.
the largest number in place of the mean: .mean(0) for layer -> .amax(0) for layer
    You take the largest number of each column. Take the mean over the words.
the last word alone: layer[b, 1:end].mean(0) -> layer[b, end - 1]
    You take the last word alone. Take the mean over all words of the text.
--- hint 3
the rows in the order of their lengths: return torch.stack(found) \
        -> return torch.stack([found[row] for row in order])
    Your vectors are in another order than the texts. Whoever sorts puts them back afterwards.
put back by the order of the sorting: return torch.stack(found) \
        -> return torch.stack([found[order[row]] for row in order])
    You put the rows back with the order that sorted them, which mixes them once more. Vector i of
    the sorted ones belongs to row `order[i]`: write it there.
the last batch is left out: range(0, len(order), 64) \
        -> range(0, max(1, len(order) - len(order) % 64), 64) \
        && return torch.stack(found) -> return torch.stack([v for v in found if v is not None])
    The last batch, which is smaller, is missing.
"""

EXERCISE = Exercise(
    id="sentence_vectors",
    title="The vectors of a sentence",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=14,
    reference=sentence_vectors,
    run=_run,
    cases=(
        Case("three texts of one length", _texts(4, 4, 4)),
        Case("texts of different lengths", _texts(3, 7, 2, 5), weight=2),
        Case("a hundred and fifty texts", _many(150), weight=2),
        Case("one text", _texts(6), edge=True),
        Case("a text of one word", _texts(5, 1), edge=True),
        Case("five layers", _texts(3, 4, layers=5), edge=True),
    ),
    mistakes=slips(_right, SLIPS),
    right_answers={"sorted": _right, "by the mask": _by_mask, "one by one": _one_at_a_time},
    rtol=1e-4,
    atol=1e-5,
)
