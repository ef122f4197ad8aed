"""A mix that is known, and a small real task that trains one: what lesson 08 measures with.

Which trainer, which mix and which gradient are arguments: the learner's own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from course.texts.small_tasks import labelled_words
from elmo_mini.embedding.stream import embed_stream
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.probing.tasks import Occurrence
from elmo_mini.progress import progress_bar

Numbers = NDArray[np.floating[Any]]
Train = Callable[..., Tensor]
Desk = Callable[..., Any]
Layers = list[Tensor]


@dataclass(frozen=True)
class KnownMix:
    """Vectors that somebody mixed from real layers, with shares and a volume that we know.

    Attributes
    ----------
    layers : (L + 1, words, 2H)
    wanted : (words, 2H)
    """

    layers: Numbers
    wanted: Numbers

    @classmethod
    def of(cls, layers: Numbers, shares: Sequence[float], gamma: float) -> "KnownMix":
        """Mix these layers with these shares and this volume."""
        exact = np.asarray(layers, float)
        return cls(exact, gamma * np.einsum("j,jtd->td", shares, exact))

    def learned(
        self,
        gradient: Callable[..., tuple[Any, Any]],
        *,
        hold_gamma: bool = False,
        decay: float = 0.0,
        steps: int = 300,
    ) -> tuple[Numbers, float]:
        """Shares and gamma after going down a gradient of the mean squared distance.

        Parameters
        ----------
        gradient : of layers, w, gamma, upstream and decay, for w and for gamma
        hold_gamma : leave it at 1
        """
        w, gamma = np.zeros(len(self.layers)), 1.0
        for _ in range(steps):
            error = gamma * np.einsum("j,jtd->td", _shares(w), self.layers) - self.wanted
            for_w, for_gamma = gradient(self.layers, w, gamma, 2 * error / error.size, decay)
            w = w - np.asarray(for_w) / (
                1 + 2.5 * decay
            )  # smaller steps where the penalty is steep
            gamma -= 0.0 if hold_gamma else float(for_gamma)
        return _shares(w), gamma


@dataclass(frozen=True)
class MixingTask:
    """Labelled words of a few sentences, with the frozen layers of a biLM.

    Attributes
    ----------
    title : what the labels are
    labels : how many there are
    train, test : sentences as (layers (L + 1, T, 2H), labels (T,)) in the order of the text
    """

    title: str
    labels: int
    train: list[tuple[Tensor, Tensor]]
    test: list[tuple[Tensor, Tensor]]

    def swapped(self, one: int, other: int) -> "MixingTask":
        """The same task, where two layers have each other's volume (standard deviation)."""
        volumes = torch.cat([layers for layers, _ in self.train], 1).std((1, 2))  # (L + 1,)
        times = torch.ones_like(volumes)
        times[one], times[other] = volumes[other] / volumes[one], volumes[one] / volumes[other]
        train, test = (
            [(layers * times[:, None, None], labels) for layers, labels in part]
            for part in (self.train, self.test)
        )
        return replace(self, train=train, test=test)

    def right(
        self,
        train_mix: Train,
        new_mix: Desk,
        keep: slice = slice(None),
        *,
        draw: int,
        learn_w: bool = True,
        decay: float = 0.0,
        sentences: int = 40,
        steps: int = 50,
    ) -> "Trained":
        """Train a new_mix and a linear head on some sentences, and ask about all test words.

        Parameters
        ----------
        train_mix : trains both, and gives the shares after each step
        new_mix : makes a mix of so many layers
        keep : which layers it gets
        draw : which sentences are drawn, and where the head starts
        learn_w : False leaves the shares equal; gamma is learned either way
        """
        drawn = np.random.default_rng(draw).permutation(len(self.train))[:sentences]
        layers, mask, labels = batch([self.train[row] for row in drawn])
        with torch.random.fork_rng([]):
            torch.manual_seed(draw)
            head = nn.Linear(layers[0].shape[-1], self.labels)
        mix = new_mix(len(layers[keep]))
        mix.w.requires_grad_(learn_w)
        shares = train_mix(mix, head, layers[keep], mask, labels, steps, 2e-2, decay)
        asked, there, truth = batch(self.test)
        with torch.no_grad():
            said = head(mix(asked[keep], there))[there].argmax(-1)
        number = torch.arange(len(there))[:, None].expand_as(there)[there]
        right = (said == truth[there]).numpy()
        history = torch.stack([torch.as_tensor(row) for row in shares]).detach().numpy()
        return Trained(right, number.numpy(), history, mix.gamma.item())


@dataclass(frozen=True)
class Trained:
    """One run: (words,) right, the sentence of each word, (steps, L + 1) shares, and gamma."""

    right: NDArray[np.bool_]
    sentence: NDArray[np.int64]
    shares: Numbers
    gamma: float


def mixing_task(bilm: FastBiLM, sentences: int = 120, asked: int = 100) -> MixingTask:
    """Parts of speech of treebank; without it, kinds of names in the course's sentences."""
    task = labelled_words(26 * sentences, 26 * asked)
    names = {label: n for n, label in enumerate(sorted({o.label for o in task.train}))}
    parts = (
        _sentences(bilm, part, names, most)
        for part, most in ((task.train, sentences), (task.test, asked))
    )
    return MixingTask(task.title, len(names), *parts)


def five_ways(new_mix: Desk) -> dict[str, dict[str, Any]]:
    """One layer alone, the average, and learned shares with and without the norm."""
    return {
        "layer 0\nalone": {"new_mix": new_mix, "keep": slice(0, 1)},
        "top layer\nalone": {"new_mix": new_mix, "keep": slice(-1, None)},
        "average": {"new_mix": new_mix, "learn_w": False},
        "learned": {"new_mix": new_mix},
        "learned,\nlayer norm": {"new_mix": partial(new_mix, do_layer_norm=True)},
    }


def compare(
    task: MixingTask, ways: dict[str, dict[str, Any]], train_mix: Train, draws: int = 3
) -> dict[str, list[Trained]]:
    """Each way, trained on the same draws of sentences: keyword arguments of `MixingTask.right`."""
    found: dict[str, list[Trained]] = {name: [] for name in ways}
    runs = [(name, draw) for draw in range(draws) for name in ways]
    for name, draw in progress_bar(runs):
        how = dict(ways[name])
        found[name].append(how.pop("task", task).right(train_mix, draw=draw, **how))
    return found


def share_of(runs: Sequence[Trained], other: Sequence[Trained] | None = None) -> dict[str, float]:
    """Share right, or its lead over `other` on the same words, over draws and sentences."""
    right = np.array([run.right for run in runs], float)
    if other is not None:
        right -= np.array([run.right for run in other], float)
    mean, low, high = bootstrap_interval(right, runs[0].sentence)
    return {"mean": mean, "low": low, "high": high}


def shares_over_steps(
    runs: Mapping[str, Sequence[Trained]], layers: Sequence[int] = (1, 2)
) -> tuple[dict[str, Numbers], dict[str, tuple[Numbers, Numbers]]]:
    """Mean shares of some layers after each step in percent, and the lowest and highest draw.

    Parameters
    ----------
    runs : draws by what is written behind the layer's name

    Returns
    -------
    lines and bands, as `figures.plots.curves` takes them
    """
    lines, bands = {}, {}
    for way, draws in runs.items():
        for layer in layers:
            history = 100 * np.array([run.shares[:, layer] for run in draws])
            lines[f"layer {layer}{way}"] = history.mean(0)
            bands[f"layer {layer}{way}"] = (history.min(0), history.max(0))
    return lines, bands


def batch(rows: Sequence[tuple[Tensor, Tensor]]) -> tuple[Layers, Tensor, Tensor]:
    """L + 1 layers (B, T, 2H), the mask (B, T) and the labels (B, T), padded with zeros."""
    pad = nn.utils.rnn.pad_sequence
    layers = pad([of_one.transpose(0, 1) for of_one, _ in rows], batch_first=True)
    lengths = torch.tensor([len(labels) for _, labels in rows])
    mask = torch.arange(int(lengths.max())) < lengths[:, None]
    return list(layers.unbind(2)), mask, pad([labels for _, labels in rows], batch_first=True)


def _sentences(
    bilm: FastBiLM, words: Sequence[Occurrence], names: dict[str, int], most: int
) -> list[tuple[Tensor, Tensor]]:
    """Whole sentences; a label that was never learned is asked for as number 0."""
    whole = [list(of_one) for _, of_one in groupby(words, key=lambda o: id(o.words))]
    whole = [of_one for of_one in whole if len(of_one) == len(of_one[0].words)][:most]
    stream = embed_stream(bilm, [of_one[0].words for of_one in whole])
    return [
        (
            torch.from_numpy(np.ascontiguousarray(embedded.every_layer())),
            torch.tensor([names.get(o.label, 0) for o in of_one]),
        )
        for of_one, embedded in zip(whole, stream, strict=True)
    ]


def _shares(w: Numbers) -> Numbers:
    powers = np.exp(w - w.max())
    return np.asarray(powers / powers.sum())
