"""The agreement of vectors that know people's marks, and of vectors that turn them round."""

import numpy as np
import pytest

from course.word2vec.word_similarity import agreement, judged_pairs
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import WordVectors


def test_the_list_is_whole() -> None:
    pairs = judged_pairs()
    assert len(pairs) == 353
    assert all(0 <= mark <= 10 for *_, mark in pairs)


def toys(cosine_of_strangers: float) -> WordVectors:
    """Three judged pairs: coast-shore, book-paper, and king-cabbage with the cosine given."""
    sine = float(np.sqrt(1 - cosine_of_strangers**2))
    rows = [[1, 0], [1, 0.1], [1, 0], [cosine_of_strangers, sine], [1, 0], [1, 0.4]]
    words = ["coast", "shore", "king", "cabbage", "book", "paper"]
    return WordVectors(Vocabulary(words, [9, 9, 9, 9, 9, 2]), np.array(rows, dtype=np.float32))


def test_the_order_of_the_marks_is_found() -> None:
    marks = {pair[:2]: pair[2] for pair in judged_pairs()}
    assert marks["king", "cabbage"] < marks["book", "paper"] < marks["coast", "shore"]
    assert agreement(toys(0.0)) == (3, pytest.approx(1.0))
    assert agreement(toys(0.95)) == (3, pytest.approx(0.5))
    assert agreement(toys(0.999)) == (3, pytest.approx(-0.5))


def test_rare_words_can_be_left_out() -> None:
    with pytest.raises(ValueError, match="only 2 judged pairs have both words 5 times"):
        agreement(toys(0.0), least=5)
