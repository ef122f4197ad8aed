"""One bench for all of lesson 05's measurements: a biLM, the data, and taggers trained on it.

The seed decides which training sentences keep their labels, the start values and the dropout.
Systems that are compared share it, so differences are taken seed by seed.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from elmo_mini.checkpoints.pretrained import load_pretrained, read_record
from elmo_mini.experiments.command import Result
from elmo_mini.pretraining.sources import course_text
from elmo_mini.results.intervals import interval
from elmo_mini.tagging.data import (
    Part,
    chunking,
    entities,
    few,
    newswire_entities,
    with_lm_vectors,
)
from elmo_mini.tagging.sentences import TaggedSentence, normalise
from elmo_mini.tagging.taglm import TaggerOptions
from elmo_mini.tagging.training import TaggerTrainingOptions, f1_on, train_tagger
from elmo_mini.vectors.stream import fingerprint
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

Parts = dict[str, list[TaggedSentence]]

DEV_SENTENCES = 400
WORD2VEC: dict[str, Any] = {"sg": 1, "vector_size": 50, "window": 5, "min_count": 5, "epochs": 3}

NO_LM = TaggerOptions(lm_position="none")
TAGLM = TaggerOptions()


@dataclass(frozen=True)
class System:
    """A tagger to be measured; `static` starts it from word vectors of the biLM's own text."""

    options: TaggerOptions
    static: bool = False


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
class Bench:
    """The biLM, the data with its vectors, and the F1 of every tagger trained so far."""

    checkpoint: Path
    done: dict[tuple[str, System, float, int], float] = field(default_factory=dict)

    @cached_property
    def chunks(self) -> Parts:
        """CoNLL-2000 with LM vectors."""
        return self._embedded(chunking)

    @cached_property
    def course_entities(self) -> Parts:
        """The course's own sentences with LM vectors."""
        return self._embedded(entities)

    @cached_property
    def newswire(self) -> Parts:
        """The IEER stories with LM vectors."""
        return self._embedded(newswire_entities)

    @cached_property
    def word_vectors(self) -> Word2Vec:
        """Skip-gram vectors of the text that the course's biLM was pretrained on."""
        text = [[normalise(word) for word in sentence] for sentence in course_text()]
        return Word2Vec(text, seed=1, **WORD2VEC)

    def f1(self, task: str, system: System, share: float, seed: int) -> float:
        """F1 on test of one tagger; `task` is the name of one of the data sets above."""
        key = (task, system, share, seed)
        if key not in self.done:
            parts: Parts = getattr(self, task)
            vectors = self.word_vectors if system.static else None
            start = time.process_time()
            train = few(parts["train"], share, seed)
            dev = few(parts["dev"], 1.0, seed)[: min(len(train), DEV_SENTENCES)]
            training = replace(schedule(len(train)), seed=seed)
            run = train_tagger(train, dev, system.options, training, word_vectors=vectors)
            self.done[key] = f1_on(run.tagger, parts["test"]).f1
            took = time.process_time() - start
            print(
                f"{task}, {share:.0%}, seed {seed}, {_said(system)}: F1 {self.done[key]:.4f} "
                f"(epoch {run.best_epoch} of {len(run.losses)}, {took:.0f} CPU seconds)",
                flush=True,
            )
        return self.done[key]

    def many(self, task: str, system: System, share: float, seeds: Iterable[int]) -> list[float]:
        """`f1` for several seeds."""
        return [self.f1(task, system, share, seed) for seed in seeds]

    def compare(
        self, task: str, systems: dict[str, System], share: float, seeds: Sequence[int]
    ) -> Result:
        """Intervals of every system, and of its difference to the first, seed by seed."""
        scores = {name: self.many(task, system, share, seeds) for name, system in systems.items()}
        first, *others = scores
        return {
            "share": share,
            "sentences": {
                "train": len(few(getattr(self, task)["train"], share, 0)),
                "test": len(getattr(self, task)["test"]),
            },
            "f1": {name: interval(values) for name, values in scores.items()},
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

    def _embedded(self, read: Callable[[Part], list[TaggedSentence]]) -> Parts:
        bilm = load_pretrained(self.checkpoint)
        parts: tuple[Part, ...] = ("train", "dev", "test")
        return {part: with_lm_vectors(bilm, read(part)) for part in parts}


def differences(values: Sequence[float], base: Sequence[float]) -> list[float]:
    """Of two systems, seed by seed."""
    return [value - other for value, other in zip(values, base, strict=True)]


def _said(system: System) -> str:
    default = asdict(TAGLM)
    changed = {k: v for k, v in asdict(system.options).items() if v != default[k]}
    return str({**changed, **({"static": True} if system.static else {})})
