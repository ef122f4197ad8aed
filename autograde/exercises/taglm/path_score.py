"""Exercise `path_score`: the score of a path."""

import torch
from torch import Tensor

from autograde.checking.exercise import (
    Case,
    Exercise,
    Mistake,
)
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.lattice import (
    CUT_OFF,
    TABLE_TURNED,
    cut_off,
    lattice,
    run_with_gradient,
)
from elmo_mini.tagging import crf


def _score(
    emissions: Tensor,
    labels: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    start_weight: float = 1.0,
    end_weight: float = 1.0,
    transition_weight: float = 1.0,
    padding: bool = False,
    last_column: bool = False,
    round_the_corner: bool = False,
    mean: bool = False,
) -> Tensor:
    """The score of each path by loops, with one thing done otherwise."""
    scores = []
    for row in range(len(emissions)):
        length = emissions.shape[1] if padding else int(mask[row].sum())
        path = labels[row].tolist()
        total = start_weight * start[path[0]]
        for place in range(length):
            part = emissions[row, place, path[place]]
            if place or round_the_corner:
                part = part + transition_weight * transitions[path[place - 1], path[place]]
            total = total + (part / length if mean else part)
        total = total + end_weight * end[path[-1 if last_column else length - 1]]
        scores.append(total)
    return torch.stack(scores)


def _score_by_gather(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    own = emissions.gather(2, labels[:, :, None]).squeeze(2) * mask
    steps = transitions[labels[:, :-1], labels[:, 1:]] * mask[:, 1:]
    last = labels.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
    return own.sum(1) + steps.sum(1) + start[labels[:, 0]] + end[last]


def _score_with_move_into_padding(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    moves = transitions[labels[:, :-1], labels[:, 1:]]
    right = _score_by_gather(emissions, labels, mask, transitions, start, end)
    return right + (moves * (mask[:, :-1] & ~mask[:, 1:])).sum(1)


EXERCISE = Exercise(
    id="path_score",
    title="The score of a path",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=10,
    reference=crf.path_score,
    run=run_with_gradient,
    cases=(
        Case("one sentence of three words", lattice((3,), 2, path=True)),
        Case("three sentences, no padding", lattice((4, 4, 4), 3, path=True), weight=2),
        Case("sentences of different lengths", lattice((5, 2, 3, 4, 1, 2), 4, path=True), weight=2),
        Case("a sentence of one word", lattice((1, 4), 3, path=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "no transitions",
            lambda *a: _score(*a, transition_weight=0.0),
            "Your score adds up what each word says on its own. The transitions between "
            "neighbouring labels are missing: they are what makes this a CRF.",
            hint=1,
        ),
        Mistake(
            "transitions transposed",
            lambda e, y, m, t, s, z: _score(e, y, m, t.T, s, z),
            TABLE_TURNED,
            hint=2,
        ),
        Mistake(
            "padding is scored",
            lambda *a: _score(*a, padding=True),
            "Words that are only padding add to your score. Stop at the end of each sentence: the "
            "mask says where.",
            hint=3,
        ),
        Mistake(
            "a move into the padding",
            _score_with_move_into_padding,
            "The move from the last word into the padding counts. A move counts only if the word "
            "it goes *to* is there: `mask[:, 1:]`, not `mask[:, :-1]`.",
            hint=3,
        ),
        Mistake(
            "the end score of the last column",
            lambda *a: _score(*a, last_column=True),
            "The score for ending is taken at the last column, which is padding for short "
            "sentences. Take it at the last real word of each sentence.",
            hint=3,
        ),
        Mistake(
            "the start is missing",
            lambda *a: _score(*a, start_weight=0.0),
            "The score for beginning with the first label, `start`, is missing.",
            hint=1,
        ),
        Mistake(
            "the end is missing",
            lambda *a: _score(*a, end_weight=0.0),
            "The score for ending with the last label, `end`, is missing.",
            hint=1,
        ),
        Mistake(
            "a transition before the first word",
            lambda *a: _score(*a, round_the_corner=True),
            "The first word gets a transition too: place -1 is the last one in Python. There are "
            "only T - 1 transitions; the first word has `start`.",
            hint=1,
        ),
        Mistake(
            "the mean over the words",
            lambda *a: _score(*a, mean=True),
            "You divide by the length. The score of a path is a sum.",
            hint=1,
        ),
        Mistake(
            "softmax first",
            lambda e, y, m, t, s, z: _score_by_gather(e.softmax(-1), y, m, t, s, z),
            "You turn the emissions into probabilities first. Add up the raw scores: the path as a "
            "whole is normalised later, once.",
        ),
        Mistake(
            "log-softmax first",
            lambda e, y, m, t, s, z: _score_by_gather(e.log_softmax(-1), y, m, t, s, z),
            "You normalise the emissions of each word first, as `log_softmax` does. Add up the raw "
            "scores: the path as a whole is normalised later, once.",
        ),
        Mistake("cut off from autograd", cut_off(_score_by_gather), CUT_OFF, hint=2),
        Mistake(
            "one number for the batch",
            lambda *a: _score(*a).sum(),
            "You add up the sentences. Return one score for each of them, shape (B,).",
            hint=3,
        ),
        Mistake(
            "the sign is turned",
            lambda *a: -_score(*a),
            "The right number with a minus. This is the score itself; the loss comes later.",
        ),
        Mistake(
            "only the first sentence",
            lambda *a: _score(*a)[:1],
            "You return the first sentence alone. Return one score for each of them, shape (B,).",
            hint=3,
        ),
        Mistake(
            "every sentence as long as the first",
            lambda e, y, m, t, s, z: _score(
                e, y, (torch.arange(m.shape[1]) < m[0].sum()).expand_as(m), t, s, z
            ),
            "You take the length of the first sentence for all. Each has its own row in the mask.",
            hint=3,
        ),
        Mistake(
            "the best emission, not the path's",
            lambda e, y, m, t, s, z: _score_by_gather(
                e.amax(-1, keepdim=True).expand_as(e), y, m, t, s, z
            ),
            "You take the largest emission at each word. The path says which label stands "
            "there: `emissions[..., label]`.",
            hint=1,
        ),
        Mistake(
            "no emissions",
            lambda e, y, m, t, s, z: _score_by_gather(0 * e, y, m, t, s, z),
            "The emissions of the words are missing: what each word says of its own label.",
            hint=1,
        ),
        Mistake(
            "the first emission is missing",
            lambda e, y, m, t, s, z: (
                _score_by_gather(e, y, m, t, s, z) - e[:, 0].gather(1, y[:, :1]).squeeze(1)
            ),
            "The emission of the first word is missing: the loop over the transitions "
            "begins at 1, and the first word needs its own.",
            hint=3,
        ),
        Mistake(
            "the start at every word",
            lambda e, y, m, t, s, z: _score_by_gather(e + s, y, m, t, 0 * s, z),
            "`start` is added at every word. It is the score for beginning: add it once.",
            hint=1,
        ),
        Mistake(
            "the end at every word",
            lambda e, y, m, t, s, z: _score_by_gather(e + z, y, m, t, s, 0 * z),
            "`end` is added at every word. It is the score for ending: add it once.",
            hint=1,
        ),
        Mistake(
            "start and end in each other's place",
            lambda e, y, m, t, s, z: _score(e, y, m, t, z, s),
            "`start` belongs to the first label and `end` to the last. Yours are exchanged.",
            hint=1,
        ),
        Mistake(
            "divided by the number of words",
            lambda *a: _score(*a) / a[2].sum(1),
            "You divide by the number of words. The score of a path is a sum.",
            hint=1,
        ),
        Mistake(
            "the axis of the sentences is squeezed away",
            lambda *a: _score(*a).squeeze(),
            "`.squeeze()` takes away each axis of length 1, and that of the sentences, too, where "
            "there is one only. Name the axis that is meant: `.squeeze(2)`.",
            hint=3,
        ),
    ),
    right_answers={"loops": _score, "gather": _score_by_gather},
)
