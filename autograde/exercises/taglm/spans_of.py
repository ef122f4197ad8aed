"""Exercise `spans_of`: from labels to spans."""

import itertools
from collections.abc import Sequence
from typing import Any

from autograde.checking.answers import Answer, AnswerRefused, Plain, refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from elmo_mini.tagging import spans

Labels = Sequence[str]
Found = list[tuple[int, int, str]]


def drawn_labels(rng: Random, length: int, kinds: Sequence[str]) -> list[str]:
    """A legal BIO sequence with spans of one to three words, some of them side by side."""
    labels: list[str] = []
    while len(labels) < length:
        if rng.random() < 0.35:
            labels.append("O")
        else:
            kind = kinds[int(rng.integers(len(kinds)))]
            labels += [f"B-{kind}"] + [f"I-{kind}"] * int(rng.integers(3))
    return labels[:length]


def _labels(text: str) -> Any:
    return lambda rng: {"labels": text.split()}


def _a_set(found: Any) -> str | None:
    if isinstance(found, set | frozenset):
        return "Your answer is a set, which has no order. Return a list of spans."
    return None


def _run_spans(answer: Answer, inputs: Inputs) -> Plain:
    """The spans in their order, each a tuple, so that sets of them can be built later."""
    found = refusing(_a_set)(answer, inputs)
    if isinstance(found, list) and any(isinstance(span, list) for span in found):
        raise AnswerRefused(
            "Each of your spans is a list. Write it as a tuple, `(start, end, kind)`, with round "
            "brackets: exercise 10 puts spans into a set, and lists cannot go there."
        )
    return found


def _closed_and_opened(labels: Labels) -> Found:
    found: Found = []
    start, kind = None, ""
    for place, label in enumerate([*labels, "O"]):
        if start is not None and label == f"I-{kind}":
            continue
        if start is not None:
            found.append((start, place, kind))
        start, kind = (None, "") if label == "O" else (place, label[2:])
    return found


def _looking_ahead(labels: Labels) -> Found:
    found: Found = []
    place = 0
    while place < len(labels):
        kind, end = labels[place][2:], place + 1
        while kind and end < len(labels) and labels[end] == f"I-{kind}":
            end += 1
        if kind:
            found.append((place, end, kind))
        place = end
    return found


def _by_cuts(labels: Labels) -> list[tuple[Any, ...]]:
    cuts = [
        place
        for place in range(len(labels) + 1)
        if place in (0, len(labels))
        or not labels[place].startswith("I-")
        or labels[place - 1][2:] != labels[place][2:]
    ]
    pieces = itertools.pairwise(sorted(set(cuts)))
    return [(a, b, labels[a][2:]) for a, b in pieces if a < b and labels[a] != "O"]


SLIPS = """
--- hint 1
neighbours melt together: label == f"I-{kind}" -> label[2:] == kind
    Two spans of one kind that stand side by side become one. B always opens a new span: that is
    what it is for.
every word is a span: label == f"I-{kind}" -> False
    Each word is a span of its own in your answer. An I of the same kind makes the open span longer.
only O closes a span: if start is not None: found -> if start is not None and label == "O": found \
        && (None, "") if label == "O" else (place, label[2:]) \
        -> (None, "") if label == "O" else (place, label[2:]) if label[0] == "B" else (start, kind)
only O closes a span, and all others open one: \
        if start is not None: found -> if start is not None and label == "O": found
    A span is closed at O only. A B, or an I of another kind, closes what is open as well, and opens
    the next.
--- hint 2
I after O counts as nothing: label == "O" -> not label.startswith("B")
    An I that continues nothing is thrown away. A tagger may write it, and the official program lets
    it open a span. Do the same.
the kind is not compared: label == f"I-{kind}" -> label.startswith("I")
    After B-NP your span goes on through I-VP. An I of another kind opens a new span.
a kind that begins with the open one goes on: label == f"I-{kind}" \
        -> label[:2] == "I-" and label[2:].startswith(kind)
a kind with which the open one begins goes on: label == f"I-{kind}" \
        -> label[:2] == "I-" and kind.startswith(label[2:])
a kind that ends with the open one goes on: label == f"I-{kind}" \
        -> label[:2] == "I-" and label.endswith(kind)
    Your span goes on at another kind that begins or ends alike, as PER and PERSON. Compare all of
    the label: `label == f"I-{kind}"`.
the kind is not forgotten at O: start is not None and label == f"I-{kind}" -> label == f"I-{kind}" \
        && (None, "") -> (None, kind)
the kind is not forgotten at O, and the old start stands again: \
        start, kind = None, "" -> start, kind, is_open = None, "", False \
        && if start is not None and label == f"I-{kind}": \
        -> if label == f"I-{kind}": is_open = True⏎if label == f"I-{kind}": \
        && if start is not None: found -> if is_open: found \
        && start, kind = (None, "") if label == "O" else (place, label[2:]) \
        -> is_open = label != "O"⏎if is_open: start, kind = place, label[2:]
    You close the span at O, and remember its kind. So an I of that kind after the O seems to go on
    with a span that is over. After O nothing is open: forget the kind too.
a span goes on behind O: \
        label == f"I-{kind}" -> (label == f"I-{kind}" or (label == "O" and place < len(labels))) \
        && (start, place, kind) \
        -> (start, max(p for p in range(start, place) if labels[p] != "O") + 1, kind)
    Your span goes on behind an O: B-PER O I-PER is one span in your answer. O closes what is open.
only B opens a span, and any I goes on: label == f"I-{kind}" -> label.startswith("I") \
        && label == "O" -> not label.startswith("B")
    You start at each B and take every I behind it. An I of another kind, or one that continues
    nothing, opens a span of its own.
an I of another kind closes, and opens nothing: (None, "") if label == "O" else \
        -> (None, "") if label == "O" or (label[0] == "I" and place and labels[place - 1] != "O") \
        else
    An I of another kind right behind a span closes it and is lost. It also opens the next span.
O is a kind: start, kind = (None \
        -> if label == "O" and place < len(labels): found.append((place, place + 1, "O"))⏎start, \
        kind = (None
    You list the words outside as spans of the kind O. Leave them out.
--- hint 3
the last span is lost: [*labels, "O"] -> labels
    A span that ends with the sentence is missing. Nothing after it closes it, so close it after the
    loop.
the end is the last word: (start, place, kind) -> (start, place - 1, kind)
    Your `end` is the position of the last word. It should be one further, as in a slice:
    `words[start:end]`.
the last span ends one too early: (start, place, kind) -> (start, min(place, len(labels) - 1), kind)
    Only the span at the end of the sentence is wrong: its end is `len(labels)`, not the last
    position.
the kind still has its letter: (start, place, kind) -> (start, place, f"B-{kind}")
    The kind is NP, not B-NP. Cut the first two characters off.
only what follows the last hyphen: (start, place, kind) -> (start, place, kind.split("-")[-1])
what follows the last hyphen is looked for in the labels: label[2:] -> label.split("-")[-1]
only what stands before the second hyphen: \
        (start, place, kind) -> (start, place, kind.split("-")[0])
what stands before the second hyphen is looked for in the labels: label[2:] -> label.split("-")[1]
    A kind may hold a hyphen, as NON-GPE does, and you keep only a part of it. Cut off the letter
    and the first hyphen, `label[2:]`, and keep the rest whole.
counted from 1: (start, place, kind) -> (start + 1, place + 1, kind)
    You count words from 1. Python counts from 0, so that `words[start:end]` is the span.
letters of the kind are lost to `{cut}`, in the result: \
        (start, place, kind) -> (start, place, f"B-{kind}".{cut}("BI-")) | cut = strip, lstrip
letters of the kind are lost to `{cut}`, in the first label: label[2:] -> label.{cut}("BI-") \
        | cut = strip, lstrip
letters of the kind are lost to `replace`, in the result: \
        (start, place, kind) -> (start, place, f"B-{kind}".replace("B-", "").replace("I-", ""))
letters of the kind are lost to `replace`, in the first label: \
        label[2:] -> label.replace("B-", "").replace("I-", "")
    Your kinds have lost letters. `strip` and `lstrip` take off every letter that you list, and
    `replace` reaches inside: `"B-BOOK".strip("BI-")` is `"OOK"`. Cut off two characters:
    `label[2:]`.
place 0 counts as no span: every start is not None -> start
    `if start:` is false where a span begins at position 0. Ask `if start is not None:`.
the kind comes first: (start, place, kind) -> (kind, start, place)
    The right spans in another order of parts. Write each as `(start, end, kind)`.
pairs without a kind: (start, place, kind) -> (start, place)
    Each of your spans has two parts. The third is the kind.
the length, not the end: (start, place, kind) -> (start, place - start, kind)
    Your second number is the length of the span. It should be its end, as in a slice:
    `words[start:end]`.
the letter in place of the kind: (start, place, kind) -> (start, place, labels[place - 1][0])
the letter that opens it in place of the kind: \
        (start, place, kind) -> (start, place, labels[start][0])
    Your third part is the letter before the hyphen. Give the kind, which stands behind it.
the kind still has its letter, whichever: (start, place, kind) -> (start, place, labels[start])
    Your third part is the whole label. Give the kind alone, which stands behind the hyphen.
--- no hint
a set: return found -> return set(found)
    The right spans, and no order. The task asks for a list in the order of the sentence.
lists for tuples: (start, place, kind) -> [start, place, kind]
    The right spans as lists with square brackets. Write each as a tuple, `(start, end, kind)`.
sorted by kind: return found -> return sorted(found, key=lambda span: span[2])
    The right spans, sorted by their kind. The task asks for the order of the sentence.
text: (start, place, kind) -> f"{start}-{place}-{kind}"
    Your spans are text. Write each as a tuple, `(start, end, kind)`.
"""

SLIPS_LOOKING_AHEAD = """
--- hint 2
a span from each of its words: place = end -> place += 1
    You begin a span at every word, also in the middle of one. Skip the words that a span has
    already taken.
"""

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
        Case("one span of two words", _labels("O B-NP I-NP O")),
        Case(
            "a drawn sentence",
            lambda rng: {"labels": [*drawn_labels(rng, 14, ("NP", "VP")), "O"]},
            weight=2,
        ),
        Case("two spans side by side", _labels("B-NP I-NP B-NP O B-VP O")),
        Case("a span at the end", _labels("O B-VP B-NP I-NP")),
        Case("I after O, and I of another kind", _labels("O I-NP I-VP I-VP O")),
        Case("I of the same kind after O", _labels("B-PER O I-PER I-PER O O I-PER B-LOC I-PER O")),
        Case(
            "I at the very beginning, and the same kind at the end",
            _labels("I-PER I-PER O B-PER"),
            asks="The first label has none before it.",
            edge=True,
        ),
        Case("a kind with a hyphen", _labels("B-NON-GPE I-NON-GPE B-GPE"), edge=True),
        Case("no words, and no spans", _labels(""), edge=True),
        Case("O only", _labels("O O"), edge=True),
        Case(
            "kinds that begin or end with B or I",
            _labels("B-BOOK I-BOOK O B-ITEM B-SUB-X I-SUB-X O B-TAXI"),
            asks="A kind may begin or end with B or I, and it keeps them.",
            edge=True,
        ),
        Case(
            "different kinds that begin or end alike",
            _labels(
                "B-PER I-PLACE O B-NON-GPE I-GPE B-GPE I-NON-GPE B-PER I-PERSON B-PERSON I-PER O"
            ),
            asks="Different kinds may begin or end alike.",
            edge=True,
        ),
    ),
    mistakes=(*slips(_closed_and_opened, SLIPS), *slips(_looking_ahead, SLIPS_LOOKING_AHEAD)),
    right_answers={
        "closed and opened": _closed_and_opened,
        "cut where a span begins": _by_cuts,
        "looking ahead": _looking_ahead,
        "one after the other": lambda labels: iter(_looking_ahead(labels)),
    },
)
