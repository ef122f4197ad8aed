"""The vocabulary file of a model over whole words, as bilm-tf reads it: one word a line."""

from collections.abc import Sequence

from elmo_mini.errors import ElmoFileError, PathLike
from elmo_mini.fast.word_table import WordTable, check_special_words
from elmo_mini.files import existing_file, write_text
from elmo_mini.plain_text import NotPlainText, lines_of

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
    """Write a file for `read_words`."""
    write_text(path, "".join(f"{word}\n" for word in words))


def words_of(encoder: object) -> list[str] | None:
    """The words of a model over whole words by its token encoder; None of any other."""
    return encoder.words if isinstance(encoder, WordTable) else None
