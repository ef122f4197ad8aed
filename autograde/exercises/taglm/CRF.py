"""Exercise `CRF`: tables to learn, rules to keep, a loss and a way to decode."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, equal, plain, refuse_changed
from autograde.checking.differentiable import slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from elmo_mini.models.crf import Path, log_partition, path_score, viterbi
from elmo_mini.tagging.constrained_crf import may_follow

TABLES = ("transitions", "start", "end")
Scores = tuple[Tensor, Tensor, Tensor]


@Case.drawn
def _sentences(
    rng: Random,
    lengths: Sequence[int],
    *kinds: str,
    scale: float = 1.0,
    gaps: bool = False,
    legal: bool = True,
) -> Inputs:
    """Scores that know no rules, padding that must not count, and gold labels.

    These keep to the rules where they are ``legal``; else each is an I, and none began with a B.
    """
    marks = "IES" if gaps else "BIES"
    labels = ["O"] + [f"{mark}-{kind}" for kind in kinds for mark in marks]
    labels = [labels[int(i)] for i in rng.permutation(len(labels))]
    count, longest = len(labels), max(lengths)
    gold = np.full((len(lengths), longest), int(rng.integers(count)))
    for row, length in enumerate(lengths):
        gold[row, :length] = _legal(rng, labels, length) if legal else labels.index(f"I-{kinds[0]}")
    return {
        "labels": labels,
        "emissions": scale * rng.standard_normal((len(lengths), longest, count)),
        "gold": gold,
        "mask": np.arange(longest) < np.array(lengths)[:, None],
        "transitions": rng.standard_normal((count, count)),
        "start": rng.standard_normal(count),
        "end": rng.standard_normal(count),
    }


def _legal(rng: Random, labels: list[str], length: int) -> list[int]:
    ends = [{i for i, label in enumerate(labels) if may_follow(label, "<end>")}]
    for _ in range(length - 1):  # from the back: which labels can still come to a good end
        ends.append(
            {i for i, a in enumerate(labels) if any(may_follow(a, labels[j]) for j in ends[-1])}
        )
    path: list[int] = []
    for open_ends in reversed(ends):
        before = labels[path[-1]] if path else "<start>"
        path.append(
            int(rng.choice([i for i in sorted(open_ends) if may_follow(before, labels[i])]))
        )
    return path


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Its start values, the loss and its slopes, and the paths, with tables that are set later."""
    crf = answer(list(inputs["labels"]))
    if not isinstance(crf, nn.Module):
        raise AnswerRefused(
            "`CRF(labels)` should give a module of PyTorch. Keep the first line, "
            "`class CRF(nn.Module):`, and call `super().__init__()`."
        )
    learnt = dict(crf.named_parameters())
    for name in TABLES:
        if name not in learnt:
            raise AnswerRefused(
                f"Nothing can learn `{name}`: no parameter has this name. In the constructor, "
                f"`self.{name} = nn.Parameter(...)`."
            )
        if learnt[name].shape != inputs[name].shape:
            raise AnswerRefused(
                f"`{name}` has shape {tuple(learnt[name].shape)}; with {len(inputs['labels'])} "
                f"labels it is {inputs[name].shape}."
            )
    starts = {name: plain(learnt[name]) for name in TABLES}
    crf.double()
    with torch.no_grad():  # as an optimiser does: the numbers change, the parameters stay
        for name in TABLES:
            learnt[name].copy_(torch.from_numpy(inputs[name]))
    tensors = {
        name: torch.from_numpy(inputs[name].copy()) for name in ("emissions", "gold", "mask")
    }
    tensors["emissions"].requires_grad_()
    built: Any = crf
    loss = built.loss(*tensors.values())
    if not isinstance(loss, Tensor) or loss.numel() != 1:
        raise AnswerRefused("`loss` should return one number for the batch, as a tensor.")
    leaves = {"emissions": tensors["emissions"], **{name: learnt[name] for name in TABLES}}
    found = slopes(loss.sum(), leaves)
    refuse_changed(inputs, {name: tensors[name] for name in ("gold", "mask")})
    with torch.no_grad():
        paths = built.decode(tensors["emissions"].detach(), tensors["mask"])
    for name in TABLES:
        if not equal(plain(learnt[name]), inputs[name]):
            raise AnswerRefused(
                f"Your `loss` or `decode` writes into `{name}`, and only an optimiser may. Make "
                "a new table with the rules in each call: `masked_fill`, not `masked_fill_`."
            )
    return {
        "how many tables can be learnt": len(learnt),
        "the tables at the start": [starts[name] for name in TABLES],
        "the loss": plain(loss.reshape(())),
        **{f"the slope of the loss for {name}": plain(slope) for name, slope in found.items()},
        "the paths, in labels": _in_labels(paths, inputs["labels"]),
    }


def _in_labels(paths: Any, labels: Sequence[str]) -> list[str]:
    wrong = AnswerRefused(
        "`decode` should return a list with one path for each sentence, a list of label numbers."
    )
    if not isinstance(paths, list | tuple):
        raise wrong
    rows = [row.tolist() if isinstance(row, Tensor | np.ndarray) else row for row in paths]
    if not all(isinstance(row, list | tuple) for row in rows):
        raise wrong
    if not all(isinstance(k, int | np.integer) for row in rows for k in row):
        raise wrong
    return [" ".join(labels[int(k)] for k in row) for row in rows]


class CRF(nn.Module):
    """The lesson's own answer: rules as tables of truth values."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()
        count = len(labels)
        self.transitions = nn.Parameter(torch.zeros(count, count))
        self.start = nn.Parameter(torch.zeros(count))
        self.end = nn.Parameter(torch.zeros(count))
        between = torch.tensor([[may_follow(a, b) for b in labels] for a in labels])
        first = torch.tensor([may_follow("<start>", label) for label in labels])
        last = torch.tensor([may_follow(label, "<end>") for label in labels])
        self.rules = (between, first, last)

    def scores(self) -> Scores:
        """Transitions (K, K), start (K,) and end (K,)."""
        between, first, last = self.rules
        moves = self.transitions.masked_fill(~between, -10_000.0)
        start = self.start.masked_fill(~first, -10_000.0)
        end = self.end.masked_fill(~last, -10_000.0)
        return moves, start, end

    def loss(self, emissions: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        """The mean of log Z - s(gold)."""
        log_z = log_partition(emissions, mask, *self.scores())
        score = path_score(emissions, gold, mask, *self.scores())
        return (log_z - score).mean()

    def decode(self, emissions: Tensor, mask: Tensor) -> list[Path]:
        """The best legal path of each sentence."""
        paths, _ = viterbi(emissions, mask, *self.scores())
        return paths


class _Added(nn.Module):
    """The rules as numbers to be added."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()
        count = len(labels)
        self.start, self.end, self.transitions = (
            nn.Parameter(torch.zeros(shape)) for shape in ((count,), (count,), (count, count))
        )
        rows, columns = ["<start>", *labels], [*labels, "<end>"]
        free = torch.tensor([[may_follow(a, b) for b in columns] for a in rows])
        self.register_buffer("free", free, persistent=False)

    def scores(self) -> Scores:
        free = self.get_buffer("free")
        tables = (self.transitions, self.start, self.end)
        rules = (free[1:, :-1], free[0, :-1], free[1:, -1])
        moves, start, end = (
            torch.where(rule, table, -10_000.0) for table, rule in zip(tables, rules, strict=True)
        )
        return moves, start, end

    def loss(self, emissions: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        scores = self.scores()
        lost = log_partition(emissions, mask, *scores)
        return torch.mean(lost - path_score(emissions, gold, mask, *scores))

    def decode(self, emissions: Tensor, mask: Tensor) -> list[Path]:
        return viterbi(emissions, mask, *self.scores())[0]


SLIPS = """
--- hint 2
no rule for the moves: moves = self.transitions.masked_fill(~between, -10_000.0) \
        -> moves = self.transitions
    The rules for the moves between labels are missing.
no rule for the start: start = self.start.masked_fill(~first, -10_000.0) -> start = self.start
    The rule for the first label is missing: I and E may not begin a sentence.
no rule for the end: end = self.end.masked_fill(~last, -10_000.0) -> end = self.end
    The rule for the last label is missing: B and I may not end a sentence.
no rules: moves = self.transitions.masked_fill(~between, -10_000.0) -> moves = self.transitions \
        && start = self.start.masked_fill(~first, -10_000.0) -> start = self.start \
        && end = self.end.masked_fill(~last, -10_000.0) -> end = self.end
    Your CRF knows no rules: every label may follow every other. Set the score of what `may_follow`
    forbids to -10,000.
what is allowed is forbidden: (~between, -> (between, && (~first, -> (first, && (~last, -> (last,
the allowed moves are forbidden: (~between, -> (between,
the allowed first labels are forbidden: (~first, -> (first,
the allowed last labels are forbidden: (~last, -> (last,
    You forbid what is allowed. `masked_fill` fills where its mask is True: give it `~allowed`.
forbidden is 0: every -10_000.0 -> 0.0
    You set what is forbidden to 0, a score like any other. Set it to -10,000.
forbidden is {little}: every -10_000.0 -> {little} \
        | little = -1.0, -10.0, -100.0, -1_000.0
    Your forbidden moves cost {little}. A strong emission can pay that: set them to -10,000.
forbidden is dear, not forbidden: every -10_000.0 -> 10_000.0
    You set what is forbidden to *plus* 10,000, so nothing else is ever chosen.
--- hint 3
the gold path without the rules: path_score(emissions, gold, mask, *self.scores()) \
        -> path_score(emissions, gold, mask, self.transitions, self.start, self.end)
    Your gold path is scored without the rules. Give `path_score` the same three tables.
the rules are added: \
        self.transitions.masked_fill(~between, -10_000.0) \
        -> self.transitions + ~between * -10_000.0 \
        && self.start.masked_fill(~first, -10_000.0) -> self.start + ~first * -10_000.0 \
        && self.end.masked_fill(~last, -10_000.0) -> self.end + ~last * -10_000.0
    You add -10,000 to what is forbidden, so a forbidden move that stands in the gold path still
    learns. Put -10,000 in its place: `masked_fill`.
minus infinity: every -10_000.0 -> float("-inf")
    You forbid with minus infinity, and where no path is allowed the gradient is no number. Set what
    is forbidden to -10,000.
the tables are copied at the start: self.rules = (between, first, last) \
        -> self.rules = (between, first, last)⏎self.scores() \
        && return moves, start, end \
        -> kept = self.__dict__.setdefault("made", (moves, start, end))⏎return kept
    You lay the rules over the tables once, in the constructor. An optimiser changes the tables
    later: lay them over in each call.
the rules are written into the tables: self.rules = (between, first, last) \
        -> self.rules = (between, first, last)⏎with torch.no_grad(): \
        self.transitions.masked_fill_(~between, -10_000.0); \
        self.start.masked_fill_(~first, -10_000.0); self.end.masked_fill_(~last, -10_000.0) \
        && moves = self.transitions.masked_fill(~between, -10_000.0) -> moves = self.transitions \
        && start = self.start.masked_fill(~first, -10_000.0) -> start = self.start \
        && end = self.end.masked_fill(~last, -10_000.0) -> end = self.end
    You write −10,000 into the tables once, in the constructor, and an optimiser may move it from
    there. The tables begin at 0: lay the rules over them in each call, with `masked_fill`.
only the first sentence's loss: (log_z - score).mean() -> (log_z - score)[0]
    Your loss is that of the first sentence. Take the mean over all.
the tables are cut off: self.transitions.masked_fill -> self.transitions.detach().masked_fill \
        && self.start.masked_fill -> self.start.detach().masked_fill \
        && self.end.masked_fill -> self.end.detach().masked_fill
    You detach the tables, so nothing learns. Leave out `.detach()`.
the first label by the rule of the last: may_follow("<start>", label) -> may_follow(label, "<end>")
    You ask for the first label what belongs to the last: `may_follow("<start>", label)`.
the last label by the rule of the first: may_follow(label, "<end>") -> may_follow("<start>", label)
    You ask for the last label what belongs to the first: `may_follow(label, "<end>")`.
the tables of start and end change places: return moves, start, end -> return moves, end, start
    You hand on `end` where `start` belongs, and the other way round.
trained without the rules: log_partition(emissions, mask, *self.scores()) \
        -> log_partition(emissions, mask, self.transitions, self.start, self.end) \
        && path_score(emissions, gold, mask, *self.scores()) \
        -> path_score(emissions, gold, mask, self.transitions, self.start, self.end)
    Your log Z sums over paths that the rules forbid, so the loss fights paths that can never be.
    Use the same three tables for training and for decoding.
decoded without the rules: viterbi(emissions, mask, *self.scores()) \
        -> viterbi(emissions, mask, self.transitions, self.start, self.end)
    You train with the rules and decode without them. Give Viterbi the same three tables.
each word on its own: paths, _ = viterbi(emissions, mask, *self.scores()) -> paths = \
        [row[:n] for row, n in zip(emissions.argmax(-1).tolist(), mask.sum(1).tolist())]
    You decode each word on its own. Call your `viterbi`.
the tables are drawn: every nn.Parameter(torch.zeros( -> nn.Parameter(torch.ones(
    Your tables do not begin at 0.
log Z alone: (log_z - score) -> log_z
    Your loss is log Z alone. It falls when *all* paths lose: subtract the score of the gold path.
the score alone: (log_z - score) -> -score
    Your loss is minus the score of the gold path. It falls when *all* paths gain: log Z is missing.
the sign is turned: (log_z - score) -> (score - log_z)
    Your loss is log p of the gold path. It should fall as p rises: log Z minus the score.
the two are added: (log_z - score) -> (log_z + score)
    You add the score of the gold path. Subtract it from log Z.
the sum over the sentences: (log_z - score).mean() -> (log_z - score).sum()
    You add up the sentences. Take their mean.
divided by the words: (log_z - score).mean() -> (log_z - score).sum() / mask.sum()
    You divide by the number of words. The mean is over the sentences.
the mean of the losses per word: (log_z - score).mean() -> ((log_z - score) / mask.sum(1)).mean()
    You divide each sentence's loss by its words. The mean is over the sentences, whole.
divided by the longest: (log_z - score).mean() -> (log_z - score).mean() / mask.shape[1]
    You divide by the number of words of the longest sentence. The mean is over the sentences.
one number for each sentence: (log_z - score).mean() -> (log_z - score)
    Your loss has one number for each sentence. Return their mean.
the probability: (log_z - score).mean() -> (score - log_z).exp().mean()
    This is the mean probability of the gold paths. The loss is its negative logarithm.
the best path in place of all: \
        log_z = log_partition(emissions, mask, *self.scores()) \
        -> log_z = viterbi(emissions, mask, *self.scores())[1]
    You take the score of the best path in place of log Z. A probability needs the sum over all.
start and end in each other's place: may_follow("<start>", label) -> may_follow(label, "<end>") \
        && may_follow(label, "<end>") for label in labels]) self.rules \
        -> may_follow("<start>", label) for label in labels])⏎self.rules
    You ask for the first label what belongs to the last, and the other way round.
--- no hint
the rules for the moves are transposed: \
        [[may_follow(a, b) for b in labels] for a in labels] \
        -> [[may_follow(b, a) for b in labels] for a in labels]
    Your rules for the moves are transposed: the row is the label before, the column the one after.
padding is decoded: viterbi(emissions, mask, *self.scores()) \
        -> viterbi(emissions, torch.ones_like(mask), *self.scores())
    Your paths run on into the padding. Hand the mask on.
padding is scored: log_partition(emissions, mask, *self.scores()) \
        -> log_partition(emissions, torch.ones_like(mask), *self.scores())
    log Z counts the padding. Hand the mask on.
"""

EXERCISE = Exercise(
    id="CRF",
    title="A CRF that learns, and keeps to the rules",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=CRF,
    run=_run,
    rtol=1e-6,
    atol=1e-6,
    cases=(
        Case("one sentence, one kind", _sentences((3,), "NP")),
        Case("three sentences, two kinds", _sentences((4, 2, 5), "NP", "VP"), weight=2),
        Case("sentences of different lengths", _sentences((6, 1, 3), "PER")),
        Case("strong emissions", _sentences((5, 4), "NP", "VP", scale=800.0)),
        Case("no sentence had a B", _sentences((4, 3), "NP", gaps=True), edge=True),
        Case(
            "a gold path that the rules forbid",
            _sentences((3, 4), "NP", legal=False),
            edge=True,
            asks="Its forbidden moves cost 10,000 each, and their numbers cannot learn.",
        ),
    ),
    mistakes=slips(CRF, SLIPS),
    right_answers={"rules in a buffer": _Added},
)
