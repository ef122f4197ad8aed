"""Exercise `viterbi`: the best path."""

import itertools
from collections.abc import Callable
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
from autograde.exercises.taglm.lattice import (
    EVERY_PATH,
    MANY_PATHS,
    MUCH_MEMORY,
    TABLE_TURNED,
    Budget,
    every_path,
    lattice,
    named,
    needs_memory,
)
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


def _best_by_enumeration(*tensors: Tensor) -> Best:
    found = [max(zip(scores, paths, strict=True)) for paths, scores in every_path(*tensors)]
    return [list(path) for _, path in found], torch.stack([score for score, _ in found])


def _best_by_steps(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    forward: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] = lambda pairs, row: (
        pairs.amax(0) + row,
        pairs.argmax(0),
    ),
    last: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] = lambda best, end: (
        (best + end).amax(),
        (best + end).argmax(),
    ),
    back: Callable[[int, list[Tensor]], list[int]] | None = None,
) -> Best:
    """Viterbi sentence by sentence, with one of its three parts put in another's place."""
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        best, doors = start + row[0], []
        for t in range(1, length):
            best, door = forward(best[:, None] + transitions, row[t])
            doors.append(door)
        score, label = last(best, end)
        paths.append((back or _walk_back)(int(label), doors))
        scores.append(score)
    return paths, torch.stack(scores)


def _walk_back(label: int, doors: list[Tensor]) -> list[int]:
    path = [label]
    for door in reversed(doors):
        path.append(int(door[path[-1]]))
    return path[::-1]


def _emission_of_the_old(pairs: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
    pairs = pairs + row[:, None]
    return pairs.amax(0), pairs.argmax(0)


def _beginning_at(least: float, *, emission: bool, at_the_end: bool) -> Answer:
    """What `top, door = 0.0, 0` and `if score > top` give: no lower score beats the beginning."""

    def largest(scores: Tensor) -> tuple[Tensor, Tensor]:
        top, door = scores.max(0)
        return top.clamp(min=least), torch.where(top > least, door, 0)

    def forward(pairs: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        top, door = largest(pairs + row if emission else pairs)
        return top if emission else top + row, door

    if at_the_end:
        return lambda *a: _best_by_steps(
            *a, forward=forward, last=lambda best, end: largest(best + end)
        )
    return lambda *a: _best_by_steps(*a, forward=forward)


def _multiplied_by_mask(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    best, backs = start + emissions[:, 0], []
    for t in range(1, emissions.shape[1]):
        top, back = (best[:, :, None] + transitions).max(1)
        best = (top + emissions[:, t]) * mask[:, t, None]
        backs.append(back)
    scores, last = (best + end).max(1)
    path = [last]
    for back in reversed(backs):
        path.append(back.gather(1, path[-1][:, None]).squeeze(1))
    whole = torch.stack(path[::-1], 1).tolist()
    lengths = mask.sum(1).tolist()
    return [labels[:length] for labels, length in zip(whole, lengths, strict=True)], scores


def _best_so_far(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        best, path = start + row[0], []
        for t in range(1, length):
            path.append(int(best.argmax()))
            best = (best[:, None] + transitions).amax(0) + row[t]
        score, last = (best + end).max(0)
        paths.append([*path, int(last)])
        scores.append(score)
    return paths, torch.stack(scores)


def _as_long_as_the_first(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    places = torch.arange(mask.shape[1])
    same = (places < mask[0].sum()).expand_as(mask)
    return _best(emissions, same, transitions, start, end)


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
        with Budget():
            outputs = answer(*arguments)
        longest, labels = arguments[0].shape[1:]
        if labels**longest >= MANY_PATHS:  # once more: the first time modules may have been loaded
            copies = [argument.clone() for argument in arguments]
            if needs_memory(lambda: answer(*copies)) > MUCH_MEMORY:
                raise AnswerRefused(EVERY_PATH)
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


def _best_by_enumeration_in_numpy(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    """Every path at once, in one array for each sentence: no loop, and as many numbers as paths."""
    tables = (transitions.numpy(), start.numpy(), end.numpy())
    paths, scores = [], []
    for row, length in zip(emissions.numpy(), mask.sum(1).tolist(), strict=True):
        grid = np.indices((len(start),) * length).reshape(length, -1)[::-1]
        total = row[np.arange(length)[:, None], grid].sum(0) + tables[1][grid[0]]
        total = total + tables[0][grid[:-1], grid[1:]].sum(0) + tables[2][grid[-1]]
        paths.append(grid[:, total.argmax()].tolist())
        scores.append(total.max())
    return paths, torch.tensor(np.array(scores))


def _score_changed(found: Best, change: Callable[[Tensor, Tensor], Tensor]) -> Best:
    paths, scores = found
    return paths, change(scores, torch.tensor([len(path) for path in paths]))


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
        Case("two sentences of six words, ten labels", lattice((6, 6), 10)),
        Case("a sentence of one word", lattice((1, 4), 3), edge=True),
        Case(
            "all scores far below 0",
            lattice((4, 3), 3, shift=-30.0),
            asks="Here every score is far below 0. A running maximum that begins at 0 or -1 beats "
            "them all: begin at `-math.inf`, or at the first score.",
            edge=True,
        ),
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
        Mistake(
            "every path",
            _best_by_enumeration,
            EVERY_PATH,
            hint=1,
        ),
        Mistake(
            "the sum over the paths, not the best",
            lambda *a: _best_by_steps(
                *a, forward=lambda pairs, row: (pairs.logsumexp(0) + row, pairs.argmax(0))
            ),
            "You still use logsumexp. The best path needs the largest: `.max(0)` in its place.",
            hint=1,
        ),
        Mistake(
            "no emissions behind the first word",
            lambda *a: _best_by_steps(
                *a, forward=lambda pairs, row: (pairs.amax(0), pairs.argmax(0))
            ),
            "Only the first word has a say. Add `row[t]` at each step.",
            hint=3,
        ),
        Mistake(
            "the emission of the label that you come from",
            lambda *a: _best_by_steps(*a, forward=_emission_of_the_old),
            "You add the new word's emission to the label that you come *from*. It belongs "
            "to the label that you go *to*: add it after the maximum.",
            hint=2,
        ),
        Mistake(
            "the end only in the score",
            lambda *a: _best_by_steps(
                *a, last=lambda best, end: (best.amax() + end[best.argmax()], best.argmax())
            ),
            "You choose the last label without `end` and add it afterwards. Add `end` to "
            "all labels first, then choose.",
            hint=3,
        ),
        Mistake(
            "the end only in the choice",
            lambda *a: _best_by_steps(
                *a, last=lambda best, end: (best[(best + end).argmax()], (best + end).argmax())
            ),
            "`end` helps to choose the last label, and is missing in the score that you "
            "return. Take both from `best + end`.",
            hint=3,
        ),
        Mistake(
            "the largest end for every label",
            lambda *a: _best_by_steps(
                *a, last=lambda best, end: (best.amax() + end.amax(), best.argmax())
            ),
            "You add the largest end score, whatever the last label is. Each label has its "
            "own: `(best + end).max(0)`.",
            hint=3,
        ),
        Mistake(
            "the last door is left out",
            lambda *a: _best_by_steps(*a, back=lambda label, doors: _walk_back(label, doors[:-1])),
            "You leave out the last door, so the path jumps over a word. Read them all, "
            "from the last to the first.",
            hint=3,
        ),
        Mistake(
            "the first door is left out",
            lambda *a: _best_by_steps(*a, back=lambda label, doors: _walk_back(label, doors[1:])),
            "The walk back stops one word too early: your paths lack the first label. Read "
            "all doors.",
            hint=3,
        ),
        Mistake(
            "every door is asked for the last label",
            lambda *a: _best_by_steps(
                *a, back=lambda label, doors: [*(int(d[label]) for d in doors), label]
            ),
            "You ask every door for the label of the last word. Ask each for the label that "
            "you found just before: `came_from[path[-1]]`.",
            hint=3,
        ),
        Mistake(
            "the return stands inside the loop",
            lambda *a: tuple(part[:1] for part in _best(*a)),
            "Only the first sentence came back: `return` stands inside the loop. Move it to "
            "the left.",
            hint=3,
        ),
        Mistake(
            "the mask multiplies the scores",
            _multiplied_by_mask,
            "Multiplying by the mask sets the scores of finished sentences to 0, and 0 is a "
            "score like any other. Treat one sentence at a time, up to its own length.",
            hint=2,
        ),
        Mistake(
            "every sentence as long as the first",
            _as_long_as_the_first,
            "You take the length of the first sentence for all. Each has its own row in the "
            "mask: `mask[row].sum()`.",
            hint=2,
        ),
        Mistake(
            "the score for each word",
            lambda *a: _score_changed(_best(*a), lambda scores, lengths: scores / lengths),
            "You divide the score by the length. The score of a path is a sum.",
            hint=1,
        ),
        Mistake(
            "exp of the score",
            lambda *a: _score_changed(_best(*a), lambda scores, lengths: scores.exp()),
            "You return exp of the score. Return the score itself.",
            hint=1,
        ),
        Mistake(
            "paths are tensors",
            lambda *a: ([torch.tensor(path) for path in _best(*a)[0]], _best(*a)[1]),
            "Each of your paths is a tensor. Make it a list of label numbers; `.tolist()` does it.",
            hint=3,
        ),
        Mistake(
            "labels are tensors",
            lambda *a: ([list(torch.tensor(path)) for path in _best(*a)[0]], _best(*a)[1]),
            "The labels in your paths are tensors. Make each a whole number with `int(...)`.",
            hint=3,
        ),
        Mistake(
            "scores in a list",
            lambda *a: (_best(*a)[0], _best(*a)[1].tolist()),
            "Your scores are a list. Return a tensor of shape (B,); `torch.stack` makes one "
            "of a list of tensors.",
            hint=3,
        ),
        Mistake(
            "only the paths",
            lambda *a: _best(*a)[0],
            "Your answer is the paths alone. Return their scores, too: `return paths, "
            "torch.stack(scores)`.",
            hint=3,
        ),
        Mistake("every path", _best_by_enumeration_in_numpy, EVERY_PATH, hint=1),
        *(
            Mistake(
                f"the running maximum begins at {least}"
                + ", with the emission" * emission
                + ", at the end too" * at_the_end,
                _beginning_at(least, emission=emission, at_the_end=at_the_end),
                f"Your running maximum begins at {least}. Where every score is lower, none beats "
                "it, and the label stays the first. Begin at `-math.inf`, or take `.max(0)`.",
                hint=2,
            )
            for least in (0, -1)
            for emission, at_the_end in ((False, False), (False, True), (True, False))
        ),
        Mistake(
            "the best so far at each word",
            _best_so_far,
            "Each of your labels is the best so far at its word, and the best whole path need not "
            "go through it. Remember for each label the one before it, and walk back.",
            hint=2,
        ),
        Mistake(
            "the worst last label",
            lambda *a: _best_by_steps(
                *a, last=lambda best, end: ((best + end).amin(), (best + end).argmin())
            ),
            "You choose the last label with the smallest score. Take the largest: `.max(0)`.",
            hint=3,
        ),
        Mistake(
            "the worst way into each label",
            lambda *a: _best_by_steps(
                *a, forward=lambda pairs, row: (pairs.amin(0) + row, pairs.argmin(0))
            ),
            "Of the ways into a label you keep the worst. Take the largest: `.max(0)`.",
            hint=1,
        ),
        Mistake(
            "the emissions are subtracted",
            lambda *a: _best_by_steps(
                *a, forward=lambda pairs, row: (pairs.amax(0) - row, pairs.argmax(0))
            ),
            "Behind the first word you subtract the emissions. Add them.",
            hint=3,
        ),
        Mistake(
            "the emission of the first word is subtracted",
            lambda e, *a: _best_by_steps(torch.cat([-e[:, :1], e[:, 1:]], 1), *a),
            "You subtract the emission of the first word. Add it to `start`.",
            hint=3,
        ),
        Mistake(
            "the scores so far are forgotten",
            lambda *a: _best_by_steps(*a, forward=lambda pairs, row: (row, pairs.argmax(0))),
            "Behind the first word your scores are the emissions alone. Add them to the best of "
            "the ways that arrive.",
            hint=3,
        ),
    ),
    right_answers={
        "sentence by sentence": _best,
        "in one batch": _best_in_one_batch,
        "step by step": _best_by_steps,
    },
)
