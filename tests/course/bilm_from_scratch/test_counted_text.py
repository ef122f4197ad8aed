"""What counts pay is given word by word; what was stored belongs to the sentences asked."""

import numpy as np
import pytest

from course.bilm_from_scratch.counted_text import _perplexity, by_counts, stored_counts
from course.results.stored import stored_result
from tests.course.texts.test_small_text import SENTENCES, text


def test_forward_counts_pay_what_their_perplexity_says() -> None:
    small = text()
    words = len(small.held_out[0]) + 1
    for order in (1, 2, 3):
        nats = by_counts(small, SENTENCES, small.held_out[:1], order)
        expected = small.ngram(small.held_out[:1], order)
        assert np.exp(nats[:words].mean()) == pytest.approx(expected)
        assert len(nats) == 2 * words


def test_single_words_cost_the_same_in_both_directions() -> None:
    small = text()
    nats = by_counts(small, SENTENCES, small.held_out[:1], 1)
    ahead, behind = np.split(nats, 2)
    assert ahead[:-1] == pytest.approx(behind[1:])  # backward is asked for the boundary first


def test_stored_counts_are_given_for_the_sentences_that_were_asked_and_no_others() -> None:
    for name in ("triples", "pairs"):
        stored = stored_result(f"counted_text_{name}").numbers
        asked = [["word"] * (words - 1) for words in stored["words asked"]]
        nats = stored_counts(name, asked)
        assert nats is not None
        found = _perplexity(nats, np.array(stored["words asked"]))
        assert found == pytest.approx([*stored["perplexity"].values()], rel=1e-3)
        assert stored_counts(name, asked[1:]) is None


def test_a_rare_word_before_tells_something_only_where_every_word_is_told_apart() -> None:
    small = text()
    learn = [["quaint", "a"], ["arcane", "b"]] * 5
    known, told_apart = (
        by_counts(small, learn, learn[:1], 2, every_word=every)[1] for every in (False, True)
    )
    assert told_apart < known - 0.5
    same = (by_counts(small, SENTENCES, SENTENCES, 3, every_word=every) for every in (False, True))
    assert next(same) == pytest.approx(next(same))


def test_what_the_lesson_says_of_reading_the_task_text_first_is_stored() -> None:
    numbers = stored_result("task_text_pos").numbers
    falls = numbers["perplexity"]
    start, alone, whole = falls["before"], falls["softmax alone"], falls["all weights"]
    assert 0.28 < 1 - whole["mean"] / start < 1 / 3  # "nearly a third"
    assert start - alone["mean"] > (start - whole["mean"]) / 2  # "more than half"
    assert np.log(start / alone["mean"]) > np.log(start / whole["mean"]) / 2
    assert numbers["sentences"] == 1200
    for gain in numbers["gains"].values():
        assert gain["low"] < 0 < gain["high"]  # "no clear gain"
