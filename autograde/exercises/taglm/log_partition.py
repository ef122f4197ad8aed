"""Exercise `log_partition`: the sum over all paths, in log space."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.lattice import (
    EVERY_PATH,
    NO_ENUMERATION,
    every_path,
    lattice,
    run_with_gradient,
)
from elmo_mini.models import crf
from elmo_mini.tagging.constrained_crf import FORBIDDEN


def _forward(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        pairs = alpha.unsqueeze(2) + transitions
        new = torch.logsumexp(pairs, 1) + emissions[:, t]
        alpha = torch.where(mask[:, t].unsqueeze(1), new, alpha)
    log_z = torch.logsumexp(alpha + end, 1)
    return log_z


def _largest_taken_out(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        pairs = alpha[:, :, None] + transitions
        top = pairs.amax(1, keepdim=True)
        new = (pairs - top).exp().sum(1).log() + top[:, 0] + emissions[:, t]
        alpha = torch.where(mask[:, t, None], new, alpha)
    return (alpha + end).logsumexp(1)


def _sentence_by_sentence(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    logs = []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        alpha = start + row[0]
        for scores in row[1:length]:
            into = [torch.logsumexp(alpha + transitions[:, k], 0) for k in range(len(start))]
            alpha = torch.stack(into) + scores
        logs.append(torch.logsumexp(alpha + end, 0))
    return torch.stack(logs)


def _by_enumeration(*tensors: Tensor) -> Tensor:
    return torch.stack([torch.logsumexp(scores, 0) for _, scores in every_path(*tensors)])


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


def _strong_and_forbidden(rng: Random) -> Inputs:
    """The second word asks for a label to which no move is allowed."""
    inputs: Inputs = lattice((2, 3), 2)(rng)
    inputs["emissions"][:, 1] = (-1000, 1000)
    inputs["transitions"][:, 1] = FORBIDDEN
    return inputs


def _hundreds(rng: Random, *names: str) -> Inputs:
    """Scores of 400 on one way through the labels, and of -400 on another."""
    inputs: Inputs = lattice((3, 2), 3)(rng)
    if "transitions" in names:
        inputs["transitions"] += 400 * (np.roll(np.eye(3), 1, 1) - np.eye(3)).astype(np.float32)
    if "start" in names:
        inputs["start"] += np.array([400, -400, 0], np.float32)
        inputs["end"] += np.array([0, -400, 400], np.float32)
    return inputs


SLIPS = """
--- hint 1
each place on its own: torch.logsumexp(alpha + end, 1) -> (emissions.logsumexp(-1) * mask).sum(1)
    You sum over the labels of each position apart, as a softmax for each word does. The transitions
    tie the positions together, and they are missing.
the transitions are missing: + transitions ->
    The transitions are missing, so all ways to a label count the same. Add `transitions` before the
    sum.
the loop counts labels: emissions.shape[1] -> emissions.shape[2]
    Your loop takes as many steps as there are labels, `shape[2]`. Take as many as there are words:
    `shape[1]`.
the loop counts sentences: emissions.shape[1] -> emissions.shape[0]
    Your loop takes as many steps as there are sentences, `shape[0]`. Take as many as there are
    words: `shape[1]`.
--- hint 2
transitions transposed: + transitions -> + transitions.T
    You read the table of transitions the wrong way round. `transitions[j, k]` is for label k right
    *after* label j.
alpha stands on the axis of the new label: alpha.unsqueeze(2) -> alpha.unsqueeze(1)
    `alpha` belongs to the label you come *from*, and you add it along the label you go to.
    `alpha.unsqueeze(2)` stands beside the rows of `transitions`.
the best path, not all: torch.logsumexp(pairs, 1) -> pairs.amax(1) \
        && torch.logsumexp(alpha + end, 1) -> (alpha + end).amax(1)
    This is the score of the best path. For the sum over all paths put logsumexp where you have max.
the best way to each label: torch.logsumexp(pairs, 1) -> pairs.amax(1)
    You keep the best way to each label, and sum over the labels at the end alone. The sum runs over
    all ways at each step: put logsumexp where you have max.
exp and log by hand: start + emissions[:, 0] -> (start + emissions[:, 0]).exp() \
        && alpha.unsqueeze(2) + transitions -> alpha.unsqueeze(2) * transitions.exp() \
        && torch.logsumexp(pairs, 1) + emissions[:, t] -> pairs.sum(1) * emissions[:, t].exp() \
        && torch.logsumexp(alpha + end, 1) -> (alpha * end.exp()).sum(1).log()
    The sum is right for small scores, and overflows for large ones: exp(1000) is infinite. Stay in
    log space with `torch.logsumexp`.
the largest of the whole batch is taken out, {patch}: torch.logsumexp(pairs, 1) \
        -> (pairs - pairs.max()).exp().sum(1){patch}.log() + pairs.max() \
        | patch = .clamp(min=1e-30), .clamp(min=1e-10)
    You take out the largest number of the whole batch. Next to it a score of a thousand less is 0,
    and then your patch stands in its place. Take out the largest of each sum: `torch.logsumexp`
    does.
the largest of alpha and of the transitions are taken out, and a small number is added: \
        torch.logsumexp(pairs, 1) -> ((alpha - alpha.amax(1, keepdim=True)).exp() \
        @ (transitions - transitions.max()).exp() + 1e-30).log() + alpha.amax(1, keepdim=True) \
        + transitions.max()
    A small number inside the log stands in for what `exp` has rounded to 0, and a strong emission
    lifts it above the true sum. Take the largest out for each new label: `torch.logsumexp` does.
exp by hand, the largest taken out for all labels together: torch.logsumexp(pairs, 1) \
        -> ((alpha - alpha.amax(1, keepdim=True)).exp() @ transitions.exp()).log() + alpha.amax(1, \
        keepdim=True)
    The moves go through `exp` as they are: one of a hundred is infinite there, and a forbidden one
    is 0, whose log has no slope. Give scores and transitions together to `torch.logsumexp`, along
    *from*: it takes the largest out for each new label.
cut off from autograd in the loop: pairs = alpha.unsqueeze(2) -> pairs = alpha.detach().unsqueeze(2)
    The numbers are right, and only the last word of a sentence learns: you detach `alpha` from word
    to word. Leave out `.detach()`.
only the moves stay out of log space: torch.logsumexp(pairs, 1) -> \
        alpha.amax(1, keepdim=True) + torch.log( \
        (alpha - alpha.amax(1, keepdim=True)).exp() @ transitions.exp() + 1e-30)
    You take the largest `alpha` out before you exponentiate, and the moves go through `exp` as they
    are: a move of a hundred is infinite there, a forbidden one is 0. Add `transitions` first, then
    take one `torch.logsumexp`.
cut off from autograd: return log_z -> return log_z.detach()
    The numbers are right, and autograd cannot follow them back: `.item()`, `float()`, `.detach()`
    and `torch.tensor(...)` cut the thread. Keep tensors all the way; `torch.stack` joins them.
Z, not its logarithm: return log_z -> return log_z.exp()
    This is Z. For long sentences it is too large for a number: return log Z.
exp, sum and log at each step: torch.logsumexp(pairs, 1) -> pairs.exp().sum(1).log()
    The formula is right, and the computer cannot follow it. For scores of a thousand exp is
    infinite, for a forbidden transition it is 0. `torch.logsumexp` takes the largest out first and
    puts it back.
exp, sum and log at each step, with a small number inside: \
        torch.logsumexp(pairs, 1) -> (pairs.exp().sum(1) + 1e-10).log()
    A small number inside the log hides the infinity and falsifies small sums. For scores of a
    thousand exp is infinite, for a forbidden transition it is 0. `torch.logsumexp` takes the
    largest out first and puts it back.
one largest number for the whole batch: \
        torch.logsumexp(pairs, 1) -> (pairs - pairs.max()).exp().sum(1).log() + pairs.max()
one largest number for the whole batch, emissions included: \
        + transitions -> + transitions + emissions[:, t].unsqueeze(1) \
        && torch.logsumexp(pairs, 1) + emissions[:, t] \
        -> (pairs - pairs.max()).exp().sum(1).log() + pairs.max()
one largest number for all labels of a sentence, emissions included: \
        + transitions -> + transitions + emissions[:, t].unsqueeze(1) \
        && torch.logsumexp(pairs, 1) + emissions[:, t] \
        -> (pairs - pairs.amax((1, 2), keepdim=True)).exp().sum(1).log() + pairs.amax((1, \
        2)).unsqueeze(1)
    You take out one maximum for several new labels together. A label that lies far below it rounds
    to 0, whose log is -inf and has no slope. Take it out for each sentence and each new label:
    `torch.logsumexp(..., 1)` does.
the largest is not put back: \
        torch.logsumexp(pairs, 1) -> (pairs - pairs.amax(1, keepdim=True)).exp().sum(1).log()
    You take the largest out before exp and forget to add it again after log.
a plain sum over from: torch.logsumexp(pairs, 1) -> pairs.sum(1)
    You add up logarithms. The sum runs over what they are logarithms of: logsumexp.
the emission of the label that you come from: \
        + transitions -> + transitions + emissions[:, t].unsqueeze(2) && + emissions[:, t] ->
    You add the new word's emission to the label that you come *from*. It belongs to the label that
    you go *to*: add it after the sum.
the largest along the sentences: \
        torch.logsumexp(pairs, 1) -> (pairs - pairs.amax(0)).exp().sum(1).log() + pairs.amax(0)[0]
    You take out the largest along the sentences, axis 0. Take it along the label that you come
    *from*, axis 1, with `keepdim=True`.
the largest is added before exp: torch.logsumexp(pairs, 1) \
        -> (pairs + pairs.amax(1, keepdim=True)).exp().sum(1).log() + pairs.amax(1)
    You add the largest before exp. Take it away there, and add it again after log.
alpha without a third axis: alpha.unsqueeze(2) -> alpha
    `alpha` (B, K) does not meet the table by itself. Give it an axis for the label that you go to:
    `alpha.unsqueeze(2)`.
scores are cut off at {most}: \
        torch.logsumexp(pairs, 1) -> pairs.clamp(max={most}).exp().sum(1).log() \
        && torch.logsumexp(alpha + end, 1) -> (alpha + end).clamp(max={most}).exp().sum(1).log() \
        | most = 50, 80, 88
    You cut the scores off at {most} so that `exp` does not overflow, and each larger one counts as
    that. `torch.logsumexp` needs no such bound.
the transitions are cut off at {most}: + transitions -> + transitions.clamp(-{most}, {most}) \
        | most = 80, 100, 1000
the emissions are cut off at {most}: alpha = start + \
        -> emissions = emissions.clamp(-{most}, {most})⏎alpha = start + | most = 80, 100
start and end are cut off at {most}: alpha = start + \
        -> start, end = start.clamp(-{most}, {most}), end.clamp(-{most}, {most})⏎alpha = start + \
        | most = 80, 100
    You cut scores off at {most}, and each beyond counts as that. `torch.logsumexp` needs no bounds.
the mean over the labels: \
        torch.logsumexp(pairs, 1) -> torch.logsumexp(pairs, 1) - np.log(len(start))
    You average over the labels that you come from. Every path counts in full: a sum.
a softmax at each step: torch.logsumexp(pairs, 1) -> pairs.log_softmax(1).sum(1)
    A softmax normalises at every word. The CRF normalises once, over whole paths: `logsumexp`.
summed over the wrong axis: (pairs, 1) -> (pairs, 2)
    The sum runs over the label you go *to*. For each new label, sum over the labels you may come
    *from*: with shape (B, from, to) that is axis 1.
no sum over the labels that you come from: torch.logsumexp(pairs, 1) -> pairs
    You keep a number for each pair of labels. Sum over the label that you come *from*:
    `torch.logsumexp(..., 1)`.
the scores so far are forgotten: \
        alpha.unsqueeze(2) + transitions -> transitions.expand(len(alpha), -1, -1)
    Your steps begin with the transitions alone. Add them to `alpha`, the sum over all ways so far.
--- hint 3
`{name}` is cut off: alpha = start -> {name} = {name}.detach()⏎alpha = start \
        | name = transitions, start, end
    The numbers are right, and `{name}` never learns. Leave out `.detach()`.
the end at the last column: alpha = torch.where \
        -> new = new + end * (t == mask.shape[1] - 1)⏎alpha = torch.where \
        && alpha + end -> alpha + end * (mask.shape[1] == 1)
    You add `end` at the last column, which short sentences never reach. Add it after the loop, to
    every sentence.
the loop ends where the first in the batch does: \
        range(1, emissions.shape[1]) -> range(1, int(mask[0].sum()))
the loop ends where the first in the batch does, without the mask: \
        range(1, emissions.shape[1]) -> range(1, int(mask[0].sum())) \
        && torch.where(mask[:, t].unsqueeze(1), new, alpha) -> new
    Your loop is as long as the first sentence of the batch. Walk through all columns, and let
    `torch.where` keep the alpha of those that have ended.
stopped where the first sentence ends: pairs = alpha \
        -> if not mask[:, t].all(): break⏎pairs = alpha
    Your loop stops as soon as one sentence is over. The others go on: walk through all columns, and
    let `torch.where` keep the alpha of those that have ended.
what is kept is cut off: new, alpha) -> new, alpha.detach())
    The numbers are right, and where a sentence has ended you detach its `alpha`, so it learns
    nothing. Leave out `.detach()`.
the emissions are normalised: alpha = start \
        -> emissions = emissions.log_softmax(2)⏎alpha = start
    You normalise the emissions of each word first, as `log_softmax` does. Take the raw scores: the
    paths as a whole are normalised, by Z.
padding is read: torch.where(mask[:, t].unsqueeze(1), new, alpha) -> new
    You go on through the padding. Where the mask is False, keep the alpha you had:
    `torch.where(mask[:, t, None], new, alpha)`.
padding sets alpha to zero: \
        torch.where(mask[:, t].unsqueeze(1), new, alpha) -> new * mask[:, t].unsqueeze(1)
    Multiplying by the mask sets the logs of finished sentences to 0, and 0 is a score like any
    other. Keep the old alpha with `torch.where`.
the start is missing: start + emissions[:, 0] -> emissions[:, 0]
    The score for beginning with a label, `start`, is missing in the first alpha.
the end is missing: alpha + end -> alpha
    The score for ending with a label, `end`, is missing before the last sum.
the first emission is missing: start + emissions[:, 0] -> start.expand(len(mask), -1)
    The first word has no say: the first alpha is `start + emissions[:, 0]`.
a plain sum at the end: torch.logsumexp(alpha + end, 1) -> (alpha + end).sum(1)
    The last step adds up logarithms. It must add up what they are logarithms of: logsumexp once
    more.
one number for the batch: return log_z -> return log_z.mean()
    You average over the sentences. Return one number for each of them, shape (B,).
no emissions behind the first word: + emissions[:, t] ->
    Only the first word has a say. Add `emissions[:, t]` at each step.
the emission counts twice: + emissions[:, t] -> + 2 * emissions[:, t]
    The emission of each word is added twice. Once is enough, after the sum.
the emission of the word before: emissions[:, t] -> emissions[:, t - 1]
    You add the emissions of the word before. At step t it is `emissions[:, t]`.
the start at every word: + emissions[:, t] -> + emissions[:, t] + start
    `start` is added at every word. It is the score for beginning with a label: add it once, to the
    first alpha.
the end at every word: + emissions[:, t] -> + emissions[:, t] + end
    `end` is added at every word. It is the score for ending with a label: add it once, before the
    last sum.
the mask of the word before: mask[:, t] -> mask[:, t - 1]
    You look at the mask one position too early, so each sentence reads one word of padding. At step
    t it is `mask[:, t]`.
the mask is turned round: new, alpha) -> alpha, new)
    Your alpha moves through the padding and stands still at the words. `torch.where(condition, a,
    b)` takes `a` where the mask is True: the new alpha.
added to the old alpha: \
        torch.where(mask[:, t].unsqueeze(1), new, alpha) -> alpha + new * mask[:, t].unsqueeze(1)
    The new alpha holds the old one already. Put it in the old one's place; do not add it.
padding is forbidden: torch.where(mask[:, t].unsqueeze(1), new, alpha) \
        -> new.masked_fill(~mask[:, t].unsqueeze(1), -torch.inf)
    You set alpha to -inf behind the end of a sentence, and with it all that the sentence has
    gathered. Keep the old alpha with `torch.where`.
padding is set to -10,000: torch.where(mask[:, t].unsqueeze(1), new, alpha) \
        -> new.masked_fill(~mask[:, t].unsqueeze(1), -10_000.0)
    You set alpha to -10,000 behind the end of a sentence, and with it all that the sentence has
    gathered. Keep the old alpha with `torch.where`.
divided by the length: return log_z -> return log_z / mask.sum(1)
    You divide by the number of words. log Z is one sum over whole paths.
only the emissions know the mask: + emissions[:, t] -> + emissions[:, t] * mask[:, t].unsqueeze(1) \
        && torch.where(mask[:, t].unsqueeze(1), new, alpha) -> new
    You leave out the emissions of padding, and the transitions go on. Where the mask is False keep
    the alpha you had.
every sentence as long as the first: mask[:, t].unsqueeze(1) -> mask[0, t]
    You take the length of the first sentence for all. Each has its own row in the mask.
alpha itself: torch.logsumexp(alpha + end, 1) -> alpha + end
    You return one number for each label. The last step sums over them: `torch.logsumexp(alpha +
    end, 1)`.
summed over the sentences: (alpha + end, 1) -> (alpha + end, 0)
    The last sum runs over the sentences, axis 0. It runs over the labels, axis 1.
summed over sentences and labels: (alpha + end, 1) -> (alpha + end, (0, 1))
    The last sum runs over the sentences, too. Return one number for each sentence, shape (B,).
only the first sentence: return log_z -> return log_z[:1]
    You return the first sentence alone. Return one number for each sentence, shape (B,).
the largest end for every label: \
        torch.logsumexp(alpha + end, 1) -> torch.logsumexp(alpha, 1) + end.max()
    You add the largest end score to all. Each label has its own: add `end` to alpha before the last
    sum.
the end outside the sum: \
        torch.logsumexp(alpha + end, 1) -> torch.logsumexp(alpha, 1) + end.logsumexp(0)
    `end` is summed on its own. A path ends with one label and has that label's score: add `end` to
    alpha *before* the last sum.
the emission of the first word is subtracted: start + emissions[:, 0] -> start - emissions[:, 0]
    You subtract the emission of the first word. Add it to `start`.
the emissions are subtracted: + emissions[:, t] -> - emissions[:, t]
    Behind the first word you subtract the emissions. Add them.
alpha begins anew at each word: alpha.unsqueeze(2) -> (start + emissions[:, 0]).unsqueeze(2)
    Each of your steps begins at the first word again. Set alpha up before the loop, and take it
    from step to step.
the first word counts twice: range(1, emissions.shape[1]) -> range(emissions.shape[1])
    Your loop begins at word 0, whose emissions are in the first alpha already. Begin at 1.
the second word is left out: range(1, emissions.shape[1]) -> range(2, emissions.shape[1])
    Your loop begins at word 2, and words count from 0. Begin at 1.
the mask lies along the labels: mask[:, t].unsqueeze(1) -> mask[:, t]
    `mask[:, t]` has shape (B,), so it is laid along the labels. Give it a second axis: `mask[:,
    t].unsqueeze(1)`.
the first sentence in place of the first words: emissions[:, 0] -> emissions[0]
    `emissions[0]` is the first sentence, (T, K). The first words of all sentences are `emissions[:,
    0]`.
the best end, not all: torch.logsumexp(alpha + end, 1) -> (alpha + end).amax(1)
    The last step takes the best label. The sum runs over all labels there too: logsumexp once more.
exp, sum and log at the end: torch.logsumexp(alpha + end, 1) -> (alpha + end).exp().sum(1).log()
    The last step still takes exp and log by hand, and overflows. Use `torch.logsumexp` there, too.
--- no hint
the sign is turned: return log_z -> return -log_z
    The right number with a minus. This is log Z itself; the loss comes later.
the last word is left out: emissions.shape[1] -> emissions.shape[1] - 1
    Your loop ends one word too early. `range(1, T)` stops before T by itself.
the return stands inside the loop: new, alpha) -> new, alpha)⏎return torch.logsumexp(alpha + end, 1)
    Your loop stops after its first step: a `return` or `break` stands inside it. Move it to the
    left.
"""

SLIPS_OF_SENTENCES = """
the last word of each sentence is left out: row[1:length] -> row[1 : length - 1]
    Your loop ends one word too early. A slice stops before its end by itself.
"""

EXERCISE = Exercise(
    id="log_partition",
    title="The sum over all paths, in log space",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=16,
    reference=crf.log_partition,
    run=run_with_gradient,
    work_limit=NO_ENUMERATION,
    on_the_way=_on_the_way,
    rtol=1e-3,
    atol=2e-3,
    cases=(
        Case("one sentence of three words", lattice((3,), 2)),
        Case("three sentences, no padding", lattice((4, 4, 4), 3), weight=2),
        Case("sentences of different lengths", lattice((5, 2, 3), 3), weight=2),
        Case("two sentences of seven words, ten labels", lattice((7, 7), 10)),
        Case("a sentence of one word", lattice((1, 4), 3), edge=True),
        Case("scores of a thousand", lattice((3, 2), 3, scale=500.0), edge=True),
        Case("scores of minus a thousand", lattice((3, 2), 3, shift=-1000.0), edge=True),
        Case("moves of hundreds", lambda rng: _hundreds(rng, "transitions"), edge=True),
        Case("start and end of hundreds", lambda rng: _hundreds(rng, "start"), edge=True),
        Case(
            "a strong word behind forbidden moves",
            _strong_and_forbidden,
            edge=True,
            asks="The word's score is 1000, the move to it costs 10,000: no path goes there.",
        ),
        Case("a forbidden label", lattice((4, 2), 3, forbidden=True), edge=True),
    ),
    mistakes=(
        *slips(_forward, SLIPS),
        *slips(_sentence_by_sentence, SLIPS_OF_SENTENCES),
        Mistake("every path", _by_enumeration, EVERY_PATH, hint=1),
    ),
    right_answers={
        "the largest taken out by hand": _largest_taken_out,
        "sentence by sentence": _sentence_by_sentence,
        "over the whole batch": _forward,
    },
)
