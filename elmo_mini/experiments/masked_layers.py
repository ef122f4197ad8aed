"""``python -m elmo_mini.experiments.masked_layers NAME``: the masked model's states and the biLM's.

Both have read the same texts. The questions and probes are those of `elmo_mini.experiments.layers`
(lesson 09), on the same words in the same run. Beside them stand what needs no reading: networks
that have read nothing, layer 0, which sees no context, and the word's form with its three
neighbours on each side, as one random vector for each word at each distance.

The masked model reads whole words in lower case, the biLM letters. ``pos_known`` asks for parts of
speech at those words alone that the masked model knows and that have no capital.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from elmo_mini.bilm.untrained import untrained_like
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.experiments.command import Prepared, Result, run_experiments
from elmo_mini.experiments.layers import differences
from elmo_mini.probing.probe import occurrence_vectors, probe_rows
from elmo_mini.probing.tasks import Occurrence, Task, load_task, parts_of_speech
from elmo_mini.probing.words_around import RandomVectors, words_around
from elmo_mini.recurrent.training import seeded
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.corruption import SPECIALS
from elmo_mini.transformer.masked_lm import MaskedLM
from elmo_mini.transformer.masked_lm_file import load_masked_lm
from elmo_mini.transformer.states import occurrence_states
from elmo_mini.vectors.stream import Floats

AROUND, SIZE = 3, 64
PROBES: dict[str, dict[str, Any]] = {
    "senseval": {},
    "pos": {"kind": "linear", "c": 0.01},
    "pos_known": {"kind": "linear", "c": 0.01},
    "senses": {},
}
TAGGED = 1_500
LEARNT, ASKED = 250, 150
"""Examples of each of senseval's words."""


def neighbours(occurrences: Sequence[Occurrence]) -> Floats:
    """Random vectors of the word and of its neighbours, (N, 7 x 64)."""
    rows = words_around(occurrences, AROUND, RandomVectors(SIZE))
    return rows.reshape(len(rows), -1).astype(np.float32)


def compare(name: str) -> tuple[str, Result]:
    """Every layer of both models, trained and not, and the neighbours, on one task of `PROBES`."""
    masked, vocabulary = load_masked_lm()
    task = _task(name)
    if name == "pos_known":
        task = _known(task, vocabulary)
    everything = (*task.train, *task.test)
    with seeded(0, torch.device("cpu")):
        fresh = MaskedLM(masked.options)
    bilm = _bilm()
    layers = range(bilm.num_layers)
    rows = {"neighbours": neighbours(everything)}
    for who, model in {"masked": masked, "masked, untrained": fresh}.items():
        states = occurrence_states(model, vocabulary, everything)
        rows |= {f"{who}, layer {k}": states[:, k] for k in range(states.shape[1])}
    for who, reader in {"biLM": bilm, "biLM, untrained": untrained_like(bilm)}.items():
        vectors = occurrence_vectors(reader, everything, layers, progress=False)
        rows |= {f"{who}, layer {k}": vectors[:, k] for k in layers}
    report = probe_rows(task, rows, **PROBES[name])
    report = replace(report, title=f"masked model and biLM: {report.title}")
    top, of_bilm = masked.options.layers, bilm.num_layers - 1
    gains = differences(
        report,
        *((f"masked, layer {k}", f"biLM, layer {of_bilm}") for k in range(1, top + 1)),
        *((f"masked, layer {k}", f"masked, untrained, layer {k}") for k in range(top + 1)),
        *((f"masked, layer {k}", "masked, layer 0") for k in range(1, top + 1)),
        ("biLM, layer 0", f"masked, layer {top}"),
        *((f"{who}, layer {k}", "neighbours") for who, k in (("masked", top), ("biLM", of_bilm))),
    )
    return report.title, report.as_dict() | {"differences": gains}


def _task(name: str) -> Task:
    if name.startswith("pos"):
        return parts_of_speech("treebank", TAGGED, TAGGED)
    task = load_task(name)
    if name != "senseval":
        return task
    draw = np.random.default_rng(0)
    parts = []
    for occurrences, most in ((task.train, LEARNT), (task.test, ASKED)):
        shuffled = [occurrences[row] for row in draw.permutation(len(occurrences))]
        groups = dict.fromkeys(o.group for o in occurrences)
        parts.append(tuple(o for g in groups for o in [x for x in shuffled if x.group == g][:most]))
    return replace(task, train=parts[0], test=parts[1])


def _known(task: Task, vocabulary: Vocabulary) -> Task:
    """What is asked at words in lower case that are in the vocabulary."""

    def keep(occurrences: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
        numbers = vocabulary.encode(o.form for o in occurrences)
        return tuple(
            o
            for o, number in zip(occurrences, numbers, strict=True)
            if number >= len(SPECIALS) and o.form == o.form.lower()
        )

    title = f"{task.title}, known words in lower case"
    return replace(task, title=title, train=keep(task.train), test=keep(task.test))


@cache
def _bilm() -> Any:
    return load_pretrained()


EXPERIMENTS: dict[str, Callable[[], tuple[str, Result]]] = {
    name: partial(compare, name) for name in PROBES
}


def _prepare(args: Namespace) -> Prepared:
    return (), {}


def main(argv: Sequence[str] | None = None) -> int:
    """Compare on the named tasks, or on all, and store each."""
    return run_experiments(
        "masked_layers", __doc__, EXPERIMENTS, _prepare, argv, all_by_default=True
    )


if __name__ == "__main__":
    raise SystemExit(main())
