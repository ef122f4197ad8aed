"""What lesson 05 shows: its few labelled sentences, and the stored experiments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from course.figures.interval_bars import NOT_THERE, interval_bars
from course.figures.picture import Picture
from course.results.intervals import Lead, difference, lead, lead_twice
from course.results.stored import stored_result
from course.taglm.broken_crfs import breaks_rules
from elmo_mini import corpora
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.models.crf import Path
from elmo_mini.tagging.data import chunking, entities, few, with_lm_vectors
from elmo_mini.tagging.spans import span_scores
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.training.steps import evaluating

SHARES = ("one_percent", "ten_percent", "all_labels")
Decode = Callable[[Tensor, Tensor], list[Path]]
READERS = {
    "without": "no LM",
    "untrained": "layer 0, untrained",
    "counted": "counted vectors",
    "layer 0": "layer 0, no context",
    "with": "top layer",
}
GAINS = {
    "gain": "top layer over no LM",
    "gain of layer 0": "layer 0 over no LM",
    "gain of untrained": "untrained layer 0 over no LM",
    "gain over layer 0": "top layer over layer 0",
}
BESIDE_COUNTS = {
    "counted less without": "counted vectors over no LM",
    "layer 0 less counted": "layer 0 over counted vectors",
    "with less counted": "top layer over counted vectors",
}
APART = {
    "position": (
        ("input", "after_first", "at the input, less\nafter LSTM 1"),
        ("after_second", "after_first", "after LSTM 2, less\nafter LSTM 1"),
    ),
    "direction": (("forward", "both", "forward LM,\nless both"),),
    "without_rnn": (
        ("softmax, no CRF", "LM and task RNN", "a softmax,\nless the CRF"),
        ("softmax, decoded by the rules", "LM and task RNN", "a softmax by rules,\nless the CRF"),
        ("LM and no task RNN", "LM and task RNN", "no LSTMs, less\nwith LSTMs"),
    ),
}
"""Of each stored experiment: what is set against what, and its words in a figure."""


class FewLabels(NamedTuple):
    """Sentences to learn from, to watch, and to be judged on."""

    task: str
    labelled: list[TaggedSentence]
    dev: list[TaggedSentence]
    test: list[TaggedSentence]

    def read_by(self, bilm: FastBiLM, layer: int) -> "FewLabels":
        """The same with the vectors of one layer of a frozen biLM."""
        parts = (with_lm_vectors(bilm, part, layer=layer) for part in self[1:])
        return FewLabels(self.task, *parts)


def few_labels(tested: int = 200) -> FewLabels:
    """1 % of CoNLL-2000's training sentences, or the course's own names where it is not here."""
    try:
        pool = chunking("train")
        parts = few(pool, 0.01, seed=0), chunking("dev")[:40], chunking("test")[:tested]
        found = FewLabels("chunks", *parts)
        print(f"CoNLL-2000: {len(pool):,} training sentences; {len(found.labelled)} keep labels.")
    except corpora.CorpusMissing:
        found = FewLabels("names", entities("train"), entities("dev"), entities("test"))
        print("CoNLL-2000 is not on this machine: your taggers look for names in the course's own")
        print(f"{len(found.labelled)} labelled sentences. The stored results are for CoNLL-2000.")
    different = {label for sentence in found.labelled for label in sentence.labels}
    print(f"{len(different)} different labels; {len(found.test)} sentences for the test")
    return found


def decodings(
    tagger: Tagger, sentences: Sequence[TaggedSentence], ways: Mapping[str, Decode]
) -> dict[str, float]:
    """Print F1 of each way to decode the same emissions; the percentages that break rules."""
    with evaluating(tagger):
        batch = tagger.batch(sentences)
        emissions = tagger(batch)
        rows = {name: way(emissions, batch.mask) for name, way in ways.items()}
    gold, broken = [list(s.labels) for s in sentences], {}
    for name, paths in rows.items():
        predicted = [[tagger.labels[number] for number in path] for path in paths]
        count, f1 = sum(map(breaks_rules, predicted)), 100 * span_scores(gold, predicted).f1
        broken[name] = 100 * count / len(predicted)
        print(f"{name:>28}: F1 {f1:.1f}, rules broken in {count} of {len(predicted)} sentences")
    return broken


def each_word_alone(emissions: Tensor, mask: Tensor) -> list[Path]:
    """Each word's own best label."""
    rows = emissions.argmax(-1).tolist()
    return [row[:n] for row, n in zip(rows, mask.sum(1).tolist(), strict=True)]


def print_first() -> None:
    """The stored gain with 1 % of the labels, in two lines."""
    numbers = stored_result("taglm_one_percent").numbers
    f1, gain = numbers["f1"], numbers["gain"]
    labelled, draws = numbers["sentences"]["train"], len(gain["values"])
    print(f"chunks, {labelled} labelled sentences, {draws} draws (stored; F1 is explained below):")
    for name in ("without", "with"):
        print(f"  F1 {100 * f1[name]['mean']:.1f} {name} a language model")
    print(f"  points ahead: {lead(gain)}")


def gains_figure(title: str) -> Picture:
    """F1 by the share of labels: without a language model, with each layer 0, with its top."""
    every = _chunks()
    groups = {
        said: [numbers["f1"].get(name, NOT_THERE) for numbers in every]
        for name, said in READERS.items()
    }
    counted = stored_result("taglm_counted").numbers["f1"]
    groups[READERS["counted"]] = [counted, *[NOT_THERE] * (len(every) - 1)]
    return interval_bars(_shares(every), groups, title=title, ylabel="F1, percent")


def gains() -> dict[str, float]:
    """The stored gains with 1 % of the labels, in points: of layer 0, and of the top layer."""
    first = _chunks()[0]
    points = {"layer 0": first["gain of layer 0"], "top": first["gain"]}
    return {name: 100 * point["mean"] for name, point in points.items()}


def paired_gains(title: str) -> Picture:
    """The stored gains, paired by seed, by the share of labels."""
    every = _chunks()
    strict = stored_result("taglm_words_at_the_input").numbers
    groups = {
        said: [numbers.get(name, NOT_THERE) for numbers in every] for name, said in GAINS.items()
    }
    groups["the same, both at the input"] = [
        strict["gain over layer 0 at the input"]["with"],
        *[NOT_THERE] * (len(every) - 1),
    ]
    return interval_bars(_shares(every), groups, title=title, ylabel="points of F1")


def learnt_transitions(title: str) -> Picture:
    """What the whole CRF has over its rules alone, on the same emissions, over the seeds."""
    every = _chunks()
    groups = {
        READERS[name]: [
            numbers.get("gain of learnt transitions", {}).get(name, NOT_THERE) for numbers in every
        ]
        for name in ("without", "with")
    }
    return interval_bars(_shares(every), groups, title=title, ylabel="points of F1")


def _shares(every: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{100 * numbers['share']:g} % of labels" for numbers in every]


def _chunks() -> list[Mapping[str, Any]]:
    return [stored_result(f"taglm_{share}").numbers for share in SHARES]


def share_without() -> float:
    """F1 with 10 % of the labels and no LM, in percent of that with all; and errors removed."""
    every = _chunks()
    for numbers in every:
        plain, better = (numbers["f1"][name]["mean"] for name in ("without", "with"))
        gone = (better - plain) / (1 - plain)
        print(f"{numbers['share']:>4.0%} of the labels: {gone:.0%} of the missing F1 is gained")
    print(f"the paper, chunks, all labels: {(96.37 - 95.00) / (100 - 95.00):.0%}")
    print(f"the paper, names, 1 %: {(71.01 - 67.66) / (100 - 67.66):.0%}")
    tenth, everything = (numbers["f1"]["without"]["mean"] for numbers in every[1:])
    return float(100 * tenth / everything)


def names_figure() -> Picture:
    """The stored taggers of names beside what is counted: by hand, and in the biLM's text."""
    counted = stored_result("taglm_counted_names").numbers
    f1 = stored_result("taglm_ner").numbers["f1"] | {"counted": counted["f1"]}
    points = {said.replace(", ", ",\n"): f1[name] for name, said in READERS.items()}
    clues = stored_result("taglm_clues").numbers["names"]["f1"]
    points = {"counted clues,\na CRF alone": clues, **points}
    return interval_bars(
        list(points),
        {"F1": list(points.values())},
        title="Names: counted vectors bring what layer 0 brings, the top layer brings more",
        ylabel="F1, percent",
        controls=list(points)[:-1],
    )


def print_names() -> None:
    """The stored taggers of names, with the controls."""
    numbers = stored_result("taglm_ner").numbers
    labelled, test = (numbers["sentences"][part] for part in ("train", "test"))
    f1 = {READERS[name]: by for name, by in numbers["f1"].items() if name in READERS}
    (seeds,) = {len(by["values"]) for by in f1.values()}
    print(f"names: {labelled} labelled sentences, {test} for the test (stored, {seeds} seeds)")
    print("F1: " + "; ".join(f"{said} {100 * by['mean']:.1f}" for said, by in f1.items()))
    print("95 % intervals. In ( ): over seeds and test sentences, bootstrap.")
    print("In [ ]: over the seeds alone, Student's t.")
    for name in ("gain of untrained", "gain of layer 0", "gain over layer 0"):
        print(f"{GAINS[name]}: {lead_twice(numbers['over seeds and test sentences'][name])}")
    counted = stored_result("taglm_counted_names").numbers
    print(f"Counted vectors: F1 {100 * counted['f1']['mean']:.1f}. Over the same seeds alone:")
    for name, said in BESIDE_COUNTS.items():
        print(f"{said}: {lead(counted[name])}")


def taken_apart(title: str) -> Picture:
    """Other places, one direction, no LSTMs, no CRF: differences in points, seed by seed."""
    labels, groups = list[str](), dict[str, list[Lead]]()
    for name, pairs in APART.items():
        tenth = stored_result(f"taglm_{name}").numbers
        for one, other, said in pairs:
            labels.append(said)
            for numbers in (tenth["with 1 %"], tenth):
                f1 = numbers["f1"]
                (share,) = _shares([numbers])
                groups.setdefault(share, []).append(difference(f1[one], f1[other]))
    points = {share: [vars(lead) for lead in leads] for share, leads in groups.items()}
    return interval_bars(labels, points, times=1, title=title, ylabel="points of F1")


def print_without_floors() -> None:
    """The LM states without the task's own LSTMs, over those without a language model."""
    tenth = stored_result("taglm_without_rnn").numbers
    for numbers in (tenth["with 1 %"], tenth):
        f1, (share,) = numbers["f1"], _shares([numbers])
        print(f"LM states without LSTMs, less LSTMs without LM, {share}:", end=" ")
        print(difference(f1["LM and no task RNN"], f1["no LM"]))


def print_broken() -> None:
    """What is seen of the sound CRF and of the three broken ones, side by side, one run each."""
    numbers = stored_result("taglm_broken").numbers
    runs = numbers["runs"].values()
    rows = {
        "": list(numbers["runs"]),
        "training loss, first pass": [f"{run['training loss by pass'][0]:.2f}" for run in runs],
        "training loss, last pass": [f"{run['training loss by pass'][-1]:.2f}" for run in runs],
        "loss of two sentences, one by one": [
            f"{run['loss of two sentences, one by one']:.2f}" for run in runs
        ],
        "and in one batch": [f"{run['loss of two sentences, in one batch']:.2f}" for run in runs],
        "sentences that break rules": [
            str(run["sentences whose labels break the rules"]) for run in runs
        ],
        "F1": [f"{100 * run['f1, decoded in one batch']:.0f}" for run in runs],
        "long names found": [f"{run['found']['several words']['found']}" for run in runs],
    }
    for name, values in rows.items():
        print(f"{name:>34}" + "".join(f"{value:>8}" for value in values))
