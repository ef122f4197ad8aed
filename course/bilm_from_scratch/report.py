"""The measurements of lesson 07, as figures and as lines to read."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from course.bilm_from_scratch.frozen_softmax import Answered, perplexity, times_lower
from course.bilm_from_scratch.word_bilm import WordReader
from course.figures import plots
from course.figures.picture import Picture
from course.results.intervals import lead
from course.results.stored import stored_result


def draw_run(
    runs: Mapping[str, Sequence[float] | NDArray[np.float64]],
    counts: Mapping[str, float],
    *,
    every: int,
    size: int,
    title: str,
) -> Picture:
    """Held-out perplexity over the batches, beside what does not learn.

    Parameters
    ----------
    runs : by name, (N,), a number after each `every` batches of `size` sentences
    counts : perplexities of counts, by name
    """
    points = len(next(iter(runs.values())))
    level = np.ones(points)
    rows = {name: np.asarray(run) for name, run in runs.items()}
    rows |= {name: found * level for name, found in counts.items()}
    across = f"batches of {size} sentences"
    steps = every * np.arange(1, points + 1)
    return plots.curves(steps, rows, title=title, xlabel=across, ylabel="held-out perplexity")


@torch.no_grad()
def cut_off_perplexity(model: WordReader, ids: Tensor, words: Tensor) -> float:
    """Of the forward half, when every sentence ends before the word to predict.

    Parameters
    ----------
    ids, words : (B, T), what the model reads and what it is asked; 0 is padding in `ids`
    """
    size = model.table.weight.shape[1]
    softmax = model.table.weight[1:] * size**-0.5
    nats = []
    for t in range(1, ids.shape[1]):
        there = ids[:, t] > 0
        states = model(ids[there, :t])[0][-1][:, -1, :size]
        scores = states @ softmax.T + model.bias
        nats.append(functional.cross_entropy(scores, words[there, t], reduction="none"))
    return float(torch.cat(nats).mean().exp())


def draw_cut(
    whole: Mapping[str, float], cut: Mapping[str, float], words: float, title: str
) -> Picture:
    """Perplexity of each model on whole sentences and on cut ones, and of counts of words."""
    rows = {
        "the sentence goes on": list(whole.values()),
        "cut off before the word to predict": list(cut.values()),
    }
    level = ("counts of words", words)
    return plots.bars(list(whole), rows, title=title, ylabel="perplexity", level=level)


def draw_answered(answered: Mapping[str, Answered], title: str) -> Picture:
    """Perplexities with their intervals over sentences."""
    found = np.array([perplexity(a) for a in answered.values()])  # (N, 3): mean, low, high
    errors = {"perplexity": np.abs(found[:, 1:] - found[:, :1]).T}
    rows = {"perplexity": found[:, 0]}
    return plots.bars(list(answered), rows, errors=errors, title=title, ylabel="perplexity")


def print_times(answered: Mapping[str, Answered], *pairs: tuple[str, str]) -> None:
    """For each pair, how many times the one's perplexity the other has, on the same sentences."""
    for one, other in pairs:
        mean, low, high = times_lower(answered[one], answered[other])
        print(f"{other}: {mean:.2f} times that of {one} ({low:.2f} to {high:.2f})")
    print("softmax steps kept:", *(f"{name} {a.steps};" for name, a in answered.items() if a.steps))


def print_task_text() -> None:
    """What it brings to read the task's text first, as stored."""
    stored = stored_result("task_text_pos")
    print(stored)
    numbers = stored.numbers
    said = [f"{numbers['perplexity']['before']:.1f} before"]
    for who in ("softmax alone", "all weights"):
        point = numbers["perplexity"][who]
        ends = f"({point['low']:.1f} to {point['high']:.1f})"
        said.append(f"{point['mean']:.1f} {ends} with {who} trained")
    print("(in brackets: 95 %, over three seeds)")
    print("perplexity on other sentences of the paper:", ", ".join(said))
    for layer, gain in numbers["gains"].items():
        print(f"parts of speech by a linear probe, {layer}, in points:", lead(gain))
