"""``python -m course.what_the_layers_know.fewer_labels chunks``: rivals for lesson 09's section 6.

How many labelled sentences are saved by layers that have read four million words? Clues alone have
read none of these. So vectors that are counted in them stand beside the clues, in two ways: in a
linear CRF, which has no network, and at the input of the tagger, in place of the layers.
"""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from course.baselines.counted_vectors import CountedVectors
from course.baselines.word_clues import ClueScores
from course.command import Prepared, Result, run_experiments
from course.results.span_f1 import f1_share
from course.texts.small_tasks import labelled_sentences
from course.what_the_layers_know.counted_input import (
    Counts,
    InputTagger,
    Model,
    in_place_of,
    tagged,
)
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.stream import embed_stream
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.training.pretraining.sources import course_text

DRAW, DEV, TEST, FEW = 250, 100, 200, 25
LAYERS = f"all layers, {FEW} sentences"


class BothScores(nn.Module):
    """Emissions of a linear model of clues and of vectors; all weights begin at 0."""

    def __init__(self, clues: int, labels: int, width: int) -> None:
        super().__init__()
        self.clues, self.vectors = ClueScores(clues, labels), nn.Linear(width, labels, bias=False)
        nn.init.zeros_(self.vectors.weight)

    def forward(self, ids: Tensor, mask: Tensor, layers: Sequence[Tensor]) -> Tensor:
        """Ids of clues (B, T, 18) and layers of (B, T, width), the first alone, to (B, T, K)."""
        scores: Tensor = self.clues(ids) + self.vectors(layers[0])
        return scores


@dataclass(frozen=True)
class Way:
    """A tagger, and how it is trained: `known` are the labelled sentences."""

    model: Model
    known: int
    rate: float
    passes: int


def chunks(seeds: Sequence[int]) -> tuple[str, Result]:
    """Chunks from 25 sentences with the layers, and from more with counted vectors.

    The first draw has the lesson's own sentences. Rates and passes of the rivals are chosen on 100
    other sentences of the training part; those of the lesson's taggers are the lesson's.
    """
    what, pool, test = labelled_sentences(len(seeds) * DRAW + DEV, TEST)
    counted, bilm = CountedVectors(course_text()), load_pretrained()
    read = [s for draw in range(len(seeds)) for s in pool[draw * DRAW :][:FEW]] + test
    vectors = [
        torch.from_numpy(e.every_layer()).transpose(0, 1)
        for e in embed_stream(bilm, [s.words for s in read], progress=False)
    ]
    size = float(torch.cat([h[:, 0] for h in vectors[:-TEST]]).std())  # of a number of layer 0
    layers = {id(s): (s, h) for s, h in zip(read, vectors, strict=True)}
    tokens = {
        id(s): (s, h)
        for part in (pool, test)
        for s, h in zip(part, in_place_of(counted, [s.words for s in part], size), strict=True)
    }
    width = vectors[0].shape[-1]
    tagger = partial(InputTagger, width=width)
    ways = {
        LAYERS: Way(tagger, FEW, 0.02, 24),
        f"clues alone, {DRAW} sentences": Way(ClueScores, DRAW, 0.02, 6),
        f"clues and counted vectors, linear CRF, {DRAW} sentences": Way(
            partial(BothScores, width=width), DRAW, 0.02, 6
        ),
        "clues and counted vectors, tagger, 100 sentences": Way(tagger, 100, 0.02, 8),
    }

    def scores(way: Way, draw: int, asked: list[TaggedSentence]) -> Counts:
        told = layers if way.known == FEW else tokens
        known = {row: told[id(pool[row])] for row in range(draw * DRAW, draw * DRAW + way.known)}
        return tagged(
            way.model, known, [told[id(s)] for s in asked], way.rate, way.passes, seed=draw
        )

    chosen, found = {}, {}
    for name, way in ways.items():
        if "counted" in name:
            tried = [
                replace(way, rate=rate, passes=passes)
                for rate in (0.01, 0.02, 0.04)
                for passes in (way.passes, 2 * way.passes)
            ]
            way = max(tried, key=lambda one: f1_share(scores(one, 0, pool[-DEV:])[None])["mean"])
        chosen[name] = {"rate": way.rate, "passes": way.passes}
        found[name] = np.array([scores(way, draw, test) for draw in range(len(seeds))])
        print(name, chosen[name], f1_share(found[name]), flush=True)
    return f"{what}: layers with {FEW} sentences, counted vectors with more", {
        "trained with": chosen,
        "f1": {name: f1_share(counts) for name, counts in found.items()},
        "leads": {
            f"{LAYERS} less {name}": f1_share(found[LAYERS], counts)
            for name, counts in found.items()
            if name != LAYERS
        },
        "interval": "95 %, bootstrap over draws and test sentences",
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return run_experiments(
        "what_the_layers_know.fewer_labels",
        "fewer_labels_",
        __doc__,
        {"chunks": chunks},
        _prepare,
        argv,
        seeds=3,
    )


def _prepare(args: Namespace) -> Prepared:
    return (args.seeds,), {}


if __name__ == "__main__":
    raise SystemExit(main())
