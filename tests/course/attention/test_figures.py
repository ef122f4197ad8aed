"""Tables of attention weights and of reach say what they show."""

import numpy as np

from course.attention.block_diagram import block_diagram
from course.attention.figures import (
    SHOWN,
    SUM,
    attention_tables,
    distance_curves,
    division_curves,
    model_bars,
    norm_bars,
    perplexity_bars,
    rate_curves,
    reach_tables,
    recall_bars,
)
from course.results.stored import stored_result


def test_shares_are_told_with_the_place_that_is_looked_at_most() -> None:
    picture = attention_tables({"head": [[0.1, 0.9]]}, ["a=1", "b=2"], asking=["b?"], title="Where")
    assert "b? at b=2 (0.90)" in picture.description


def test_leaks_are_counted_and_crossed() -> None:
    table = np.triu(np.ones((3, 3), bool))
    leaky = table.copy()
    leaky[2, 0] = True
    tables = {f"run {i}": table for i in range(3)} | {"leaky": leaky}
    picture = reach_tables(tables, ["x", "y", "z"])
    assert "run 0: 6 of 6 scores that may move do, 0 of 3 that must not." in picture.description
    assert "leaky: 6 of 6 scores that may move do, 1 of 3 that must not." in picture.description
    crosses = [len(axes.lines[0].get_xdata()) for axes in picture.figure.axes if axes.lines]
    assert crosses == [0, 0, 0, 1]


def test_tables_of_reach_stand_as_a_mask_does() -> None:
    first_word_moves_all = np.zeros((3, 3), bool)
    first_word_moves_all[0] = True
    picture = reach_tables({"run": first_word_moves_all}, ["x", "y", "z"])
    assert picture.figure.axes[0].images[0].get_array()[:, 0].all()
    assert "Down: the position whose scores moved" in picture.description


def test_titles_say_what_the_data_say() -> None:
    assert "Who has looked ahead: nobody" in reach_tables({"a": np.eye(3)}, "xyz").description
    assert "Who has looked ahead: b" in reach_tables({"b": np.tri(3)}, "xyz").description
    raced = recall_bars({"one": 20.0, "two": 90.0}, 12.5)
    assert "Most answers: two, 90 %. Fewest: one, 20 %" in raced.description
    runs = {"divided, d = 128": [[90, 80], [70, 70]], "not divided, d = 128": [[20, 20], [40, 30]]}
    divided = division_curves((0.001, 0.003), runs)
    assert "divided 85 %, not divided 35 % (two runs each)" in divided.description
    assert "Lowest, 12.0: counts." in perplexity_bars({"net": 20.0, "counts": 12.0}).description
    assert "Lowest, 12.0: net; counts" in perplexity_bars({"net": 12.1, "counts": 12.0}).description
    stacks = {"post-norm": {0.01: [48.0, 50.0]}, "pre-norm": {0.01: [30.0, 40.0]}}
    norms = norm_bars(stacks, 46.0)
    assert "post-norm 49, pre-norm 35, counts of words 46" in norms.description
    assert "Intervals of pre-norm: rate 0.01 30 to 40." in norms.description


def test_titles_of_stored_figures_name_the_strongest_rival() -> None:
    models = model_bars(stored_result("attention_language_model").numbers).description
    assert "Lowest: counts of pairs with few sentences" not in models
    assert "counts of triples with few sentences, LSTM or pre-norm blocks with more" in models
    rates = rate_curves(stored_result("attention_rates").numbers["accuracy"]).description
    assert "% right: attention 100, LSTM 13," in rates


def test_a_model_has_one_name_in_the_lesson_and_its_figures() -> None:
    numbers = {name: stored_result(f"attention_{name}").numbers for name in ("distance", "rates")}
    drawn = [distance_curves(numbers["distance"]["accuracy"]).description]
    drawn.append(rate_curves(numbers["rates"]["accuracy"]).description)
    drawn.append(model_bars(stored_result("attention_language_model").numbers).description)
    assert not any(name in picture for name in SHOWN for picture in drawn)
    assert all(SUM in picture for picture in drawn[:2])


def test_the_plain_sum_is_a_control() -> None:
    assert recall_bars({SUM: 20.0, "attention": 90.0}, 12.5).description.endswith(
        "Hollow, as baselines or controls: plain sum."
    )


def test_four_tables_stand_two_by_two() -> None:
    drawn = reach_tables({name: np.eye(3) for name in "abcd"}, "xyz").figure.axes
    assert [axes.get_title() for axes in drawn] == list("abcd")


def test_the_block_is_drawn_with_both_ways_past() -> None:
    assert block_diagram().description.count("(residual connection)") == 2
