"""The vocabulary: which words a model knows, how often each occurred, and their numbers.

Word *i* has row *i* in every table of vectors. Words stand by falling count, ties in alphabetical
order, so the same text gives the same numbers on every machine.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import index
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from elmo_mini.files import as_json, existing_file, write_text
from elmo_mini.plain_text import text_of
from elmo_mini.settings import whole_number
from elmo_mini.text.sentences import (
    check_no_string,
    check_text,
    check_word,
    check_words,
    word_lists,
)


class UnknownWord(KeyError):
    """A word that the vocabulary does not hold."""

    def __str__(self) -> str:
        return str(self.args[0])


class Vocabulary:
    """A two-way table of words and ids, with counts.

    Parameters
    ----------
    words : distinct words; word ``i`` gets id ``i``
    counts : how often each occurred, same length (zeros when absent)
    unknown : the word among `words` that stands for every other one, for instance ``"<unk>"``.
        Without it `id` raises `UnknownWord` and `encode` drops unknown words.

    Raises
    ------
    ValueError
        If a word stands there twice, the lengths differ, a count is negative or no whole number, or
        `unknown` is not among the words.
    """

    def __init__(
        self,
        words: Sequence[str],
        counts: Sequence[int] | NDArray[np.int64] | None = None,
        *,
        unknown: str | None = None,
    ) -> None:
        check_words("words", words)
        self.words: list[str] = list(words)
        given = np.array([0] * len(self.words) if counts is None else counts)
        if given.size and (given.dtype.kind not in "iu" or given.min() < 0):
            raise ValueError("a count is negative, or no whole number")
        self.counts: NDArray[np.int64] = given.astype(np.int64)
        self.unknown = unknown
        self._ids = {word: number for number, word in enumerate(self.words)}
        if len(self._ids) != len(self.words):
            twice = next(word for word, n in Counter(self.words).items() if n > 1)
            raise ValueError(f"the word {twice!r} stands in the vocabulary twice")
        if self.counts.shape != (len(self.words),):
            raise ValueError(
                f"{len(self.words)} words, but counts of shape {self.counts.shape}: "
                "one count for each word is needed"
            )
        if unknown is not None and unknown not in self._ids:
            raise ValueError(f"unknown={unknown!r} is not among the words; add it to specials")

    @classmethod
    def from_sentences(
        cls,
        sentences: Iterable[Iterable[str]],
        min_count: int = 1,
        max_size: int | None = None,
        specials: Sequence[str] = (),
        unknown: str | None = None,
    ) -> Self:
        """Count the words of `sentences` and keep the frequent ones.

        Parameters
        ----------
        sentences : any iterable of tokenised sentences; read once
        min_count : words that occur less often are left out
        max_size : at most this many words, the specials among them
        specials : words such as ``"<s>"`` that get the first ids, whatever their count
        unknown : see `Vocabulary`; put in front of the specials when it is not one of them. Its
            count is that of all the words left out (and its own, if it occurs).

        Raises
        ------
        ValueError
            If `max_size` leaves no room for the specials, or a word holds half a character.
        TypeError
            If a sentence is a string, where a list of words belongs, or a word is no string.
        """
        counter: Counter[str] = Counter()
        whole_number("min_count", min_count, 0)
        max_size = None if max_size is None else whole_number("max_size", max_size, 0)
        check_text(sentences)
        check_words("specials", specials)
        for sentence in sentences:
            check_no_string(sentence)
            counter.update(sentence)
        for word in counter:
            check_word(word)
        first = list(dict.fromkeys(specials))
        if unknown is not None and unknown not in first:
            first.insert(0, unknown)
        if max_size is not None and max_size < len(first):
            raise ValueError(f"max_size={max_size} is less than the {len(first)} special words")
        kept = sorted(
            (word for word, n in counter.items() if n >= min_count and word not in first),
            key=lambda word: (-counter[word], word),
        )
        if max_size is not None:
            kept = kept[: max_size - len(first)]
        words = first + kept
        counts = np.array([counter[word] for word in words], dtype=np.int64)
        if unknown is not None:
            counts[words.index(unknown)] += counter.total() - counts.sum()
        return cls(words, counts, unknown=unknown)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self._ids

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return (
            self.words == other.words
            and self.unknown == other.unknown
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} words, {int(self.counts.sum()):,} tokens)"

    def id(self, word: str) -> int:
        """The number of `word`, or that of the unknown word.

        Raises
        ------
        UnknownWord
            If the word is not there and the vocabulary has no unknown word.
        """
        try:
            number = self._ids.get(word)
        except TypeError as unhashable:
            raise TypeError(
                f"a word is a string, and this is {type(word).__name__}; ask for one at a time"
            ) from unhashable
        if number is not None:
            return number
        if self.unknown is not None:
            return self._ids[self.unknown]
        raise UnknownWord(f"the word {word!r} is not among the {len(self):,} of this vocabulary")

    def word(self, number: int) -> str:
        """The word with this id.

        Raises
        ------
        IndexError
            If the id is outside ``0 … len(self) - 1``.
        """
        if not 0 <= number < len(self.words):
            raise IndexError(f"no word has id {number}: the ids are 0 to {len(self) - 1}")
        return self.words[number]

    def ids(self, sentence: Iterable[str]) -> list[int]:
        """The `id` of each word; raises TypeError as `encode` does."""
        check_no_string(sentence)
        return list(map(self.id, sentence))

    def encode(self, sentence: Iterable[str]) -> list[int]:
        """The ids of a sentence's words; an unknown word is dropped, or becomes the unknown id.

        Raises
        ------
        TypeError
            If the sentence is a string, whose letters would be taken for words.
        """
        check_no_string(sentence)
        if self.unknown is None:
            return [self._ids[word] for word in sentence if word in self._ids]
        other = self._ids[self.unknown]
        return [self._ids.get(word, other) for word in sentence]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The words with these ids."""
        return [self.word(index(number)) for number in ids]

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Relative frequency of every word, float64 of shape ``(len(self),)``, sum 1."""
        total = self.counts.sum()
        if total == 0:
            raise ValueError("no word was counted, so there are no frequencies")
        frequencies: NDArray[np.float64] = self.counts / np.float64(total)
        return frequencies

    def save(self, path: str | Path) -> None:
        """Write the vocabulary as JSON, UTF-8, and make the file's folder if need be."""
        content = {"words": self.words, "counts": self.counts.tolist(), "unknown": self.unknown}
        write_text(path, as_json(content))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote.

        Raises
        ------
        ValueError
            If the file is not such a JSON file; the message names it.
        """
        try:
            content = json.loads(text_of(existing_file(path)))
            return cls(content["words"], content["counts"], unknown=content["unknown"])
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ValueError(f"{path} does not hold a saved vocabulary: {error}") from error


def frequent_words(sentences: Iterable[Sequence[str]], min_count: int) -> Vocabulary:
    """The words that occur `min_count` times, without special ones; the sentences are read once.

    Raises
    ------
    ValueError
        If there is no word, or none occurs so often.
    """
    every = Vocabulary.from_sentences(word_lists(sentences))
    if not len(every):
        raise ValueError("the text is empty: give at least one sentence of words")
    kept = int((every.counts >= min_count).sum())
    if not kept:
        most = int(every.counts[0])
        raise ValueError(
            f"no word occurs min_count={min_count} times: the most frequent one, "
            f"{every.words[0]!r}, occurs {most} time{'' if most == 1 else 's'}. Give more text, or "
            f"set min_count={most} or lower"
        )
    return Vocabulary(every.words[:kept], every.counts[:kept])
