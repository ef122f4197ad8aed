"""A model goes on speaking: each word is drawn, and read before the next."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from elmo_mini.text.running_text import BOUNDARY, UNKNOWN
from elmo_mini.text.vocabulary import Vocabulary


def spoken(
    scores_after: Callable[[list[int]], Tensor],
    draw: Callable[[Tensor, float], int],
    vocabulary: Vocabulary,
    start: Sequence[str],
    temperature: float = 0.7,
    *,
    most: int = 20,
    seed: int = 0,
) -> str:
    """The beginning of a sentence and what is drawn after it; a slash is a boundary.

    Parameters
    ----------
    scores_after : (V,) for the word after some ids, a boundary first
    draw : a word's id, from scores and a temperature; ``<unk>`` is never drawn
    """
    ids = vocabulary.encode([BOUNDARY, *start])
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        for _ in range(most):
            scores = scores_after(ids).clone()
            scores[vocabulary.id(UNKNOWN)] = -torch.inf
            ids.append(int(draw(scores, temperature)))
    words = vocabulary.decode(ids[1:])
    return " ".join("/" if word == BOUNDARY else word for word in words)
