"""The pictures of lesson 02 say what is stored, and what the learner measured."""

import numpy as np

from course.results.stored import stored_result
from course.static_limits import figures as merged_words


def test_own_pairs_stand_beside_the_stored_ones() -> None:
    stored = stored_result("static_pseudo_words").numbers
    own = (np.array([0.2, 0.8]), np.array([0.3, 0.6]))
    said = merged_words.places_by_share(own, stored).description
    assert "your GloVe, 2 pairs" in said
    for kind in ("skip-gram", "GloVe"):
        assert f"{kind}, {len(stored['pairs'])} pairs (stored)" in said


def test_every_reader_and_the_ceiling_have_a_bar_for_each_word() -> None:
    four = stored_result("static_senseval").numbers["words"]
    said = merged_words.stored_readers(four).description
    for name in (
        *four,
        "ceiling, as spelt",
        "random vectors",
        "trained vectors",
        "bag of words",
        "bag of the words with vectors",
    ):
        assert name in said
