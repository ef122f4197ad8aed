"""Exercise `by_surprise`: a language model judges a sentence without a label."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks.language_model_use import by_surprise

Bets = Callable[[Tensor], Tensor]
A_VERDICT = (
    "Return the difference itself, a number of nats: how far apart the two are is asked for later, "
    "and not only which of them is larger."
)
ONE_NUMBER = "Return one number, the difference in nats. `float(...)` makes one of a tensor."
OTHER_ROWS = (
    "`bets` is given ids {shape}. It reads rows of equal length side by side, (rows, T + 1): the "
    "boundary, then the words."
)


@Case.drawn
def _sentences(
    rng: Random,
    words: int,
    others: int,
    *,
    scale: float = 1.0,
    boundary: int = 1,
    favoured: float = 0.0,
) -> Inputs:
    """A sentence, its shuffles, and scores; the steps of the sentence are ``favoured``.

    Of three shuffles or more, which differ where they can, the least surprising stands second.
    """
    sentence = rng.integers(2, 9, words)
    drawn = {tuple(rng.permutation(sentence)): None for _ in range(60)}
    drawn.pop(tuple(sentence), None)
    shuffles = ([*drawn] + [tuple(sentence)] * others)[:others]
    table, before = (scale * rng.standard_normal((9, 9)) for _ in range(2))
    for last, following in itertools.pairwise([boundary, *sentence, boundary]):
        table[last, following] += favoured
    if others > 2:
        bets = _bets(torch.from_numpy(table), torch.from_numpy(before))
        shuffles.sort(key=lambda row: _of_one(bets, torch.tensor(row), boundary))
        shuffles[:4] = shuffles[1::-1] + shuffles[3:1:-1]
    return {
        "sentence": sentence,
        "others": np.array(shuffles),
        "boundary": boundary,
        "table": table,
        "what came before": before,
    }


def _bets(last: Tensor, before: Tensor) -> Bets:
    """Scores that look at the last word and, more faintly, at all before it."""
    return lambda ids: last[ids] + 0.3 * before[ids].cumsum(1)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The difference in nats."""
    bets_of = _bets(*(torch.from_numpy(inputs[name]) for name in ("table", "what came before")))

    def bets(ids: Any) -> Tensor:
        if not isinstance(ids, Tensor) or ids.ndim != 2:
            shape = tuple(ids.shape) if isinstance(ids, Tensor) else f"of type {type(ids).__name__}"
            raise AnswerRefused(OTHER_ROWS.format(shape=shape))
        return bets_of(ids)

    given = {name: torch.from_numpy(inputs[name].copy()) for name in ("sentence", "others")}
    came = returned(answer(bets, *given.values(), inputs["boundary"]))
    refuse_changed(inputs, given)
    if isinstance(came, bool | np.bool_) or getattr(came, "dtype", None) == torch.bool:
        raise AnswerRefused(A_VERDICT)
    if isinstance(came, Tensor) and came.numel() != 1:
        raise AnswerRefused(ONE_NUMBER)
    return {"nats": float(came)}


def _of_one(bets: Bets, sentence: Tensor, boundary: int) -> float:
    """The surprise of one sentence, word by word."""
    words = [boundary, *sentence.tolist(), boundary]
    chances = bets(torch.tensor([words[:-1]])).log_softmax(-1)[0]
    return -sum(float(row[word]) for row, word in zip(chances, words[1:], strict=True))


def _one_by_one(bets: Bets, sentence: Tensor, others: Tensor, boundary: int) -> float:
    least = min(_of_one(bets, other, boundary) for other in others)
    return _of_one(bets, sentence, boundary) - least


def _at_once(bets: Bets, sentence: Tensor, others: Tensor, boundary: int) -> float:
    rows = torch.cat([sentence[None], others])
    edge = torch.full((len(rows), 1), boundary)
    scores = bets(torch.cat([edge, rows], 1))
    targets = torch.cat([rows, edge], 1)
    nats = functional.cross_entropy(scores.transpose(1, 2), targets, reduction="none").sum(1)
    return float(nats[0] - nats[1:].min())


def _in_a_row(bets: Bets, sentence: Tensor, others: Tensor, boundary: int) -> Tensor:
    """A row of one number: the lesson goes on with it."""
    return torch.tensor([_at_once(bets, sentence, others, boundary)])


SLIPS = """
--- hint 1
no boundary at the beginning: bets(torch.cat([edge, rows], 1)) -> bets(rows) \
        && targets = torch.cat([rows, edge], 1) -> targets = torch.cat([rows[:, 1:], edge], 1)
    Your model has read nothing before the first word, so the first word costs nothing. It reads the
    boundary first.
no boundary at the end: bets(torch.cat([edge, rows], 1)) \
        -> bets(torch.cat([edge, rows[:, :-1]], 1)) && torch.cat([rows, edge], 1) -> rows
    The end is never asked for. After the last word the boundary is a target, too: a sentence that
    stops in the middle surprises there.
no boundary at all: bets(torch.cat([edge, rows], 1)) -> bets(rows[:, :-1]) \
        && torch.cat([rows, edge], 1) -> rows[:, 1:]
    Neither the first word nor the end is asked for. The boundary is read first, and is the last
    target.
the word just read: bets(torch.cat([edge, rows], 1)) -> bets(torch.cat([rows, edge], 1))
    You ask for the word that was just read. Inputs are the boundary and the words, targets the
    words and the boundary: one position ahead.
the other way round: torch.cat([edge, rows], 1) -> torch.cat([rows, edge], 1) \
        && targets = torch.cat([rows, edge], 1) -> targets = torch.cat([edge, rows], 1)
    Your targets are one position behind the inputs. The boundary stands in front of what is read,
    and behind what is asked for.
nothing is shifted: bets(torch.cat([edge, rows], 1)) -> bets(torch.cat([edge, rows, edge], 1)) \
        && targets = torch.cat([rows, edge], 1) -> targets = torch.cat([edge, rows, edge], 1)
    You ask each position for what it has just read. Inputs are the boundary and the words, targets
    the words and the boundary: one position ahead.
the boundary is a fixed {number}: 1), boundary) -> 1), {number}) | number = 0, 1
    You write {number} for the boundary. Its id is handed in: `boundary`.
--- hint 2
the mean: .sum(1) -> .mean(1)
    You take the mean of the surprises. The sum is asked for: log p of the whole sentence.
the largest surprise: .sum(1) -> .amax(1)
    You take each row's largest surprise. Add up the surprises of all its words.
one sum for all: reduction="none").sum(1) -> reduction="none").sum(0)
    You add up over the rows, so each position has a sum. Each row needs its own: axis 1.
the sign of log p: return float(nats[0] - nats[1:].min()) \
        -> return float(nats[1:].max() - nats[0])
    You hold the sentence against the shuffle that surprises most. It is the least surprising one,
    and the sentence's own surprise comes first.
scores in place of log p: functional.cross_entropy(scores.transpose(1, 2), targets, \
        reduction="none").sum(1) -> -scores.gather(-1, targets[..., None])[..., 0].sum(1)
    You add up bare scores. Surprise is minus the logarithm of a probability: the softmax comes
    first.
chances in place of logarithms: functional.cross_entropy(scores.transpose(1, 2), targets, \
        reduction="none").sum(1) \
        -> -scores.softmax(-1).gather(-1, targets[..., None])[..., 0].sum(1)
    You add up probabilities. Surprise is minus the logarithm of each.
the softmax over the positions: functional.cross_entropy(scores.transpose(1, 2), targets, \
        reduction="none").sum(1) \
        -> -scores.log_softmax(1).gather(-1, targets[..., None])[..., 0].sum(1)
    Your softmax runs over the positions. At each position the words share one probability: the last
    axis.
the softmax twice: functional.cross_entropy(scores. \
        -> functional.cross_entropy(scores.softmax(-1).
    You hand probabilities to `cross_entropy`, which takes the softmax itself. Give it the scores.
bits in place of nats: nats[0] - nats[1:].min() -> (nats[0] - nats[1:].min()) / 0.6931471805599453
    You take the logarithm to base 2. Nats are natural logarithms.
--- hint 3
the sign is turned: nats[0] - nats[1:].min() -> nats[1:].min() - nats[0]
    The sign is turned. It is the sentence's surprise less the shuffle's: above 0, a shuffle is
    likelier.
the most surprising shuffle: nats[1:].min() -> nats[1:].max()
    You hold the sentence against the shuffle that surprises most. It is the least surprising one.
the mean of the shuffles: nats[1:].min() -> nats[1:].mean()
    You hold the sentence against the mean of the shuffles. It is the least surprising one.
the least at each position: reduction="none").sum(1) -> reduction="none") \
        && nats[0] - nats[1:].min() -> (nats[0] - nats[1:].min(0).values).sum()
    You take the least surprise at each position, wherever it comes from. Add up each shuffle, then
    take the least of the sums.
the first shuffle alone: nats[1:].min() -> nats[1]
    You hold the sentence against the first shuffle alone. Take the least surprising of all.
the last shuffle alone: nats[1:].min() -> nats[-1]
    You hold the sentence against the last shuffle alone. Take the least surprising of all.
the sentence is among them: nats[1:].min() -> nats.min()
    The sentence stands among those that it is held against, so your result never falls below 0.
    Leave out the first row.
the sentence alone: nats[0] - nats[1:].min() -> nats[0]
    You return the sentence's own surprise. Subtract that of the least surprising shuffle.
the sum of both: nats[0] - nats[1:].min() -> nats[0] + nats[1:].min()
    You add the two surprises. Subtract the shuffle's from the sentence's.
the quotient: nats[0] - nats[1:].min() -> nats[0] / nats[1:].min()
    You divide the two surprises. Subtract them.
"""

EXERCISE = Exercise(
    id="by_surprise",
    title="A judge without a label",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=10,
    reference=by_surprise,
    run=_run,
    rtol=1e-4,
    atol=1e-5,
    cases=(
        Case("two words, one shuffle", _sentences(2, 1)),
        Case("five words, four shuffles", _sentences(5, 4), weight=2),
        Case("seven words, three shuffles", _sentences(7, 3, favoured=6.0, boundary=0), weight=2),
        Case("another boundary", _sentences(4, 2, boundary=0)),
        Case("scores of hundreds", _sentences(4, 3, scale=60.0, boundary=0)),
        Case("a sentence of one word", _sentences(1, 2), edge=True),
    ),
    mistakes=slips(_at_once, SLIPS),
    right_answers={
        "the lesson's": _at_once,
        "one by one": _one_by_one,
        "a row of one number": _in_a_row,
    },
)
