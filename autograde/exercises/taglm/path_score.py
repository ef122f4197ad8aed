"""Exercise `path_score`: the score of a path."""

import torch
from torch import Tensor

from autograde.checking.exercise import Case, Exercise
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.lattice import NO_ENUMERATION, lattice, run_with_gradient
from elmo_mini.models import crf


def _by_gather(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    own = emissions.gather(2, labels.unsqueeze(2)).squeeze(2)
    moves = transitions[labels[:, :-1], labels[:, 1:]]
    last = labels.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
    words = (own * mask).sum(1) + (moves * mask[:, 1:]).sum(1)
    score = start[labels[:, 0]] + words + end[last]
    return score


def _by_loops(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    scores = []
    for row in range(len(emissions)):
        length = int(mask[row].sum())
        path = labels[row, :length].tolist()
        total = start[path[0]] + end[path[-1]]
        for place in range(length):
            total = total + emissions[row, place, path[place]]
        for place in range(1, length):
            total = total + transitions[path[place - 1], path[place]]
        scores.append(total)
    return torch.stack(scores)


SLIPS = """
--- hint 1
no transitions: + (moves * mask[:, 1:]).sum(1) ->
    Your score adds up what each word says on its own. The transitions between neighbouring labels
    are missing: they are what makes this a CRF.
the start is missing: start[labels[:, 0]] + ->
    The score for beginning with the first label, `start`, is missing.
the end is missing: + end[last] ->
    The score for ending with the last label, `end`, is missing.
no emissions: (own * mask).sum(1) + ->
    The emissions of the words are missing: what each word says of its own label.
the start at every word: own * mask -> (own + start[labels]) * mask && start[labels[:, 0]] + ->
    `start` is added at every word. It is the score for beginning: add it once.
the end at every word: own * mask -> (own + end[labels]) * mask && + end[last] ->
    `end` is added at every word. It is the score for ending: add it once.
the first emission is missing: own * mask -> own[:, 1:] * mask[:, 1:]
    The emission of the first word is missing: the loop over the transitions begins at 1, and the
    first word needs its own.
--- hint 2
transitions transposed: labels[:, :-1], labels[:, 1:] -> labels[:, 1:], labels[:, :-1]
    You read the table of transitions the wrong way round. `transitions[j, k]` is for label k right
    *after* label j.
the best emission, not the path's: \
        emissions.gather(2, labels.unsqueeze(2)).squeeze(2) -> emissions.amax(2)
    You take the largest emission at each word. The path says which label stands there:
    `emissions[..., label]`.
--- hint 3
padding is scored: own * mask -> own && moves * mask[:, 1:] -> moves \
        && end[last] -> end[labels[:, -1]]
the padding's emissions are scored: own * mask -> own
the padding's transitions are scored: moves * mask[:, 1:] -> moves
the padding's emissions and transitions are scored: own * mask -> own \
        && moves * mask[:, 1:] -> moves
    Words that are only padding add to your score. Stop at the end of each sentence: the mask says
    where.
padding counts as label 0: own = -> labels = labels * mask⏎own = \
        && moves * mask[:, 1:] -> moves
    You set the labels of padding to 0, and 0 is a label like any other: moves to it count. Multiply
    the moves by the mask, too.
a move from the last label to the first: \
        labels[:, :-1], labels[:, 1:] -> labels.roll(1, 1), labels \
        && moves * mask[:, 1:] -> moves * mask
    The first word gets a move from the last column. There are only T - 1 transitions; the first
    word has `start`.
a move into the padding: mask[:, 1:] -> mask[:, :-1]
    The move from the last word into the padding counts. A move counts only if the word it goes *to*
    is there: `mask[:, 1:]`, not `mask[:, :-1]`.
the end score of the last column: end[last] -> end[labels[:, -1]]
    The score for ending is taken at the last column, which is padding for short sentences. Take it
    at the last real word of each sentence.
the mean over the words: + words + -> + words / mask.sum(1) +
    You divide by the length. The score of a path is a sum.
start and end in each other's place: start[labels[:, 0]] -> end[labels[:, 0]] \
        && end[last] -> start[last]
    `start` belongs to the first label and `end` to the last. Yours are exchanged.
divided by the number of words: return score -> return score / mask.sum(1)
    You divide by the number of words. The score of a path is a sum.
the mean of the emissions: (own * mask).sum(1) -> (own * mask).mean(1)
    You take the mean of the emissions. The score of a path is a sum.
the mean of the transitions: (moves * mask[:, 1:]).sum(1) -> (moves * mask[:, 1:]).mean(1)
    You take the mean of the transitions. The score of a path is a sum.
the whole table of starts: start[labels[:, 0]] -> start
    You add all of `start`, one number for each label. Pick that of the first label:
    `start[labels[:, 0]]`.
--- no hint
softmax first: emissions.gather -> emissions.softmax(-1).gather
    You turn the emissions into probabilities first. Add up the raw scores: the path as a whole is
    normalised later, once.
log-softmax first: emissions.gather -> emissions.log_softmax(-1).gather
    You normalise the emissions of each word first, as `log_softmax` does. Add up the raw scores:
    the path as a whole is normalised later, once.
the sign is turned: return score -> return -score
    The right number with a minus. This is the score itself; the loss comes later.
one number for the batch: return score -> return score.sum()
    You add up the sentences. Return one score for each of them, shape (B,).
only the first sentence: return score -> return score[:1]
    You return the first sentence alone. Return one score for each of them, shape (B,).
the axis of the sentences is squeezed away: return score -> return score.squeeze()
    `.squeeze()` takes away each axis of length 1, and that of the sentences, too, where there is
    one only. Name the axis that is meant: `.squeeze(2)`.
`{name}` is cut off: own = -> {name} = {name}.detach()⏎own = | name = transitions, start, end
    The scores are right, and `{name}` never learns. Leave out `.detach()`.
every axis of 1 is squeezed away: squeeze(2) -> squeeze() && squeeze(1) -> squeeze()
    `.squeeze()` takes away each axis of length 1. Where all sentences have one word, that is the
    axis of the words, too. Name the axis that is meant: `.squeeze(2)`, `.squeeze(1)`.
the end one place late: mask.sum(1, keepdim=True) - 1 \
        -> mask.sum(1, keepdim=True).clamp(max=mask.shape[1] - 1)
    You take the score for ending one place too late, at the label behind the last word. That word
    stands at the place `mask.sum(1) - 1`.
"""

SLIPS_OF_LOOPS = """
--- hint 1
a transition before the first word: range(1, length) -> range(length)
    The first word gets a transition too: position -1 is the last one in Python. There are only T -
    1 transitions; the first word has `start`.
the first transition is missing: range(1, length) -> range(2, length)
    The transition from the first word to the second is missing: your loop over the transitions
    begins one word too late.
the last emission is missing: range(length) -> range(length - 1)
    The emission of the last word is missing: your loop ends one word too early.
--- hint 2
each label follows itself: path[place - 1], path[place] -> path[place], path[place]
    You look up the transition from each label to itself. It goes from the label of the word before:
    `transitions[path[place - 1], path[place]]`.
cut off from autograd: torch.stack(scores) -> torch.tensor([float(score) for score in scores])
    The numbers are right, and autograd cannot follow them back: `.item()`, `float()`, `.detach()`
    and `torch.tensor(...)` cut the thread. Keep tensors all the way; `torch.stack` joins them.
--- hint 3
every sentence as long as the first: mask[row] -> mask[0]
    You take the length of the first sentence for all. Each has its own row in the mask.
--- no hint
the total begins anew at each word: total + emissions -> start[path[0]] + end[path[-1]] + emissions
    Your total begins anew at each word, so only the last emission counts. Set it up before the
    loop, and add to it inside.
"""

EXERCISE = Exercise(
    id="path_score",
    title="The score of a path",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=crf.path_score,
    run=run_with_gradient,
    work_limit=NO_ENUMERATION,
    atol=1e-4,
    cases=(
        Case("one sentence of three words", lattice((3,), 2, path=True)),
        Case("three sentences, no padding", lattice((4, 4, 4), 3, path=True), weight=2),
        Case("sentences of different lengths", lattice((5, 2, 3, 4, 1, 2), 4, path=True), weight=2),
        Case("a sentence of one word", lattice((1, 4), 3, path=True), edge=True),
        Case("three sentences of one word each", lattice((1, 1, 1), 3, path=True), edge=True),
    ),
    mistakes=(*slips(_by_gather, SLIPS), *slips(_by_loops, SLIPS_OF_LOOPS)),
    right_answers={"loops": _by_loops, "gather": _by_gather},
)
