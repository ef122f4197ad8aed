"""Slips of the pen are made of known words, and are none themselves."""

from elmo_mini.experiments.misspelt import slips


def test_slips_are_new_spellings_of_the_same_letters() -> None:
    words = ["government", "minister", "people", "to", "police", "c-3po-x"]
    made = slips(words)
    assert set(made) == {"a letter doubled", "two letters swapped"}
    for pairs in made.values():
        for slip, meant in pairs:
            assert slip not in words
            assert meant in [*words[:3], "police"]
            assert set(slip) == set(meant)
