"""Lesson 01: vectors are asked three times, and the control answers without arithmetic."""

import numpy as np
import pytest
import torch

from course.texts.word_classes import content_words
from course.word2vec import analogies, growing_vectors
from course.word2vec import softmax_cost as softmax_bill
from course.word2vec.sgns_optimum import best_scores, flattened_pmi
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.word2vec import noise_distribution, shifted_pmi

OFTEN = [["two"]] * 90 + [["three"]] * 80 + [["four"]] * 70 + [["he"]] * 60 + [["rare"]] * 5
NUMBERS = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.8, 0.1], [0.0, 1.0], [1.0, 1.0]])


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary.from_sentences(OFTEN, min_count=5)


def nearest(vectors: torch.Tensor, word: int, count: int) -> list[int]:
    cosine = torch.cosine_similarity(vectors, vectors[word], dim=1)
    cosine[word] = -2
    return cosine.topk(min(count, len(vectors) - 1)).indices.tolist()


def test_only_usual_words_are_asked_and_answer(
    vocabulary: Vocabulary, capsys: pytest.CaptureFixture[str]
) -> None:
    assert growing_vectors.known(["he", "rare", "absent"], vocabulary) == ["he"]
    with growing_vectors.asked_three_times(vocabulary, nearest, ["two", "rare"], 4) as look:
        for step in range(1, 5):
            look(step, NUMBERS)
    said = capsys.readouterr().out
    assert [f"after step {step}" in said for step in (1, 2, 3, 4)] == [True, True, False, True]
    assert "two: three, four, he" in said
    assert "fewer than 50 occurrences, not asked: rare\n" in said
    assert said.count("rare") == 1


def test_neighbours_of_one_class_are_a_share(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes = {"two": "noun", "three": "noun", "four": "verb", "rare": "verb"}
    monkeypatch.setattr(growing_vectors, "content_words", lambda: classes)
    shares = growing_vectors.of_one_class(NUMBERS, vocabulary, nearest)
    assert shares.tolist() == [0.5, 0.5, 0]


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
    told = analogies.arithmetic_less_none(found)["facts"]
    assert told.endswith(("no clear difference", "behind", "ahead"))
    assert "nearest to c: facts (1 questions) 100" in analogies.picture(found).description


def test_a_full_softmax_is_slower_and_a_step_has_a_fixed_price() -> None:
    assert softmax_bill.one_pair_of_many(100) > 0
    assert softmax_bill.times_slower(20_000) > 1


def test_flattened_noise_moves_the_target() -> None:
    counts = np.array([[8.0, 2.0], [2.0, 1.0]])
    plain, flat = shifted_pmi(counts, 5), flattened_pmi(counts, 5)
    assert np.allclose(flattened_pmi(counts, 5, 1.0), plain)
    found = best_scores(counts, 5, 2, power=0.75)
    assert np.abs(found - flat).max() < 0.01 < np.abs(found - plain).max()
    assert noise_distribution(counts.sum(0), 0.75)[0] < counts.sum(0)[0] / counts.sum()
