"""``python -m elmo_mini.experiments.taglm NAME ...``: the full-size measurements of lesson 05.

Taggers with and without the vectors of a frozen biLM, on CoNLL-2000 chunks and on named entities.
F1 is measured on the test part and stored in ``elmo_mini/results`` with seeds and 95 % intervals.
The seed decides which training sentences keep their labels, the start values and the dropout.
Systems that are compared share it, so differences are taken seed by seed.

Named together, the experiments share the taggers that several of them need.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict

from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.experiments.broken_crfs import broken_crfs
from elmo_mini.experiments.command import Prepared, Result, run_experiments
from elmo_mini.experiments.taglm_bench import (
    DEV_SENTENCES,
    NO_LM,
    TAGLM,
    Bench,
    System,
    differences,
    schedule,
)
from elmo_mini.results.intervals import interval
from elmo_mini.tagging.data import few
from elmo_mini.tagging.taglm import TaggerOptions

SHARES = (0.01, 0.1, 1.0)
FEW, MORE = 0.01, 0.1
"""Of the labels, for the comparisons that are not made with all of them."""
FEWER_SEEDS = 3
"""At most this many, where a tagger trains for half a minute or longer."""
LAYER_0 = System(TAGLM, layer=0)
"""The control of every gain: as many numbers, from the same text, of the word alone."""


def chunks_by_share(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """Chunking with 1 %, 10 % and all labels, with and without the LM."""
    systems = {"without": System(NO_LM), "layer 0": LAYER_0, "with": System(TAGLM)}
    scores: dict[str, list[list[float]]] = {name: [] for name in systems}
    for share in SHARES:
        some = seeds[:FEWER_SEEDS] if share == 1 else seeds
        for name, system in systems.items():
            if share < 1 or system != LAYER_0:  # with all labels the control would take an hour
                scores[name].append(bench.many("chunks", system, share, some))
    pairs = {
        "gain": ("with", "without"),
        "gain of layer 0": ("layer 0", "without"),
        "gain over layer 0": ("with", "layer 0"),
    }
    return "CoNLL-2000 chunking with few labels, with and without a frozen biLM", {
        "shares": list(SHARES),
        "sentences": [len(few(bench.parts("chunks")["train"], share, 0)) for share in SHARES],
        "f1": {name: [interval(row) for row in rows] for name, rows in scores.items()},
        **{
            name: [
                interval(differences(a, b))
                for a, b in zip(scores[better], scores[base], strict=False)
            ]
            for name, (better, base) in pairs.items()
        },
    }


def _at_two_shares(bench: Bench, systems: dict[str, System], seeds: Sequence[int]) -> Result:
    """With a tenth of the labels, and under ``with 1 %`` again with a hundredth."""
    return {
        **bench.compare("chunks", systems, MORE, seeds[:FEWER_SEEDS]),
        "with 1 %": bench.compare("chunks", systems, FEW, seeds),
    }


def position(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """Where the LM vectors are concatenated (the paper's Table 5)."""
    systems = {
        "after_first": System(TAGLM),
        "input": System(TaggerOptions(lm_position="input")),
        "after_second": System(TaggerOptions(lm_position="after_second")),
    }
    title = "Where the LM vectors enter: chunking with 10 % and 1 % of the labels"
    return title, _at_two_shares(bench, systems, seeds)


def direction(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """No LM, the forward LM alone, both (the paper's Table 6)."""
    systems = {
        "forward": System(TaggerOptions(lm_direction="forward")),
        "both": System(TAGLM),
        "none": System(NO_LM),
    }
    title = "Forward LM or both: chunking with 10 % and 1 % of the labels"
    return title, _at_two_shares(bench, systems, seeds)


def without_rnn(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """LM vectors and nothing else under the CRF; and a softmax in place of the CRF."""
    systems = {
        "LM and task RNN": System(TAGLM),
        "LM and no task RNN": System(TaggerOptions(task_rnn=False)),
        "no LM": System(NO_LM),
        "softmax, no CRF": System(TaggerOptions(crf=False)),
    }
    title = "Without a task RNN, without a CRF: chunking with 10 % and 1 % of the labels"
    return title, _at_two_shares(bench, systems, seeds)


def named_entities(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """Named entities in the sentences written for this course."""
    systems = {"without": System(NO_LM), "layer 0": LAYER_0, "with": System(TAGLM)}
    own = bench.compare("course_entities", systems, 1.0, seeds)
    return "Named entities with and without a frozen biLM", {
        **own,
        "gain over layer 0": interval(
            differences(own["f1"]["with"]["values"], own["f1"]["layer 0"]["values"])
        ),
        "what": "the sentences written for this course; the seed decides start values only",
    }


def broken(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """A sound CRF and three with a planted fault each."""
    return broken_crfs(load_pretrained(bench.checkpoint), seeds[0])


EXPERIMENTS: dict[str, Callable[[Bench, Sequence[int]], tuple[str, Result]]] = {
    "chunking": chunks_by_share,
    "position": position,
    "direction": direction,
    "without-rnn": without_rnn,
    "ner": named_entities,
    "broken": broken,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments("taglm", __doc__, EXPERIMENTS, _prepare, argv, seeds=5, bilm="--bilm")


def _prepare(args: argparse.Namespace) -> Prepared:
    bench = Bench(args.bilm)
    return (bench, args.seeds), {
        "measure": "span F1 on the test part",
        "dev": f"as many sentences as train has, at most {DEV_SENTENCES}",
        "bilm": bench.language_model(),
        "options": asdict(TAGLM),
        "training by number of sentences": {
            str(n): {k: v for k, v in asdict(schedule(n)).items() if k not in ("seed", "progress")}
            for n in (100, 1000, 8000)
        },
        "threads": 1,
    }


if __name__ == "__main__":
    raise SystemExit(main())
