"""Pseudo-words: ambiguity with known answers, made by merging two words of a text.

Replace every *school* and every *money* by one invented word. What was written there is known
without anybody labelling anything, so it can be asked whether a model tells the two apart. Some
occurrences stay as they were: then the two words have vectors of their own in the same
space as the merged one, and its place between them can be measured.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from elmo_mini.text.vocabulary import Vocabulary

Label = tuple[int, int, str]

PAIRS = 12
LEAST = {"brown": 150, "lee": 30}  # occurrences of a word that may become half of a pair
SKIP = {"brown": 50, "lee": 10}


def merge_words(
    sentences: Iterable[Sequence[str]], first: str, second: str, merged: str
) -> tuple[list[list[str]], list[Label]]:
    """Write ``merged`` in place of two words.

    Returns
    -------
    The new sentences (the old ones are left alone), and for each replaced token, in the
    order of the text: number of the sentence, place in it, the word that stood there
    """
    new: list[list[str]] = []
    labels: list[Label] = []
    for number, sentence in enumerate(sentences):
        new.append(list(sentence))
        for place, token in enumerate(sentence):
            if token in (first, second):
                new[-1][place] = merged
                labels.append((number, place, token))
    return new, labels


@dataclass(frozen=True)
class PseudoWord:
    """Two words of a text, the word that replaces a part of both, and what stood where."""

    first: str
    second: str
    name: str
    labels: tuple[Label, ...]

    @property
    def share(self) -> float:
        """Share of the replaced tokens that were ``first``."""
        return sum(word == self.first for _, _, word in self.labels) / len(self.labels)

    @property
    def majority(self) -> float:
        """Share of the commoner of the two: what the best blind guess gets right."""
        return max(self.share, 1 - self.share)


def choose_pairs(
    vocabulary: Vocabulary,
    pairs: int,
    *,
    least: int = 100,
    letters: int = 5,
    skip: int = 50,
    seed: int = 0,
) -> list[tuple[str, str]]:
    """Draw pairs of words, no word twice: a rule, so that nobody picks the pretty ones.

    The pool holds words of at least ``letters`` letters that occur at least ``least`` times,
    without the ``skip`` commonest of them, which are mostly *which* and *there*.

    Raises
    ------
    ValueError
        If the pool is too small.
    """
    long = [
        word
        for word, count in zip(vocabulary.words, vocabulary.counts, strict=True)
        if len(word) >= letters and word.isalpha() and count >= least
    ]
    pool = long[skip:]
    if len(pool) < 2 * pairs:
        raise ValueError(
            f"{pairs} pairs need {2 * pairs} words; this text has {len(pool)} of at least "
            f"{letters} letters and {least} occurrences after the first {skip}"
        )
    drawn = np.random.default_rng(seed).permutation(len(pool))[: 2 * pairs]
    return [(pool[a], pool[b]) for a, b in drawn.reshape(-1, 2)]


def hide(
    sentences: Iterable[Sequence[str]],
    pairs: Sequence[tuple[str, str]],
    *,
    shares: Sequence[float] | None = None,
    seed: int = 0,
) -> tuple[list[list[str]], list[PseudoWord]]:
    """Merge many pairs at once, and leave a part of their occurrences as they were.

    Of pair number i an occurrence of the first word is replaced with probability ``shares[i]``,
    one of the second with ``1 - shares[i]``; without ``shares``, with 0.2 for the first pair up
    to 0.8 for the last. A pair's name is both words joined by ``|``.

    Raises
    ------
    ValueError
        If a word stands in two pairs, or twice in one.
    """
    rng = np.random.default_rng(seed)
    parts = np.linspace(0.2, 0.8, len(pairs)) if shares is None else shares
    chance = {
        word: (f"{first}|{second}", probability)
        for (first, second), part in zip(pairs, parts, strict=True)
        for word, probability in ((first, part), (second, 1 - part))
    }
    if len(chance) != 2 * len(pairs):
        raise ValueError("a word stands in two pairs, or twice in one")
    labels: dict[str, list[Label]] = {f"{first}|{second}": [] for first, second in pairs}
    new: list[list[str]] = []
    for number, sentence in enumerate(sentences):
        new.append(list(sentence))
        for place, token in enumerate(sentence):
            if token in chance and rng.random() < chance[token][1]:
                name = chance[token][0]
                new[-1][place] = name
                labels[name].append((number, place, token))
    found = [
        PseudoWord(first, second, f"{first}|{second}", tuple(labels[f"{first}|{second}"]))
        for first, second in pairs
    ]
    return new, found


def pseudo_words_of(
    name: str, sentences: list[list[str]], seed: int
) -> tuple[list[list[str]], list[PseudoWord]]:
    """A text of the course with `PAIRS` pairs of words drawn and hidden by the seed, and the pairs.

    Parameters
    ----------
    name : ``"brown"`` or ``"lee"``: a small text has fewer frequent words
    """
    vocabulary = Vocabulary.from_sentences(sentences, min_count=5)
    pairs = choose_pairs(vocabulary, PAIRS, least=LEAST[name], skip=SKIP[name], seed=seed)
    return hide(sentences, pairs, seed=seed)
