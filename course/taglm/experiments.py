"""``python -m course.taglm.experiments NAME ...``: the full-size measurements of lesson 05.

Taggers with and without the vectors of a frozen biLM, on CoNLL-2000 chunks and on named entities.
F1 is measured on the test part and stored in ``course/results`` with seeds and 95 % intervals.
The seed decides which training sentences keep their labels, the start values and the dropout.
Systems that are compared share it, so differences are taken seed by seed.

Named together, the experiments share the taggers that several of them need.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np

from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from course.results.span_f1 import f1_share
from course.results.stored import stored_result
from course.taglm.broken_crfs import broken_crfs
from course.taglm.clue_crf import clue_counts
from course.taglm.counted_lm import CountedSetup
from course.taglm.tagger_setup import (
    DEV_SENTENCES,
    NO_LM,
    READERS,
    TAGLM,
    System,
    TaggerSetup,
    differences,
    f1_of,
    schedule,
)
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.data import few

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


def chunks_one_percent(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """Chunking with 1 % of the labels, with and without the LM, and the controls."""
    title = "CoNLL-2000 chunking with 1 % of the labels, with and without a frozen biLM"
    return title, _with_share(setup, SYSTEMS, FEW, seeds)


def chunks_ten_percent(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """The same with 10 %."""
    title = "CoNLL-2000 chunking with 10 % of the labels, with and without a frozen biLM"
    return title, _with_share(setup, SYSTEMS, MORE, seeds)


def chunks_all(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """The same with all labels. The controls would take an hour more."""
    systems = {name: SYSTEMS[name] for name in ("without", "with")}
    title = "CoNLL-2000 chunking with all labels, with and without a frozen biLM"
    return title, _with_share(setup, systems, 1.0, seeds[:FEWER_SEEDS])


def _with_share(
    setup: TaggerSetup,
    systems: dict[str, System],
    share: float,
    seeds: Sequence[int],
    task: str = "chunks",
) -> Result:
    f1, measured = setup.measured(task, systems, share, seeds)
    return {
        **measured,
        **{
            name: interval(differences(f1[better], f1[base]))
            for name, (better, base) in PAIRS.items()
            if better in f1 and base in f1
        },
        "gain of learnt transitions": {
            name: interval(differences(f1[name], setup.many_by_rules(task, system, share, seeds)))
            for name, system in systems.items()
        },
    }


def _at_two_shares(setup: TaggerSetup, systems: dict[str, System], seeds: Sequence[int]) -> Result:
    """With a tenth of the labels, and under ``with 1 %`` again with a hundredth."""
    return {
        **setup.compare("chunks", systems, MORE, seeds[:FEWER_SEEDS]),
        "with 1 %": setup.compare("chunks", systems, FEW, seeds),
    }


def position(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """Where the LM vectors are concatenated (the paper's Table 5)."""
    systems = {
        "after_first": System(TAGLM),
        "input": System(TaggerOptions(lm_position="input")),
        "after_second": System(TaggerOptions(lm_position="after_second")),
    }
    title = "Where the LM vectors enter: chunking with 10 % and 1 % of the labels"
    return title, _at_two_shares(setup, systems, seeds)


def direction(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """No LM, the forward LM alone, both (the paper's Table 6)."""
    systems = {
        "forward": System(TaggerOptions(lm_direction="forward")),
        "both": System(TAGLM),
        "none": System(NO_LM),
    }
    title = "Forward LM or both: chunking with 10 % and 1 % of the labels"
    return title, _at_two_shares(setup, systems, seeds)


def without_rnn(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """LM vectors and nothing else under the CRF; and a softmax in place of the CRF.

    The softmax is decoded twice: each word alone, and by Viterbi with the scheme's rules.
    """
    softmax = System(TaggerOptions(crf=False))
    systems = {
        "LM and task RNN": System(TAGLM),
        "LM and no task RNN": System(TaggerOptions(task_rnn=False)),
        "no LM": System(NO_LM),
        "softmax, no CRF": softmax,
    }
    found = _at_two_shares(setup, systems, seeds)
    for numbers, share, some in (
        (found, MORE, seeds[:FEWER_SEEDS]),
        (found["with 1 %"], FEW, seeds),
    ):
        by_rules = setup.many_by_rules("chunks", softmax, share, some)
        numbers["f1"]["softmax, decoded by the rules"] = interval(by_rules)
    title = "Without a task RNN, without a CRF: chunking with 10 % and 1 % of the labels"
    return title, found


def words_at_the_input(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """Layer 0 where word vectors usually stand: the strictest control of what context adds.

    After the first floor one LSTM reads layer 0; at the input, two do.
    """
    systems = {
        "layer 0 at the input": System(TaggerOptions(lm_position="input"), layer=0),
        "with": System(TAGLM),
    }
    title = "Layer 0 at the input, and the top layer after the first floor: chunking, 1 % of labels"
    return title, setup.compare("chunks", systems, FEW, seeds)


def named_entities(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """Named entities in the sentences written for this course."""
    task, share = "course_entities", 1.0
    return "Named entities with and without a frozen biLM", {
        **_with_share(setup, SYSTEMS, share, seeds, task),
        "over seeds and test sentences": {
            name: setup.lead(task, SYSTEMS[better], SYSTEMS[base], share, seeds)
            for name, (better, base) in PAIRS.items()
        },
        "what": "the sentences written for this course; the seed decides start values only",
    }


def clues(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """A CRF on hand-made clues, no network: chunks with 1 % of the labels, and names."""
    found: Result = {}
    for name, task, share in (
        ("chunks, 1 %", "chunks", FEW),
        ("names", "course_entities", 1.0),
    ):
        train, dev, test = (READERS[task](part) for part in ("train", "dev", "test"))
        counts = []
        for seed in seeds:
            known = few(train, share, seed)
            held = few(dev, 1.0, seed)[: min(len(known), DEV_SENTENCES)]
            counts.append(clue_counts(known, held, test, seed))
            print(f"{name}, seed {seed}: F1 {f1_of(counts[-1]):.4f}", flush=True)
        found[name] = {
            "f1": interval([f1_of(each) for each in counts]),
            "over seeds and test sentences": f1_share(np.stack(counts)),
        }
    return "A CRF on hand-made clues, without a network", found


def counted(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """Counted vectors in the language model's place, chunks with 1 % of the labels.

    The other taggers of the same seeds are stored.
    """
    f1 = CountedSetup(setup.checkpoint).many("chunks", LAYER_0, FEW, seeds[:FEWER_SEEDS])
    others = stored_result("taglm_one_percent").numbers
    stored = {way: row["values"][: len(f1)] for way, row in others["f1"].items()}
    return "Vectors counted in the biLM's text, in the place of its own", {
        "f1": interval(f1),
        "counted less without": interval(differences(f1, stored["without"])),
        "layer 0 less counted": interval(differences(stored["layer 0"], f1)),
        "with less counted": interval(differences(stored["with"], f1)),
    }


def counted_names(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """The same for names; the others of the same seeds are those of `named_entities`."""
    task, rival = "course_entities", CountedSetup(setup.checkpoint)
    counts = [rival.counts(task, LAYER_0, 1.0, seed) for seed in seeds]
    f1 = [f1_of(each) for each in counts]
    others = stored_result("taglm_ner").numbers
    stored = {way: row["values"][: len(f1)] for way, row in others["f1"].items()}
    return "Names: vectors counted in the biLM's text, in the place of its own", {
        "f1": interval(f1),
        "over seeds and test sentences": f1_share(np.stack(counts)),
        "counted less without": interval(differences(f1, stored["without"])),
        "layer 0 less counted": interval(differences(stored["layer 0"], f1)),
        "with less counted": interval(differences(stored["with"], f1)),
    }


def broken(setup: TaggerSetup, seeds: Sequence[int]) -> tuple[str, Result]:
    """A sound CRF, and one with each of the planted faults."""
    return broken_crfs(load_pretrained(setup.checkpoint), seeds[0])


EXPERIMENTS: dict[str, Callable[[TaggerSetup, Sequence[int]], tuple[str, Result]]] = {
    "one-percent": chunks_one_percent,
    "ten-percent": chunks_ten_percent,
    "all-labels": chunks_all,
    "position": position,
    "direction": direction,
    "without-rnn": without_rnn,
    "words-at-the-input": words_at_the_input,
    "ner": named_entities,
    "clues": clues,
    "counted": counted,
    "counted-names": counted_names,
    "broken": broken,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "taglm.experiments", "taglm_", __doc__, EXPERIMENTS, _prepare, argv, seeds=5, bilm="--bilm"
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    setup = TaggerSetup(args.bilm)
    return (setup, args.seeds), {
        "measure": "span F1 on the test part",
        "dev": f"as many sentences as train has, at most {DEV_SENTENCES}",
        "bilm": setup.language_model(),
        "options": asdict(TAGLM),
        "training by number of sentences": {
            str(n): {k: v for k, v in asdict(schedule(n)).items() if k not in ("seed", "progress")}
            for n in (100, 1000, 8000)
        },
        "threads": 1,
    }


if __name__ == "__main__":
    raise SystemExit(main())
