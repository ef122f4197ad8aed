"""Neighbours of a word in context: which occurrences in a corpus are nearest to this one.

NAACL ELMo paper, table 4: the neighbours of *play* as a static vector mix its senses; those of
one occurrence of *play* in a biLM keep to its sense. The corpus is streamed: only the nearest
occurrences so far are kept.
"""

import heapq
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.embedding.cache import VectorCache
from elmo_mini.embedding.stream import Floats, Sentence, Text, embed_stream, sentences_of
from elmo_mini.fast.bilm import FastBiLM, stateless_bilm
from elmo_mini.settings import whole_number
from elmo_mini.text.sentences import check_sentence, check_words, checked


@dataclass(frozen=True)
class Neighbour:
    """An occurrence near the query: word `position` of `sentence`.

    Attributes
    ----------
    similarity : cosine of the two vectors
    number : the sentence's number in the corpus, from 0
    """

    similarity: float
    sentence: tuple[str, ...] = field(repr=False)
    position: int
    number: int

    @property
    def word(self) -> str:
        """The word as it stands there."""
        return self.sentence[self.position]

    def __str__(self) -> str:
        return f"{self.similarity:6.3f}  {in_brackets(self.sentence, self.position)}"


def context_neighbours(
    bilm: FastBiLM,
    sentence: Sentence,
    position: int,
    corpus: Text | VectorCache,
    *,
    forms: Collection[str] | None = None,
    any_word: bool = False,
    layers: Sequence[int] | None = None,
    topn: int = 10,
    progress: bool = True,
) -> dict[int, list[Neighbour]]:
    """The `topn` occurrences nearest to word `position` of `sentence`, for each layer.

    Parameters
    ----------
    corpus : sentences as lists of words, a function that gives them (``corpus.sentences``), or
        a `VectorCache` of this model
    forms : which words to compare with, whatever their case; by default the word itself. Pass
        ``("play", "plays", "played")`` to admit inflected forms
    any_word : compare with every word of the corpus. Slower, since otherwise only sentences with
        one of `forms` are embedded
    layers : which layers, all by default. Layer 0 sees no context: every occurrence of the same
        spelling has similarity 1 there, and which come first says nothing

    Returns
    -------
    For each layer, neighbours by falling similarity; fewer than `topn` where the corpus has
    fewer. The query's own occurrence, and further copies of the whole sentence, are left out.

    Raises
    ------
    ValueError
        If `position` is outside the sentence, there is no such layer, `topn` is below 1, or the
        model is stateful.
    CacheForeign
        If the cache was written by another model.
    """
    check_sentence(sentence, 0)
    bilm = stateless_bilm(bilm)
    words = tuple(sentence)
    chosen = list(range(bilm.num_layers)) if layers is None else list(layers)
    _check(bilm, words, position, chosen, topn)
    (embedded,) = embed_stream(bilm, [words])
    query = embedded.every_layer()[chosen, position]  # (layers, 2H)
    query /= np.maximum(np.linalg.norm(query, axis=-1, keepdims=True), 1e-12)
    forms = forms or (words[position],)
    check_words("forms", forms)
    wanted = {form.lower() for form in forms}

    def places(candidate: Sentence) -> list[int]:
        if tuple(candidate) == words:
            return []
        if any_word:
            return list(range(len(candidate)))
        return [place for place, word in enumerate(candidate) if word.lower() in wanted]

    best: list[list[tuple[float, int, Neighbour]]] = [[] for _ in chosen]
    ticket = count()
    for number, candidate, there, vectors in _candidates(bilm, corpus, chosen, places, progress):
        lengths = np.maximum(np.linalg.norm(vectors, axis=-1), 1e-12)
        similarities = np.einsum("lnh,lh->ln", vectors, query) / lengths
        for heap, row in zip(best, similarities, strict=True):
            floor = heap[0][0] if len(heap) == topn else -np.inf
            for place in np.flatnonzero(row > floor):
                similarity = float(row[place])
                neighbour = Neighbour(similarity, tuple(candidate), there[place], number)
                # Of equals the earlier one stays: later tickets are smaller.
                entry = (similarity, -next(ticket), neighbour)
                (heapq.heappush if len(heap) < topn else heapq.heappushpop)(heap, entry)
    return {
        layer: [neighbour for _, _, neighbour in sorted(heap, reverse=True)]
        for layer, heap in zip(chosen, best, strict=True)
    }


def same_label_share(
    vectors: NDArray[np.floating[Any]],
    labels: Sequence[str],
    nearest: int = 5,
    groups: Sequence[Hashable] | None = None,
) -> NDArray[np.float64]:
    """For each vector, the share of its `nearest` others (cosine) that have its label, (N,).

    Vectors that are equally near count alike: where all are, the share is that of all the others.

    Parameters
    ----------
    vectors : (N, D)
    groups : the group of each vector; only vectors of one group are compared. Where a group is
        None, or has one label alone, there is nothing to find, and the share is nan

    Raises
    ------
    ValueError
        If there are no more than `nearest` vectors, or no more of a group, or one is not finite.
    """
    whole_number("nearest", nearest)
    several = labels if groups is None else groups
    if np.ndim(vectors) != 2 or not len(vectors) == len(labels) == len(several):
        raise ValueError(
            f"the vectors have shape {np.shape(vectors)}, and there are {len(labels)} labels and "
            f"{len(several)} groups; each of (N, D) needs one"
        )
    if groups is not None:
        shares = np.full(len(vectors), np.nan)
        for group in dict.fromkeys(groups):
            rows = [row for row, of_row in enumerate(groups) if of_row == group]
            of_group = [labels[row] for row in rows]
            if group is not None and len(set(of_group)) > 1:
                shares[rows] = same_label_share(vectors[rows], of_group, nearest)
        return shares
    if len(vectors) <= nearest:
        raise ValueError(
            f"there are {len(vectors)} vectors; each is compared with its {nearest} nearest "
            "others, so give more vectors or ask for fewer neighbours"
        )
    unit = vectors.astype(np.float64)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    if not np.isfinite(unit).all():
        raise ValueError("a vector holds numbers that are not finite, so none is its nearest")
    similarity = (unit @ unit.T).round(9)
    np.fill_diagonal(similarity, -np.inf)
    known = np.array(labels)
    share = np.empty(len(vectors))
    for row, of_row in enumerate(similarity):
        limit = np.sort(of_row)[-nearest]
        same = known == known[row]
        nearer, level = of_row > limit, of_row == limit
        rest = nearest - nearer.sum()
        share[row] = (same[nearer].sum() + rest * same[level].mean()) / nearest
    return share


def in_brackets(sentence: Sequence[str], position: int, width: int = 8) -> str:
    """The sentence with the word in brackets, cut to `width` words on either side."""
    before, after = sentence[:position], sentence[position + 1 :]
    words = [*before[-width:], f"[{sentence[position]}]", *after[:width]]
    start, end = ["..."] * (len(before) > width), ["..."] * (len(after) > width)
    return " ".join([*start, *words, *end])


def _candidates(
    bilm: FastBiLM,
    corpus: Text | VectorCache,
    layers: list[int],
    places: Callable[[Sentence], list[int]],
    progress: bool,
) -> Iterator[tuple[int, Sentence, list[int], Floats]]:
    """Sentence number, words, places in it, and vectors (layers, places, 2H) of those."""
    if isinstance(corpus, VectorCache):
        corpus.check_model(bilm)
        for number in range(len(corpus)):
            words = corpus.sentence(number)
            if there := places(words):
                tokens = int(corpus.starts[number]) + np.array(there)
                yield number, words, there, np.stack([corpus.vectors(k, tokens) for k in layers])
        return
    waiting: deque[tuple[int, list[int]]] = deque()

    def with_places() -> Iterator[Sentence]:
        for number, words in enumerate(checked(sentences_of(corpus))):
            if there := places(words):
                waiting.append((number, there))
                yield words

    for embedded in embed_stream(bilm, with_places(), progress=progress):
        number, there = waiting.popleft()
        yield number, embedded.words, there, embedded.every_layer()[layers][:, there]


def _check(
    bilm: FastBiLM, sentence: tuple[str, ...], position: int, layers: list[int], topn: int
) -> None:
    if not isinstance(position, int | np.integer) or not 0 <= position < len(sentence):
        raise ValueError(
            f"position {position} is outside the sentence, which has {len(sentence)} words"
        )
    for layer in layers:
        if not isinstance(layer, int | np.integer) or not 0 <= layer < bilm.num_layers:
            raise ValueError(
                f"there is no layer {layer}: this model has 0 (tokens) to {bilm.num_layers - 1}"
            )
    whole_number("topn", topn)
