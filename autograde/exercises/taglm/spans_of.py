"""Exercise `spans_of`: from labels to spans."""

import itertools
from collections.abc import Callable, Sequence
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


def _with_old_kind(labels: Labels, way: str) -> list[tuple[int, int, str]]:
    """The span is closed at O, and its kind is kept: what an I of that kind then does."""
    found: list[tuple[int, int, str]] = []
    start, kind, is_open = 0, "", False
    for place, label in enumerate([*labels, "O"]):
        if kind and label == f"I-{kind}":
            is_open = is_open or way == "old start"
            continue
        if is_open and (label != "O" or way != "goes on" or place == len(labels)):
            found.append((start, place, kind))
        if label != "O":
            start, kind, is_open = place, label[2:], True
        elif way != "goes on":
            is_open = False
    if way != "goes on":
        return found
    ends = [max(p for p in range(a, b) if labels[p] != "O") + 1 for a, b, _ in found]
    return [(a, end, kind) for (a, _, kind), end in zip(found, ends, strict=True)]


def _from_b_to_the_last_i(labels: Labels) -> Found:
    found = []
    for place, label in enumerate(labels):
        if label.startswith("B-"):
            end = place + 1
            while end < len(labels) and labels[end].startswith("I-"):
                end += 1
            found.append((place, end, label[2:]))
    return found


def _place_0_is_none(labels: Labels) -> Found:
    found: Found = []
    start, kind = 0, ""
    for place, label in enumerate([*labels, "O"]):
        if start and label == f"I-{kind}":
            continue
        if start:
            found.append((start, place, kind))
        start, kind = (0, "") if label == "O" else (place, label[2:])
    return found


def _closes_and_opens_nothing(labels: Labels) -> Found:
    found: Found = []
    start, kind = None, ""
    for place, label in enumerate([*labels, "O"]):
        if start is not None and label != f"I-{kind}":
            found.append((start, place, kind))
            start = None
        stray = label.startswith("I") and (place == 0 or labels[place - 1] == "O")
        if start is None and (label.startswith("B") or stray):
            start, kind = place, label[2:]
    return found


def _closed_by_o_alone(labels: Labels) -> Found:
    found: Found = []
    start, kind = None, ""
    for place, label in enumerate([*labels, "O"]):
        if label.startswith("B-"):
            start, kind = place, label[2:]
        elif label == "O" and start is not None:
            found.append((start, place, kind))
            start = None
    return found


def _from_every_word(labels: Labels) -> Found:
    found = []
    for place, label in enumerate(labels):
        if label != "O":
            end = place + 1
            while end < len(labels) and labels[end] == f"I-{label[2:]}":
                end += 1
            found.append((place, end, label[2:]))
    return found


def _by_parts_of_labels(labels: Labels, part: int) -> Found:
    """The kind is one part of the label, cut at every hyphen, and the next label is made of it."""
    found: Found = []
    start, kind = None, ""
    for place, label in enumerate([*labels, "O"]):
        if start is not None and label != f"I-{kind}":
            found.append((start, place, kind))
            start = None
        if label != "O" and start is None:
            start, kind = place, label.split("-")[part]
    return found


Cut = Callable[[str], str]


def _stripped(labels: Labels, cut: Cut) -> Found:
    """Right spans, with the kind that a careless cut leaves of the label."""
    return [(a, b, cut(f"B-{kind}")) for a, b, kind in varied_spans(labels)]


def _by_kinds_put_together(labels: Labels, cut: Cut) -> Found:
    """The next label is compared with an I before what is left of the first one."""
    found: Found = []
    start, kind = None, ""
    for place, label in enumerate([*labels, "O"]):
        if start is not None and label == f"I-{kind}":
            continue
        if start is not None:
            found.append((start, place, kind))
        start, kind = (None, "") if label == "O" else (place, cut(label))
    return found


LETTERS = (
    "Your kinds have lost letters. `strip` and `lstrip` take off every letter that you list, and "
    '`replace` reaches inside: `"B-BOOK".strip("BI-")` is `"OOK"`. Cut off two characters: '
    "`label[2:]`."
)
CUTS: dict[str, Cut] = {
    "strip": lambda label: label.strip("BI-"),
    "lstrip": lambda label: label.lstrip("BI-"),
    "replace": lambda label: label.replace("B-", "").replace("I-", ""),
}
WAYS: dict[str, Callable[[Labels, Cut], Found]] = {
    "in the result": _stripped,
    "in the first label": _by_kinds_put_together,
}


HYPHEN = (
    "A kind may hold a hyphen, as NON-GPE does, and you keep only a part of it. Cut off the letter "
    "and the first hyphen, `label[2:]`, and keep the rest whole."
)


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
        Case(
            "I of the same kind after O",
            _labels("B-PER", "O", "I-PER", "I-PER", "O", "O", "I-PER", "B-LOC", "I-PER", "O"),
        ),
        Case(
            "I at the very beginning, and the same kind at the end",
            _labels("I-PER", "I-PER", "O", "B-PER"),
            asks="The first label has none before it: `labels[-1]` would be the last one.",
            edge=True,
        ),
        Case("a kind with a hyphen", _labels("B-NON-GPE", "I-NON-GPE", "B-GPE"), edge=True),
        Case("no words, and no spans", _labels(), edge=True),
        Case("O only", _labels("O", "O"), edge=True),
        Case(
            "kinds that begin or end with B or I",
            _labels("B-BOOK", "I-BOOK", "O", "B-ITEM", "B-SUB-X", "I-SUB-X", "O", "B-TAXI"),
            asks="A kind may begin or end with B or I. Only the first two characters go: "
            "`label[2:]`.",
            edge=True,
        ),
        Case(
            "different kinds that begin or end alike",
            _labels("B-PER", "I-PLACE", "O", "B-NON-GPE", "I-GPE", "B-GPE", "I-NON-GPE"),
            asks="Different kinds may begin or end alike. Compare whole kinds, with `==`.",
            edge=True,
        ),
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
            HYPHEN,
            hint=3,
        ),
        Mistake(
            "what follows the last hyphen is looked for in the labels",
            lambda labels: _by_parts_of_labels(labels, -1),
            HYPHEN,
            hint=3,
        ),
        Mistake(
            "only what stands before the second hyphen",
            lambda labels: [(a, b, kind.split("-")[0]) for a, b, kind in varied_spans(labels)],
            HYPHEN,
            hint=3,
        ),
        Mistake(
            "what stands before the second hyphen is looked for in the labels",
            lambda labels: _by_parts_of_labels(labels, 1),
            HYPHEN,
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
        Mistake(
            "the kind is not forgotten at O",
            lambda labels: _with_old_kind(labels, "nothing"),
            "You close the span at O, and remember its kind. So an I of that kind after the "
            "O seems to go on with a span that is over. After O nothing is open: forget the "
            "kind too.",
            hint=2,
        ),
        Mistake(
            "the kind is not forgotten at O, and the old start stands again",
            lambda labels: _with_old_kind(labels, "old start"),
            "You close the span at O, and remember its kind. So an I of that kind after the "
            "O seems to go on with a span that is over. After O nothing is open: forget the "
            "kind too.",
            hint=2,
        ),
        Mistake(
            "a span goes on behind O",
            lambda labels: _with_old_kind(labels, "goes on"),
            "Your span goes on behind an O: B-PER O I-PER is one span in your answer. O "
            "closes what is open.",
            hint=2,
        ),
        Mistake(
            "only B opens a span, and any I goes on",
            _from_b_to_the_last_i,
            "You start at each B and take every I behind it. An I of another kind, or one "
            "that continues nothing, opens a span of its own.",
            hint=2,
        ),
        Mistake(
            "only O closes a span",
            _closed_by_o_alone,
            "A span is closed at O only. A B, or an I of another kind, closes what is open "
            "as well, and opens the next.",
            hint=3,
        ),
        Mistake(
            "every word is a span",
            lambda labels: [(i, i + 1, x[2:]) for i, x in enumerate(labels) if x != "O"],
            "Each word is a span of its own in your answer. An I of the same kind makes the "
            "open span longer.",
            hint=1,
        ),
        Mistake(
            "a span from each of its words",
            _from_every_word,
            "You begin a span at every word, also in the middle of one. Skip the words that "
            "a span has already taken.",
            hint=3,
        ),
        Mistake(
            "pairs without a kind",
            lambda labels: [(a, b) for a, b, _ in varied_spans(labels)],
            "Each of your spans has two parts. The third is the kind.",
            hint=1,
        ),
        Mistake(
            "the length, not the end",
            lambda labels: [(a, b - a, kind) for a, b, kind in varied_spans(labels)],
            "Your second number is the length of the span. It should be its end, as in a "
            "slice: `words[start:end]`.",
            hint=1,
        ),
        Mistake(
            "counted from 1",
            lambda labels: [(a + 1, b + 1, kind) for a, b, kind in varied_spans(labels)],
            "You count words from 1. Python counts from 0, so that `words[start:end]` is the span.",
            hint=3,
        ),
        Mistake(
            "sorted by kind",
            lambda labels: sorted(varied_spans(labels), key=lambda span: span[2]),
            "The right spans, sorted by their kind. The task asks for the order of the sentence.",
        ),
        Mistake(
            "text",
            lambda labels: [f"{a}-{b}-{kind}" for a, b, kind in varied_spans(labels)],
            "Your spans are text. Write each as a tuple, `(start, end, kind)`.",
        ),
        Mistake(
            "the letter in place of the kind",
            lambda labels: [(a, b, labels[b - 1][0]) for a, b, _ in varied_spans(labels)],
            "Your third part is the letter before the hyphen. Give the kind, which stands behind "
            "it.",
            hint=2,
        ),
        Mistake(
            "the kind still has its letter, whichever",
            lambda labels: [(a, b, labels[a]) for a, b, _ in varied_spans(labels)],
            "Your third part is the whole label. Give the kind alone, which stands behind the "
            "hyphen.",
            hint=2,
        ),
        *(
            Mistake(
                f"letters of the kind are lost to `{name}`, {where}",
                lambda labels, way=way, cut=cut: way(labels, cut),
                LETTERS,
                hint=3,
            )
            for name, cut in CUTS.items()
            for where, way in WAYS.items()
        ),
        Mistake(
            "place 0 counts as no span",
            _place_0_is_none,
            "`if start:` is false where a span begins at place 0. Ask `if start is not None:`.",
            hint=3,
        ),
        Mistake(
            "an I of another kind closes, and opens nothing",
            _closes_and_opens_nothing,
            "An I of another kind right behind a span closes it and is lost. It also opens the "
            "next span.",
            hint=2,
        ),
    ),
    right_answers={
        "cut where a span begins": _spans_by_cuts,
        "a generator that looks ahead": _spans_by_looking_ahead,
    },
)
