"""``python -m course.what_the_layers_know.experiments NAME``: probes of the biLM's layers.

The questions of the NAACL ELMo paper's section 5.3, asked of our own biLM: senses (table 5), parts
of speech (table 6) and the neighbours of a word in context (table 4). Each result is stored in
``course/results`` with its intervals; what another biLM (``--model``) gives is only
printed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.baselines.untrained import untrained_like
from course.command import Result, run_experiments
from elmo_mini import corpora
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.extras import brought_by
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.pretraining.sources import course_text
from elmo_mini.probing.neighbours import context_neighbours, same_label_share
from elmo_mini.probing.probe import StaticVectors, occurrence_vectors, probe
from elmo_mini.probing.report import ProbeReport, bootstrap_interval
from elmo_mini.probing.tasks import Occurrence, load_task
from elmo_mini.text.senses import SenseSentence, sense_sentences

with brought_by("experiments"):
    from gensim.models import Word2Vec

WORDS = {"play": ("play", "plays", "played", "playing"), "bank": ("bank", "banks")}
NEAREST = 5
PROBES: dict[str, dict[str, Any]] = {
    "senseval": {"train_size": 1_000, "draws": 5},
    "pos": {"kind": "linear", "c": 0.01},
    "senses": {},
}
"""How each task is asked, here and in `course.what_the_layers_know.larger_bilm`."""


def senseval(bilm: FastBiLM) -> tuple[str, Result]:
    """k-NN on 1,000 examples of each word, five draws; also with the network before training."""
    task, above = load_task("senseval"), range(1, bilm.num_layers)
    report = probe(bilm, task, **PROBES["senseval"], static=_static_vectors())
    untrained = probe(untrained_like(bilm), task, layers=above, **PROBES["senseval"])
    controls = [replace(untrained[f"layer {k}"], name=f"layer {k}, untrained") for k in above]
    report = replace(report, scores=(*report.scores, *controls))
    gains = differences(
        report,
        ("layer 1", "majority of the form"),
        ("layer 1", "mean of static vectors"),
        ("layer 2", "majority of the form"),
        ("layer 2", "mean of static vectors"),
        ("layer 2", "layer 1"),
        *((f"layer {k}", f"layer {k}, untrained") for k in above),
    )
    return report.title, report.as_dict() | {"differences": gains}


def parts_of_speech(bilm: FastBiLM) -> tuple[str, Result]:
    """A linear probe on 20,000 words of treebank, tested on 10,000 words of other texts."""
    report = probe(bilm, load_task("pos"), **PROBES["pos"], static=_static_vectors())
    layers = differences(report, ("layer 1", "layer 2"))
    return report.title, report.as_dict() | {"differences": layers}


def senses(bilm: FastBiLM) -> tuple[str, Result]:
    """k-NN on the sentences written for the course."""
    report = probe(bilm, load_task("senses"), **PROBES["senses"], static=_static_vectors())
    return report.title, report.as_dict()


def neighbours(bilm: FastBiLM) -> tuple[str, Result]:
    """How often the nearest sentences of *play* and *bank* have the same sense; and some to see.

    The sentences are the course's. Those to see come from Brown: the neighbours of the first
    sentence of each sense, whatever they are.
    """
    sentences = [s for s in sense_sentences() if s.word in WORDS]
    layers = list(range(bilm.num_layers))
    rows: Result = {}
    for word in WORDS:
        own = [s for s in sentences if s.word == word]
        same = same_sense_share(bilm, own, layers)
        sizes = np.array([sum(o.sense == s.sense for o in own) - 1 for s in own])
        rows[word] = {"chance": float((sizes / (len(own) - 1)).mean()), "sentences": len(own)}
        for layer in layers:
            mean, low, high = bootstrap_interval(same[layer][None], np.arange(len(own)))
            rows[word][f"layer {layer}"] = {"mean": mean, "low": low, "high": high}
    shown = []
    brown = corpora.load("brown")
    for sense in dict.fromkeys(s.sense for s in sentences):
        query = next(s for s in sentences if s.sense == sense)
        found = context_neighbours(
            bilm,
            query.tokens,
            query.position,
            brown.sentences,
            forms=WORDS[query.word],
            layers=layers[1:],
            topn=NEAREST,
        )
        shown.append(
            {
                "sense": sense,
                "query": " ".join(query.tokens),
                **{f"layer {k}": [str(n) for n in near] for k, near in found.items()},
            }
        )
    title = "share of the 5 nearest sentences of play and bank that have the same sense"
    return title, {"same_sense": rows, "in_brown": shown}


def same_sense_share(
    bilm: FastBiLM, sentences: Sequence[SenseSentence], layers: Sequence[int]
) -> list[NDArray[np.float64]]:
    """For each layer, the share of each sentence's nearest others that have its sense, (N,)."""
    places = [Occurrence(s.tokens, s.position, s.sense, s.word) for s in sentences]
    vectors = occurrence_vectors(bilm, places, layers, progress=False)
    senses_of = [s.sense for s in sentences]
    return [same_label_share(vectors[:, place], senses_of, NEAREST) for place in range(len(layers))]


def differences(report: ProbeReport, *pairs: tuple[str, str]) -> Result:
    """Each first row of the report less its second: mean, and low and high of its interval."""
    found = {}
    for first, second in pairs:
        mean, low, high = report.difference(first, second)
        found[f"{first} less {second}"] = {"mean": mean, "low": low, "high": high}
    return found


@cache
def _static_vectors() -> StaticVectors:
    """Skip-gram on the text of the course's biLM, read three times, as the biLM has read it."""
    text = [[word.lower() for word in sentence] for sentence in course_text()]
    vectors: StaticVectors = Word2Vec(
        text, sg=1, vector_size=100, alpha=0.05, epochs=3, seed=1, workers=1
    ).wv
    return vectors


EXPERIMENTS: dict[str, Callable[[FastBiLM], tuple[str, Result]]] = {
    "layers_senseval": senseval,
    "layers_pos": parts_of_speech,
    "layers_senses": senses,
    "layers_neighbours": neighbours,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named measurements, or all, and store each."""
    return run_experiments(
        "what_the_layers_know.experiments",
        "",
        __doc__,
        EXPERIMENTS,
        lambda args: ((load_pretrained(args.bilm),), {}),
        argv,
        bilm="--model",
        all_by_default=True,
        store_others=False,
    )


if __name__ == "__main__":
    raise SystemExit(main())
