"""Exercise `log_partition`: the sum over all paths, in log space."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.lattice import (
    CUT_OFF,
    EVERY_PATH,
    TABLE_TURNED,
    cut_off,
    every_path,
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


def _partition_by_enumeration(*tensors: Tensor) -> Tensor:
    return torch.stack([torch.logsumexp(scores, 0) for _, scores in every_path(*tensors)])


def _partition_by_steps(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    into: Callable[[Tensor], Tensor] = lambda pairs: pairs.logsumexp(1),
    emission: Callable[[Tensor, int], Tensor] = lambda emissions, t: emissions[:, t],
    step: Callable[[Tensor, Tensor, Tensor, int], Tensor] = lambda mask, new, alpha, t: torch.where(
        mask[:, t, None], new, alpha
    ),
    last: Callable[[Tensor, Tensor], Tensor] = lambda alpha, end: (alpha + end).logsumexp(1),
) -> Tensor:
    """The forward algorithm with one of its four parts put in another's place."""
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        new = into(alpha[:, :, None] + transitions) + emission(emissions, t)
        alpha = step(mask, new, alpha, t)
    return last(alpha, end)


def _by_hand(axes: int | tuple[int, ...], *, put_back: bool = True) -> Callable[[Tensor], Tensor]:
    """logsumexp over *from* with the largest along some axes taken out first."""

    def into(pairs: Tensor) -> Tensor:
        top = pairs.amax(axes, keepdim=True)
        total = (pairs - top).exp().sum(1).log()
        return total + top[:, 0] if put_back else total

    return into


def _with_one_largest(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    largest: Callable[[Tensor], Tensor] = Tensor.max,
    emission_first: bool = False,
) -> Tensor:
    """logsumexp by hand with one maximum for several new labels, or for the whole batch."""
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        pairs = alpha[:, :, None] + transitions
        if emission_first:
            pairs = pairs + emissions[:, t, None]
        top = largest(pairs)
        new = (pairs - top).exp().sum(1).log() + top.squeeze(-1)
        if not emission_first:
            new = new + emissions[:, t]
        alpha = torch.where(mask[:, t, None], new, alpha)
    return (alpha + end).logsumexp(1)


def _partition_with_length_of_the_first(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    places = torch.arange(mask.shape[1])
    same = (places < mask[0].sum()).expand_as(mask)
    return _forward(emissions, same, transitions, start, end)


def _partition_with_emission_of_the_old(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        new = (alpha[:, :, None] + transitions + emissions[:, t, :, None]).logsumexp(1)
        alpha = torch.where(mask[:, t, None], new, alpha)
    return (alpha + end).logsumexp(1)


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


def _log_z_of(inputs: Inputs, chosen: Callable[[int], list[int]]) -> np.ndarray:
    """log Z of each sentence with only some of its words; without any, of the start and the end."""
    tables = [torch.from_numpy(inputs[name]) for name in ("transitions", "start", "end")]
    found = []
    for row, length in zip(inputs["emissions"], inputs["mask"].sum(1), strict=True):
        words = torch.from_numpy(row[chosen(int(length))])[None]
        if words.shape[1]:
            mask = torch.ones(words.shape[:2], dtype=torch.bool)
            found.append(crf.log_partition(words, mask, *tables))
        else:
            found.append((tables[1] + tables[2]).logsumexp(0, keepdim=True))
    return torch.cat(found).numpy()


def _on_the_way(inputs: Inputs) -> dict[str, np.ndarray]:
    lengths = inputs["mask"].sum(1)
    last = inputs["emissions"][np.arange(len(lengths)), lengths - 1]
    led = inputs["start"] * (lengths == 1)[:, None]
    return {
        "log Z of the start and the end alone": _log_z_of(inputs, lambda n: []),
        "log Z of the first word alone": _log_z_of(inputs, lambda n: [0]),
        "log Z of the first two words": _log_z_of(inputs, lambda n: list(range(n))[:2]),
        "log Z of the last word alone": _log_z_of(inputs, lambda n: [n - 1]),
        "log Z without the last word, if there are several": _log_z_of(
            inputs, lambda n: [0, *range(1, n - 1)]
        ),
        "log Z without the second word": _log_z_of(inputs, lambda n: [0, *range(2, n)]),
        "log Z of the last word alone, without what led to it": np.logaddexp.reduce(
            led + last + inputs["end"], 1
        ),
    }


ONE_LARGEST = (
    "You take out one maximum for several new labels together. A label that lies far below it "
    "rounds to 0, whose log is -inf and has no slope. Take it out for each sentence and each new "
    "label: `torch.logsumexp(..., 1)` does."
)


def _with_clamp(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    most: float,
) -> Tensor:
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        arriving = (alpha.unsqueeze(2) + transitions).clamp(max=most)
        alpha = torch.where(mask[:, t, None], arriving.exp().sum(1).log() + emissions[:, t], alpha)
    return (alpha + end).clamp(max=most).exp().sum(1).log()


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
    on_the_way=_on_the_way,
    cases=(
        Case("one sentence of three words", lattice((3,), 2)),
        Case("three sentences, no padding", lattice((4, 4, 4), 3), weight=2),
        Case("sentences of different lengths", lattice((5, 2, 3), 3), weight=2),
        Case("two sentences of seven words, ten labels", lattice((7, 7), 10)),
        Case("a sentence of one word", lattice((1, 4), 3), edge=True),
        Case("scores of a thousand", lattice((4, 3), 3, scale=1000.0), edge=True),
        Case("scores of minus a thousand", lattice((4, 3), 3, shift=-1000.0), edge=True),
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
            "exp by hand, the largest taken out for all labels together",
            _partition_with_shifted_alpha,
            "The sum is right, and its gradient is no number where a transition is forbidden: "
            "exp(-10000) is 0, and the log of 0 has no slope. Give scores and transitions together "
            "to `torch.logsumexp`, along *from*: it takes the largest out for each new label.",
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
        Mistake(
            "every path",
            _partition_by_enumeration,
            EVERY_PATH,
            hint=1,
        ),
        Mistake(
            "exp, sum and log at each step",
            lambda *a: _partition_by_steps(*a, into=lambda pairs: pairs.exp().sum(1).log()),
            "The formula is right, and the computer cannot follow it. For scores of a "
            "thousand exp is infinite, for a forbidden transition it is 0. "
            "`torch.logsumexp` takes the largest out first and puts it back.",
            hint=2,
        ),
        Mistake(
            "exp, sum and log at each step, with a small number inside",
            lambda *a: _partition_by_steps(
                *a, into=lambda pairs: (pairs.exp().sum(1) + 1e-10).log()
            ),
            "A small number inside the log hides the infinity and falsifies small sums. For "
            "scores of a thousand exp is infinite, for a forbidden transition it is 0. "
            "`torch.logsumexp` takes the largest out first and puts it back.",
            hint=2,
        ),
        Mistake(
            "one largest number for the whole batch",
            _with_one_largest,
            ONE_LARGEST,
            hint=2,
        ),
        Mistake(
            "one largest number for the whole batch, emissions included",
            lambda *a: _with_one_largest(*a, emission_first=True),
            ONE_LARGEST,
            hint=2,
        ),
        Mistake(
            "one largest number for all labels of a sentence, emissions included",
            lambda *a: _with_one_largest(
                *a, largest=lambda pairs: pairs.amax((1, 2), keepdim=True), emission_first=True
            ),
            ONE_LARGEST,
            hint=2,
        ),
        Mistake(
            "the largest is not put back",
            lambda *a: _partition_by_steps(*a, into=_by_hand(1, put_back=False)),
            "You take the largest out before exp and forget to add it again after log.",
            hint=2,
        ),
        Mistake(
            "a plain sum over from",
            lambda *a: _partition_by_steps(*a, into=lambda pairs: pairs.sum(1)),
            "You add up logarithms. The sum runs over what they are logarithms of: logsumexp.",
            hint=2,
        ),
        Mistake(
            "the mean over the labels",
            lambda *a: _partition_by_steps(
                *a, into=lambda pairs: pairs.logsumexp(1) - math.log(pairs.shape[1])
            ),
            "You average over the labels that you come from. Every path counts in full: a sum.",
            hint=1,
        ),
        Mistake(
            "a softmax at each step",
            lambda *a: _partition_by_steps(*a, into=lambda pairs: pairs.log_softmax(1).sum(1)),
            "A softmax normalises at every word. The CRF normalises once, over whole paths: "
            "`logsumexp`.",
            hint=1,
        ),
        Mistake(
            "no emissions behind the first word",
            lambda *a: _partition_by_steps(*a, emission=lambda emissions, t: 0 * emissions[:, t]),
            "Only the first word has a say. Add `emissions[:, t]` at each step.",
            hint=3,
        ),
        Mistake(
            "the emission counts twice",
            lambda *a: _partition_by_steps(*a, emission=lambda emissions, t: 2 * emissions[:, t]),
            "The emission of each word is added twice. Once is enough, after the sum.",
            hint=3,
        ),
        Mistake(
            "the emission of the word before",
            lambda *a: _partition_by_steps(*a, emission=lambda emissions, t: emissions[:, t - 1]),
            "You add the emissions of the word before. At step t it is `emissions[:, t]`.",
            hint=3,
        ),
        Mistake(
            "the emission of the label that you come from",
            _partition_with_emission_of_the_old,
            "You add the new word's emission to the label that you come *from*. It belongs "
            "to the label that you go *to*: add it after the sum.",
            hint=2,
        ),
        Mistake(
            "the start at every word",
            lambda e, m, t, s, z: _partition_by_steps(
                e, m, t, s, z, emission=lambda e, i: e[:, i] + s
            ),
            "`start` is added at every word. It is the score for beginning with a label: "
            "add it once, to the first alpha.",
            hint=3,
        ),
        Mistake(
            "the end at every word",
            lambda e, m, t, s, z: _partition_by_steps(
                e, m, t, s, z, emission=lambda e, i: e[:, i] + z
            ),
            "`end` is added at every word. It is the score for ending with a label: add it "
            "once, before the last sum.",
            hint=3,
        ),
        Mistake(
            "the mask of the word before",
            lambda *a: _partition_by_steps(
                *a, step=lambda mask, new, alpha, t: torch.where(mask[:, t - 1, None], new, alpha)
            ),
            "You look at the mask one place too early, so each sentence reads one word of "
            "padding. At step t it is `mask[:, t]`.",
            hint=3,
        ),
        Mistake(
            "the mask is turned round",
            lambda *a: _partition_by_steps(
                *a, step=lambda mask, new, alpha, t: torch.where(mask[:, t, None], alpha, new)
            ),
            "Your alpha moves through the padding and stands still at the words. "
            "`torch.where(condition, a, b)` takes `a` where the mask is True: the new "
            "alpha.",
            hint=3,
        ),
        Mistake(
            "added to the old alpha",
            lambda *a: _partition_by_steps(
                *a, step=lambda mask, new, alpha, t: alpha + new * mask[:, t, None]
            ),
            "The new alpha holds the old one already. Put it in the old one's place; do not "
            "add it.",
            hint=3,
        ),
        Mistake(
            "padding is forbidden",
            lambda *a: _partition_by_steps(
                *a, step=lambda mask, new, alpha, t: new.masked_fill(~mask[:, t, None], -torch.inf)
            ),
            "You set alpha to -inf behind the end of a sentence, and with it all that the "
            "sentence has gathered. Keep the old alpha with `torch.where`.",
            hint=3,
        ),
        Mistake(
            "only the emissions know the mask",
            lambda e, m, t, s, z: _forward(e * m[:, :, None], m, t, s, z, use_mask="no"),
            "You leave out the emissions of padding, and the transitions go on. Where the "
            "mask is False keep the alpha you had.",
            hint=3,
        ),
        Mistake(
            "every sentence as long as the first",
            _partition_with_length_of_the_first,
            "You take the length of the first sentence for all. Each has its own row in the mask.",
            hint=3,
        ),
        Mistake(
            "the best end, not all",
            lambda *a: _partition_by_steps(*a, last=lambda alpha, end: (alpha + end).amax(1)),
            "The last step takes the best label. The sum runs over all labels there too: "
            "logsumexp once more.",
            hint=2,
        ),
        Mistake(
            "alpha itself",
            lambda *a: _partition_by_steps(*a, last=lambda alpha, end: alpha + end),
            "You return one number for each label. The last step sums over them: "
            "`torch.logsumexp(alpha + end, 1)`.",
            hint=3,
        ),
        Mistake(
            "exp, sum and log at the end",
            lambda *a: _partition_by_steps(
                *a, last=lambda alpha, end: (alpha + end).exp().sum(1).log()
            ),
            "The last step still takes exp and log by hand, and overflows. Use "
            "`torch.logsumexp` there, too.",
            hint=2,
        ),
        Mistake(
            "summed over the sentences",
            lambda *a: _partition_by_steps(*a, last=lambda alpha, end: (alpha + end).logsumexp(0)),
            "The last sum runs over the sentences, axis 0. It runs over the labels, axis 1.",
            hint=3,
        ),
        Mistake(
            "summed over sentences and labels",
            lambda *a: _partition_by_steps(
                *a, last=lambda alpha, end: (alpha + end).logsumexp((0, 1))
            ),
            "The last sum runs over the sentences, too. Return one number for each "
            "sentence, shape (B,).",
            hint=3,
        ),
        Mistake(
            "only the first sentence",
            lambda *a: _partition_by_steps(
                *a, last=lambda alpha, end: (alpha + end).logsumexp(1)[:1]
            ),
            "You return the first sentence alone. Return one number for each sentence, shape (B,).",
            hint=3,
        ),
        Mistake(
            "the largest end for every label",
            lambda *a: _partition_by_steps(
                *a, last=lambda alpha, end: alpha.logsumexp(1) + end.amax()
            ),
            "You add the largest end score to all. Each label has its own: add `end` to "
            "alpha before the last sum.",
            hint=3,
        ),
        Mistake(
            "the end outside the sum",
            lambda *a: _partition_by_steps(
                *a, last=lambda alpha, end: alpha.logsumexp(1) + end.logsumexp(0)
            ),
            "`end` is summed on its own. A path ends with one label and has that label's "
            "score: add `end` to alpha *before* the last sum.",
            hint=3,
        ),
        Mistake(
            "the sign is turned",
            lambda *a: -_forward(*a),
            "The right number with a minus. This is log Z itself; the loss comes later.",
        ),
        *(
            Mistake(
                f"scores are cut off at {most:g}",
                lambda *a, most=most: _with_clamp(*a, most=most),
                f"You cut the scores off at {most:g} so that `exp` does not overflow, and each "
                "larger one counts as that. `torch.logsumexp` needs no such bound.",
                hint=2,
            )
            for most in (50.0, 80.0, 88.0)
        ),
    ),
    right_answers={
        "the largest taken out by hand": lambda *a: _partition_by_steps(*a, into=_by_hand(1)),
        "sentence by sentence": _partition_sentence_by_sentence,
        "over the whole batch": _forward,
    },
)
