"""The pictures of lesson 03 say in words what reads what, and what was measured."""

from typing import Any

import numpy as np
import pytest

from course.context_enters import figures as readers
from course.context_enters.sense_vote import stored_course_senses
from course.results.stored import stored_result


def arrows_of(said: str) -> dict[str, str]:
    return dict(part.split(" to ", 1) for part in said.split("Arrows: ")[1].rstrip(".").split("; "))


def test_a_language_model_bets_on_the_word_after_the_one_it_reads() -> None:
    arrows = arrows_of(readers.language_model(["</s>", "dogs", "bark"]).description)
    assert arrows["word 'dogs'"] == "embedding 1"
    assert arrows["state 0"] == "softmax 0 and state 1"
    assert arrows["softmax 1"] == "bet on 'bark'"


def test_from_cell_to_cell_there_is_a_product_and_a_sum() -> None:
    arrows = arrows_of(readers.lstm_step().description)
    assert [arrows[name] for name in ("old c", "times", "plus")] == ["times", "plus", "new c"]
    assert [arrows[name] for name in ("new c", "squashed", "shown")] == [
        "squashed",
        "shown",
        "new h",
    ]


def test_nothing_reads_the_word_in_the_gap() -> None:
    said = readers.gap(["</s>", "a", "b", "</s>"], 1).description
    assert "word 1" not in said.split("Arrows: ")[1]
    arrows = arrows_of(said)
    assert arrows["left 0"] == arrows["right 2"] == "MLP"
    assert arrows["right 3"] == "right 2"


def test_curves_and_bars_say_what_was_measured() -> None:
    faded = readers.fading(lambda w, x, h: w * np.ones(len(x)), 3).description
    assert "w = 1.5 stays level" in faded
    kept = readers.notes({"fresh": {1: 0.5, 2: 0.25}}).description
    assert "fresh falls from 0.5 at 1 to 0.25 at 2" in kept
    forgetful = readers.memory([1, 2], [9.0, 3.0], [7.0, 3.0], 4.0).description
    assert "from zeros falls from 9 at 1 to 3 at 2" in forgetful
    assert "from the average page falls from 7" in forgetful
    assert "B falls from 5 at 1 to 1 at 2" in readers.training({"B": [5.0, 1.0]}).description
    assert "2 b 0.5" in readers.moved(["a", "b"], [0.0, 0.5]).description
    losses = np.array([3.0, 2.0])
    assert "target read falls" in readers.leak(np.ones(4), losses).description
    point = {"mean": 0.5, "low": 0.4, "high": 0.6}
    assert "LSTM 40 to 60" in readers.senses({"LSTM": point}, 0.42).description


@pytest.mark.parametrize(
    ("figure", "numbers"),
    [
        (readers.stored_senses, stored_course_senses()),
        (readers.stored_senseval, stored_result("context_senses").numbers["senseval"]),
    ],
)
def test_stored_results_have_what_the_figures_show(figure: Any, numbers: Any) -> None:
    said = figure(numbers).description
    assert "context2vec" in said
    assert "untrained" in said
    assert "Intervals of" in said
