"""Questions to a table of word vectors."""

import numpy as np
import pytest

from elmo_mini.text.vocabulary import UnknownWord, Vocabulary
from elmo_mini.word_vectors.table import WordVectors, unit


@pytest.fixture
def table():
    words = ["king", "man", "woman", "queen", "apple"]
    vectors = [[2, 2, 0], [0, 2, 0], [0, 0, 3], [1, 0, 1], [0, 0, 0]]
    return WordVectors(Vocabulary(words), np.array(vectors, np.float32))


def test_similarity_is_the_cosine(table):
    assert table.similarity("king", "man") == pytest.approx(np.sqrt(0.5))
    assert table.similarity("man", "woman") == 0
    assert table.similarity("apple", "man") == 0


def test_neighbours_stand_by_falling_cosine_without_the_word_itself(table):
    neighbours = table.most_similar("king", topn=2)
    assert [word for word, _ in neighbours] == ["man", "queen"]
    assert [cosine for _, cosine in neighbours] == pytest.approx([np.sqrt(0.5), 0.5])


def test_a_vector_may_be_asked_for_and_leaves_no_word_out(table):
    assert table.most_similar(np.array([0.0, 5.0, 0.0]), topn=1) == [("man", pytest.approx(1.0))]


def test_an_analogy_adds_and_subtracts_unit_vectors(table):
    (word, _), *_ = table.most_similar(["king", "woman"], ["man"])
    assert word == "queen"
    assert len(table.most_similar(["king", "woman"], ["man"])) == 2


def test_a_word_is_looked_up_by_its_row(table):
    assert "queen" in table
    assert len(table) == 5
    assert table["queen"].tolist() == [1, 0, 1]


def test_an_unknown_word_is_named(table):
    with pytest.raises(UnknownWord, match="'pear'"):
        table.most_similar("pear")
    with pytest.raises(UnknownWord, match="'pear'"):
        table.similarity("king", "pear")


def test_wrong_questions_are_refused(table):
    with pytest.raises(ValueError, match="at least one"):
        table.most_similar([])
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        table.most_similar(np.zeros(4))
    for odd in (3, None, [("a", 0.5)]):
        with pytest.raises(TypeError, match="a word or a vector is needed, and this is"):
            table.most_similar(odd)
    for topn in (None, -1, 2.0):
        with pytest.raises(ValueError, match="topn is"):
            table.most_similar(table.vocabulary.words[0], topn=topn)
    holed = WordVectors(Vocabulary(["a", "b"]), np.float32([[1, 0], [np.nan, 0]]))
    with pytest.raises(ValueError, match="the table holds numbers that are not finite"):
        holed.most_similar("a")
    with pytest.raises(ValueError, match="2 words"):
        WordVectors(Vocabulary(["a", "b"]), np.zeros((3, 2), np.float32))


def test_unit_keeps_zeros_and_float32():
    scaled = unit(np.array([[3, 4], [0, 0]], np.float32))
    assert scaled.dtype == np.float32
    assert scaled.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]
