"""king - man + woman: the published questions, with and without the words of the question.

Mikolov and others 2013 (arXiv:1301.3781), section 4; the questions travel with gensim.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_mini.extras import brought_by
from elmo_mini.text.vocabulary import Vocabulary

with brought_by("experiments"):
    from gensim.test.utils import datapath

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


def answered(
    unit: Floats, a: Sequence[int], b: Sequence[int], c: Sequence[int], forbidden: bool = True
) -> Ids:
    """Ids (N,) of the words nearest to b - a + c.

    Parameters
    ----------
    unit : vectors of length 1, (V, D)
    a, b, c : ids of N questions
    forbidden : whether the three words of a question may not be its answer
    """
    cosine = (unit[b] - unit[a] + unit[c]) @ unit.T  # (N, V)
    if forbidden:
        for ids in (a, b, c):
            cosine[np.arange(len(ids)), ids] = -np.inf
    return np.asarray(cosine.argmax(1))


def questions(vocabulary: Vocabulary, known: int = 4_000) -> tuple[dict[str, Ids], Counter[str]]:
    """Questions (N, 4) by kind, whose words are all among the `known` most frequent ones.

    The second value counts the questions of each section.
    """
    found: dict[str, list[list[int]]] = {"word forms": [], "facts": []}
    sections: Counter[str] = Counter()
    usual = set(vocabulary.words[:known])
    kind = section = "facts"
    for line in Path(datapath("questions-words.txt")).read_text("utf-8").lower().splitlines():
        if line.startswith(":"):
            section = line.removeprefix(":").strip()
            kind = "word forms" if "gram" in section else "facts"
        elif usual.issuperset(line.split()):
            found[kind].append([vocabulary.id(word) for word in line.split()])
            sections[section] += 1
    return {kind: np.array(rows).reshape(-1, 4) for kind, rows in found.items()}, sections


def shares(unit: Floats, asked: dict[str, Ids]) -> dict[str, list[float]]:
    """What lies nearest to b - a + c, as shares of the questions of each kind."""
    rows: dict[str, list[float]] = {
        "a word of the question": [],
        "the right word": [],
        "the right word, rest forbidden": [],
    }
    for a, b, c, d in (ids.T for ids in asked.values()):
        free = answered(unit, a, b, c, forbidden=False)
        rows["a word of the question"].append(np.mean((free == a) | (free == b) | (free == c)))
        rows["the right word"].append(np.mean(free == d))
        rows["the right word, rest forbidden"].append(np.mean(answered(unit, a, b, c) == d))
    return rows
