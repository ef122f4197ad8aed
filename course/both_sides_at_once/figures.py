"""One side, the other, and both at once, drawn: what is known, what is copied, what is filled."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from course.figures.interval_bars import Point, interval_bars
from course.figures.picture import Picture
from course.figures.plots import bars, curves
from course.results.intervals import UNCLEAR, Lead

QUESTIONS = {
    "left": "the noun is plural",
    "right": "the verb is plural",
    "agree": "they agree",
}
SIDES = {
    "counts": "counts",
    "left language model": "left",
    "right language model": "right",
    "product of language models": "product",
    "both": "both\nat once",
    "two of both": "two of\nboth",
    "product of language models and counts": "product,\ncounts",
    "both and counts": "both,\ncounts",
}
"""Stored names and the labels of their bars."""


def agreement_bars(readers: Mapping[str, Mapping[str, float]]) -> Picture:
    """What readers of both halves judge rightly, shares of 1 by `QUESTIONS`."""
    return bars(
        list(QUESTIONS.values()),
        {name: [100 * right[asked] for asked in QUESTIONS] for name, right in readers.items()},
        title="Each half knows its side; only a hidden layer joins the two",
        ylabel="right, percent",
    )


def blank_bars(nats: Mapping[str, Point], *, title: str) -> Picture:
    """Nats of the hidden words, with their intervals, by who fills the blanks."""
    return interval_bars(
        [name.replace(", ", ",\n") for name in nats],
        {"nats": list(nats.values())},
        times=1,
        title=title,
        ylabel="nats for the word, with 95 %",
    )


def sense_bars(stored: Mapping[str, Any]) -> Picture:
    """Senses told rightly from the sentence's words, from states, and from both.

    Parameters
    ----------
    stored : ``right`` and ``differences``, as ``masked_layers_rivals`` has them
    """
    lead = Lead.of(stored["differences"]["naive Bayes and masked less naive Bayes"])
    adds = {"ahead": f"add {lead.mean:.1f} points", "behind": "cost points", UNCLEAR: "add nothing"}
    labels = [
        name.replace("naive Bayes and ", "Bayes,\n").replace("naive ", "naive\n")
        for name in stored["right"]
    ]
    return interval_bars(
        labels,
        {"right": list(stored["right"].values())},
        title=f"Senses: beside the sentence's words, masked states {adds[lead.verdict]} (stored)",
        ylabel="right, percent",
    )


def side_bars(stored: Mapping[str, Any]) -> Picture:
    """Nats of blanks: by counts, from one side, from the product, from both at once, and mixed.

    Parameters
    ----------
    stored : ``nats`` and ``differences``, as ``both_sides_blanks`` has them
    """
    found = stored["differences"]["both less product of language models"]
    lead = Lead.of(found, times=1, digits=2)
    is_what = {
        "ahead": f"{lead.mean:.2f} nats ahead of",
        "behind": f"{-lead.mean:.2f} nats behind",
        UNCLEAR: "not clearly apart from",
    }
    return blank_bars(
        {label: stored["nats"][name] for name, label in SIDES.items()},
        title=f"The product of two readers is {is_what[lead.verdict]} both at once (stored)",
    )


def added(what: str, rival: str, lead: Lead) -> str:
    """A title: whether something adds to its rival, by the nats that it saves beside it."""
    adds = {
        "ahead": f"adds {lead.mean:.2f} nats",
        "behind": f"costs {-lead.mean:.2f} nats",
        UNCLEAR: "adds nothing clear",
    }
    return f"Beside {rival}, {what} {adds[lead.verdict]}"


def run_bars(reported: Mapping[str, float], blanks: Mapping[str, float]) -> Picture:
    """How runs end: the loss that each reports, and that of true blanks."""
    return bars(
        list(reported),
        {
            "reported by the run": list(reported.values()),
            "blanks of held-out sentences": list(blanks.values()),
        },
        title="How the four runs end (one run each)",
        ylabel="nats for the word",
    )


def judge_bars(right: Mapping[str, Point], commoner: float) -> Picture:
    """What judges of pairs answer rightly, beside the commoner answer each time."""
    return interval_bars(
        list(right),
        {"right": list(right.values())},
        title="Does the second sentence follow the first?",
        ylabel="right, percent",
        level=("the commoner answer", 100 * commoner),
    )


def loss_curves(every: int, losses: Mapping[str, Sequence[float]]) -> Picture:
    """Losses by name, one for each `every` batches."""
    (count,) = {len(row) for row in losses.values()}
    return curves(
        every * np.arange(1, count + 1),
        losses,
        title="Its own sentences cost less and less; do the others?",
        xlabel="batches of 32 sentences",
        ylabel="nats for a hidden word",
    )


def leak_bars(nats: Mapping[str, Point]) -> Picture:
    """Held-out nats of readers that meet, by their layers, and of readers that never do."""
    return interval_bars(
        [name.replace(", ", ",\n") for name in nats],
        {"nats for each word": list(nats.values())},
        times=1,
        title="Two layers that meet lose a nat less than readers that never do (stored)",
        ylabel="held-out nats for each word",
    )
