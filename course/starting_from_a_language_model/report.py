"""What lesson 04 prints and draws: of its own runs, and of what is stored."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.figures.plots import bars, curves
from course.results.accuracy import share_right
from course.results.intervals import TWO_INTERVALS, UNCLEAR, lead, lead_twice, verdict_twice
from course.results.stored import stored_result
from course.starting_from_a_language_model.bench import (
    DRAWS,
    Labelled,
    Recital,
    Right,
    StartsBench,
    surprises,
)
from course.starting_from_a_language_model.forgetting import language_model_of
from course.starting_from_a_language_model.telegrams import telegram
from elmo_mini.recurrent.decoding import Step, say
from elmo_mini.recurrent.language_model import LSTMLanguageModel
from elmo_mini.recurrent.seq2seq import Seq2Seq
from elmo_mini.text.batches import pad
from elmo_mini.text.running_text import next_word_windows, stream_rows

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
INSIDE = "perplexity of the language model inside"


def print_surprises(bench: StartsBench, model: LSTMLanguageModel, how_many: int = 4) -> None:
    """What some unseen sentences cost the language model, in nats, and how they were made."""
    for (sentence, label), nats in zip(
        bench.unseen[:how_many],
        surprises(model, [sentence for sentence, _ in bench.unseen[:how_many]]),
        strict=True,
    ):
        kind = ("in order", "shuffled")[label]
        print(f"{nats:5.0f} nats, {kind}: {' '.join(bench.vocabulary.decode(sentence))}")


def right_by_counting(bench: StartsBench) -> dict[str, Right]:
    """(draws, N) of naive Bayes, on all words and on the first and the last alone."""
    return {
        name: np.stack([bench.by_counting(bench.drawn(draw), ends) for draw in range(DRAWS)])
        for name, ends in (("naive Bayes:\nall words", False), ("naive Bayes:\nthe ends", True))
    }


def right_by_threshold(bench: StartsBench, model: LSTMLanguageModel) -> Right:
    """(draws, N) of a threshold on the surprise, chosen on the labelled sentences."""
    return np.stack([bench.by_threshold(model, bench.drawn(draw)) for draw in range(DRAWS)])


def right_figure(right: Mapping[str, Right], title: str) -> Picture:
    """Bars of (draws, N) shares of right answers, with 95 % intervals over draws and sentences."""
    return interval_bars(
        list(right),
        {"right": [share_right(row) for row in right.values()]},
        title=title,
        ylabel="percent of unseen sentences",
        level=("guessing", 50.0),
    )


def print_leads(right: Mapping[str, Right], of: str) -> None:
    """How far one is ahead of each of the others, on the same draws and sentences."""
    rows, sentences = right[of].shape
    print(f"{_flat(of)}, {rows} draws, {sentences:,} sentences, in points:")
    for name, row in right.items():
        if name != of:
            print(f"  less {_flat(name)}: {lead(share_right(right[of] - row))}")


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


def print_starts() -> None:
    """Who is ahead of whom on both stored tasks, on the same draws and test sentences."""
    stored = stored_result("context_pretraining").numbers
    print(TWO_INTERVALS)
    for task, numbers in stored["tasks"].items():
        for count, leads in numbers["leads"].items():
            print(
                f"{task}, {count} labels, {len(stored['seeds'])} draws, "
                f"{numbers['test sentences']:,} test sentences, in points:"
            )
            for pair, point in leads.items():
                one, other = (_flat(STARTS[name]) for name in pair.split(" before "))
                print(f"   {one} less {other}: {lead_twice(point)}")


def verdict(task: str, one: str, other: str, labels: int = 100) -> str:
    """*helps*, *hurts* or *no clear difference*: one stored start against another."""
    leads = stored_result("context_pretraining").numbers["tasks"][task]["leads"][str(labels)]
    said = verdict_twice(leads[f"{one} before {other}"])
    return {"ahead": "helps", "behind": "hurts"}.get(said, UNCLEAR)


def print_forgetting() -> None:
    """By what factor the perplexity grew in the stored runs, and what the task came to."""
    stored = stored_result("context_forgetting").numbers
    for task, numbers in stored["tasks"].items():
        print(f"{task}, 1,000 labels, {len(stored['seeds'])} seeds")
        for way, right in numbers["accuracy"].items():
            nats = numbers["forgotten, nats a token"][way]
            mean, low, high = (np.exp(nats[end]) for end in ("mean", "low", "high"))
            print(
                f"   {way}: perplexity times {mean:.2f} ({low:.2f} to {high:.2f}), task "
                f"{right['mean']:.0%} right ({right['low']:.0%} to {right['high']:.0%})"
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
    alone: float, own: Mapping[str, float], others: Mapping[str, float], title: str
) -> Picture:
    """Perplexities of the language model alone, and of translators with both telegrams."""
    gap = [np.nan] * len(own)
    return bars(
        ["language model alone", *own],
        {
            "with its telegram": [np.nan, *own.values()],
            "with another's telegram": [np.nan, *others.values()],
            "without a telegram": [alone, *gap],
        },
        title=title,
        ylabel="perplexity",
    )


class TwoGradients:
    """The gradients of a classifier's loss and of its language model's, where they stand now.

    Both are by embedding and LSTM, which the two share.

    Attributes
    ----------
    task, old : a list of tensors each
    """

    def __init__(
        self,
        bench: StartsBench,
        classifier: Any,
        language_model: LSTMLanguageModel,
        known: Labelled,
    ) -> None:
        classifier.eval()
        self._shared = [*classifier.embedding.parameters(), *classifier.lstm.parameters()]
        self._inside = language_model_of(classifier, language_model)
        rows = stream_rows(bench.stream[:8_000], 40)
        ((self._read, self._said),) = next_word_windows(rows, rows.shape[1])
        ids, mask = pad([sentence for sentence, _ in known], device="cpu")
        labels = torch.tensor([label for _, label in known])
        task = F.cross_entropy(classifier(ids, mask.sum(1)), labels)
        self.task = torch.autograd.grad(task, self._shared)
        self.old = torch.autograd.grad(self._loss(), self._shared)

    def _loss(self) -> Tensor:
        scores, _ = self._inside(self._read)
        return F.cross_entropy(scores.flatten(0, 1), self._said.flatten())

    @torch.no_grad()
    def measured(self, weight: float, rate: float) -> float:
        """By how much one step on task plus weight times old changes the old loss, in nats."""
        before = self._loss().item()
        kept = [part.clone() for part in self._shared]
        for part, task, old in zip(self._shared, self.task, self.old, strict=True):
            part.sub_(rate * (task + weight * old))
        after = self._loss().item()
        for part, was in zip(self._shared, kept, strict=True):
            part.copy_(was)
        return after - before

    def expected(self, weight: float, rate: float) -> float:
        """The same to first order, from the gradients alone."""
        pairs = list(zip(self.task, self.old, strict=True))
        along = sum(float(((task + weight * old) * old).sum()) for task, old in pairs)
        return -rate * along


def print_steps(gradients: TwoGradients, weights: Sequence[float], rate: float = 0.1) -> None:
    """What one step does to the language model's loss, expected and measured; each weight once."""
    for weight in dict.fromkeys(weights):
        print(
            f"weight {weight:6.3f}: expected {gradients.expected(weight, rate):+.6f} nats, "
            f"measured {gradients.measured(weight, rate):+.6f}"
        )


def print_said(
    bench: StartsBench, model: Seq2Seq, step: Step, sentences: Sequence[Sequence[str]]
) -> None:
    """The telegrams of some sentences, and what the translator makes of them."""
    for words in sentences:
        short = telegram([word.lower() for word in words])
        said, _ = say(model, step, bench.vocabulary.encode(short))
        print(f"  {' '.join(short).upper()}  ->  {' '.join(bench.vocabulary.decode(said))}")


def parts_figure(title: str) -> Picture:
    """What each part of the translator's method is worth, as stored."""
    cost = stored_result("context_seq2seq").numbers[
        "log perplexity above the whole method, same seeds"
    ]
    return interval_bars(
        list(VARIANTS.values()),
        {"nats lost": [cost[name] for name in VARIANTS]},
        times=1,
        title=title,
        ylabel="nats a word",
    )


def print_parts() -> None:
    """Perplexity with its own telegram and with another's, of every stored variant."""
    stored = stored_result("context_seq2seq").numbers
    print(f"{len(stored['seeds'])} seeds")
    for name, numbers in stored["variants"].items():
        own, other, inside = (
            numbers[measure]["mean"]
            for measure in (
                "perplexity",
                "perplexity, telegram of another sentence",
                "target LM perplexity",
            )
        )
        print(
            f"{VARIANTS.get(name, name):>26}: perplexity {own:.0f}, with another's telegram "
            f"{other:.0f}; language model inside {inside:,.0f}"
        )


def print_broken() -> None:
    """What is seen of the sound translator and of the three broken ones, one run each."""
    runs = stored_result("context_broken_translators").numbers["runs"]
    for name, run in runs.items():
        places = ", ".join(f"{nats:.1f}" for nats in run["nats by place"])
        print(
            f"{name}\n"
            f"  training loss: first batch {run['loss of the first batch']:.2f}, "
            f"last 20 {run['loss of the last 20 batches']:.2f}\n"
            f"  perplexity: test {run['perplexity']:.1f}, one by one "
            f"{run['perplexity, one by one']:.1f}, other new sentences "
            f"{run['perplexity, other sentences']:.1f}, "
            f"another's telegram {run[OTHERS]:.1f}\n"
            f"  nats of words 1 to 5: {places}; "
            f"language model inside: {run[INSIDE]:,.0f}"
        )
        for source, _, said in run["says"][:2]:
            print(f"  says: {source.upper()}  ->  {said or '(nothing)'}")


def parts_of(bench: StartsBench, model: LSTMLanguageModel, *parts: str) -> LSTMLanguageModel:
    """A fresh language model with these parts of a trained one."""
    torch.manual_seed(9)
    found = LSTMLanguageModel(len(bench.vocabulary), bench.size, bench.size)
    for part in parts:
        trained: nn.Module = getattr(model, part)
        getattr(found, part).load_state_dict(trained.state_dict())
    return found


def recital_loss(model: LSTMLanguageModel, batch: Recital) -> Tensor:
    """Mean nats of the steps of a sequence autoencoder that count."""
    read, said, counts = batch
    states, _ = model.states(read)
    return F.cross_entropy(model.softmax(states[counts]), said[counts])
