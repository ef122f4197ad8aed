"""CRFs that train or decode with a planted fault each, for lesson 05 to be diagnosed.

They tag names in the sentences written for this course, so their symptoms need no corpus.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.recurrent.fine_tuning import tune_and_watch
from elmo_mini.recurrent.training import evaluating
from elmo_mini.tagging.constrained_crf import END, START, LinearChainCRF, may_follow
from elmo_mini.tagging.crf import Path, log_partition, path_score, viterbi
from elmo_mini.tagging.data import entities, with_lm_vectors
from elmo_mini.tagging.sentences import TaggedSentence
from elmo_mini.tagging.spans import span_scores, spans_of, to_bio
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.tagging.taglm import TaggerOptions
from elmo_mini.tagging.training import batches_of_passes

FAULTS = (  # as the lesson numbers them
    "in training, log Z also walks through the padding",
    "in training, the score of the gold path leaves out its transitions",
    "in training, the best path stands in place of the sum over all",
    "decoding reads the table of transitions the wrong way round",
    "decoding gives each word its own best label",
    "the rules are left out, in training and in decoding",
)
PADDING, NO_MOVES, BEST, TRANSPOSED, ALONE, LAWLESS = FAULTS
RUNS = {"A": TRANSPOSED, "B": NO_MOVES, "C": PADDING}
NOT_SHOWN = (BEST, ALONE, LAWLESS)
"""The others of the list. Their runs are stored, for what a check says of them."""
PASSES, RATE = 12, 0.01


class FaultyCRF(LinearChainCRF):
    """A CRF of BIOES labels with one of `FAULTS`, or without one."""

    def __init__(self, labels: Sequence[str], fault: str = "") -> None:
        super().__init__(labels, None if fault == LAWLESS else "BIOES")
        self.fault = fault

    def loss(self, emissions: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        """Mean of log Z - s(y), the fault included."""
        moves, start, end = self.scores()
        everywhere = torch.ones_like(mask)
        seen = everywhere if self.fault == PADDING else mask
        log_z = log_partition(emissions, seen, moves, start, end)
        if self.fault == BEST:
            paths, _ = viterbi(emissions.detach(), mask, moves.detach(), start, end)
            log_z = path_score(emissions, _padded(paths, mask), mask, moves, start, end)
        counted = torch.zeros_like(moves) if self.fault == NO_MOVES else moves
        return (log_z - path_score(emissions, labels, mask, counted, start, end)).mean()

    def decode(self, emissions: Tensor, mask: Tensor) -> list[Path]:
        """One path for each sentence, the fault included."""
        moves, start, end = self.scores()
        lengths = mask.sum(1).tolist()
        if self.fault == ALONE:
            rows = emissions.argmax(-1).tolist()
            return [row[:n] for row, n in zip(rows, lengths, strict=True)]
        if self.fault == TRANSPOSED:
            moves = moves.T
        return viterbi(emissions, mask, moves, start, end)[0]


def broken_crfs(bilm: FastBiLM, seed: int) -> tuple[str, dict[str, Any]]:
    """What is seen of a tagger with a sound CRF and with each broken one, one run each."""
    train = with_lm_vectors(bilm, entities("train"))
    test = with_lm_vectors(bilm, entities("test"))

    def seen(faults: Mapping[str, str]) -> dict[str, Any]:
        return {
            name: _seen(partial(FaultyCRF, fault=fault), train, test, seed)
            for name, fault in faults.items()
        }

    return "CRFs with a fault each, tagging names", {
        "sentences": {"train": len(train), "test": len(test)},
        "training": {"passes": PASSES, "batch": 8, "learning_rate": RATE},
        "gold": [_labelled(test[row], list(test[row].labels)) for row in _shown(test)],
        "runs": seen({"sound": "", **RUNS}),
        "runs that the lesson does not show": seen({fault: fault for fault in NOT_SHOWN}),
    }


def breaks_rules(labels: list[str]) -> bool:
    """Whether some label may not stand where it stands, by BIOES."""
    pairs = zip([START, *labels], [*labels, END], strict=True)
    return not all(may_follow(before, after) for before, after in pairs)


def _seen(
    crf: Callable[[list[str]], FaultyCRF],
    train: list[TaggedSentence],
    test: list[TaggedSentence],
    seed: int,
) -> dict[str, Any]:
    torch.manual_seed(seed)
    lm_dim = 0 if train[0].lm is None else train[0].lm.shape[1]
    tagger = Tagger.for_sentences(train, TaggerOptions(), lm_dim, crf=crf)
    batches = batches_of_passes(train, PASSES, 8, seed)
    losses, _ = tune_and_watch(tagger, batches, tagger.loss, RATE, lambda: None, len(batches))
    by_pass = torch.tensor(losses).view(PASSES, -1).mean(1)
    known = [s for s in test if set(s.labels) <= set(tagger.labels)]
    together, alone = tagger.predict(test, len(test)), tagger.predict(test, 1)
    short = min(known, key=lambda s: len(s.words))
    long = max(known, key=lambda s: len(s.words))
    with evaluating(tagger):
        one, other, both = (float(tagger.loss(part)) for part in ([short], [long], [short, long]))
    return {
        "training loss by pass": by_pass.tolist(),
        "loss of two sentences, one by one": (one + other) / 2,
        "loss of two sentences, in one batch": both,
        "f1, decoded in one batch": _f1(test, together),
        "f1, decoded one by one": _f1(test, alone),
        "sentences whose labels break the rules": sum(map(breaks_rules, together)),
        "says": [_labelled(test[row], together[row]) for row in _shown(test)],
        "found": {
            name: _found(test, together, words)
            for name, words in (("one word", range(1, 2)), ("several words", range(2, 99)))
        },
    }


def _shown(test: Sequence[TaggedSentence]) -> list[int]:
    """The first two sentences with a name of several words."""
    several = [row for row, s in enumerate(test) if any(x.startswith("B-") for x in s.labels)]
    return several[:2]


def _labelled(sentence: TaggedSentence, said: list[str]) -> str:
    """The words that are in a name, or were said to be, with the labels that were said."""
    rows = zip(sentence.words, sentence.labels, said, strict=True)
    return " ".join(f"{word}/{label}" for word, gold, label in rows if {gold, label} != {"O"})


def _padded(paths: list[Path], mask: Tensor) -> Tensor:
    found = torch.zeros(mask.shape, dtype=torch.int64)
    for row, path in enumerate(paths):
        found[row, : len(path)] = torch.tensor(path)
    return found


def _f1(test: Sequence[TaggedSentence], said: Sequence[list[str]]) -> float:
    return float(span_scores([list(s.labels) for s in test], said).f1)


def _found(
    test: Sequence[TaggedSentence], said: Sequence[list[str]], words: range
) -> Mapping[str, int]:
    """How many names of so many words there are, and how many of them were found."""
    there = found = 0
    for sentence, labels in zip(test, said, strict=True):
        asked = {s for s in spans_of(to_bio(sentence.labels)) if s.end - s.start in words}
        there += len(asked)
        found += len(asked & set(spans_of(to_bio(labels))))
    return {"there": there, "found": found}
