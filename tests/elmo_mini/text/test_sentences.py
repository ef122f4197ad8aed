"""A text whose sentences are refused by their number; batches of them are in `test_ids`."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from elmo_mini import ElmoEmbedder, Word2Vec
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.text.sentences import checked
from elmo_mini.text.vocabulary import Vocabulary


def test_a_text_is_checked_sentence_by_sentence() -> None:
    seen = checked(iter([["a"], ["b"], ["c", 4]]))
    assert [next(seen), next(seen)] == [["a"], ["b"]]
    with pytest.raises(TypeError, match=r"token 1 of sentence 2 is 4 \(int\)"):
        next(seen)
    for text, shown in (("some text", r"'some text' \(str\)"), (None, "None")):
        with pytest.raises(TypeError, match=f"the text is {shown}, not a list of sentences"):
            next(checked(text))
    unordered: Any
    for unordered in ({("a",), ("b",)}, {("a",): 1}):
        with pytest.raises(TypeError, match="which has no order"):
            next(checked(unordered))


class DataFrame:
    """A table as a loop sees it: rows by its length, the names of its columns one by one."""

    columns, shape = ("word",), (2, 1)

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns


READERS: dict[str, Callable[[Any], object]] = {
    "text": lambda table: list(checked(table)),
    "sentence": lambda table: list(checked([table])),
    "batch": batch_to_ids,
    "sentence of a batch": lambda table: batch_to_ids([table]),
    "words to count": Vocabulary.from_sentences,
    "words to number": Vocabulary(["word"], [1]).encode,
    "Word2Vec": Word2Vec,
    "embed_file": lambda table: ElmoEmbedder().embed_file(table, "never.hdf5"),
}


@pytest.mark.parametrize("reader", READERS)
def test_the_names_of_a_tables_columns_are_taken_for_no_words(reader: str) -> None:
    with pytest.raises(TypeError, match="DataFrame"):
        READERS[reader](DataFrame())


def test_a_missing_word_is_to_be_left_out() -> None:
    with pytest.raises(TypeError, match=r"token 1 of sentence 0 is nan \(float\).* leave it out"):
        list(checked([["a", float("nan")]]))  # type: ignore[list-item]


def test_a_list_of_words_is_no_word() -> None:
    with pytest.raises(TypeError, match="a word is a string, and this is list; ask for one at a"):
        Vocabulary(["a"], [1]).id(["a"])  # type: ignore[arg-type]
