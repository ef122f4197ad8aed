"""Setup of lesson 05's measurements: a biLM, the data, and taggers, each trained once.

The seed decides which training sentences keep their labels, the start values and the dropout.
Systems that are compared share it, so differences are taken seed by seed.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from course.baselines.untrained import untrained_like
from course.command import Result
from course.results.intervals import interval
from course.results.span_f1 import f1_share
from elmo_mini.checkpoints.pretrained import load_pretrained, read_record
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.constrained_crf import LinearChainCRF
from elmo_mini.tagging.data import (
    Part,
    chunking,
    entities,
    few,
    with_lm_layers,
    with_lm_vectors,
)
from elmo_mini.tagging.spans import SpanScores, span_scores
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.tagging.training import TaggerTrainingOptions, f1_on, train_tagger

Layers = dict[int, list[TaggedSentence]]
Parts = dict[Part, list[TaggedSentence]]
Counts = NDArray[np.int64]
"""(N, 3) of each test sentence: its spans that are right, predicted, and there."""

DEV_SENTENCES = 400

NO_LM = TaggerOptions(lm_position="none")
TAGLM = TaggerOptions()
READERS: dict[str, Callable[[Part], list[TaggedSentence]]] = {
    "chunks": lambda part: chunking(part),
    "course_entities": lambda part: entities(part),
}
"""The data sets: CoNLL-2000, the course's own sentences."""


@dataclass(frozen=True)
class System:
    """A tagger to be measured, and the layer of the biLM whose vectors it is given.

    Layer 0 has read the same text as the top layer and knows no neighbour: it is the control.
    With `untrained`, the biLM has read nothing: fresh weights of the tagger's seed, and its
    vectors brought to the spread of the trained one's, so that no difference is one of scale.
    """

    options: TaggerOptions
    layer: int = -1
    untrained: bool = False


def schedule(sentences: int) -> TaggerTrainingOptions:
    """How long and in what batches to train on so many sentences.

    A tagger without LM vectors needs longer than one with; both get the time that it needs.
    """
    if sentences < 200:
        return TaggerTrainingOptions(epochs=40, patience=10, batch_size=8, learning_rate=5e-3)
    if sentences < 1500:
        return TaggerTrainingOptions(epochs=18, patience=3, learning_rate=4e-3, decay=0.9)
    if sentences < 4000:
        return TaggerTrainingOptions(
            epochs=8, patience=2, batch_size=32, learning_rate=4e-3, decay=0.85
        )
    return TaggerTrainingOptions(epochs=7, patience=2, batch_size=32, decay=0.75)


@dataclass
class TaggerSetup:
    """The biLM, the data with its vectors, and what every tagger trained so far found."""

    checkpoint: Path
    done: dict[tuple[str, System, float, int], Counts] = field(default_factory=dict)
    embedded: dict[str, dict[Part, Layers]] = field(default_factory=dict)
    by_rules: dict[tuple[str, System, float, int], float] = field(default_factory=dict)
    """F1 of the same taggers, decoded with the rules alone: a CRF's learnt transitions left out."""

    def parts(self, task: str, layer: int = -1) -> Parts:
        """A data set with vectors of one layer."""
        if task not in self.embedded:
            bilm = load_pretrained(self.checkpoint)
            names: tuple[Part, ...] = ("train", "dev", "test")
            self.embedded[task] = {
                name: with_lm_layers(bilm, READERS[task](name), (0, -1)) for name in names
            }
        return {name: rows[layer] for name, rows in self.embedded[task].items()}

    def counts(self, task: str, system: System, share: float, seed: int) -> Counts:
        """What one tagger finds in the test part; `task` is one of `READERS`."""
        key = (task, system, share, seed)
        if key not in self.done:
            start = time.process_time()
            train, dev, test = self.sentences(task, system, share, seed)
            training = replace(schedule(len(train)), seed=seed)
            run = train_tagger(train, dev, system.options, training)
            self.done[key] = found = _counted(run.tagger, test)
            self.by_rules[key] = f1_by_rules(run.tagger, test)
            took = time.process_time() - start
            print(
                f"{task}, {share:.0%}, seed {seed}, {_said(system)}: F1 {f1_of(found):.4f} "
                f"(epoch {run.best_epoch} of {len(run.losses)}, {took:.0f} CPU seconds)",
                flush=True,
            )
        return self.done[key]

    def sentences(
        self, task: str, system: System, share: float, seed: int
    ) -> list[list[TaggedSentence]]:
        """What a tagger learns from, is stopped by and is judged on, with its vectors."""
        parts = self.parts(task, system.layer)
        train = few(parts["train"], share, seed)
        dev = few(parts["dev"], 1.0, seed)[: min(len(train), DEV_SENTENCES)]
        chosen = [train, dev, parts["test"]]
        if not system.untrained:
            return chosen
        fresh = untrained_like(load_pretrained(self.checkpoint), seed)
        drawn = [with_lm_vectors(fresh, part, layer=system.layer) for part in chosen]
        return with_the_spread_of(train, drawn)

    def many(self, task: str, system: System, share: float, seeds: Iterable[int]) -> list[float]:
        """F1 on test for several seeds."""
        return [f1_of(self.counts(task, system, share, seed)) for seed in seeds]

    def lead(
        self, task: str, better: System, base: System, share: float, seeds: Sequence[int]
    ) -> Result:
        """How far one system's F1 is ahead, over seeds and test sentences.

        ``values`` are the differences seed by seed; ``low`` and ``high`` come from drawing the
        seeds and the test sentences anew (bootstrap).
        """
        one, other = (
            np.stack([self.counts(task, system, share, seed) for seed in seeds])
            for system in (better, base)
        )
        return f1_share(one, other)

    def many_by_rules(
        self, task: str, system: System, share: float, seeds: Iterable[int]
    ) -> list[float]:
        """`by_rules` of taggers that `many` has trained."""
        return [self.by_rules[task, system, share, seed] for seed in seeds]

    def measured(
        self, task: str, systems: dict[str, System], share: float, seeds: Sequence[int]
    ) -> tuple[dict[str, list[float]], Result]:
        """F1 by system, seed by seed; and what is stored of it, with the sentences it rests on."""
        scores = {name: self.many(task, system, share, seeds) for name, system in systems.items()}
        return scores, {
            "share": share,
            "sentences": {
                "train": len(few(self.parts(task)["train"], share, 0)),
                "test": len(self.parts(task)["test"]),
            },
            "f1": {name: interval(values) for name, values in scores.items()},
        }

    def compare(
        self, task: str, systems: dict[str, System], share: float, seeds: Sequence[int]
    ) -> Result:
        """Intervals of every system, and of its difference to the first, seed by seed."""
        scores, measured = self.measured(task, systems, share, seeds)
        first, *others = scores
        return {
            **measured,
            f"gain over {first}": {
                name: interval(differences(scores[name], scores[first])) for name in others
            },
        }

    def language_model(self) -> Result:
        """Which biLM it was."""
        record = read_record(self.checkpoint)
        bilm = load_pretrained(self.checkpoint)
        return {
            "fingerprint": fingerprint(bilm),
            "vector_size": bilm.get_output_dim(),
            "pretraining": {
                k: record[k] for k in ("validation", "tokens_read", "commit") if k in record
            },
        }


def _counted(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> Counts:
    pairs = zip(sentences, tagger.predict(sentences), strict=True)
    return np.array([span_scores([list(s.labels)], [said]) for s, said in pairs])


def f1_of(counts: Counts) -> float:
    """F1 of all sentences together."""
    return SpanScores(*counts.sum(0).tolist()).f1


def f1_by_rules(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> float:
    """F1 with the scheme's rules and nothing learnt between labels, of a CRF or of a softmax."""
    own, tagger.crf = tagger.crf, LinearChainCRF(tagger.labels)
    try:
        return float(f1_on(tagger, sentences).f1)
    finally:
        tagger.crf = own


def differences(values: Sequence[float], base: Sequence[float]) -> list[float]:
    """Of two systems, seed by seed."""
    return [value - other for value, other in zip(values, base, strict=True)]


def with_the_spread_of(
    trained: Sequence[TaggedSentence], parts: Sequence[Sequence[TaggedSentence]]
) -> list[list[TaggedSentence]]:
    """The parts with each number's mean and spread as the trained vectors have them.

    Both are taken from the labelled sentences, the first of `parts` and `trained`.
    """
    goal, here = (np.concatenate([_lm(s) for s in some]) for some in (trained, parts[0]))
    factor = goal.std(0) / np.maximum(here.std(0), 1e-6)
    return [
        [
            s._replace(lm=((_lm(s) - here.mean(0)) * factor + goal.mean(0)).astype(np.float16))
            for s in part
        ]
        for part in parts
    ]


def _lm(sentence: TaggedSentence) -> NDArray[np.float32]:
    assert sentence.lm is not None
    return np.asarray(sentence.lm, np.float32)


def _said(system: System) -> str:
    default = asdict(TAGLM)
    changed = {k: v for k, v in asdict(system.options).items() if v != default[k]}
    layer = {} if system.layer == -1 else {"layer": system.layer}
    return str({**changed, **layer, **({"untrained": True} if system.untrained else {})})
