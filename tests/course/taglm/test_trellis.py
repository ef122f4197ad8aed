"""A trellis says every score and path in words, and refuses what does not fit."""

import numpy as np
import pytest

from course.figures.legibility import unreadable
from course.taglm.trellis import trellis


def test_a_trellis_names_each_score_and_each_path_word_by_word() -> None:
    scores = np.array([[1.0, 0.0], [0.0, 2.0]])
    picture = trellis(scores, ["the", "dog"], ["B", "I"], {"best": [0, 1]}, title="T")
    assert "dog: B 0.0, I 2.0." in picture.description
    assert "best: the B, dog I." in picture.description
    assert unreadable(picture.figure) == []


def test_a_trellis_says_the_transitions_its_paths_take_once_each() -> None:
    moves = np.array([[0.5, -4.0], [0.0, 1.0]])
    paths = {"a": [0, 1, 1], "b": [0, 1, 0]}
    words, labels = ["x", "y", "z"], ["B", "I"]
    picture = trellis(np.zeros((3, 2)), words, labels, paths, title="T", transitions=moves)
    assert picture.description.count("Transition B to I: -4.0.") == 1
    assert "Transition I to B: +0.0." in picture.description
    assert "Transition B to B" not in picture.description


@pytest.mark.parametrize(
    ("scores", "path", "complaint"),
    [
        (np.zeros((2, 3)), [0, 1], r"need shape \(2, 2\)"),
        (np.zeros((2, 2)), [0], "has 1 places, not 2"),
    ],
)
def test_a_trellis_refuses_what_does_not_fit(
    scores: np.ndarray, path: list[int], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        trellis(scores, ["a", "b"], ["B", "I"], {"p": path}, title="T")
