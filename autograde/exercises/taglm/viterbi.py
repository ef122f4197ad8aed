"""Exercise `viterbi`: the best path."""

import itertools
from typing import Any

import numpy as np
import torch
from torch import Tensor

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
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.lattice import TABLE_TURNED, lattice
from elmo_mini.tagging import crf

Best = tuple[list[list[int]], Tensor]


def _best(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    axis: int = 0,
    arriving: bool = False,
    greedy: str = "",
    lengths: str = "real",
    backwards: bool = False,
    lost_first: bool = False,
    doors_forwards: bool = False,
    own_score: str = "",
) -> Best:
    """Viterbi sentence by sentence, with one thing done otherwise."""
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        places = len(row) if lengths != "real" else length
        best, backs = start + row[0], []
        for t in range(1, places):
            top, back = ((best if arriving else best[:, None]) + transitions).max(axis)
            best = top + row[t]
            backs.append(back)
        score, last = (best + end).max(0)
        path = [int(last)]
        for back in backs if doors_forwards else reversed(backs):
            path.append(int(back[path[-1]]))
        path = path[1:] if lost_first else path
        path = path if backwards else path[::-1]
        if greedy:
            path = _greedy(row[:length], transitions, start, greedy)
        if own_score:
            score = row[torch.arange(length), path].sum()
        if own_score == "path":
            moves = [transitions[a, b] for a, b in itertools.pairwise(path)]
            score = score + start[path[0]] + end[path[-1]] + sum(moves)
        paths.append(path[:length] if lengths != "padded" else path)
        scores.append(score)
    return paths, torch.stack(scores)


def _greedy(row: Tensor, transitions: Tensor, start: Tensor, way: str) -> list[int]:
    if way == "places":
        return [int(k) for k in row.argmax(-1)]
    path = [int((start + row[0]).argmax())]
    for scores in row[1:]:
        path.append(int((transitions[path[-1]] + scores).argmax()))
    return path


def _best_with_end_at_last_column(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    """The scores stand still under padding, but the walk back takes pointers of padding too."""
    best = start + emissions[:, 0]
    backs = []
    for t in range(1, emissions.shape[1]):
        top, back = (best[:, :, None] + transitions).max(1)
        best = torch.where(mask[:, t, None], top + emissions[:, t], best)
        backs.append(back)
    scores, last = (best + end).max(1)
    paths = []
    for row, length in enumerate(mask.sum(1).tolist()):
        path = [int(last[row])]
        for back in reversed(backs):
            path.append(int(back[row, path[-1]]))
        paths.append(path[::-1][:length])
    return paths, scores


def _best_by_enumeration(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        found = []
        for path in itertools.product(range(len(start)), repeat=length):
            total = start[path[0]] + end[path[-1]]
            total = total + sum(row[place, label] for place, label in enumerate(path))
            total = total + sum(transitions[a, b] for a, b in itertools.pairwise(path))
            found.append((float(total), list(path)))
        score, best_path = max(found)
        paths.append(best_path)
        scores.append(score)
    return paths, torch.tensor(scores)


def _best_in_one_batch(
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


def _filled_up(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    paths, scores = _best(emissions, mask, transitions, start, end)
    longest = mask.shape[1]
    return [path + [0] * (longest - len(path)) for path in paths], scores


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
                f"Your paths are a {type(paths).__name__}. Sentences differ in length, so return a "
                "list with one list of label numbers for each sentence."
            )
        for path in paths:
            if not isinstance(path, list | tuple):
                raise AnswerRefused(
                    f"A path of yours is a {type(path).__name__}. Make it a list of label numbers; "
                    "`.tolist()` does it."
                )
            odd = [k for k in path if not isinstance(k, int | np.integer)]
            if odd:
                raise AnswerRefused(
                    f"A path of yours holds a {type(odd[0]).__name__}. Make each label a whole "
                    "number with `int(...)`."
                )
        if not isinstance(scores, Tensor):
            raise AnswerRefused(
                f"Your scores are a {type(scores).__name__}. Return a tensor of shape (B,); "
                "`torch.stack` makes one of a list of tensors."
            )
        return {"paths": [list(path) for path in paths], "scores": scores}

    return call_with_tensors(typed, inputs)


OWN_FAVOURITES = (
    "Each word takes its own favourite. A label may be the favourite and have no good "
    "neighbours: look at whole paths."
)


SETTLED_EARLY = (
    "You settle each label before you have seen the next words. Keep the best path into "
    "*every* label, and decide at the end."
)


EXERCISE = Exercise(
    id="viterbi",
    title="The best path",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=crf.viterbi,
    run=_run_viterbi,
    cases=(
        Case("one sentence of four words", lattice((4,), 3)),
        Case("four sentences, no padding", lattice((5, 5, 5, 5), 3), weight=2),
        Case(
            "sentences of different lengths",
            lattice((6, 2, 3, 5, 4, 3, 2, 3, 2), 3, restless=True),
            weight=2,
        ),
        Case("a sentence of one word", lattice((1, 4), 3), edge=True),
    ),
    mistakes=(
        Mistake(
            "each place on its own",
            lambda *a: _best(*a, greedy="places"),
            OWN_FAVOURITES,
            hint=1,
        ),
        Mistake(
            "each place on its own, with the sum of its emissions",
            lambda *a: _best(*a, greedy="places", own_score="emissions"),
            OWN_FAVOURITES,
            hint=1,
        ),
        Mistake(
            "each place on its own, with the score of its path",
            lambda *a: _best(*a, greedy="places", own_score="path"),
            OWN_FAVOURITES,
            hint=1,
        ),
        Mistake(
            "greedy from left to right",
            lambda *a: _best(*a, greedy="left"),
            SETTLED_EARLY,
            hint=1,
        ),
        Mistake(
            "greedy from left to right, with the score of its path",
            lambda *a: _best(*a, greedy="left", own_score="path"),
            SETTLED_EARLY,
            hint=1,
        ),
        Mistake(
            "the doors are read forwards",
            lambda *a: _best(*a, doors_forwards=True),
            "You read the doors from the first to the last. The walk back begins at the last word: "
            "take the doors in reverse.",
            hint=3,
        ),
        Mistake(
            "the doors are read forwards, and the path is not turned",
            lambda *a: _best(*a, doors_forwards=True, backwards=True),
            "You read the doors from the first to the last. The walk back begins at the last word: "
            "take the doors in reverse, then turn the path round.",
            hint=3,
        ),
        Mistake(
            "the scores come first",
            lambda *a: _best(*a)[::-1],
            "Your two results are swapped: return the paths first, then their scores.",
        ),
        Mistake(
            "the walk back goes through the padding",
            _best_with_end_at_last_column,
            "The scores are right, and the walk back begins at the last column, in the padding. "
            "Begin at the last real word of each sentence.",
            hint=3,
        ),
        Mistake(
            "padding is read",
            lambda *a: _best(*a, lengths="cut"),
            "The search runs on through the padding before you cut the paths. It must end at the "
            "last real word of each sentence.",
            hint=3,
        ),
        Mistake(
            "paths with padding",
            lambda *a: _best(*a, lengths="padded"),
            "Your paths have a label for every column. Give one label for each real word.",
            hint=3,
        ),
        Mistake(
            "the path is backwards",
            lambda *a: _best(*a, backwards=True),
            "The right labels from the last word to the first. Turn each path round.",
            hint=3,
        ),
        Mistake(
            "the pointers of the wrong axis",
            lambda *a: _best(*a, axis=1),
            "The maximum runs over the label you go *to*. For each new label, choose the best "
            "label to come *from*.",
            hint=2,
        ),
        Mistake(
            "the scores stand on the axis of the new label",
            lambda *a: _best(*a, arriving=True),
            "Your scores so far belong to the label you come *from*, and you add them along the "
            "label you go to. For one sentence, `best.unsqueeze(1)` stands beside the rows.",
            hint=2,
        ),
        Mistake(
            "transitions transposed",
            lambda e, m, t, s, z: _best(e, m, t.T, s, z),
            TABLE_TURNED,
            hint=2,
        ),
        Mistake(
            "the end is missing",
            lambda e, m, t, s, z: _best(e, m, t, s, 0 * z),
            "The score for ending with a label, `end`, is missing where you choose the last label.",
            hint=3,
        ),
        Mistake(
            "the start is missing",
            lambda e, m, t, s, z: _best(e, m, t, 0 * s, z),
            "The score for beginning with a label, `start`, is missing at the first word.",
            hint=3,
        ),
        Mistake(
            "the last word has no label",
            lambda *a: _best(*a, lost_first=True),
            "Your paths are one label short: the label that you found first, that of the last "
            "word, belongs to the path.",
            hint=3,
        ),
        Mistake(
            "paths filled up with zeros",
            _filled_up,
            "Short paths are filled up with label 0, which is a label like any other. Give each "
            "sentence a list of its own length.",
            hint=3,
        ),
    ),
    right_answers={
        "sentence by sentence": _best,
        "in one batch": _best_in_one_batch,
        "enumeration": _best_by_enumeration,
    },
)
