"""The vote on senses, and its controls."""

import numpy as np
import pytest
import torch

from course.context_enters.sense_vote import SenseTask, words_beside
from course.context_enters.speaking import spoken
from course.results.stored import stored_result
from course.static_limits.majority_ceiling import majority_ceiling
from elmo_mini.text.running_text import word_vocabulary


@pytest.fixture(scope="module")
def task() -> SenseTask:
    return SenseTask()


def test_vectors_that_name_the_sense_win_every_vote(task: SenseTask) -> None:
    numbers = np.unique(task.senses, return_inverse=True)[1]
    correct = task.correct(np.eye(numbers.max() + 1, dtype=np.float32)[numbers])
    assert len(correct) == task.is_test.sum() == 335
    assert correct.all()
    wrong = ~correct
    assert task.score([correct, wrong])["mean"] == 0.5


def test_a_control_has_one_vector_for_each_word_beside() -> None:
    rows = words_beside([["a", "b", "c"], ["a", "x", "c", "d"], ["b"]], [1, 1, 0], seed=0)
    assert rows.shape == (3, 128)
    assert (rows[0] == rows[1]).all()
    assert (rows[2, :64] == rows[2, 64:]).all(), "a boundary on either side"
    assert not (rows == words_beside([["a", "b", "c"]] * 3, [1, 1, 1], seed=1)).any()


def test_the_ceiling_of_spellings_is_the_stored_one(task: SenseTask) -> None:
    tested = task.spellings[task.is_test].tolist(), task.senses[task.is_test].tolist()
    stored = stored_result("context_senses").numbers["course sentences"]
    assert majority_ceiling(*tested) == stored["ceiling of its forms"]


def test_what_is_spoken_is_drawn_word_by_word() -> None:
    vocabulary = word_vocabulary([["a", "b", "c"]])
    seen: list[list[int]] = []

    def after(ids: list[int]) -> torch.Tensor:
        seen.append(list(ids))
        return torch.arange(len(vocabulary), dtype=torch.float)

    def draw(scores: torch.Tensor, temperature: float) -> int:
        assert scores[0] == -torch.inf
        assert temperature == 0.5
        return 1 if len(seen) == 2 else int(scores.argmax())

    last = vocabulary.word(len(vocabulary) - 1)
    assert spoken(after, draw, vocabulary, ["a"], 0.5, most=3) == f"a {last} / {last}"
    assert [len(ids) for ids in seen] == [2, 3, 4]


def test_naive_bayes_needs_only_the_words_beside(
    task: SenseTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = task.by_counting()
    assert right.shape == (335,)
    assert task.score(right)["low"] > 0.5
    monkeypatch.setattr(task, "tokens", [["bank"]] * len(task.tokens))
    monkeypatch.setattr(task, "positions", [0] * len(task.tokens))
    assert task.by_counting().mean() < right.mean() - 0.1
