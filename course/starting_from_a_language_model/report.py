"""Printed tables and figures of lesson 04: of its own runs, and of stored ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.figures.plots import bars, curves
from course.results.accuracy import share_right
from course.results.intervals import UNCLEAR, Lead, interval
from course.results.stored import stored_result
from course.starting_from_a_language_model.transfer_setup import DRAWS, Right, TransferSetup

STARTS = {  # as stored: as drawn
    "bag of words, no LSTM": "bag of\nwords",
    "naive Bayes, no LSTM": "naive\nBayes",
    "last word, no LSTM": "last word\nalone",
    "nothing": "random\nstart",
    "word2vec embedding": "word2vec\nvectors",
    "language model's embedding": "LM's\nvectors",
    "language model's LSTM": "LM's\nLSTM",
    "language model": "whole\nLM",
    "sequence autoencoder": "auto-\nencoder",
}
VARIANTS = {  # as stored: as drawn
    "no pretraining, no language-model loss": "neither start nor LM loss",
    "language-model loss without pretraining": "LM loss, random start",
    "pretraining without language-model loss": "start, no LM loss",
    "only the encoder pretrained": "encoder's start only",
    "only the decoder pretrained": "decoder's start only",
    "decoder without its softmax": "start without softmax",
    "without the residual": "no residual",
    "attention to the top layer only": "attention to top only",
}

OTHERS = "perplexity, another's telegram"


def right_by_counting(setup: TransferSetup) -> dict[str, Right]:
    """(draws, N) of naive Bayes, on all words and on the first and the last alone."""
    return {
        name: np.stack([setup.by_counting(setup.drawn(draw), ends) for draw in range(DRAWS)])
        for name, ends in (("naive Bayes:\nall words", False), ("naive Bayes:\nthe ends", True))
    }


def right_figure(right: Mapping[str, Right], title: str) -> Picture:
    """Bars of (draws, N) shares of right answers, with 95 % intervals over draws and sentences."""
    return interval_bars(
        list(right),
        {"right": [share_right(row) for row in right.values()]},
        title=title,
        ylabel="percent right",
        level=("guessing", 50.0),
    )


def lead(one: Right, other: Right) -> Lead:
    """How far one is ahead of another on the same draws and sentences, (draws, N) each, in points.

    A row that stands for itself, such as counts, is held against each draw of the other.
    """
    return Lead.of(share_right(one - other))


def print_leads(right: Mapping[str, Right], of: str, asked: str = "sentences") -> None:
    """How far one is ahead of each of the others; `asked` is what each was right or wrong about."""
    rows, count = right[of].shape
    print(f"{_flat(of)}, {rows} runs, {count:,} {asked}, in points (95 % interval):")
    for name, row in right.items():
        if name != of:
            print(f"  less {_flat(name)}: {lead(right[of], row)}")


def _flat(name: str) -> str:
    return " ".join(name.replace("-\n", "").split())


def starts_figure(title: str) -> Picture:
    """Where a classifier starts, on both stored tasks, with 100 labels."""
    tasks = stored_result("context_pretraining").numbers["tasks"]
    return interval_bars(
        list(STARTS.values()),
        {
            task: [numbers["accuracy"]["100"][name] for name in STARTS]
            for task, numbers in tasks.items()
        },
        title=title,
        ylabel="percent right",
    )


SHOWN = ("nothing", "language model's embedding", "last word, no LSTM", "bag of words, no LSTM")


def start_lead(task: str, other: str, labels: int = 100) -> Lead:
    """The whole move less another start, stored."""
    leads = stored_result("context_pretraining").numbers["tasks"][task]["leads"][str(labels)]
    return wider_lead(leads[f"language model before {other}"])


def wider_lead(point: Mapping[str, Any]) -> Lead:
    """A stored lead in points; of two kinds of interval, what holds both.

    With few draws the bootstrap's interval is too narrow. Student's t knows how few they are, and
    nothing of the texts.
    """
    drawn = interval(point["values"])
    ends = min(point["low"], drawn["low"]), max(point["high"], drawn["high"])
    return Lead.of({"mean": point["mean"], "low": ends[0], "high": ends[1]})


def print_starts() -> None:
    """Who is ahead of whom on both stored tasks, on the same draws and test sentences."""
    stored = stored_result("context_pretraining").numbers
    for task in stored["tasks"]:
        print(f"{task}, 100 labels, the whole move, in points (95 % interval):")
        for other in SHOWN[:3] if task == "part of speech" else (*SHOWN[:2], SHOWN[3]):
            print(f"   less {_flat(STARTS[other])}: {start_lead(task, other)}")


def verdict(task: str, other: str = "nothing", labels: int = 100) -> str:
    """*helps*, *hurts* or *no clear difference*: what the whole move does, stored."""
    said = start_lead(task, other, labels).verdict
    return {"ahead": "helps", "behind": "hurts"}.get(said, UNCLEAR)


def starts_title() -> str:
    """What the whole move does on each stored task."""
    said = {"helps": "helps", "hurts": "hurts", UNCLEAR: "makes no clear difference"}
    tasks = stored_result("context_pretraining").numbers["tasks"]
    each = "; ".join(f"{task}: the whole move {said[verdict(task)]}" for task in tasks)
    return f"{each[0].upper()}{each[1:]} (stored)"


def print_forgetting() -> None:
    """What the task came to in the stored runs, for each weight of the old loss."""
    stored = stored_result("context_forgetting").numbers
    for task, numbers in stored["tasks"].items():
        for way, right in numbers["accuracy"].items():
            times = np.exp(numbers["forgotten, nats a token"][way]["mean"])
            print(
                f"{task}, {way}: perplexity times {times:.2f}, task right {right['mean']:.0%} "
                f"({100 * right['low']:.0f} to {100 * right['high']:.0f})"
            )


def forgetting_figure(perplexities: Mapping[str, Sequence[float]], title: str) -> Picture:
    """The perplexity of the language model inside, epoch by epoch."""
    longest = max(map(len, perplexities.values()))
    picture = curves(
        list(range(longest)),
        perplexities,
        title=title,
        xlabel="epochs of fine-tuning",
        ylabel="held-out perplexity",
    )
    highest = max(max(row) for row in perplexities.values())
    picture.figure.axes[0].set_ylim(0, 1.3 * highest)  # from 0: a small loss must look small
    return picture


def translators_figure(
    own: Mapping[str, float], others: Mapping[str, float], untold: float, title: str
) -> Picture:
    """Perplexities of translators, each sentence with its own telegram and with another's.

    A line stands for the language model that is given no telegram.
    """
    return bars(
        list(own),
        {
            "with its telegram": list(own.values()),
            "with another's telegram": list(others.values()),
        },
        title=title,
        ylabel="perplexity",
        level=("language model, no telegram", untold),
    )


def parts_figure(title: str) -> Picture:
    """What each part of the translator's method is worth, as stored."""
    cost = stored_result("context_seq2seq").numbers[
        "log perplexity above the whole method, same seeds"
    ]
    return interval_bars(
        list(VARIANTS.values()),
        {"lost without it": [cost[name] for name in VARIANTS]},
        times=1,
        title=title,
        ylabel="nats a word",
    )


SYMPTOMS = {  # as stored: as drawn
    "perplexity": "each with its own telegram",
    "perplexity, one by one": "the same, read one by one, without padding",
    "perplexity, other sentences": "other new sentences",
    OTHERS: "each with another's telegram",
}


def broken_figure(title: str) -> Picture:
    """Perplexities of the sound translator and of the three broken ones, one run each.

    The axis is logarithmic: one of the broken ones has a perplexity near 1.
    """
    runs = stored_result("context_broken_translators").numbers["runs"]
    return bars(
        list(runs),
        {drawn: [run[stored] for run in runs.values()] for stored, drawn in SYMPTOMS.items()},
        title=title,
        ylabel="perplexity, with teacher forcing",
        log_y=True,
    )


def broken_positions(title: str) -> Picture:
    """What each of the first five words costs the same four, with its own telegram."""
    runs = stored_result("context_broken_translators").numbers["runs"]
    places = [1, 2, 3, 4, 5]
    picture = curves(
        places,
        {name: run["nats by place"] for name, run in runs.items()},
        title=title,
        xlabel="word of the target",
        ylabel="nats of the true word",
    )
    picture.figure.axes[0].set_xticks(places)
    return picture


def print_broken() -> None:
    """The same four: the loss of the first batch of training, and two telegrams made whole."""
    runs = stored_result("context_broken_translators").numbers["runs"]
    for name, run in runs.items():
        said = "; ".join(f"{it[0].upper()} -> {it[2] or '(nothing)'}" for it in run["says"][:2])
        print(f"{name}: first batch {run['loss of the first batch']:.1f} nats. Says: {said}")
