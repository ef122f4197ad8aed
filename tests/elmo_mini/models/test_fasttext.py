"""n-grams and hashes against gensim's, which are fastText's; vectors against gensim's model."""

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import ft_ngram_hashes
from gensim.models.fasttext_inner import compute_ngrams, ft_hash_bytes
from hypothesis import given
from hypothesis import strategies as st

from elmo_mini import corpora
from elmo_mini.models.fasttext import bucket, character_ngrams, fnv1a, subword_vector

WORDS = ["a", "of", "cat", "bananas", "naïve", "Straße", "打针", "苹果手机", "🙂", "<odd>"]


def test_ngrams_by_hand() -> None:
    assert character_ngrams("ab", 2, 3) == ["<a", "<ab", "ab", "ab>", "b>"]
    assert character_ngrams("a") == ["<a>"]
    assert character_ngrams("") == []
    assert character_ngrams("banana", 3, 3).count("ana") == 2


@given(st.text(min_size=1, max_size=12), st.integers(1, 4), st.integers(0, 4))
def test_ngrams_are_gensims(word: str, shortest: int, more: int) -> None:
    longest = shortest + more
    assert sorted(character_ngrams(word, shortest, longest)) == sorted(
        compute_ngrams(word, shortest, longest)
    )


@given(st.text(max_size=12))
def test_the_hash_is_gensims(text: str) -> None:
    assert fnv1a(text) == ft_hash_bytes(text.encode("utf-8"))


def test_the_hash_is_fnv1a_for_ascii() -> None:
    assert fnv1a("") == 0x811C9DC5
    assert fnv1a("a") == 0xE40C292C  # published test vectors of FNV-1a
    assert fnv1a("foobar") == 0xBF9CF968


@pytest.mark.parametrize("word", WORDS)
def test_the_buckets_of_a_word_are_gensims(word: str) -> None:
    ours = [bucket(ngram, 1000) for ngram in character_ngrams(word)]
    assert sorted(ours) == sorted(ft_ngram_hashes(word, 3, 6, 1000))


def test_lengths_that_make_no_sense_are_refused() -> None:
    for shortest, longest in ((0, 3), (4, 3)):
        with pytest.raises(ValueError, match="shortest"):
            character_ngrams("word", shortest, longest)


def test_vectors_point_where_gensims_point() -> None:
    sentences = list(corpora.lee().sentences(lower=True))[:400]
    model = FastText(
        sentences, vector_size=20, min_count=5, epochs=1, bucket=500, workers=1, seed=1
    )
    words = model.wv.index_to_key
    tables = model.wv.vectors_vocab, model.wv.vectors_ngrams
    for word in ("worknig", "governmentally", "x", "打针"):
        assert word not in model.wv.key_to_index
        ours = subword_vector(word, words, *tables)
        np.testing.assert_allclose(
            ours / len(character_ngrams(word)), model.wv[word], rtol=1e-4, atol=1e-6
        )
    model.wv.adjust_vectors()
    for word in words[:20]:
        ours = subword_vector(word, words, *tables)
        theirs = model.wv.get_vector(word) * (len(character_ngrams(word)) + 1)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
