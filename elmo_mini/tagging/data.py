"""Sentences for a tagger: CoNLL-2000 chunks, named entities, few labels, frozen LM vectors."""

import random
import re
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal, get_args

import numpy as np

from elmo_mini import corpora
from elmo_mini.embedding.cache.writing import as_type
from elmo_mini.embedding.stream import embed_stream
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.plain_text import lines_of
from elmo_mini.settings import finite
from elmo_mini.tagging.spans import Span, bioes_of, to_bioes
from elmo_mini.tagging.tagged_sentences import TaggedSentence

Part = Literal["train", "dev", "test"]
_ENTITY_OR_TEXT = re.compile(r"\[([^\s\[\]]+(?: [^\s\[\]]+)+)\]|([^\[]+|\[)")


class EntitiesDamaged(ValueError):
    """A file of bracketed entities that does not keep its format; names the file and the line."""


def chunking(part: Part) -> list[TaggedSentence]:
    """CoNLL-2000 sentences with their chunks in BIOES.

    The task has no dev set: a tenth of its training sentences is one here. Training sentences
    that also stand in the test set are left out.

    Raises
    ------
    CorpusMissing
        If conll2000 is not on this machine.
    """
    return [
        _tagged([word for word, _, _ in sentence], [chunk for _, _, chunk in sentence])
        for sentence in corpora.load("conll2000").split(part).chunked_sentences()
    ]


def entities(part: Part) -> list[TaggedSentence]:
    """The sentences written for this course, with people, places and organisations in BIOES.

    78 for training, 20 for dev, 62 for testing; no name of test is an entity in train or dev.
    Always there: they come with the package.

    Raises
    ------
    ValueError
        If there is no such part.
    EntitiesDamaged
        If the file does not keep its format.
    """
    return read_entities(files("elmo_mini") / "data" / "entities_english.txt", part)


def read_entities(source: Traversable, part: Part) -> list[TaggedSentence]:
    """One part of a file of tokenised sentences with entities in brackets, ``[LOC Leeds]``.

    A line such as ``# train`` opens a part.

    Raises
    ------
    ValueError
        If there is no such part.
    EntitiesDamaged
        If a bracket is not closed, or an entity has no kind or no word.
    """
    if part not in get_args(Part):
        raise ValueError(f"there is no part {part!r}: choose one of {', '.join(get_args(Part))}")
    found, here = [], ""
    for number, line in enumerate(lines_of(source), start=1):
        if line.startswith("#"):
            here = line.strip("# ")
        elif here == part and line.strip():
            try:
                found.append(_bracketed(line))
            except ValueError as error:
                raise EntitiesDamaged(f"{source}, line {number}: {error}") from error
    return found


def few(sentences: Sequence[TaggedSentence], share: float, seed: int) -> list[TaggedSentence]:
    """That share of the sentences, at least one, drawn by the seed; 1.0 gives them all.

    The draws of one seed are nested: the 1 % lie within the 10 %.

    Raises
    ------
    ValueError
        If the share is not above 0 and at most 1.
    """
    if not 0 < finite("share", share) <= 1:
        raise ValueError(f"the share is {share}; it must be above 0 and at most 1")
    mixed = list(sentences)
    random.Random(seed).shuffle(mixed)
    return mixed[: max(1, round(share * len(mixed)))]


def with_lm_vectors(
    bilm: FastBiLM, sentences: Sequence[TaggedSentence], *, layer: int = -1, progress: bool = False
) -> list[TaggedSentence]:
    """The sentences with one layer of the frozen biLM, (T, 2H), forward half first.

    float16, which halves the memory.

    Parameters
    ----------
    layer : -1 is the top; 0 the token layer, which knows a word's letters and no neighbour, and
        stands there twice over
    """
    return with_lm_layers(bilm, sentences, (layer,), progress=progress)[layer]


def with_lm_layers(
    bilm: FastBiLM,
    sentences: Sequence[TaggedSentence],
    layers: Sequence[int],
    *,
    progress: bool = False,
) -> dict[int, list[TaggedSentence]]:
    """By layer, the sentences as `with_lm_vectors` gives them; the biLM reads them once."""
    known = range(-1 - bilm.options.n_layers, bilm.options.n_layers + 1)
    for layer in layers:
        if layer not in known:
            raise ValueError(f"there is no layer {layer}; choose from {known[0]} to {known[-1]}")
    rows: dict[int, list[TaggedSentence]] = {layer: [] for layer in layers}
    stream = embed_stream(bilm, [s.words for s in sentences], progress=progress)
    for sentence, embedded in zip(sentences, stream, strict=True):
        every = embedded.every_layer()
        for layer, found in rows.items():
            found.append(sentence._replace(lm=as_type(every[layer], np.float16)))
    return rows


def _bracketed(line: str) -> TaggedSentence:
    words: list[str] = []
    spans: list[Span] = []
    for entity, plain in _ENTITY_OR_TEXT.findall(line):
        if entity:
            kind, *names = entity.split()
            spans.append(Span(len(words), len(words) + len(names), kind))
            words += names
        elif "[" in plain or "]" in plain:
            raise ValueError(f"a bracket is open or empty in {line!r}")
        else:
            words += plain.split()
    return TaggedSentence(tuple(words), tuple(bioes_of(spans, len(words))))


def _tagged(words: Sequence[str], labels: Sequence[str]) -> TaggedSentence:
    return TaggedSentence(tuple(words), tuple(to_bioes(labels)))
