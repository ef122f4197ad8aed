"""Slips of the pen are made of known words, and are none themselves."""

from course.static_limits.misspelt import nearest_by_pieces, slips


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
