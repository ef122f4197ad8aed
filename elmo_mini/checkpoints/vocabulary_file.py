"""The vocabulary file of a model over whole words, as bilm-tf reads it: one word a line."""

import re
from collections.abc import Sequence

from elmo_mini.errors import ConfigurationError, ElmoFileError, PathLike
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.word_table import WordTable, check_special_words
from elmo_mini.files import existing_file, write_text
from elmo_mini.plain_text import NotPlainText, lines_of
from elmo_mini.text.sentences import check_words

_NO_WORD = "!!!MAXTERMID"  # a line of older vocabularies that bilm-tf passes over


def read_words(path: PathLike) -> list[str]:
    """The words in the order of the table's rows.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file.
    ElmoFileError
        If it is no text, or lacks ``<S>``, ``</S>`` or ``<UNK>``.
    """
    file = existing_file(path, "vocabulary file")
    try:
        words = [word for line in lines_of(file) if (word := line.strip()) != _NO_WORD]
        check_special_words(words)
    except (NotPlainText, ElmoFileError) as wrong:
        raise ElmoFileError(f"{path}: {wrong}") from wrong
    return words


def write_words(path: PathLike, words: Sequence[str]) -> None:
    """Write a file for `read_words`; refuse a word that it would read otherwise."""
    check_words("words", words)
    for word in words:
        if word != word.strip() or word == _NO_WORD or re.search(r"[\n\r\0]", word):
            raise ConfigurationError(
                f"the word {word!r} cannot stand in a vocabulary file; save_pretrained keeps it"
            )
    write_text(path, "".join(f"{word}\n" for word in words))


def words_of(encoder: object) -> list[str] | None:
    """The words of a model over whole words by its token encoder; None of any other."""
    return encoder.words if isinstance(encoder, WordTable) else None


def words_for(
    options: BiLMOptions, options_file: PathLike, vocabulary_file: PathLike | None
) -> list[str] | None:
    """The words of a model over whole words, as many as it has rows; None for any other.

    Raises
    ------
    ConfigurationError
        If the vocabulary is missing, not needed, or of another length.
    """
    if options.n_words is None:
        if vocabulary_file is not None:
            raise ConfigurationError(
                f"{options_file} describes a model over characters, which needs no vocabulary; "
                f"leave {vocabulary_file} out"
            )
        return None
    if vocabulary_file is None:
        raise ElmoFileError(
            f"{options_file} has no char_cnn: this is a model over whole words, and its vocabulary "
            "is missing. Name the text file that it was trained with, one word a line, as "
            "vocabulary_file"
        )
    words = read_words(vocabulary_file)
    if len(words) != options.n_words:
        raise ElmoFileError(
            f"{vocabulary_file} has {len(words):,} words, but {options_file} says "
            f"n_tokens_vocab {options.n_words:,}; both must come from one model"
        )
    return words
