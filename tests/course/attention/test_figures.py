"""Tables of shares and of reach say what they show."""

import numpy as np

from course.attention.block_diagram import block_diagram
from course.attention.figures import next_word_curves, reach_tables, share_tables


def test_shares_are_told_with_the_place_that_is_looked_at_most() -> None:
    picture = share_tables({"head": [[0.1, 0.9]]}, ["a=1", "b=2"], asking=["b?"], title="Where")
    assert "b? at b=2 (0.90)" in picture.description


def test_leaks_are_counted_and_crossed() -> None:
    table = np.triu(np.ones((3, 3), bool))
    leaky = table.copy()
    leaky[2, 0] = True
    tables = {f"run {i}": table for i in range(3)} | {"leaky": leaky}
    picture = reach_tables(tables, ["x", "y", "z"], title="Reach")
    assert "run 0: 6 of 6 states that may move do, 0 of 3 that must not." in picture.description
    assert "leaky: 6 of 6 states that may move do, 1 of 3 that must not." in picture.description
    crosses = [len(axes.lines[0].get_xdata()) for axes in picture.figure.axes if axes.lines]
    assert crosses == [0, 0, 0, 1]


def test_tables_of_reach_stand_as_a_mask_does() -> None:
    first_word_moves_all = np.zeros((3, 3), bool)
    first_word_moves_all[0] = True
    picture = reach_tables({"run": first_word_moves_all}, ["x", "y", "z"], title="Reach")
    assert picture.figure.axes[0].images[0].get_array()[:, 0].all()
    assert "Down: the state that moved" in picture.description


def test_the_counts_of_pairs_stand_beside_every_model() -> None:
    picture = next_word_curves({"yours": [40.0, 20.0]}, 25.0, 480, title="Two")
    assert "yours falls from 40 at 240 to 20 at 480" in picture.description
    assert "counts of pairs stays level from 25 at 240" in picture.description


def test_the_block_is_drawn_with_both_ways_past() -> None:
    assert block_diagram().description.count("(past it)") == 2
