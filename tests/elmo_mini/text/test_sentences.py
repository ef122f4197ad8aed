"""A text whose sentences are refused by their number; batches of them are in `test_ids`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from elmo_mini import Elmo, ElmoEmbedder, Glove, Word2Vec, load_pretrained
from elmo_mini.embedding.cache import write_cache
from elmo_mini.fast.word_table import WordTable
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.text.sentences import checked
from elmo_mini.text.tokenizer import split_sentences, split_spans, tokenize, tokenize_spans
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


HALF = "b\ud800nk"  # which JSON, for one, brings in as an escape
HALVES: dict[str, Callable[[Path], object]] = {
    "character ids": lambda _: batch_to_ids([["The", HALF]]),
    "ids with words of their own": lambda _: batch_to_ids([[HALF]], tokens_to_add={"x": 7}),
    "embed_sentence": lambda _: ElmoEmbedder().embed_sentence(["The", HALF]),
    "embed_batch": lambda _: ElmoEmbedder().embed_batch([["The"], [HALF]]),
    "embed_sentences": lambda _: list(ElmoEmbedder().embed_sentences([["The", HALF]])),
    "warm_up": lambda _: ElmoEmbedder(warm_up=[[HALF]]),
    "file": lambda folder: ElmoEmbedder().embed_file([f"The {HALF}"], folder / "v.hdf5"),
    "cache": lambda folder: write_cache(load_pretrained(), [[HALF]], folder / "v.vectors"),
    "vocab_to_cache": lambda _: Elmo(
        None, None, 1, vocab_to_cache=["@@PADDING@@", HALF], module=load_pretrained()
    ),
    "whole words": lambda _: WordTable(4, 2).set_words(["<S>", "</S>", "<UNK>", HALF]),
    "words to count": lambda _: Vocabulary.from_sentences([["The", HALF]]),
    "Word2Vec": lambda _: Word2Vec([["The", HALF] * 9] * 9, min_count=1),
    "Glove": lambda _: Glove([["The", HALF] * 9] * 9, min_count=1),
    "tokenize": lambda _: tokenize(f"The {HALF}."),
    "tokenize_spans": lambda _: tokenize_spans(f"The {HALF}."),
    "split_sentences": lambda _: split_sentences(f"The {HALF}."),
    "split_spans": lambda _: split_spans(f"The {HALF}."),
}


@pytest.mark.parametrize("reader", HALVES)
def test_half_a_character_is_refused_by_whatever_reads_words(reader: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds half a character, '\\ud800'") as caught:
        HALVES[reader](tmp_path)
    assert reader == "file" or "b\\ud800nk" in str(caught.value)
    assert not list(tmp_path.iterdir())
    assert batch_to_ids([[json.loads('"b\\ud83d\\ude00nk"')]]).shape == (1, 1, 50)  # a whole one


WORDS: dict[str, Callable[[Any], object]] = {
    "vocab_to_cache": lambda words: Elmo(
        None, None, 1, vocab_to_cache=words, module=load_pretrained()
    ),
    "Vocabulary": Vocabulary,
    "specials": lambda words: Vocabulary.from_sentences([["a"]], specials=words),
    "whole words": lambda words: WordTable(3, 2).set_words(words),
    "words of a tagger": lambda words: Tagger(words, ["O"], TaggerOptions()),
    "labels of a tagger": lambda words: Tagger(["a"], words, TaggerOptions()),
    "warm_up": lambda words: ElmoEmbedder(warm_up=words),
    "sentence": lambda words: ElmoEmbedder().embed_sentence(words),
    "sentences": lambda words: list(ElmoEmbedder().embed_sentences(words)),
    "batch": batch_to_ids,
    "Word2Vec": Word2Vec,
    "words to number": Vocabulary(["word"], [1]).encode,
}


@pytest.mark.parametrize("reader", WORDS)
def test_the_letters_of_a_string_are_taken_for_no_words(reader: str) -> None:
    with pytest.raises(
        TypeError, match=r"'abc'.*not a list of|a list of words, but .*'abc'"
    ) as caught:
        WORDS[reader]("abc")
    assert reader == "sentence" or "sentence 0" not in str(caught.value)
