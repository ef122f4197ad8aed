"""Lesson 01: the control answers an analogy without arithmetic, and the bill has a fixed price."""

import numpy as np

from course.texts.word_classes import content_words
from course.word2vec import analogies
from course.word2vec import softmax_cost as softmax_bill


def test_content_words_have_a_class_each() -> None:
    classes = content_words()
    assert set(classes.values()) == {"noun", "verb", "adjective", "adverb"}
    assert (classes["quality"], classes["has"], classes["real"]) == ("noun", "verb", "adjective")


def test_the_control_leaves_out_the_arithmetic() -> None:
    vectors = np.array([[1, 0], [1, 1], [0, 1], [0.1, 1], [-1, 0.2]], dtype=np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    question = {"facts": np.array([[0, 1, 2, 3]]), "none": np.empty((0, 4), dtype=np.int64)}
    found = analogies.answers(unit, question)
    assert list(found) == ["facts"]
    assert found["facts"][analogies.ALONE].tolist() == [1]
    assert found["facts"][analogies.WITHIN].tolist() == [1]
    assert found["facts"][analogies.RIGHT].tolist() == [0]
    lead = analogies.lead_of_arithmetic(found["facts"])
    assert (lead.mean, lead.verdict) == (0, "no clear difference")
    right, wrong = np.ones(9), np.zeros(9)
    by_way = {analogies.FORBIDDEN: wrong, analogies.ALONE: right}
    assert analogies.lead_of_arithmetic(by_way).verdict == "behind"
    shown = analogies.picture({"own": found}).description
    assert "nearest to c: own, facts 100" in shown
    assert "A word of the question comes first in 100 % or more" in shown


def test_questions_are_asked_in_the_places_of_the_words() -> None:
    words = ["she", "he", "his", "her", "good", "better", "bad", "worse"]
    listed, sections = analogies.questions(words)
    assert listed["facts"].tolist() == [[1, 0, 2, 3], [2, 3, 1, 0]]
    assert [4, 5, 6, 7] in listed["word forms"].tolist()
    assert sections["gram3-comparative"] == 2


def test_a_full_softmax_is_slower_and_a_step_has_a_fixed_price() -> None:
    assert softmax_bill.one_pair_of_many(100) > 0
    assert softmax_bill.times_slower(20_000) > 1
