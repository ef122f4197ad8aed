import numpy as np

from course.scalar_mix_and_elmo.neighbour_features import RandomVectors, TokenLayer, words_around
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.probing.tasks import Occurrence


def occurrence(words: list[str], position: int) -> Occurrence:
    return Occurrence(tuple(words), position, "label")


def test_the_same_word_has_the_same_vector_wherever_it_stands() -> None:
    vectors = RandomVectors(4)
    one, other = words_around(
        [occurrence(["The", "bank", "of"], 1), occurrence(["bank", "the"], 1)], 2, vectors
    )
    assert np.array_equal(one[1], other[2])
    assert np.array_equal(one[2], other[1])


def test_places_outside_of_the_sentence_are_zeros() -> None:
    (row,) = words_around([occurrence(["a", "b"], 0)], 2, RandomVectors(3))
    assert row.shape == (5, 3)
    assert row.any(1).tolist() == [False, False, True, True, False]


def test_the_token_layer_knows_the_letters_of_a_word_and_no_place() -> None:
    letters = TokenLayer(load_pretrained())
    cats, dog, cat = letters.of(["cats", "dog", "cat"])
    assert cats.shape == (letters.size,)
    assert np.array_equal(letters.of(["cat"])[0], cat)
    assert cat @ cats > cat @ dog
    (row,) = words_around([occurrence(["cats", "dog"], 0)], 1, letters)
    assert np.allclose(row, [np.zeros(letters.size), cats, dog])
