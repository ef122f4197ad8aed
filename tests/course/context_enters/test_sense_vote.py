"""The vote on senses, and its controls."""

import numpy as np
import pytest
import torch

from course.context_enters.sense_vote import SenseVote, words_beside
from course.context_enters.speaking import spoken
from course.results.stored import stored_result
from course.static_limits.majority_ceiling import majority_ceiling
from elmo_mini.recurrent.language_model import LSTMLanguageModel
from elmo_mini.text.running_text import word_vocabulary


@pytest.fixture(scope="module")
def vote() -> SenseVote:
    return SenseVote()


def test_vectors_that_name_the_sense_win_every_vote(vote: SenseVote) -> None:
    senses = [s.sense for s in vote.sentences]
    numbers = {sense: n for n, sense in enumerate(sorted(set(senses)))}
    vectors = np.eye(len(numbers), dtype=np.float32)[[numbers[sense] for sense in senses]]
    right = vote.right(vectors)
    assert len(right) == len(vote.tested) == len(vote.answers) == 335
    assert right.all()


def test_a_control_has_one_vector_for_each_word_beside() -> None:
    rows = words_beside([["a", "b", "c"], ["a", "x", "c", "d"], ["b"]], [1, 1, 0], seed=0)
    assert rows.shape == (3, 128)
    assert (rows[0] == rows[1]).all()
    assert (rows[2, :64] == rows[2, 64:]).all(), "a boundary on either side"
    assert not (rows == words_beside([["a", "b", "c"]] * 3, [1, 1, 1], seed=1)).any()


def test_spelling_alone_cannot_pass_the_ceiling_of_spellings(vote: SenseVote) -> None:
    ceiling = majority_ceiling(vote.spellings[vote.tested].tolist(), vote.answers)
    assert (
        ceiling
        == stored_result("context_senses").numbers["course sentences"]["ceiling of its forms"]
    )
    one, other = vote.by_spelling(2)
    assert max(one.mean(), other.mean()) < ceiling
    assert (one != other).any(), "where a spelling has fewer than three to learn from"


def test_models_are_made_from_seeds_and_the_callers_seed_is_left_alone(vote: SenseVote) -> None:
    vocabulary = word_vocabulary(vote.tokens, max_size=200)
    torch.manual_seed(7)
    before = torch.get_rng_state()
    one, other = vote.by_states(lambda: LSTMLanguageModel(200, 4, 4), vocabulary, 2)
    assert torch.equal(before, torch.get_rng_state())
    assert (one != other).any()
    score = vote.score([one, other])
    assert score["low"] < score["mean"] == np.mean([one, other]) < score["high"]


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
