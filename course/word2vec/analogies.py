"""Word analogies, king - man + woman: accuracy with the words of the question excluded, and not.

Beside them stands what needs no arithmetic: the nearest neighbour of one of the words.

Mikolov and others 2013 (arXiv:1301.3781), section 4; the questions travel with gensim.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.accuracy import share
from course.results.intervals import Lead
from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from gensim.test.utils import datapath

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Hits = NDArray[np.float64]
WAYS = WITHIN, RIGHT, FORBIDDEN, ALONE = (
    "a word of the question",
    "the right word",
    "the right word, rest forbidden",
    "no arithmetic: nearest to c",
)


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


def questions(words: Sequence[str]) -> tuple[dict[str, Ids], Counter[str]]:
    """Questions (N, 4) by kind that these words can ask and answer, in their places.

    The second value counts the questions of each section.
    """
    found: dict[str, list[list[int]]] = {"word forms": [], "facts": []}
    sections: Counter[str] = Counter()
    place = {word: number for number, word in enumerate(words)}
    kind = section = "facts"
    for line in Path(datapath("questions-words.txt")).read_text("utf-8").lower().splitlines():
        if line.startswith(":"):
            section = line.removeprefix(":").strip()
            kind = "word forms" if "gram" in section else "facts"
        elif place.keys() >= set(line.split()):
            found[kind].append([place[word] for word in line.split()])
            sections[section] += 1
    return {kind: np.array(rows).reshape(-1, 4) for kind, rows in found.items()}, sections


def answers(unit: Floats, asked: Mapping[str, Ids]) -> dict[str, dict[str, Hits]]:
    """For each kind and each way to ask, which questions (N,) come out: 1 for yes, 0 for no.

    The control leaves out the arithmetic: it answers with the word nearest to c.
    """
    found = {}
    for kind, (a, b, c, d) in ((kind, ids.T) for kind, ids in asked.items() if len(ids)):
        free = answered(unit, a, b, c, forbidden=False)
        found[kind] = {
            WITHIN: (free == a) | (free == b) | (free == c),
            RIGHT: free == d,
            FORBIDDEN: answered(unit, a, b, c) == d,
            ALONE: _nearest_to(unit, c, (a, b, c)) == d,
        }
    return {
        kind: {way: np.asarray(hit, dtype=np.float64) for way, hit in by_way.items()}
        for kind, by_way in found.items()
    }


def _nearest_to(unit: Floats, word: Ids, but: Sequence[Ids]) -> Ids:
    cosine = unit[word] @ unit.T
    for ids in but:
        cosine[np.arange(len(ids)), ids] = -np.inf
    return np.asarray(cosine.argmax(1))


def picture(found: Mapping[str, Mapping[str, Mapping[str, Hits]]]) -> Picture:
    """The share of the questions that come out, by vectors and kind, and by the way to ask.

    Parameters
    ----------
    found : by vectors, what `answers` gives
    """
    rows = [
        (f"{name},\n{kind}", by_way) for name, of in found.items() for kind, by_way in of.items()
    ]
    ways = {way: [share(by_way[way]) for _, by_way in rows] for way in WAYS}
    least = min(100 * float(by_way[WITHIN].mean()) for _, by_way in rows)
    return interval_bars(
        [label for label, _ in rows],
        ways,
        title=f"A word of the question comes first in {least:.0f} % or more",
        ylabel="% of the questions (no bar: 0)",
    )


def lead_of_arithmetic(by_way: Mapping[str, Hits]) -> Lead:
    """How far b - a + c is ahead of c alone on the same questions."""
    return Lead.of(share(by_way[FORBIDDEN] - by_way[ALONE]))
