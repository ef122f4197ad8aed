"""Letters to change, and the three questions, on answers that can be seen by eye."""

from collections.abc import Sequence

import numpy as np

from elmo_mini.characters.closeness import (
    Table,
    by_letters,
    by_vectors,
    finds_meant,
    nearest,
    prefers_meaning,
    same_class,
)
from elmo_mini.characters.edit_distance import edit_distances
from elmo_mini.characters.spellings import meaning_or_letters, misspelt_words
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT
from elmo_mini.text.vocabulary import Vocabulary

VECTORS = {"car": (1.0, 0.0), "auto": (0.9, 0.1), "card": (0.0, 1.0), "cars": (0.8, 0.5)}
WORDS = list(VECTORS)


def encode(words: Sequence[str]) -> Table:
    return np.array([VECTORS[word] for word in words], dtype=np.float32)


def test_letters_put_in_taken_out_and_replaced_are_counted() -> None:
    found = edit_distances(["kitten", ""], ["sitting", "kitten", "", "mitten", "tikten"])
    assert found.tolist() == [[3, 0, 6, 1, 2], [7, 6, 0, 6, 6]]
    assert edit_distances([], ["a"]).shape == (0, 1)


def test_the_first_of_equals_is_the_nearest_and_a_word_is_not_its_own_neighbour() -> None:
    assert nearest(by_letters, ["car"], WORDS, 2).tolist() == [[2, 3]]
    assert nearest(by_vectors(encode), ["car"], WORDS, 1).tolist() == [[1]]


def test_a_list_is_encoded_once_however_often_it_is_asked() -> None:
    asked: list[int] = []

    def counting(words: Sequence[str]) -> Table:
        asked.append(len(words))
        return encode(words)

    closeness = by_vectors(counting)
    for _ in range(2):
        closeness(["car"], WORDS)
    assert asked == [4, 1, 1]


def test_the_questions() -> None:
    assert finds_meant(by_letters, [("carr", "car"), ("aut", "car")], WORDS).tolist() == [1, 0]
    triple = [("car", "auto", "card")]
    assert prefers_meaning(by_vectors(encode), triple).tolist() == [1]
    assert prefers_meaning(by_letters, triple).tolist() == [0]
    assert prefers_meaning(by_letters, [("car", "cat", "can")]).tolist() == [0.5]
    classes = {"car": "N", "auto": "N", "card": "V", "cars": "N"}
    assert same_class(by_letters, ["car"], WORDS, classes, n=2).tolist() == [0.5]


def test_the_lists_keep_what_they_promise() -> None:
    known = Vocabulary.load(COURSE_CHECKPOINT.with_name("vocabulary.json"))
    slips = misspelt_words()
    assert len({slip for slip, _ in slips}) == len(slips) > 100
    assert not [slip for slip, meant in slips if slip in known or meant not in known]
    assert not [word for triple in meaning_or_letters() for word in triple if word not in known]
    distances = [edit_distances([a], [b, c])[0] for a, b, c in meaning_or_letters()]
    assert not [d for d in distances if d[0] <= d[1]]  # near in letters only
