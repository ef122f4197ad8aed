"""Slips of the pen are made of known words, and are none themselves."""

import numpy as np

from course.static_limits.misspelt import (
    found_by_sums,
    nearest_by_pieces,
    random_pieces,
    slips,
)
from elmo_mini.models.fasttext import subword_vector


def test_slips_are_new_spellings_of_the_same_letters() -> None:
    words = ["government", "minister", "people", "to", "police", "c-3po-x"]
    made = slips(words)
    assert set(made) == {"a letter doubled", "two letters swapped"}
    for pairs in made.values():
        for slip, meant in pairs:
            assert slip not in words
            assert meant in [*words[:3], "police"]
            assert set(slip) == set(meant)


def test_words_that_share_pieces_come_first_and_long_ones_are_no_nearer() -> None:
    words = ["cat", "cart", "concatenate", "dog", "dig", "do"]
    (found,) = nearest_by_pieces(["catt"], words, list)
    assert found[:2] == ["cat", "cart"]
    assert len(found) == 5


WORDS = ["government", "children", "yesterday", "australia", "security", "minister", "palestine"]


def test_a_spelling_is_found_by_the_pieces_that_it_keeps() -> None:
    words = [*WORDS, *(word[::-1] for word in WORDS)]
    tables = random_pieces(len(words), 5_000, 300, seed=0)
    cases = [("governmment", "government"), ("zzzzzz", "children"), ("yestterday", "yesterday")]
    found = found_by_sums(cases, words, lambda word: subword_vector(word, words, *tables))
    assert (found[0], found[2]) == (True, True)
    again = random_pieces(len(words), 5_000, 300, seed=0)
    assert all((one == other).all() for one, other in zip(tables, again, strict=True))
    assert np.std(tables[1]) > 0.9
