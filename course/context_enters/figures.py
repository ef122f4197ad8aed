"""The two readers of lesson 03: a language model through time, and context2vec around a gap."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.context_enters.sense_vote import COUNTED
from course.figures import plots
from course.figures.diagrams import Arrow, Box, boxes_and_arrows
from course.figures.interval_bars import Point, interval_bars
from course.figures.picture import Picture
from course.results.intervals import difference, lead

Numbers = NDArray[np.float64]
COURSE = {
    "word2vec,\nno context": "static vector of the form",
    "two words\nbeside": "random vectors of the two words beside",
    "two words,\nword2vec": "word2vec vectors of the two words beside",
    "untrained\nLSTM": "LSTM at the word, untrained",
    "LSTM": "LSTM at the word",
    "untrained\ncontext2vec": "context2vec, untrained",
    "context2vec": "context2vec",
}
SENSEVAL = {
    "two words beside": "random vectors of the two words beside",
    "average around": "mean of word2vec vectors around",
    "untrained LSTM": "LSTM at the word, untrained",
    "LSTM": "LSTM at the word",
    "untrained context2vec": "context2vec, untrained",
    "context2vec": "context2vec",
}
CEILING = "one vector per spelling, at best"


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
    kinds = ("a gate, between 0 and 1", "the candidate, a tanh")
    boxes = [Box("x and old h", 1.5, 0, text="[x ; h]", width=1.1)]
    boxes += [
        Box(name, place, 1, kinds[name == "candidate"], name, 0.94)
        for place, name in enumerate(names)
    ]
    boxes += [
        Box("old c", -1.1, 2.1, "pages", "old c"),
        Box("times", 0, 2.1, "number by number", "\u00d7"),
        Box("plus", 1, 2.1, "number by number", "+"),
        Box("written", 2, 2.1, "number by number", "\u00d7"),
        Box("new c", 1, 3.2, "pages", "new c"),
        Box("squashed", 2, 3.2, "number by number", "tanh"),
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
        Arrow("new c", "squashed"),
        Arrow("squashed", "shown"),
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


def fading(slopes: Callable[[float, Numbers, float], Numbers], words: int = 24) -> Picture:
    """What is left of a gradient in h = tanh(w h + x), by three weights.

    Parameters
    ----------
    slopes : (T,) of d h_t / d h_0, from w, x (T,) and h_0
    """
    x = 0.5 * np.random.default_rng(0).standard_normal(words)
    return plots.curves(
        np.arange(1, words + 1),
        {f"w = {w}": np.abs(slopes(w, x, 0.1)) for w in (0.5, 1.0, 1.5)},
        title="A product of slopes fades, whatever the weight",
        xlabel="words read since",
        ylabel="share of the gradient",
        log_y=True,
    )


def cell_gradients(kept: Mapping[str, Mapping[int, float]]) -> Picture:
    """Gradient norms of LSTM cells by the number of words between them."""
    return plots.curves(
        list(next(iter(kept.values()))),
        {name: np.array(list(slopes.values())) for name, slopes in kept.items()},
        title="What is left of a note on page c (one run each)",
        xlabel="words read since",
        ylabel="share of the gradient",
        log_y=True,
    )


def memory(
    words: Sequence[int], zeros: Sequence[float], average: Sequence[float], counted: float
) -> Picture:
    """Perplexity of a reader that forgets every so many words, beside counted pairs.

    Parameters
    ----------
    zeros, average : by what it begins from then, a page of zeros or the average page
    """
    return plots.curves(
        list(words),
        {
            "from zeros": np.array(zeros),
            "from the average page": np.array(average),
            "counts of pairs": np.full(len(words), counted),
        },
        title="What a longer memory is worth, from two empty pages (one run)",
        xlabel="words until it forgets",
        ylabel="held-out perplexity",
        log_x=True,
    )


def training(losses: Mapping[str, Sequence[float]]) -> Picture:
    """Training losses of several runs, reading by reading."""
    return plots.curves(
        np.arange(1, 1 + len(next(iter(losses.values())))),
        {name: np.array(row) for name, row in losses.items()},
        title="The training losses of the four runs",
        xlabel="readings",
        ylabel="training loss (nats a word)",
    )


def moved(words: Sequence[str], shares: Sequence[float]) -> Picture:
    """How far the state after each word has moved."""
    return plots.bars(
        [f"{place} {word}" for place, word in enumerate(words, start=1)],
        {"moved by": shares},
        title="One word is replaced: nothing moves before it",
        ylabel="share of the state's length",
    )


def leak(honest: Numbers, spoilt: Numbers) -> Picture:
    """Training losses of a reader that may read the target and of one that may not."""
    return plots.curves(
        np.arange(20, 20 + len(spoilt)),
        {"target not read": honest[: len(spoilt)], "target read": spoilt},
        title="A reader that sees the answer has a wonderful loss (mean of 20 batches)",
        xlabel="batches",
        ylabel="training loss",
    )


def senses(scores: Mapping[str, Point], ceiling: float) -> Picture:
    """Senses right by the vote of three neighbours, beside the ceiling of a vector per spelling."""
    return interval_bars(
        list(scores),
        {"here": list(scores.values())},
        title="Untrained states come near the trained ones (335 sentences, 28 words)",
        ylabel="senses right, percent",
        level=(CEILING, 100 * ceiling),
    )


def stored_senses(course: Mapping[str, Any]) -> Picture:
    """The same, stored, for both readers, their controls and naive Bayes, which has no seeds."""
    counted = course[COUNTED]["mean"]
    points = [course["3-NN"][name] for name in COURSE.values()]
    ahead = lead(course["leads, over words and seeds"][f"context2vec before {COUNTED}"])
    return interval_bars(
        [*COURSE, "naive\nBayes"],
        {"3 seeds": [*points, {"mean": counted, "low": counted, "high": counted}]},
        title=f"Stored, 335 sentences. context2vec less naive Bayes: {ahead}",
        ylabel="senses right, percent",
        level=(CEILING, 100 * course["ceiling of its forms"]),
    )


def senseval_leads(senseval: Mapping[str, Any]) -> Picture:
    """context2vec less two cheap controls, seed by seed, on each word of senseval."""
    others = {
        "less the two words beside": "random vectors of the two words beside",
        "less its untrained twin": "context2vec, untrained",
    }
    return interval_bars(
        list(senseval),
        {
            said: [
                vars(difference(by["linear"]["context2vec"], by["linear"][other]))
                for by in senseval.values()
            ]
            for said, other in others.items()
        },
        times=1,
        title="context2vec less two cheap controls, many labels (3 seeds, stored)",
        ylabel="points",
    )


def stored_senseval(senseval: Mapping[str, Any]) -> Picture:
    """Logistic regression on 600 occurrences of each word of senseval, with twins, stored."""
    return interval_bars(
        list(senseval),
        {
            short: [by["linear"][name] for by in senseval.values()]
            for short, name in SENSEVAL.items()
        },
        title="Real text, many labels: the two words beside hold their own (3 seeds)",
        ylabel="senses right, percent",
    )
