"""Annotated sentences, and passages of sentences: what a corpus consists of.

A passage is what a split never tears apart: a document where the corpus has documents, a single
sentence or instance where it has none.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; `tags`, `chunks` and `entities` are empty or as long as `words`.

    `chunks` and `entities` are IOB2 labels: ``B-NP I-NP O`` for two words of a noun phrase and
    one outside.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Instance(Sentence):
    """An ambiguous word in its context: ``words[position]`` is a form of `word`, meant as `sense`.

    The context may be longer than one sentence.
    """

    word: str = ""
    position: int = 0
    sense: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences that stay together in a split, with what the corpus says about them.

    Attributes
    ----------
    sentences : in the order of the text
    name : the document's name, empty where the corpus has no documents
    label : class or genre
    fine_label : the finer one where there are two
    part : ``"train"`` or ``"test"`` where the corpus comes with an official split
    """

    sentences: tuple[Sentence, ...]
    name: str = ""
    label: str = ""
    fine_label: str = ""
    part: str = ""


def shared(words: Iterable[str]) -> tuple[str, ...]:
    """The words as a tuple that holds each distinct string once in memory."""
    return tuple(map(sys.intern, words))
