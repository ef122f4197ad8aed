"""Exercise `spans_of`: from labels to spans."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call,
)
from autograde.exercises.taglm import LESSON
from elmo_mini.tagging import spans

Labels = Sequence[str]


Found = list[tuple[int, int, str]]


def drawn_labels(rng: np.random.Generator, length: int, kinds: Sequence[str]) -> list[str]:
    """A legal BIO sequence with spans of one to three words, some of them side by side."""
    labels: list[str] = []
    while len(labels) < length:
        if rng.random() < 0.35:
            labels.append("O")
        else:
            kind = kinds[int(rng.integers(len(kinds)))]
            labels += [f"B-{kind}"] + [f"I-{kind}"] * int(rng.integers(3))
    labels = labels[:length]
    return labels


def _labels(*texts: str) -> Any:
    return lambda rng: {"labels": list(texts)}


def varied_spans(
    labels: Labels,
    *,
    orphans: bool = True,
    kinds: bool = True,
    neighbours: bool = True,
    last: bool = True,
    shift: int = 0,
    outside: bool = False,
    whole_label: bool = False,
) -> Found:
    """The spans with one thing done otherwise: the wrong answers are built from this."""
    found: Found = []
    start, kind = 0, ""
    for place, label in enumerate([*labels, *(["O"] if last else [])]):
        mark, _, its_kind = label.partition("-")
        same = mark == "I" and kind != "" and (its_kind == kind or not kinds)
        same = same or (not neighbours and mark == "B" and its_kind == kind)
        if same:
            continue
        if kind:
            found.append((start, place + shift, f"B-{kind}" if whole_label else kind))
        opens = mark == "B" or (mark == "I" and orphans)
        start, kind = place, its_kind if opens else ""
        if outside and mark == "O" and place < len(labels):
            found.append((place, place + 1 + shift, "O"))
    return found


def _spans_as_kind_first(labels: Labels) -> list[tuple[str, int, int]]:
    return [(kind, start, end) for start, end, kind in varied_spans(labels)]


def _spans_with_negative_places(labels: Labels) -> Found:
    """Closes a span only where the next label is read, so the last one lacks its end."""
    return [(s, e if e < len(labels) else len(labels) - 1, k) for s, e, k in varied_spans(labels)]


def _spans_by_cuts(labels: Labels) -> list[tuple[Any, ...]]:
    cuts = [
        place
        for place in range(len(labels) + 1)
        if place in (0, len(labels))
        or not labels[place].startswith("I-")
        or labels[place - 1][2:] != labels[place][2:]
    ]
    pieces = itertools.pairwise(sorted(set(cuts)))
    return [(a, b, labels[a][2:]) for a, b in pieces if a < b and labels[a] != "O"]


def _spans_by_looking_ahead(labels: Labels) -> Any:
    place = 0
    while place < len(labels):
        kind, end = labels[place][2:], place + 1
        while kind and end < len(labels) and labels[end] == f"I-{kind}":
            end += 1
        if kind:
            yield place, end, kind
        place = end


def _run_spans(answer: Answer, inputs: Inputs) -> Plain:
    """The spans in their order, each a tuple, so that sets of them can be built later."""
    kinds: list[type] = []

    def watched(*arguments: Any) -> Any:
        result = answer(*arguments)
        kinds.append(type(result))
        return result

    found = call(watched, inputs)
    if kinds and issubclass(kinds[0], set | frozenset):
        raise AnswerRefused("Your answer is a set, which has no order. Return a list of spans.")
    if isinstance(found, list) and any(isinstance(span, list) for span in found):
        raise AnswerRefused(
            "Each of your spans is a list. Write it as a tuple, `(start, end, kind)`, with round "
            "brackets: exercise 2 puts spans into a set, and lists cannot go there."
        )
    return found


EXERCISE = Exercise(
    id="spans_of",
    title="From labels to spans",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=12,
    reference=spans.spans_of,
    run=_run_spans,
    cases=(
        Case("one span of two words", _labels("O", "B-NP", "I-NP", "O")),
        Case(
            "a drawn sentence",
            lambda rng: {"labels": [*drawn_labels(rng, 14, ("NP", "VP")), "O"]},
            weight=2,
        ),
        Case("two spans side by side", _labels("B-NP", "I-NP", "B-NP", "O", "B-VP", "O")),
        Case("a span at the end", _labels("O", "B-VP", "B-NP", "I-NP")),
        Case("I after O, and I of another kind", _labels("O", "I-NP", "I-VP", "I-VP", "O")),
        Case("a kind with a hyphen", _labels("B-NON-GPE", "I-NON-GPE", "B-GPE"), edge=True),
        Case("no words, and no spans", _labels(), edge=True),
        Case("O only", _labels("O", "O"), edge=True),
    ),
    mistakes=(
        Mistake(
            "I after O counts as nothing",
            lambda labels: varied_spans(labels, orphans=False),
            "An I that continues nothing is thrown away. A tagger may write it, and the official "
            "program lets it open a span. Do the same.",
            hint=2,
        ),
        Mistake(
            "the kind is not compared",
            lambda labels: varied_spans(labels, kinds=False),
            "After B-NP your span goes on through I-VP. An I of another kind opens a new span.",
            hint=2,
        ),
        Mistake(
            "neighbours melt together",
            lambda labels: varied_spans(labels, neighbours=False),
            "Two spans of one kind that stand side by side become one. B always opens a new "
            "span: that is what it is for.",
            hint=1,
        ),
        Mistake(
            "the last span is lost",
            lambda labels: varied_spans(labels, last=False),
            "A span that ends with the sentence is missing. Nothing after it closes it, so close "
            "it after the loop.",
            hint=3,
        ),
        Mistake(
            "the end is the last word",
            lambda labels: varied_spans(labels, shift=-1),
            "Your `end` is the place of the last word. It should be one further, as in a slice: "
            "`words[start:end]`.",
            hint=3,
        ),
        Mistake(
            "the last span ends one too early",
            _spans_with_negative_places,
            "Only the span at the end of the sentence is wrong: its end is `len(labels)`, not the "
            "last place.",
            hint=3,
        ),
        Mistake(
            "O is a kind",
            lambda labels: varied_spans(labels, outside=True),
            "You list the words outside as spans of the kind O. Leave them out.",
            hint=1,
        ),
        Mistake(
            "the kind still has its letter",
            lambda labels: varied_spans(labels, whole_label=True),
            "The kind is NP, not B-NP. Cut the first two characters off.",
            hint=3,
        ),
        Mistake(
            "only what follows the last hyphen",
            lambda labels: [(a, b, kind.split("-")[-1]) for a, b, kind in varied_spans(labels)],
            "A kind may hold a hyphen, as NON-GPE does. Cut off the letter and the first hyphen.",
            hint=3,
        ),
        Mistake(
            "a set",
            lambda labels: set(varied_spans(labels)),
            "The right spans, and no order. The task asks for a list in the order of the sentence.",
        ),
        Mistake(
            "lists for tuples",
            lambda labels: [list(span) for span in varied_spans(labels)],
            "The right spans as lists with square brackets. Write each as a tuple, "
            "`(start, end, kind)`.",
        ),
        Mistake(
            "the kind comes first",
            _spans_as_kind_first,
            "The right spans in another order of parts. Write each as `(start, end, kind)`.",
            hint=1,
        ),
    ),
    right_answers={
        "cut where a span begins": _spans_by_cuts,
        "a generator that looks ahead": _spans_by_looking_ahead,
    },
)
