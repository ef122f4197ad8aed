"""What is written follows the scores, in either direction, and never says `<unk>`."""

import torch
from torch import Tensor

from elmo_mini.experiments.writing import scores_of_pairs, written
from tests.elmo_mini.experiments.test_small_text import text


def test_both_directions_go_on_until_a_boundary() -> None:
    small = text()
    order = [*"abc", "</s>"]

    def scores(part: list[str], direction: str) -> Tensor:
        step = 1 if direction == "forward" else -1
        last = part[-1] if direction == "forward" else part[0]
        following = order[(order.index(last) + step) % 4] if last in order else order[0]
        found = torch.full((len(small.vocabulary),), -1e9)
        found[small.vocabulary.encode([following])] = 0.0
        found[0] = 5.0  # the likeliest is `<unk>`
        return found

    assert written(scores, small, ["<S>"], "forward") == "a b c"
    assert written(scores, small, ["c", "</S>"], "backward") == "a b c"
    assert written(scores, small, ["<S>"], "forward", most=2) == "a b"


def test_pairs_of_neighbours_score_every_word() -> None:
    small = text()
    chances = scores_of_pairs(small)(["<S>", "A"], "forward").exp()
    assert torch.isclose(chances.sum(), torch.tensor(1.0))
    assert small.vocabulary.word(int(chances.argmax())) == "b"
