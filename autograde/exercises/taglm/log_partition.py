"""Exercise `log_partition`: the sum over all paths, in log space."""

import itertools

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


def _forward(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    axis: int = 1,
    best: bool = False,
    use_mask: str = "stand still",
    last: str = "logsumexp",
    first_emission: bool = True,
    arriving: bool = False,
) -> Tensor:
    """The forward algorithm over the batch, with one thing done otherwise."""
    alpha = start + (emissions[:, 0] if first_emission else 0.0) + 0 * emissions[:, 0]  # (B, K)
    for t in range(1, emissions.shape[1]):
        pairs = (alpha[:, None] if arriving else alpha[:, :, None]) + transitions  # (B, from, to)
        into = pairs.amax(axis) if best else pairs.logsumexp(axis)
        new = into + emissions[:, t]
        here = mask[:, t, None]
        if use_mask == "stand still":
            alpha = torch.where(here, new, alpha)
        else:
            alpha = new * here if use_mask == "multiply" else new
    alpha = alpha + end
    if last == "sum":
        return alpha.sum(-1)
    return alpha.amax(-1) if best else alpha.logsumexp(-1)


def _partition_by_exp(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    alpha = (start + emissions[:, 0]).exp()
    for t in range(1, emissions.shape[1]):
        new = (alpha @ transitions.exp()) * emissions[:, t].exp()
        alpha = torch.where(mask[:, t, None], new, alpha)
    return (alpha * end.exp()).sum(-1).log()


def _partition_with_shifted_alpha(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """exp and log with the largest alpha taken out; the transitions are left as they are."""
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        top = alpha.amax(1, keepdim=True)
        new = ((alpha - top).exp() @ transitions.exp()).log() + top + emissions[:, t]
        alpha = torch.where(mask[:, t, None], new, alpha)
    return torch.logsumexp(alpha + end, 1)


def _partition_place_by_place(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    return (emissions.logsumexp(-1) * mask).sum(1)


def _partition_by_enumeration(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    logs = []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        scores = []
        for path in itertools.product(range(len(start)), repeat=length):
            total = start[path[0]] + end[path[-1]]
            total = total + sum(row[place, label] for place, label in enumerate(path))
            scores.append(total + sum(transitions[a, b] for a, b in itertools.pairwise(path)))
        logs.append(torch.logsumexp(torch.stack(scores), 0))
    return torch.stack(logs)


def _partition_sentence_by_sentence(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    logs = []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        alpha = start + row[0]
        for scores in row[1:length]:
            alpha = torch.stack(
                [torch.logsumexp(alpha + transitions[:, k], 0) for k in range(len(start))]
            )
            alpha = alpha + scores
        logs.append(torch.logsumexp(alpha + end, 0))
    return torch.stack(logs)


EXERCISE = Exercise(
    id="log_partition",
    title="The sum over all paths, in log space",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=crf.log_partition,
    run=run_with_gradient,
    cases=(
        Case("one sentence of three words", lattice((3,), 2)),
        Case("three sentences, no padding", lattice((4, 4, 4), 3), weight=2),
        Case("sentences of different lengths", lattice((5, 2, 3), 3), weight=2),
        Case("a sentence of one word", lattice((1, 4), 3), edge=True),
        Case("scores of a thousand", lattice((4, 3), 3, scale=1000.0), edge=True),
        Case("a forbidden label", lattice((4, 2), 3, forbidden=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "summed over the wrong axis",
            lambda *a: _forward(*a, axis=2),
            "The sum runs over the label you go *to*. For each new label, sum over the labels "
            "you may come *from*: with shape (B, from, to) that is axis 1.",
            hint=3,
        ),
        Mistake(
            "transitions transposed",
            lambda e, m, t, s, z: _forward(e, m, t.T, s, z),
            TABLE_TURNED,
            hint=2,
        ),
        Mistake(
            "alpha stands on the axis of the new label",
            lambda *a: _forward(*a, arriving=True),
            "`alpha` belongs to the label you come *from*, and you add it along the label you go "
            "to. `alpha.unsqueeze(2)` stands beside the rows of `transitions`.",
            hint=2,
        ),
        Mistake(
            "the best path, not all",
            lambda *a: _forward(*a, best=True),
            "This is the score of the best path. For the sum over all paths put logsumexp where "
            "you have max.",
            hint=2,
        ),
        Mistake(
            "exp and log by hand",
            _partition_by_exp,
            "The sum is right for small scores, and overflows for large ones: exp(1000) is "
            "infinite. Stay in log space with `torch.logsumexp`.",
            hint=2,
        ),
        Mistake(
            "exp of the transitions",
            _partition_with_shifted_alpha,
            "The sum is right, and its gradient is no number where a transition is forbidden: "
            "exp(-10000) is 0, and the log of 0 has no slope. Add the transitions *inside* "
            "`torch.logsumexp`.",
            hint=2,
        ),
        Mistake(
            "padding is read",
            lambda *a: _forward(*a, use_mask="no"),
            "You go on through the padding. Where the mask is False, keep the alpha you had: "
            "`torch.where(mask[:, t, None], new, alpha)`.",
            hint=3,
        ),
        Mistake(
            "padding sets alpha to zero",
            lambda *a: _forward(*a, use_mask="multiply"),
            "Multiplying by the mask sets the logs of finished sentences to 0, and 0 is a score "
            "like any other. Keep the old alpha with `torch.where`.",
            hint=3,
        ),
        Mistake(
            "each place on its own",
            _partition_place_by_place,
            "You sum over the labels of each place apart, as a softmax for each word does. The "
            "transitions tie the places together, and they are missing.",
            hint=1,
        ),
        Mistake(
            "the start is missing",
            lambda e, m, t, s, z: _forward(e, m, t, 0 * s, z),
            "The score for beginning with a label, `start`, is missing in the first alpha.",
            hint=3,
        ),
        Mistake(
            "the end is missing",
            lambda e, m, t, s, z: _forward(e, m, t, s, 0 * z),
            "The score for ending with a label, `end`, is missing before the last sum.",
            hint=3,
        ),
        Mistake(
            "the first emission is missing",
            lambda *a: _forward(*a, first_emission=False),
            "The first word has no say: the first alpha is `start + emissions[:, 0]`.",
            hint=3,
        ),
        Mistake(
            "a plain sum at the end",
            lambda *a: _forward(*a, last="sum"),
            "The last step adds up logarithms. It must add up what they are logarithms of: "
            "logsumexp once more.",
            hint=3,
        ),
        Mistake("cut off from autograd", cut_off(_forward), CUT_OFF, hint=2),
        Mistake(
            "Z, not its logarithm",
            lambda *a: _forward(*a).exp(),
            "This is Z. For long sentences it is too large for a number: return log Z.",
            hint=2,
        ),
        Mistake(
            "one number for the batch",
            lambda *a: _forward(*a).mean(),
            "You average over the sentences. Return one number for each of them, shape (B,).",
            hint=3,
        ),
    ),
    right_answers={
        "enumeration": _partition_by_enumeration,
        "sentence by sentence": _partition_sentence_by_sentence,
        "over the whole batch": _forward,
    },
)
