"""What lesson 05 shows: its few labelled sentences, and the stored experiments in lines."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from course.figures.interval_bars import NOT_THERE, interval_bars
from course.figures.picture import Picture
from course.results.intervals import difference, lead, lead_twice
from course.results.stored import stored_result
from course.taglm.broken_crfs import breaks_rules
from elmo_mini import corpora
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.recurrent.training import evaluating
from elmo_mini.tagging.crf import Path
from elmo_mini.tagging.data import chunking, entities, few, with_lm_vectors
from elmo_mini.tagging.sentences import TaggedSentence
from elmo_mini.tagging.spans import span_scores
from elmo_mini.tagging.tagger import Tagger

SHARES = ("one_percent", "ten_percent", "all_labels")
Decode = Callable[[Tensor, Tensor], list[Path]]
READERS = {
    "without": "no LM",
    "untrained": "layer 0, untrained",
    "layer 0": "layer 0, no context",
    "with": "top layer",
}
GAINS = {
    "gain": "top layer over no LM",
    "gain of layer 0": "layer 0 over no LM",
    "gain of untrained": "untrained layer 0 over no LM",
    "gain over layer 0": "top layer over layer 0",
}
APART = {
    "position": (
        ("input", "after_first", "LM joined at the input, not after the first floor"),
        ("after_second", "after_first", "LM joined after the second floor, not the first"),
    ),
    "direction": (("forward", "both", "the forward LM alone, not both directions"),),
    "without_rnn": (
        ("softmax, no CRF", "LM and task RNN", "a softmax for each word, no CRF"),
        ("LM and no task RNN", "LM and task RNN", "no floors: LM states, dense layer, CRF"),
        ("LM and no task RNN", "no LM", "the same without floors, over no LM with floors"),
    ),
}
"""Of each stored experiment: what is set against what, and how a reader says it."""


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
        said = [[tagger.labels[number] for number in path] for path in paths]
        count, f1 = sum(map(breaks_rules, said)), 100 * span_scores(gold, said).f1
        broken[name] = 100 * count / len(said)
        print(f"{name:>28}: F1 {f1:.1f}, rules broken in {count} of {len(said)} sentences")
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
    labels = [f"{100 * numbers['share']:g} % of labels" for numbers in every]
    return interval_bars(labels, groups, title=title, ylabel="F1, percent")


def print_gains() -> dict[str, float]:
    """Print the stored gains, paired by seed; those of 1 % in points, by layer."""
    every = _chunks()
    for name, said in GAINS.items():
        print(said)
        for numbers in every:
            if name in numbers:
                print(f"  {_where(numbers, numbers[name])}: {lead(numbers[name])}")
    strict = stored_result("taglm_words_at_the_input").numbers
    point = strict["gain over layer 0 at the input"]["with"]
    print("top layer over layer 0 at the input, where both floors read it")
    print(f"  {_where(strict, point)}: {lead(point)}")
    first = {"layer 0": every[0]["gain of layer 0"], "top": every[0]["gain"]}
    return {name: 100 * point["mean"] for name, point in first.items()}


def print_learnt_transitions() -> None:
    """What the whole CRF has over its rules alone, on the same emissions, over the seeds."""
    print("chunks: the whole CRF over its rules without learnt numbers (stored)")
    for name in ("without", "with"):
        print(READERS[name])
        for numbers in _chunks():
            if name in (points := numbers.get("gain of learnt transitions", {})):
                print(f"  {_where(numbers, points[name])}: {lead(points[name])}")


def _chunks() -> list[Mapping[str, Any]]:
    return [stored_result(f"taglm_{share}").numbers for share in SHARES]


def _where(numbers: Mapping[str, Any], point: Mapping[str, Any]) -> str:
    return f"{numbers['share']:>4.0%} of the labels, {len(point['values'])} seeds"


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


def print_names() -> None:
    """The stored taggers of names, with the controls."""
    numbers = stored_result("taglm_ner").numbers
    labelled, test = (numbers["sentences"][part] for part in ("train", "test"))
    print(f"names: {labelled} labelled sentences, {test} for the test (stored)")
    f1 = numbers["f1"]
    for name, said in READERS.items():
        print(f"{said}: F1 {100 * f1[name]['mean']:.1f}, {len(f1[name]['values'])} seeds")
    print("95 % intervals. In ( ): over seeds and test sentences, bootstrap.")
    print("In [ ]: over the seeds alone, Student's t.")
    for name in ("gain of untrained", "gain of layer 0", "gain over layer 0"):
        print(f"{GAINS[name]}: {lead_twice(numbers['over seeds and test sentences'][name])}")


def print_taken_apart() -> None:
    """Other places, one direction, no floors, no CRF: differences in points, seed by seed."""
    for name, pairs in APART.items():
        tenth = stored_result(f"taglm_{name}").numbers
        for one, other, said in pairs:
            print(said)
            for numbers in (tenth["with 1 %"], tenth):
                f1 = numbers["f1"]
                print(f"  {_where(numbers, f1[one])}: {difference(f1[one], f1[other])}")


def print_broken() -> None:
    """What is seen of the sound CRF and of the three broken ones, one run each."""
    numbers = stored_result("taglm_broken").numbers
    print(f"right would be: {'; '.join(numbers['gold'])}")
    for name, run in numbers["runs"].items():
        losses = run["training loss by pass"]
        found = ", ".join(
            f"{kind} {n['found']} of {n['there']}" for kind, n in run["found"].items()
        )
        print(
            f"{name}\n"
            f"  training loss, passes 1, 3, 6 and 12: "
            f"{', '.join(f'{losses[number]:.2f}' for number in (0, 2, 5, -1))}\n"
            f"  loss of two sentences: one by one "
            f"{run['loss of two sentences, one by one']:.2f}, in one batch "
            f"{run['loss of two sentences, in one batch']:.2f}\n"
            f"  F1 {100 * run['f1, decoded in one batch']:.0f}; rules broken in "
            f"{run['sentences whose labels break the rules']} sentences; "
            f"names found, {found}\n"
            f"  says: {'; '.join(run['says'])}"
        )
