"""The two readers of lesson 03: a language model through time, and context2vec around a gap."""

from collections.abc import Sequence
from itertools import pairwise

from elmo_mini.figures.diagrams import Arrow, Box, boxes_and_arrows
from elmo_mini.figures.picture import Picture


def language_model(words: Sequence[str]) -> Picture:
    """A language model over a few words: it reads all but the last, and bets on the next."""
    boxes, arrows = [], []
    for step, (word, said) in enumerate(pairwise(words)):
        column = [
            Box(f"word '{word}'", step, 0, text=word),
            Box(f"embedding {step}", step, 1, "word vectors", "vector"),
            Box(f"state {step}", step, 2, "LSTM", f"state {step}"),
            Box(f"softmax {step}", step, 3, "softmax over the vocabulary", "softmax"),
            Box(f"bet on '{said}'", step, 4, text=f"{said}?"),
        ]
        boxes += column
        arrows += [Arrow(a.name, b.name) for a, b in pairwise(column)]
        if step:
            arrows.append(Arrow(f"state {step - 1}", f"state {step}"))
    title = "A language model reads a word and bets on the next"
    return boxes_and_arrows(boxes, arrows, title=title, height=4)


def lstm_step() -> Picture:
    """One step of an LSTM: three gates and a candidate between the old and the new page."""
    names = ("forget gate", "input gate", "candidate", "output gate")
    boxes = [Box("x and old h", 1.5, 0, text="[x ; h]", width=1.1)]
    boxes += [
        Box(name, place, 1, "made of x and h", name, 0.94) for place, name in enumerate(names)
    ]
    boxes += [
        Box("old c", -1.1, 2.1, "pages", "old c"),
        Box("times", 0, 2.1, "number by number", "\u00d7"),
        Box("plus", 1, 2.1, "number by number", "+"),
        Box("written", 2, 2.1, "number by number", "\u00d7"),
        Box("new c", 1, 3.2, "pages", "new c"),
        Box("shown", 3, 3.2, "number by number", "\u00d7"),
        Box("new h", 4.1, 3.2, "pages", "new h"),
    ]
    arrows = [Arrow("x and old h", name) for name in names]
    arrows += [
        Arrow("old c", "times"),
        Arrow("forget gate", "times"),
        Arrow("times", "plus"),
        Arrow("input gate", "written"),
        Arrow("candidate", "written"),
        Arrow("written", "plus"),
        Arrow("plus", "new c"),
        Arrow("new c", "shown"),
        Arrow("output gate", "shown"),
        Arrow("shown", "new h"),
    ]
    title = "One step of an LSTM: from c to c there is one product and one sum"
    return boxes_and_arrows(boxes, arrows, title=title, height=3.8, width=7.4)


def gap(words: Sequence[str], at: int) -> Picture:
    """context2vec around the word at `at`: one reader stops before it, the other behind it."""
    boxes = [Box(f"word {step} '{word}'", step, 0, text=word) for step, word in enumerate(words)]
    left, right = range(at), range(len(words) - 1, at, -1)
    arrows = []
    for side, steps in (("left", left), ("right", right)):
        for step in steps:
            boxes.append(Box(f"{side} {step}", step, 1, f"LSTM from the {side}", side))
            arrows.append(Arrow(boxes[step].name, f"{side} {step}"))
        arrows += [Arrow(f"{side} {a}", f"{side} {b}") for a, b in pairwise(steps)]
    word = words[at]
    boxes += [
        Box("MLP", at, 2, "MLP", width=1.2),
        Box(f"score of the word '{word}'", at, 3, text=f"{word}? or a noise word?"),
    ]
    arrows += [
        Arrow(f"left {at - 1}", "MLP"),
        Arrow(f"right {at + 1}", "MLP"),
        Arrow("MLP", f"score of the word '{word}'"),
    ]
    title = f"context2vec on the place of '{word}': the word itself is not read"
    return boxes_and_arrows(boxes, arrows, title=title)
