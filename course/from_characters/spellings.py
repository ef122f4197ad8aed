"""Word lists that test character-based vectors: misspelt words, and look-alikes.

Two lists were written for this course by a language model. No misspelt word occurs in the text of
the course checkpoint; each word that was meant is among the 16,000 of its vocabulary. A longer list
of slips is made by chance.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import ascii_lowercase

import numpy as np

MADE = 150  # slips of each kind


def misspelt_words() -> tuple[tuple[str, str], ...]:
    """Pairs: a slip as people make it, and the word that was meant."""
    return tuple((slip, meant) for slip, meant in _lists()["misspelt"])


def made_slips(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of a slip, which is none of ``words``, and its word: `MADE` of each kind.

    Two letters swapped, one doubled, one dropped, one replaced; the first letter stays.
    """
    known, rng, made = set(words), np.random.default_rng(0), []
    pool = [w for w in words if len(w) > 4 and w.isascii() and w.isalpha() and w.islower()]
    for kind in range(4):
        pairs: list[tuple[str, str]] = []
        for word in rng.permutation(pool).tolist():
            i = int(rng.integers(1, len(word) - 1))
            other = ascii_lowercase[rng.integers(26)]
            left, here, right = word[:i], word[i], word[i + 1 :]
            slip = (
                left + (right[0] + here + right[1:], 2 * here + right, right, other + right)[kind]
            )
            if slip not in known and len(pairs) < MADE:
                pairs.append((slip, word))
        made += pairs
    return tuple(made)


def meaning_or_letters() -> tuple[tuple[str, str, str], ...]:
    """Triples: a word, one that is near in meaning, one that is near in letters only."""
    return tuple(
        (word, meaning, letters) for word, meaning, letters in _lists()["meaning_or_letters"]
    )


@cache
def _lists() -> dict[str, list[list[str]]]:
    content: dict[str, list[list[str]]] = json.loads(
        files("elmo_mini.data").joinpath("spellings_english.json").read_text(encoding="utf-8")
    )
    return content
