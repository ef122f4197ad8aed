"""Validation of tokenised sentences: lists of strings; all else is refused by its position."""

import math
import reprlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeGuard, cast

Sentence = Sequence[str]

BOS_TOKEN = "<S>"
EOS_TOKEN = "</S>"


def check_sentence(sentence: object, row: int, *, allow_boundary_tokens: bool = False) -> None:
    """Refuse what is no sentence, a list of words.

    Parameters
    ----------
    sentence : what stands where a sentence should
    row : its number, from 0, for the message
    allow_boundary_tokens : let ``<S>`` and ``</S>`` pass

    Raises
    ------
    ValueError
        If a token is ``<S>`` or ``</S>``: the model adds both itself; or holds half a character.
    TypeError
        If the sentence is a string or no list, or a token is no string.
    """
    words = _list_of_words(sentence, row)
    for column, token in enumerate(words):
        if not isinstance(token, str):
            raise TypeError(
                f"token {column} of sentence {row} is {_shown(token)}, not a string: "
                f"{_way_out(token)}"
            )
        if token in (BOS_TOKEN, EOS_TOKEN) and not allow_boundary_tokens:
            raise ValueError(
                f"token {column} of sentence {row} is {token!r}, a sentence boundary, which the "
                "model adds itself; remove the token"
            )
    if half_character("".join(words)):
        column = next(column for column, token in enumerate(words) if half_character(token))
        raise ValueError(f"token {column} of sentence {row} is {_in_halves(words[column])}")


def checked(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The same sentences, each refused by its number if it is none; see `check_sentence`.

    A set is refused, too: whose vectors come first would be chance.
    """
    if isinstance(sentences, Set | Mapping):
        raise TypeError(f"the text is {_shown(sentences)}, which has no order: pass a list of it")
    for row, sentence in enumerate(word_lists(sentences)):
        check_sentence(sentence, row)
        yield sentence


def word_lists(sentences: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    """The same sentences, each refused if it is no list; their words are not looked at."""
    check_text(sentences)
    for row, sentence in enumerate(sentences):
        yield _list_of_words(sentence, row)


def check_text(sentences: object) -> None:
    """Refuse what is no text, an iterable of sentences."""
    one = isinstance(sentences, str | bytes) or is_table(sentences)
    if one or not isinstance(sentences, Iterable):
        raise TypeError(
            f"the text is {_shown(sentences)}, not a list of sentences: pass a list with one list "
            "of words per sentence"
        )


def check_no_string(sentence: object) -> None:
    """Refuse a string, whose letters would be taken for words, and a table, whose names would."""
    if is_table(sentence):
        raise TypeError(f"a sentence is a list of words, but here is {_shown(sentence)}")
    if isinstance(sentence, str | bytes):
        raise TypeError(
            f"a sentence is a list of words, but here is the string {sentence[:40]!r}: "
            "call tokenize() on it first"
        )


def check_word(word: object) -> None:
    """Refuse a word of a text that is no string, or holds half a character."""
    if not isinstance(word, str):
        raise TypeError(f"the text has {_shown(word)} for a word: {_way_out(word)}")
    if half_character(word):
        raise ValueError(f"a word is {_in_halves(word)}")


def check_words(name: str, words: object, *, in_order: bool = False) -> None:
    """Refuse a string, whose letters would be taken for words, where a list of words belongs.

    In order, what has none is refused as well, such as a set.
    """
    no_list = in_order and not _is_list(words)
    if isinstance(words, str | bytes) or not isinstance(words, Iterable) or no_list:
        raise TypeError(f"{name} is {_shown(words)}, not a list of words: pass a list of strings")


def half_character(text: str) -> str:
    """The first half of a surrogate pair that stands alone, which UTF-8 cannot write; or ``""``."""
    try:
        text.encode()
    except UnicodeEncodeError as wrong:
        return text[wrong.start]
    return ""


def check_characters(text: str) -> None:
    """Refuse what is no text, a string, or holds half a character."""
    if not isinstance(text, str):
        raise TypeError(f"the text is {_shown(text)}, not a string: {_way_out(text)}")
    if half_character(text):
        raise ValueError(f"the text holds {_in_halves(text)}")


def check_batch(
    batch: object, *, allow_boundary_tokens: bool = False, may_be_empty: bool = False
) -> None:
    """Refuse what is no batch, a list of at least one sentence; see `check_sentence`."""
    if not _is_list(batch):
        raise TypeError(
            f"the batch is {_shown(batch)}, not a list of sentences: pass a list with one list of "
            "words per sentence"
        )
    if len(batch) == 0 and not may_be_empty:
        raise ValueError("the batch holds no sentence; give at least one list of words")
    for row, sentence in enumerate(batch):
        check_sentence(sentence, row, allow_boundary_tokens=allow_boundary_tokens)


def _list_of_words(sentence: object, row: int) -> Sequence[str]:
    if isinstance(sentence, str):
        raise TypeError(
            f"sentence {row} is the string {sentence[:40]!r}, not a list of words: split the text "
            "first, for example with elmo_mini.text.tokenizer.tokenize"
        )
    if not _is_list(sentence):
        raise TypeError(
            f"sentence {row} is {_shown(sentence)}, not a list of words: pass one list of strings "
            "per sentence"
        )
    return cast(Sequence[str], sentence)


def is_table(value: object) -> bool:
    """Whether it is a data frame; a loop over one sees the names of its columns alone."""
    return hasattr(value, "columns") and hasattr(value, "shape")


def _is_list(value: object) -> TypeGuard[Collection[Any]]:
    """Whether it has a length and an order; a string is one word."""
    if getattr(value, "shape", None) == () or is_table(value):  # an array of no dimension
        return False
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Set | Mapping)


def _shown(value: object) -> str:
    if is_table(value):
        return f"a {type(value).__name__}, of which one column is to be passed"
    return "None" if value is None else f"{reprlib.repr(value)} ({type(value).__name__})"


def _in_halves(text: str) -> str:
    half = half_character(text)
    at = text.index(half)
    return (
        f"{text[max(0, at - 20) : at + 20]!r}, which holds half a character, {half!r}; decode the "
        "text with its own encoding, and without errors='surrogateescape'"
    )


def _way_out(token: object) -> str:
    if isinstance(token, bytes):
        return "decode it first, as in token.decode('utf-8')"
    if _is_list(token):
        return "pass one list of words per sentence, nested no deeper"
    missing = token is None or type(token).__name__ == "NAType"  # pandas' own
    if missing or (isinstance(token, float) and math.isnan(token)):
        return "leave it out"
    return "make it one first, as in str(token)"
