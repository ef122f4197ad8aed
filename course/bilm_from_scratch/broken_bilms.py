"""Three runs of the quick word biLM with one planted fault each, and their symptoms."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from course.bilm_from_scratch.word_bilm import MEET, PADDING, Reading, WordBiLM, trained
from course.texts.small_text import SmallText

TARGETS = "a wrong target"
RUNS = {"A": TARGETS, "B": PADDING, "C": MEET}


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    losses : (points, 2) held-out losses of the forward and of the backward reader, nats a token
    ahead, behind : (T, T) whether the top state at t moved when word s was replaced, row s
    alone : (2,) the largest distance of a short sentence's top states, read alone and beside a
        longer one; forward and backward
    """

    losses: NDArray[np.float64]
    ahead: NDArray[np.bool_]
    behind: NDArray[np.bool_]
    alone: NDArray[np.float64]


def symptoms(
    model: Callable[[Tensor], Reading],
    losses: NDArray[np.float64],
    moved: Callable[..., Any],
    sentence: Tensor,
    longer: Tensor,
    other: Tensor,
) -> Symptoms:
    """The symptoms of a model, by a causality test `moved(model, ids, t, other)`.

    Parameters
    ----------
    sentence, longer : ids of two sentences, (T, ...) and more than T
    other : ids of the word that replaces each word in turn
    """
    with torch.no_grad():
        places = range(len(sentence))
        tops = [np.asarray(moved(model, sentence[None], t, other))[-1] for t in places]
        beside = torch.zeros_like(torch.stack([longer, longer]))
        beside[0, : len(sentence)], beside[1] = sentence, longer
        alone = model(sentence[None])[0][-1][0]  # (T, 2 H)
        together = model(beside)[0][-1][0, : len(sentence)]
    distance = (alone - together).abs().amax(0).unflatten(0, (2, -1)).amax(1)  # (2,)
    ahead, behind = np.array(tops).swapaxes(0, 1)
    return Symptoms(losses, ahead.astype(bool), behind.astype(bool), distance.double().numpy())


def four_runs(
    text: SmallText, moved: Callable[..., Any], *, size: int, steps: int = 120
) -> dict[str, Symptoms]:
    """The symptoms of a sound run and of A, B and C, each trained on the same batches.

    Parameters
    ----------
    moved : the causality test, `moved(model, ids, t, other)`
    """
    words = len(text.vocabulary)
    held_ids, held_words = text.words(text.held_out)
    short = text.known_sentence(5)
    longer = (text.numbers([max(text.held_out, key=len)])[0] + 1)[0]
    torch.manual_seed(0)
    models = {"sound": (WordBiLM(words, size), False)}
    models |= {name: broken(name, words, size) for name in RUNS}
    seen = {}
    for name, (model, wrong_target) in models.items():
        batches = map(text.words, text.batches(16))
        losses = trained(model, batches, (held_ids, held_words), steps, wrong_target=wrong_target)
        sentence = (text.numbers([short])[0] + 1)[0]
        seen[name] = symptoms(model, losses, moved, sentence, longer, torch.tensor(words))
    return seen


def broken(name: str, words: int, size: int, seed: int = 0) -> tuple[WordBiLM, bool]:
    """The model of run A, B or C, and whether its targets are wrong.

    Raises
    ------
    KeyError
        There is no such run.
    """
    torch.manual_seed(seed)
    return WordBiLM(words, size, RUNS[name]), RUNS[name] == TARGETS
