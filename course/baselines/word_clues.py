"""Hand-made clues about a word in its sentence, and a CRF that reads them: no network.

What somebody would count in an afternoon: the word, its endings, its capitals, and the same of two
words on either side.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

OUTSIDE = "<>"
REACH = 2


def clues(words: Sequence[str]) -> list[list[str]]:
    """For each word of a sentence, what is seen of it and of two words on either side."""
    return _clues(tuple(words))


@lru_cache(maxsize=4_096)  # every tagger of a comparison asks for the same sentences
def _clues(words: tuple[str, ...]) -> list[list[str]]:
    around = [OUTSIDE] * REACH + [*words] + [OUTSIDE] * REACH
    return [
        [
            clue
            for offset in range(-REACH, REACH + 1)
            for clue in _seen(around[place + REACH + offset], offset)
        ]
        for place in range(len(words))
    ]


def _seen(word: str, offset: int) -> list[str]:
    lower = word.lower()
    endings = (1, 2, 3, 4) if offset == 0 else (2, 3)
    seen = [lower, f"like {shape(word)}", *(f"ends {lower[-n:]}" for n in endings)]
    if offset == 0:
        seen += [f"begins {lower[:n]}" for n in (1, 2, 3)]
    return [f"{offset:+d} {clue}" for clue in seen]


def shape(word: str) -> str:
    """The first four signs: X a capital, x a small letter, d a digit, others as they are."""
    return "".join(
        "X" if sign.isupper() else "x" if sign.islower() else "d" if sign.isdigit() else sign
        for sign in word[:4]
    )


class ClueTable:
    """Numbers for the clues that some sentences hold; 0 stands for all others.

    Parameters
    ----------
    sentences : lists of words
    """

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        found = {clue: None for words in sentences for row in clues(words) for clue in row}
        self.numbers: Mapping[str, int] = {clue: n for n, clue in enumerate(found, start=1)}
        self._rows: dict[tuple[str, ...], Tensor] = {}

    def __len__(self) -> int:
        return len(self.numbers) + 1

    def of(self, sentences: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Ids of the clues (B, T, 18), and the mask (B, T)."""
        rows = [self._row(tuple(words)) for words in sentences]
        there = [torch.ones(len(row), dtype=torch.bool) for row in rows]
        return pad_sequence(rows, batch_first=True), pad_sequence(there, batch_first=True)

    def _row(self, words: tuple[str, ...]) -> Tensor:
        if words not in self._rows:
            numbers = [[self.numbers.get(clue, 0) for clue in row] for row in clues(words)]
            self._rows[words] = torch.tensor(numbers)
        return self._rows[words]


class ClueScores(nn.Module):
    """Emissions of a linear model: a weight for each clue and label, added up; all begin at 0."""

    def __init__(self, clues: int, labels: int) -> None:
        super().__init__()
        self.weights = nn.EmbeddingBag(clues, labels, mode="sum", padding_idx=0)
        nn.init.zeros_(self.weights.weight)

    def forward(self, ids: Tensor, *_: object) -> Tensor:
        """(B, T, clues of a word) to (B, T, K); whatever else a tagger reads is left aside."""
        scores: Tensor = self.weights(ids.flatten(0, 1))
        return scores.unflatten(0, ids.shape[:2])
