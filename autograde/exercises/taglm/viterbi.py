"""Exercise `viterbi`: the best path."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, call_with_tensors
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.lattice import (
    EVERY_PATH,
    NO_ENUMERATION,
    every_path,
    lattice,
    named,
)
from elmo_mini.models import crf

Best = tuple[list[list[int]], Tensor]


def _best(emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> Best:
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        best, doors = start + row[0], []
        for t in range(1, length):
            pairs = best.unsqueeze(1) + transitions
            arriving, came_from = pairs.max(0)
            best = arriving + row[t]
            doors.append(came_from)
        score, label = (best + end).max(0)
        path = [int(label)]
        for came_from in reversed(doors):
            path.append(int(came_from[path[-1]]))
        paths.append(path[::-1])
        scores.append(score)
    return paths, torch.stack(scores)


def _in_one_batch(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    best = start + emissions[:, 0]
    stay = torch.arange(len(start)).expand_as(best)
    backs = []
    for t in range(1, emissions.shape[1]):
        top, back = (best[:, :, None] + transitions).max(1)
        here = mask[:, t, None]
        best = torch.where(here, top + emissions[:, t], best)
        backs.append(torch.where(here, back, stay))
    scores, last = (best + end).max(1)
    path = [last]
    for back in reversed(backs):
        path.append(back.gather(1, path[-1][:, None]).squeeze(1))
    whole = torch.stack(path[::-1], 1).tolist()
    lengths = mask.sum(1).tolist()
    return [labels[:length] for labels, length in zip(whole, lengths, strict=True)], scores


def _greedy(row: Tensor, transitions: Tensor, start: Tensor) -> list[int]:
    path = [int((start + row[0]).argmax())]
    for scores in row[1:]:
        path.append(int((transitions[path[-1]] + scores).argmax()))
    return path


def _score_of(
    path: list[int], row: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    moves = [transitions[a, b] for a, b in itertools.pairwise(path)]
    return start[path[0]] + row[torch.arange(len(path)), path].sum() + sum(moves) + end[path[-1]]


def _at_least(least: int, scores: Tensor) -> tuple[Tensor, Tensor]:
    """What `top, door = least, 0` and `if score > top` give: nothing lower beats the beginning."""
    top, door = scores.max(0)
    return top.clamp(min=least), torch.where(top > least, door, 0)


def _marginal(row: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> list[int]:
    """The most probable label of each word, over all paths: the slope of log Z holds them."""
    leaf = row.detach().clone().requires_grad_()
    mask = torch.ones(1, len(row), dtype=torch.bool)
    with torch.enable_grad():
        total = crf.log_partition(leaf.unsqueeze(0), mask, transitions, start, end).sum()
        (chances,) = torch.autograd.grad(total, leaf)
    return [int(label) for label in chances.argmax(-1)]


def _by_enumeration(*tensors: Tensor) -> Best:
    found = [max(zip(scores, paths, strict=True)) for paths, scores in every_path(*tensors)]
    return [list(path) for _, path in found], torch.stack([score for score, _ in found])


def _by_enumeration_in_numpy(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    """Every path at once, in one array for each sentence: no loop, and as many numbers as paths."""
    moves, first, last = (table.numpy() for table in (transitions, start, end))
    paths, scores = [], []
    for row, length in zip(emissions.numpy(), mask.sum(1).tolist(), strict=True):
        grid = np.indices((len(first),) * length).reshape(length, -1)
        total = row[np.arange(length)[:, None], grid].sum(0) + first[grid[0]]
        total = total + moves[grid[:-1], grid[1:]].sum(0) + last[grid[-1]]
        paths.append(grid[:, total.argmax()].tolist())
        scores.append(total.max())
    return paths, torch.tensor(np.array(scores))


def _run_viterbi(answer: Answer, inputs: Inputs) -> Plain:
    """The paths and the scores, refused where their types are not those of the task."""

    def typed(*arguments: Any) -> Any:
        outputs = answer(*arguments)
        if not isinstance(outputs, list | tuple) or len(outputs) != 2:
            raise AnswerRefused("Return two things: the list of paths, and the scores.")
        paths, scores = outputs
        if isinstance(paths, Tensor) and isinstance(scores, list | tuple):
            raise AnswerRefused("The scores come first in your answer. Return paths, then scores.")
        if not isinstance(paths, list | tuple):
            raise AnswerRefused(
                f"Your paths are {named(paths)}. Sentences differ in length, so return a "
                "list with one list of label numbers for each sentence."
            )
        for path in paths:
            if not isinstance(path, list | tuple):
                raise AnswerRefused(
                    f"A path of yours is {named(path)}. Make it a list of label numbers; "
                    "`.tolist()` does it."
                )
            odd = [k for k in path if not isinstance(k, int | np.integer)]
            if odd:
                raise AnswerRefused(
                    f"A path of yours holds {named(odd[0])}. Make each label a whole "
                    "number with `int(...)`."
                )
        if not isinstance(scores, Tensor):
            raise AnswerRefused(
                f"Your scores are {named(scores)}. Return a tensor of shape (B,); "
                "`torch.stack` makes one of a list of tensors."
            )
        return {"paths": [list(path) for path in paths], "scores": scores}

    return call_with_tensors(typed, inputs)


SLIPS = """
--- hint 1
each place on its own: path[::-1] -> row[:length].argmax(-1).tolist()
each place on its own, with the sum of its emissions: \
        path[::-1] -> row[:length].argmax(-1).tolist() \
        && append(score) -> append(row[:length].amax(-1).sum())
each place on its own, with the score of its path: path[::-1] -> row[:length].argmax(-1).tolist() \
        && append(score) -> append(_score_of(paths[-1], row, transitions, start, end))
    Each word takes its own favourite. A label may be the favourite and have no good neighbours:
    look at whole paths.
the most probable label of each word: \
        path[::-1] -> _marginal(row[:length], transitions, start, end)
the most probable label of each word, with the score of its path: \
        path[::-1] -> _marginal(row[:length], transitions, start, end) \
        && append(score) -> append(_score_of(paths[-1], row, transitions, start, end))
    You take each word's most probable label, over all paths. These need not make a good path
    together, nor an allowed one: look for the best whole path.
greedy from left to right: path[::-1] -> _greedy(row[:length], transitions, start)
greedy from left to right, with the score of its path: \
        path[::-1] -> _greedy(row[:length], transitions, start) \
        && append(score) -> append(_score_of(paths[-1], row, transitions, start, end))
    You settle each label before you have seen the next words. Keep the best path into *every*
    label, and decide at the end.
the best so far at each word: \
        best = arriving + row[t] -> came_from = best.argmax()⏎best = arriving + row[t] \
        && came_from[path[-1]] -> came_from
    Each of your labels is the best so far at its word, and the best whole path need not go through
    it. Remember for each label the one before it, and walk back.
the doors are read forwards: reversed(doors) -> doors
    You read the doors from the first to the last. The walk back begins at the last word: take the
    doors in reverse.
the doors are read forwards, and the path is not turned: reversed(doors) -> doors \
        && path[::-1] -> path
    You read the doors from the first to the last. The walk back begins at the last word: take the
    doors in reverse, then turn the path round.
--- hint 2
the pointers of the wrong axis: pairs.max(0) -> pairs.max(1)
    The maximum runs over the label you go *to*. For each new label, choose the best label to come
    *from*.
the scores stand on the axis of the new label: best.unsqueeze(1) -> best
    Your scores so far belong to the label you come *from*, and you add them along the label you go
    to. For one sentence, `best.unsqueeze(1)` stands beside the rows.
transitions transposed: + transitions -> + transitions.T
    You read the table of transitions the wrong way round. `transitions[j, k]` is for label k right
    *after* label j.
every sentence as long as the first: mask.sum(1).tolist() -> [int(mask[0].sum())] * len(mask)
    You take the length of the first sentence for all. Each has its own row in the mask:
    `mask[row].sum()`.
the running maximum begins at {least}: pairs.max(0) -> _at_least({least}, pairs) | least = 0, -1
the running maximum begins at {least}, at the end too: pairs.max(0) -> _at_least({least}, pairs) \
        && (best + end).max(0) -> _at_least({least}, best + end) | least = 0, -1
the running maximum begins at {least}, with the emission: \
        pairs.max(0) -> _at_least({least}, pairs + row[t]) && + row[t] -> | least = 0, -1
    Your running maximum begins at {least}. Where every score is lower, none beats it, and the label
    stays the first. Begin at `-math.inf`, or take `.max(0)`.
the sum over the paths, not the best: pairs.max(0) -> pairs.logsumexp(0), pairs.argmax(0)
    You still use logsumexp. The best path needs the largest: `.max(0)` in its place.
the worst way into each label: pairs.max(0) -> pairs.min(0)
    Of the ways into a label you keep the worst. Take the largest: `.max(0)`.
padding is read: range(1, length) -> range(1, len(row)) && path[::-1] -> path[::-1][:length]
    The search runs on through the padding before you cut the paths. It must end at the last real
    word of each sentence.
paths with padding: range(1, length) -> range(1, len(row))
    Your paths have a label for every column. Give one label for each real word.
paths filled up with zeros: path[::-1] -> path[::-1] + [0] * (len(row) - length)
    Short paths are filled up with label 0, which is a label like any other. Give each sentence a
    list of its own length.
the scores so far are forgotten: arriving + row[t] -> row[t]
    Behind the first word your scores are the emissions alone. Add them to the best of the ways that
    arrive.
--- hint 3
the path is backwards: path[::-1] -> path
    The right labels from the last word to the first. Turn each path round.
the end is missing: best + end -> best
    The score for ending with a label, `end`, is missing where you choose the last label.
the start is missing: start + row[0] -> row[0]
    The score for beginning with a label, `start`, is missing at the first word.
the last word has no label: path[::-1] -> path[:0:-1]
    Your paths are one label short: the label that you found first, that of the last word, belongs
    to the path.
the start at every word: + row[t] -> + row[t] + start
    `start` is added at every word. It is the score for beginning with a label: add it once.
the last word is left out: range(1, length) -> range(1, length - 1)
    Your loop ends one word too early. `range(1, length)` stops before `length` by itself.
no emissions behind the first word: + row[t] ->
    Only the first word has a say. Add `row[t]` at each step.
the end only in the score: (best + end).max(0) -> best.max() + end[best.argmax()], best.argmax()
    You choose the last label without `end` and add it afterwards. Add `end` to all labels first,
    then choose.
the end only in the choice: \
        (best + end).max(0) -> best[(best + end).argmax()], (best + end).argmax()
    `end` helps to choose the last label, and is missing in the score that you return. Take both
    from `best + end`.
the largest end for every label: (best + end).max(0) -> best.max() + end.max(), best.argmax()
    You add the largest end score, whatever the last label is. Each label has its own: `(best +
    end).max(0)`.
the last door is left out: reversed(doors) -> reversed(doors[:-1])
    You leave out the last door, so the path jumps over a word. Read them all, from the last to the
    first.
the first door is left out: reversed(doors) -> reversed(doors[1:])
    The walk back stops one word too early: your paths lack the first label. Read all doors.
every door is asked for the last label: came_from[path[-1]] -> came_from[label]
    You ask every door for the label of the last word. Ask each for the label that you found just
    before: `came_from[path[-1]]`.
the worst last label: (best + end).max(0) -> (best + end).min(0)
    You choose the last label with the smallest score. Take the largest: `.max(0)`.
the emissions are subtracted: + row[t] -> - row[t]
    Behind the first word you subtract the emissions. Add them.
the emission of the first word is subtracted: start + row[0] -> start - row[0]
    You subtract the emission of the first word. Add it to `start`.
the first emission is missing: start + row[0] -> start
    The first word has no say: begin with `start + row[0]`.
a step is left out: range(1, length) -> range(2, length)
    Your loop begins at word 2, and words count from 0, so your paths lack a label. Begin at 1.
the emission of the label that you come from: + transitions -> + transitions + row[t].unsqueeze(1) \
        && + row[t] ->
    You add the new word's emission to the label that you come *from*. It belongs to the label that
    you go *to*: add it after the maximum.
--- no hint
the scores come first: return paths, torch.stack(scores) -> return torch.stack(scores), paths
    Your two results are swapped: return the paths first, then their scores.
the score for each word: append(score) -> append(score / length)
    You divide the score by the length. The score of a path is a sum.
exp of the score: append(score) -> append(score.exp())
    You return exp of the score. Return the score itself.
the return stands inside the loop: \
        scores.append(score) -> scores.append(score)⏎return paths, torch.stack(scores)
    Only the first sentence came back: `return` stands inside the loop. Move it to the left.
paths are tensors: path[::-1] -> torch.tensor(path[::-1])
    Each of your paths is a tensor. Make it a list of label numbers; `.tolist()` does it.
labels are tensors: int(label) -> label && int(came_from[path[-1]]) -> came_from[path[-1]]
    The labels in your paths are tensors. Make each a whole number with `int(...)`.
scores in a list: torch.stack(scores) -> scores
    Your scores are a list. Return a tensor of shape (B,); `torch.stack` makes one of a list of
    tensors.
only the paths: return paths, torch.stack(scores) -> return paths
    Your answer is the paths alone. Return their scores, too: `return paths, torch.stack(scores)`.
"""

SLIPS_IN_ONE_BATCH = """
--- hint 1
the walk back goes through the padding: torch.where(here, back, stay) -> back
    The scores are right, and the walk back begins at the last column, in the padding. Begin at the
    last real word of each sentence.
--- hint 2
the mask multiplies the scores: \
        torch.where(here, top + emissions[:, t], best) -> (top + emissions[:, t]) * here \
        && torch.where(here, back, stay) -> back
    Multiplying by the mask sets the scores of finished sentences to 0, and 0 is a score like any
    other. Treat one sentence at a time, up to its own length.
"""

EXERCISE = Exercise(
    id="viterbi",
    title="The best path",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=14,
    reference=crf.viterbi,
    run=_run_viterbi,
    work_limit=replace(NO_ENUMERATION, bytes_at_once=3_000_000),
    atol=1e-4,
    cases=(
        Case("one sentence of four words", lattice((4,), 3)),
        Case("four sentences, no padding", lattice((5, 5, 5, 5), 3), weight=2),
        Case(
            "sentences of different lengths",
            lattice((6, 2, 3, 5, 4, 3, 2, 3, 2), 3, restless=True),
            weight=2,
        ),
        Case("two sentences of six words, ten labels", lattice((6, 6), 10)),
        Case("a sentence of one word", lattice((1, 4), 3), edge=True),
        Case(
            "all scores far below 0",
            lattice((4, 3), 3, shift=-30.0),
            asks="Here every score is far below 0, the largest one, too.",
            edge=True,
        ),
    ),
    mistakes=(
        *slips(_best, SLIPS),
        *slips(_in_one_batch, SLIPS_IN_ONE_BATCH),
        Mistake("every path", _by_enumeration, EVERY_PATH, hint=1),
        Mistake("every path", _by_enumeration_in_numpy, EVERY_PATH, hint=1),
    ),
    right_answers={"sentence by sentence": _best, "in one batch": _in_one_batch},
)
