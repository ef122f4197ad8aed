import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elmo_mini.errors import ConfigurationError
from elmo_mini.text.vocabulary import UnknownWord, Vocabulary

TEXT = [["the", "cat", "saw", "the", "dog"], ["a", "dog", "saw", "the", "end"]]


def test_words_stand_by_falling_count_and_ties_by_the_alphabet() -> None:
    vocabulary = Vocabulary.from_sentences(TEXT)
    assert vocabulary.words == ["the", "dog", "saw", "a", "cat", "end"]
    assert vocabulary.counts.tolist() == [3, 2, 2, 1, 1, 1]
    assert vocabulary.counts.dtype == np.int64


def test_ids_and_words_are_inverse() -> None:
    vocabulary = Vocabulary.from_sentences(TEXT)
    assert [vocabulary.id(word) for word in vocabulary.words] == list(range(len(vocabulary)))
    assert vocabulary.decode(vocabulary.encode(TEXT[1])) == TEXT[1]
    assert vocabulary.word(np.int64(1)) == "dog"  # type: ignore[arg-type]
    assert "cat" in vocabulary
    assert "mouse" not in vocabulary


def test_min_count_keeps_a_word_that_occurs_exactly_that_often() -> None:
    assert Vocabulary.from_sentences(TEXT, min_count=2).words == ["the", "dog", "saw"]


def test_max_size_counts_the_specials_and_keeps_the_frequent_words() -> None:
    vocabulary = Vocabulary.from_sentences(TEXT, max_size=4, specials=("<s>", "</s>"))
    assert vocabulary.words == ["<s>", "</s>", "the", "dog"]
    assert vocabulary.counts.tolist() == [0, 0, 3, 2]
    with pytest.raises(ValueError, match="max_size=1 is less than the 2 special"):
        Vocabulary.from_sentences(TEXT, max_size=1, specials=("<s>", "</s>"))


def test_a_special_word_that_also_occurs_is_counted_and_not_listed_twice() -> None:
    vocabulary = Vocabulary.from_sentences([["<s>", "go", "<s>"]], specials=("<s>", "<s>"))
    assert vocabulary.words == ["<s>", "go"]
    assert vocabulary.counts.tolist() == [2, 1]


def test_without_an_unknown_word_other_words_are_refused_or_dropped() -> None:
    vocabulary = Vocabulary.from_sentences(TEXT)
    with pytest.raises(UnknownWord, match="the word 'mouse' is not among the 6") as caught:
        vocabulary.id("mouse")
    assert isinstance(caught.value, KeyError)
    assert vocabulary.encode(["the", "mouse", "saw"]) == [0, 2]


def test_the_unknown_word_takes_the_place_and_the_count_of_what_was_left_out() -> None:
    vocabulary = Vocabulary.from_sentences(TEXT, min_count=2, unknown="<unk>")
    assert vocabulary.words == ["<unk>", "the", "dog", "saw"]
    assert vocabulary.counts.tolist() == [3, 3, 2, 2]
    assert vocabulary.id("mouse") == 0
    assert vocabulary.encode(["the", "mouse", "saw"]) == [1, 0, 3]


def test_an_unknown_word_among_the_specials_keeps_its_place() -> None:
    vocabulary = Vocabulary.from_sentences(TEXT, specials=("<s>", "<unk>"), unknown="<unk>")
    assert vocabulary.words[:3] == ["<s>", "<unk>", "the"]


def test_frequencies_are_shares_of_the_counts() -> None:
    frequencies = Vocabulary.from_sentences(TEXT).frequencies
    assert frequencies.dtype == np.float64
    np.testing.assert_allclose(frequencies, np.array([3, 2, 2, 1, 1, 1]) / 10)
    with pytest.raises(ValueError, match="no word was counted"):
        _ = Vocabulary(["a"]).frequencies


@pytest.mark.parametrize("number", [-1, 6])
def test_an_id_outside_the_table_is_refused(number: int) -> None:
    with pytest.raises(IndexError, match="the ids are 0 to 5"):
        Vocabulary.from_sentences(TEXT).word(number)


@pytest.mark.parametrize("ids", [[0.9], "01", [None]])
def test_what_is_no_id_is_no_word(ids: Any) -> None:
    with pytest.raises(TypeError):
        Vocabulary(["a", "b"]).decode(ids)


def test_a_sentence_that_is_a_string_is_refused() -> None:
    with pytest.raises(TypeError, match="call tokenize"):
        Vocabulary.from_sentences(["the cat"])


@pytest.mark.parametrize(
    ("words", "counts", "unknown", "message"),
    [
        (["a", "a"], None, None, "'a' stands in the vocabulary twice"),
        (["a", "b"], [1], None, "one count for each word"),
        (["a"], [-1], None, "negative"),
        (["a"], [1.5], None, "no whole number"),
        (["a"], [1], "<unk>", "add it to specials"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(
    words: list[str], counts: Any, unknown: str | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Vocabulary(words, counts, unknown=unknown)


@pytest.mark.parametrize("count", [math.nan, 1.5, "1", True, -1])
def test_a_least_count_that_is_no_whole_number_is_refused(count: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^min_count is .* whole number of at least 0"):
        Vocabulary.from_sentences([["a"]], min_count=count)


def test_it_comes_back_from_its_file(tmp_path: Path) -> None:
    vocabulary = Vocabulary.from_sentences([*TEXT, ["苹果", "naïve"]], unknown="<unk>")
    path = tmp_path / "a new folder" / "words.json"
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary
    assert vocabulary != Vocabulary(vocabulary.words, vocabulary.counts)


@pytest.mark.parametrize("content", ["", "[]", '{"words": ["a"]}', '{"words": 3, "counts": 3}'])
def test_a_file_that_holds_no_vocabulary_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "words.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"words\.json does not hold a saved vocabulary"):
        Vocabulary.load(path)


@given(st.lists(st.lists(st.text(min_size=1, max_size=3), max_size=6), max_size=8))
def test_nothing_is_lost_and_the_order_of_the_text_does_not_matter(text: list[list[str]]) -> None:
    vocabulary = Vocabulary.from_sentences(text)
    assert vocabulary.counts.sum() == sum(map(len, text))
    assert (np.diff(vocabulary.counts) <= 0).all()
    assert vocabulary == Vocabulary.from_sentences(reversed(text))
    assert all(vocabulary.decode(vocabulary.encode(sentence)) == sentence for sentence in text)


def test_what_is_no_word_is_not_in_it() -> None:
    vocabulary = Vocabulary.from_sentences([["a", "b"]])
    assert ["a" in vocabulary, ["a"] in vocabulary, 0 in vocabulary] == [True, False, False]
