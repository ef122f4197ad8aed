"""Words for asking what a vector made from letters knows: misspelt ones, and false friends.

Both lists were written for this course by a language model. No misspelt word occurs in the text of
the course checkpoint; each word that was meant is among the 16,000 of its vocabulary.
"""

import json
from functools import cache
from importlib.resources import files


def misspelt_words() -> tuple[tuple[str, str], ...]:
    """Pairs: a slip as people make it, and the word that was meant."""
    return tuple((slip, meant) for slip, meant in _lists()["misspelt"])


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
