"""Exercise `nearest`: whose vectors point the same way?"""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON


def nearest(vectors: Tensor, word: int, count: int) -> list[int]:
    """Ids of the `count` rows with the largest cosine to row `word`, the largest first."""
    unit = F.normalize(vectors, dim=1)
    cosine = unit @ unit[word]
    cosine[word] = -2
    return cosine.topk(count).indices.tolist()


def _in_numpy(vectors: Tensor, word: int, count: int) -> np.ndarray:
    table = vectors.numpy()
    cosine = table @ table[word] / np.linalg.norm(table, axis=1) / np.linalg.norm(table[word])
    return np.array([i for i in np.argsort(-cosine) if i != word][:count])


def _by_cosine_similarity(vectors: Tensor, word: int, count: int) -> Tensor:
    cosine = F.cosine_similarity(vectors, vectors[word], dim=-1)
    order = cosine.argsort(descending=True)
    return order[order != word][:count]


@Case.drawn
def _table(
    rng: Random, words: int, word: int, count: int, opposite: bool = False, twin: bool = False
) -> Inputs:
    """Vectors of very different lengths; twins on both sides point as the word does, exactly."""
    table = rng.standard_normal((words, 4)) * rng.choice([0.2, 1.0, 5.0], (words, 1))
    if opposite:
        table[word] *= 5 / np.linalg.norm(table[word])
        table[(word + 1) % words] = -3 * table[word]
    table = table.astype(np.float32)
    if twin:
        for away, length in zip((-3, -2, -1, 1, 2), (2, 0.5, 4, 8, 0.25), strict=True):
            table[word + away] = length * table[word]
    return {"vectors": table, "word": word, "count": count, "any order": twin}


@Case.drawn
def _opposite(rng: Random) -> Inputs:
    """A word and two that point the opposite way: their cosine is -1, without rounding."""
    table = np.zeros((3, 4), np.float32)
    table[:, rng.integers(4)] = 5, -15, -2
    return {"vectors": table, "word": 0, "count": 2, "any order": True}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    vectors = torch.from_numpy(inputs["vectors"].copy())
    ids = returned(answer(vectors, inputs["word"], inputs["count"]))
    if not np.array_equal(vectors.numpy(), inputs["vectors"]):
        raise AnswerRefused("You change `vectors`. Work on a copy: the table is needed again.")
    found = plain(ids)
    numbers = found.tolist() if isinstance(found, np.ndarray) else found
    if not inputs["any order"] or not isinstance(numbers, list | tuple):
        return found
    return sorted(numbers) if all(isinstance(n, int | float) for n in numbers) else found


SLIPS = """
--- hint 1
by dot products: unit @ unit[word] -> vectors @ vectors[word]
    You compare by dot products, so long vectors win. The cosine divides by both lengths:
    `F.normalize(vectors, dim=1)` first.
by distance: unit @ unit[word] -> -(vectors - vectors[word]).norm(dim=1)
    You go by distance, and a vector of another length is far away even in the same direction.
    Cosine is asked for.
--- hint 2
the word keeps its length: unit @ unit[word] -> unit @ vectors[word]
    You divide by the lengths of all but the word itself. The order is the same, but these are no
    cosines: some are below -2, and there the word itself comes first.
columns are brought to length 1: dim=1 -> dim=0
    You bring the columns to length 1. Each word is a row: `dim=1`.
--- hint 3
the cosines: .indices.tolist() -> .values.tolist()
    You return the cosines. The ids of the rows are asked for.
the nearest alone: topk(count) -> topk(1)
    You return one id. `count` of them are asked for.
all of them: topk(count) -> topk(len(vectors) - 1)
    You return all words. `count` of them are asked for.
the word itself comes first: cosine[word] = -2 -> pass
    The word itself is in your list: nothing is nearer to it. Leave it out.
the first of the list is left out before it is sorted: cosine[word] = -2 -> cosine[0] = -2
    You leave out row 0, and not the row of `word`.
one too few: cosine[word] = -2 -> pass && topk(count).indices.tolist() \
        -> topk(count).indices.tolist()[1:]
    Your list is one too short: the word itself was among the `count`. Take one more, or leave it
    out before.
the first hit is left out: cosine[word] = -2 -> pass && topk(count).indices.tolist() \
        -> topk(count + 1).indices[1:].tolist()
    You leave out the first of the list. That need not be `word`: another vector may point exactly
    the same way. Leave out row `word` itself.
a cosine of 0 for the word itself: cosine[word] = -2 -> cosine[word] = 0
    You set the word's own cosine to 0, and some words have less. Take a number below -1.
the ids behind the word: cosine[word] = -2 -> cosine = torch.cat([cosine[:word], cosine[word + 1:]])
    You take the word's row out, and all ids behind it move down by one. Leave it in its place with
    a cosine below -1, or add 1 to those ids.
the farthest first: topk(count) -> topk(count, largest=False)
    You return those with the smallest cosine. The largest is asked for, the largest first.
the other way round: .tolist() -> .tolist()[::-1]
    Your ids are right, and their order is turned round: the nearest comes first.
--- no hint
every cosine of 1 is left out: cosine[word] = -2 -> cosine[cosine > 0.9999] = -2
    You leave out every word whose cosine is 1. Another word may point the same way: leave out row
    `word` alone.
without regard to the sign: cosine = unit @ unit[word] -> cosine = (unit @ unit[word]).abs()
    You take the cosine without its sign, so what points the opposite way counts as near.
"""

EXERCISE = Exercise(
    id="nearest",
    title="The nearest words",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=4,
    reference=nearest,
    run=_run,
    cases=(
        Case("three of twelve", _table(12, 4, 3), weight=2),
        Case("five of thirty", _table(30, 11, 5), weight=2),
        Case("one points the opposite way", _table(24, 5, 23, True)),
        Case(
            "five words point the same way",
            _table(12, 5, 5, twin=True),
            edge=True,
            asks="Their cosine is 1, and they are neighbours: only the word itself is left out.",
        ),
        Case(
            "both others point the opposite way",
            _opposite(),
            edge=True,
            asks="Their cosine is -1: whatever stands for the word itself must be below that.",
        ),
        Case("the first word", _table(9, 0, 2), edge=True, asks="Row 0 is a word like others."),
        Case("one", _table(8, 3, 1), edge=True, asks="Return one id in a list."),
    ),
    mistakes=slips(nearest, SLIPS),
    right_answers={"in NumPy": _in_numpy, "by `F.cosine_similarity`": _by_cosine_similarity},
)
