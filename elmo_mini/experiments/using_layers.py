"""``python -m elmo_mini.experiments.using_layers joined``: mixed layers in a tagger, few labels.

The questions of the NAACL ELMo paper's table 3 and section 5.4, asked of our own biLM and a small
tagger on CoNLL-2000 chunks. The seed draws the sentences, the start values and the dropout;
taggers that are compared share it.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import get_args

import torch

from elmo_mini.bilm.model import BiLM
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.experiments.command import Prepared, Result, run_experiments
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.results.intervals import interval
from elmo_mini.tagging.data import chunking, few
from elmo_mini.tagging.elmo_tagger import LayeredSentence, Where, train_elmo_tagger, with_layers
from elmo_mini.tagging.spans import span_scores, to_bioes

SHARES = {0.01: 20, 0.03: 12, 0.1: 8}
"""Shares of the training sentences, and passes over them."""
TESTED, PATIENCE = 500, 4


def untrained_like(bilm: BiLM, seed: int = 0) -> BiLM:
    """A biLM of the same size that has read nothing."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        return BiLM(bilm.options).eval()


def joined(bilm: BiLM, seeds: Sequence[int]) -> tuple[str, Result]:
    """F1 of taggers with the layers nowhere, at the input, at the output, at both.

    The tagger without them reads its sentences four times as often. The control reads the layers
    of an untrained biLM at its input.
    """
    pool, asked = chunking("train"), chunking("test")[:TESTED]
    models = {"trained": bilm, "untrained": untrained_like(bilm)}
    tested = {name: with_layers(model, asked) for name, model in models.items()}
    rows: Result = {}
    for share, epochs in SHARES.items():
        scores: dict[str, list[float]] = {}
        for seed in seeds:
            labelled = few(pool, share, seed)
            train = {name: with_layers(model, labelled) for name, model in models.items()}
            for name, of, where in _systems():
                found = _f1(train[of], tested[of], where, epochs, seed)
                scores.setdefault(name, []).append(found)
        rows[f"{share:g}"] = {
            "sentences": len(labelled),
            "passes": epochs,
            "f1": {name: interval(values) for name, values in scores.items()},
        }
    title = "Chunking with the mixed layers at the input, the output, or both"
    return title, {"shares": rows, "tested": TESTED, "passes without, times": PATIENCE}


def _systems() -> list[tuple[str, str, Where]]:
    """Name, which biLM, and where its layers join."""
    return [(where, "trained", where) for where in get_args(Where)] + [
        ("untrained biLM", "untrained", "input")
    ]


def _f1(
    train: Sequence[LayeredSentence],
    tested: Sequence[LayeredSentence],
    where: Where,
    epochs: int,
    seed: int,
) -> float:
    epochs *= PATIENCE if where == "none" else 1
    options = TrainingOptions(epochs=epochs, batch_size=8, learning_rate=6e-3, seed=seed)
    found = train_elmo_tagger(train, where, options).predict(tested)
    return span_scores([to_bioes(s.labels) for s in tested], list(map(to_bioes, found))).f1


EXPERIMENTS: dict[str, Callable[[BiLM, Sequence[int]], tuple[str, Result]]] = {"joined": joined}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "using_layers", __doc__, EXPERIMENTS, _prepare, argv, seeds=5, bilm="--bilm"
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    return (load_pretrained(args.bilm), args.seeds), {"measure": "span F1", "threads": 1}


if __name__ == "__main__":
    raise SystemExit(main())
