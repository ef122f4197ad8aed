"""Clues about words, and a linear model over them."""

import torch

from course.baselines.word_clues import ClueScores, ClueTable, clues, shape


def test_a_word_has_clues_of_itself_and_of_two_words_on_either_side() -> None:
    first, *_ = clues(["The", "dogs", "barked", "all", "night"])
    assert {"+0 the", "+0 like Xxx", "+0 ends e", "+0 begins th", "+1 dogs", "+2 ends ed"} <= {
        *first
    }
    assert {"-1 <>", "-2 <>"} <= {*first}
    assert not any("all" in clue for clue in first)


def test_a_shape_keeps_capitals_and_digits_apart() -> None:
    assert [shape(word) for word in ("McKay", "1984", "'s", "of")] == ["XxXx", "dddd", "'x", "xx"]


def test_every_word_has_as_many_clues_and_unknown_ones_are_zero() -> None:
    table = ClueTable([["a", "dog"], ["a", "cat", "sleeps"]])
    ids, mask = table.of([["a", "dog"], ["quite", "another", "text"]])
    assert mask.tolist() == [[True, True, False], [True, True, True]]
    assert (ids[0, :2] > 0).all()
    assert not ids[0, 2].any()
    assert (ids[1] == 0).any()
    assert ids.max() < len(table)


def test_scores_begin_at_zero_and_add_up_the_clues() -> None:
    scores = ClueScores(5, 2)
    ids = torch.tensor([[[1, 2], [0, 4]]])
    assert not scores(ids).any()
    with torch.no_grad():
        scores.weights.weight[1:] = torch.arange(8.0).view(4, 2)
    assert torch.equal(scores(ids), torch.tensor([[[2.0, 4.0], [6.0, 7.0]]]))
