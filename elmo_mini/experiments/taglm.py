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

FEW, MORE = 0.01, 0.1
"""Of the labels, for the comparisons that are not made with all of them."""
FEWER_SEEDS = 3
"""At most this many, where a tagger trains for half a minute or longer."""
LAYER_0 = System(TAGLM, layer=0)
"""The control of every gain: as many numbers, from the same text, of the word alone."""
UNTRAINED = System(TAGLM, layer=0, untrained=True)
"""The control of the control: the same letters through fresh weights, which have read nothing."""
PAIRS = {
    "gain": ("with", "without"),
    "gain of untrained": ("untrained", "without"),
    "gain of layer 0": ("layer 0", "without"),
    "gain of reading words": ("layer 0", "untrained"),
    "gain over layer 0": ("with", "layer 0"),
}


SYSTEMS = {
    "without": System(NO_LM),
    "untrained": UNTRAINED,
    "layer 0": LAYER_0,
    "with": System(TAGLM),
}


def chunks_by_share(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """Chunking with 1 % and 10 % of the labels, with and without the LM, and the controls."""
    title = "CoNLL-2000 chunking with few labels, with and without a frozen biLM"
    return title, _by_share(bench, SYSTEMS, (FEW, MORE), seeds)


def chunks_all(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """Chunking with all labels. The controls would take an hour more."""
    systems = {name: SYSTEMS[name] for name in ("without", "with")}
    title = "CoNLL-2000 chunking with all labels, with and without a frozen biLM"
    return title, _by_share(bench, systems, (1.0,), seeds[:FEWER_SEEDS])


def _by_share(
    bench: Bench, systems: dict[str, System], shares: Sequence[float], seeds: Sequence[int]
) -> Result:
    scores = {
        name: [bench.many("chunks", system, share, seeds) for share in shares]
        for name, system in systems.items()
    }
    rules = {
        name: [bench.many_by_rules("chunks", system, share, seeds) for share in shares]
        for name, system in systems.items()
    }
    return {
        "shares": list(shares),
        "sentences": [len(few(bench.parts("chunks")["train"], share, 0)) for share in shares],
        "f1": {name: [interval(row) for row in rows] for name, rows in scores.items()},
        **{
            name: _rows_of_differences(scores[better], scores[base])
            for name, (better, base) in PAIRS.items()
            if better in scores and base in scores
        },
        "gain of learnt transitions": {
            name: _rows_of_differences(rows, rules[name]) for name, rows in scores.items()
        },
    }


def _rows_of_differences(better: list[list[float]], base: list[list[float]]) -> list[Result]:
    return [interval(differences(a, b)) for a, b in zip(better, base, strict=True)]


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
    own = bench.compare("course_entities", SYSTEMS, 1.0, seeds)
    f1 = {name: of["values"] for name, of in own["f1"].items()}
    return "Named entities with and without a frozen biLM", {
        **own,
        **{name: interval(differences(f1[a], f1[b])) for name, (a, b) in PAIRS.items()},
        "gain of learnt transitions": {
            name: interval(
                differences(f1[name], bench.many_by_rules("course_entities", system, 1.0, seeds))
            )
            for name, system in SYSTEMS.items()
        },
        "what": "the sentences written for this course; the seed decides start values only",
    }


def broken(bench: Bench, seeds: Sequence[int]) -> tuple[str, Result]:
    """A sound CRF, and one with each of the planted faults."""
    return broken_crfs(load_pretrained(bench.checkpoint), seeds[0])


EXPERIMENTS: dict[str, Callable[[Bench, Sequence[int]], tuple[str, Result]]] = {
    "chunking": chunks_by_share,
    "all-labels": chunks_all,
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
