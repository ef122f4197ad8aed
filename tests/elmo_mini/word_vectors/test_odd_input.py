"""What is no text, and options that are no numbers or too large: one sentence, and no vectors."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elmo_mini import Glove, Word2Vec
from elmo_mini.errors import ConfigurationError
from elmo_mini.text.vocabulary import Vocabulary

TEXT = [["the", "cat", "sat", "on", "a", "mat"], ["a", "dog", "sat", "on", "the", "log"]] * 20
SMALL: dict[str, Any] = {"vector_size": 4, "min_count": 1, "epochs": 2}


def trained(**options: Any) -> Word2Vec:
    return Word2Vec(TEXT, **(SMALL | options))


@pytest.mark.parametrize("make", [Word2Vec, Glove])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a cat", "the text is 'a cat'"),
        (Path("text.txt"), "not a list of sentences"),
        (["a cat", "a dog"], "sentence 0 is the string 'a cat'"),
        ([b"abc"] * 9, "sentence 0 is b'abc'"),
        ([iter(sentence) for sentence in TEXT], r"sentence 0 is .* \(list_iterator\)"),
        ([["a", None] * 5] * 9, "None for a word: leave it out"),
        ([["a", float("nan")] * 5] * 9, "nan .float. for a word"),
        ([[b"a", b"b"] * 5] * 9, "decode it first"),
    ],
)
def test_what_is_no_text_is_named(make: Callable[..., object], text: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make(text, **SMALL)


@pytest.mark.parametrize("text", ["a cat", ["a cat on a mat"], [iter("ab")], None])
def test_strings_are_not_trained_on_letter_by_letter(text: Any) -> None:
    model = trained()
    before = model.vectors.copy()
    with pytest.raises(TypeError, match="not a list"):
        model.train(text)
    assert np.array_equal(model.vectors, before)


def test_a_vocabulary_takes_no_string_for_a_sentence() -> None:
    with pytest.raises(TypeError, match="here is the string 'a b'"):
        Vocabulary(["a", "b"]).encode("a b")


def test_a_model_with_numpy_s_numbers_can_be_saved(tmp_path: Path) -> None:
    model = trained(
        seed=np.int64(3), window=np.int32(2), alpha=np.float32(0.025), sg=np.bool_(True)
    )
    model.save(tmp_path / "model.safetensors")
    assert Word2Vec.load(tmp_path / "model.safetensors").settings() == model.settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("sg", value) for value in ("1", None, 2)),
        *(("ns_exponent", value) for value in (1e4, float("nan"))),
        ("cbow_mean", "x"),
        ("sample", float("nan")),
        ("min_count", "5"),
    ],
)
def test_an_odd_option_of_word2vec_is_named(name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} .*must be"):
        trained(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("vector_size", "window", "epochs") for value in (0, -1, 2.5)),
        *((name, 10**9) for name in ("vector_size", "window")),
        *(("batch_pairs", value) for value in (0, -1)),
        *((name, -1) for name in ("min_count", "seed")),
        *((name, 0) for name in ("x_max", "alpha", "learning_rate")),
        *((name, float("nan")) for name in ("x_max", "alpha", "learning_rate")),
    ],
)
def test_an_odd_option_of_glove_is_named(name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} .*must be"):
        Glove(TEXT, **(SMALL | {name: value}))


@pytest.mark.parametrize("make", [Word2Vec, partial(Word2Vec, sg=1), Glove])
@pytest.mark.parametrize("given", [list, iter])
def test_words_that_are_too_rare_are_no_empty_text(
    make: Callable[..., object], given: Callable[[list[list[str]]], object]
) -> None:
    with pytest.raises(ValueError, match=r"min_count=500 times: .*'a', occurs 40 times"):
        make(given(TEXT), min_count=500)
    with pytest.raises(ValueError, match="the text is empty"):
        make(given([[]]), min_count=500)


def test_the_words_of_an_iterator_are_counted_in_one_reading() -> None:
    model = Word2Vec(min_count=500)
    with pytest.raises(ValueError, match=r"min_count=500 times"):
        model.build_vocab(iter(TEXT))
    with pytest.raises(ValueError, match=r"occurs 1 time\."):
        model.build_vocab([["a"]])
    read = iter(TEXT)
    model = Word2Vec(**SMALL)
    model.build_vocab(read)
    with pytest.raises(ValueError, match="read before; pass a list"):
        model.train(read)
    with pytest.raises(ValueError, match="no sentence holds a word"):
        model.train([["zebra"]])


def test_a_window_wider_than_every_sentence_is_as_wide_as_the_longest() -> None:
    wide, enough = (Glove(TEXT, **SMALL, window=window) for window in (1_000_000, 5))
    assert np.array_equal(wide.vectors, enough.vectors)


def test_one_negative_word_is_a_word_and_not_its_letters() -> None:
    text = [["king", "queen", "q", "u", "e", "n"] * 3] * 9
    model = Word2Vec(text, **SMALL)
    alone = model.most_similar(["king"], "queen")
    assert alone == model.most_similar(["king"], ["queen"])
    assert alone == model.most_similar(np.array(["king"]), np.array(["queen"]))
    with pytest.raises(ValueError, match="not finite"):
        model.most_similar(np.full(4, np.nan))


def test_half_a_character_in_a_word_is_saved_and_read_back(tmp_path: Path) -> None:
    """No text is read so any more; the files of releases that did are."""
    model = Word2Vec([["a", "б", "c"] * 9] * 9, **SMALL)
    model.vocabulary.words[0] += "\udc80"  # as surrogateescape reads a byte that is no UTF-8
    model.save(tmp_path / "model.safetensors")
    assert Word2Vec.load(tmp_path / "model.safetensors").vocabulary.words == model.vocabulary.words
    model.vocabulary.save(tmp_path / "words.json")
    assert Vocabulary.load(tmp_path / "words.json").words == model.vocabulary.words
