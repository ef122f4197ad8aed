"""A small tagger on fifty labelled sentences, with layers of a biLM and without them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.intervals import interval, lead
from course.texts.small_tasks import labelled_sentences
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.tagging.elmo_tagger import (
    ElmoTagger,
    LayeredSentence,
    Where,
    train_elmo_tagger,
    with_layers,
)

SpanF1 = Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]]], Sequence[float]]

SEEDS = (0, 1, 2)
ALONE, WITH = 48, 8
"""Passes over the sentences without trained layers, and with them."""


class FiftySentences:
    """The sentences, read once by each model, and taggers that are trained on them.

    Parameters
    ----------
    models : by name; the trained one is called ``trained``
    span_f1 : precision, recall and F1 of gold and found BIO labels, as in lesson 05
    parts : how the layers are joined and mixed, as for `train_elmo_tagger`
    """

    def __init__(self, models: Mapping[str, FastBiLM], span_f1: SpanF1, **parts: Any) -> None:
        self.what, self.train, self.test = labelled_sentences(50, 120)
        self.models, self.span_f1, self.parts = models, span_f1, parts
        self._read: dict[str, tuple[list[LayeredSentence], list[LayeredSentence]]] = {}

    def read(self, name: str) -> tuple[list[LayeredSentence], list[LayeredSentence]]:
        """What is learnt from and what is asked, with the layers of a model.

        ``layer 0`` stands for the trained model's token layer alone, in place of each layer.
        """
        if name not in self._read:
            if name == "layer 0":
                both = tuple(map(_token_layer_alone, self.read("trained")))
            else:
                both = tuple(with_layers(self.models[name], s) for s in (self.train, self.test))
            self._read[name] = (both[0], both[1])
        return self._read[name]

    def f1(self, where: Where, model: str = "trained", epochs: int = WITH) -> dict[str, Any]:
        """F1 of taggers that differ in their seed, with mean and interval."""
        return interval([self.curve(where, model, epochs, seed)[-1] for seed in SEEDS])

    def curve(
        self, where: Where, model: str = "trained", epochs: int = WITH, seed: int = 0
    ) -> list[float]:
        """F1 on the asked sentences, one run; after every pass, the last one alone if many."""
        train, test = self.read(model)
        found: list[float] = []

        def note(tagger: ElmoTagger) -> None:
            gold = [s.labels for s in test]
            found.append(float(self.span_f1(gold, tagger.predict(test))[2]))

        options = TrainingOptions(epochs, 8, learning_rate=6e-3, seed=seed, progress=True)
        after = note if epochs == WITH else None
        tagger = train_elmo_tagger(train, where, options, after_epoch=after, **self.parts)
        if after is None:
            note(tagger)
        return found

    def ways(self) -> dict[str, dict[str, Any]]:
        """F1 without layers, with untrained ones, with layer 0 alone, and with all at each place.

        The first two see the sentences `ALONE` times, the others `WITH` times.
        """
        found = {
            "word vectors\nalone": self.f1("none", epochs=ALONE),
            "untrained\nlayers": self.f1("input", "untrained 0", epochs=ALONE),
            "layer 0\nalone": self.f1("input", "layer 0"),
        }
        places: tuple[Where, ...] = ("input", "output", "both")
        return found | {where: self.f1(where) for where in places}

    def draw(self, found: Mapping[str, Mapping[str, Any]], title: str) -> Picture:
        """Bars of `ways`."""
        rows = {"F1": list(found.values())}
        return interval_bars(list(found), rows, title=title, ylabel="F1, percent (three seeds)")

    def compare(self, found: Mapping[str, Mapping[str, Any]]) -> str:
        """Print what context adds and whether a place is best; its name, or that none is."""
        places = sorted(("input", "output", "both"), key=lambda name: -found[name]["mean"])
        best, second = places[:2]
        gap = _difference(found[best], found[second])
        print(f"{self.what}; in points, seed by seed:")
        for place in ("input", "output"):
            context = _difference(found[place], found["layer 0\nalone"])
            print(f"  all layers at the {place} minus layer 0 alone at the input:", lead(context))
        print(f"  {best} minus {second}:", lead(gap))
        return best if gap["low"] > 0 else "no clear winner"


def _difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return interval(np.array(one["values"]) - np.array(other["values"]))


def _token_layer_alone(sentences: Sequence[LayeredSentence]) -> list[LayeredSentence]:
    return [s._replace(layers=np.repeat(s.layers[:1], len(s.layers), 0)) for s in sentences]
