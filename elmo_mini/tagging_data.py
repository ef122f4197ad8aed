"""Sentences for a tagger: CoNLL-2000 chunks, named entities, few labels, frozen LM vectors."""

import random
from collections.abc import Sequence
from typing import Literal

import numpy as np

from elmo_mini import corpora
from elmo_mini.bilm import BiLM
from elmo_mini.embedding_stream import embed_stream
from elmo_mini.spans import to_bioes
from elmo_mini.tagger import TaggedSentence

Part = Literal["train", "dev", "test"]


def chunking(part: Part) -> list[TaggedSentence]:
    """CoNLL-2000 sentences with their chunks in BIOES.

    The task has no dev set: a tenth of its training sentences is one here. Training sentences
    that also stand in the test set are left out.

    Raises:
        CorpusMissing: conll2000 is not on this machine.
    """
    return [
        _tagged([word for word, _, _ in sentence], [chunk for _, _, chunk in sentence])
        for sentence in corpora.load("conll2000").split(part).chunked_sentences()
    ]


def newswire_entities(part: Part) -> list[TaggedSentence]:
    """Sentences of the IEER newswire stories with their named entities in BIOES, split by story.

    Raises:
        CorpusMissing: ieer is not on this machine.
    """
    return [
        _tagged([word for word, _ in sentence], [label for _, label in sentence])
        for sentence in corpora.load("ieer").split(part).entity_sentences()
        if sentence
    ]


def few(sentences: Sequence[TaggedSentence], share: float, seed: int) -> list[TaggedSentence]:
    """That share of the sentences, at least one, drawn by the seed; 1.0 gives them all.

    The draws of one seed are nested: the 1 % lie within the 10 %.

    Raises:
        ValueError: the share is not above 0 and at most 1.
    """
    if not 0 < share <= 1:
        raise ValueError(f"the share is {share}; it must be above 0 and at most 1")
    mixed = list(sentences)
    random.Random(seed).shuffle(mixed)
    return mixed[: max(1, round(share * len(mixed)))]


def with_lm_vectors(
    bilm: BiLM, sentences: Sequence[TaggedSentence], *, progress: bool = False
) -> list[TaggedSentence]:
    """The sentences with the top layer of the frozen biLM, (T, 2H), forward half first.

    float16, which halves the memory.
    """
    stream = embed_stream(bilm, [s.words for s in sentences], progress=progress)
    return [
        sentence._replace(lm=embedded.layers[-1].astype(np.float16))
        for sentence, embedded in zip(sentences, stream, strict=True)
    ]


def _tagged(words: Sequence[str], labels: Sequence[str]) -> TaggedSentence:
    return TaggedSentence(tuple(words), tuple(to_bioes(labels)))
