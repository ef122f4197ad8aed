"""The figures of lesson 12 say what they show."""

import pytest

from course.both_sides_at_once import figures
from course.results.intervals import Lead
from course.results.stored import stored_result

POINT = {"mean": 0.5, "low": 0.4, "high": 0.6}


def test_agreement_is_asked_in_three_questions() -> None:
    picture = figures.agreement_bars({"line": {"left": 1.0, "right": 1.0, "agree": 0.5}})
    assert "the noun is plural 100" in picture.description
    assert "they agree 50" in picture.description


def test_senses_are_told_from_words_and_states() -> None:
    stored = stored_result("masked_layers_rivals").numbers
    said = figures.sense_bars(stored).description
    assert "masked states add 1.2 points" in said
    assert "Bayes 79.6" in said


@pytest.mark.parametrize(
    ("mean", "low", "high", "said"),
    [
        (0.06, 0.01, 0.12, "0.06 nats ahead of"),
        (-0.06, -0.1, -0.01, "0.06 nats behind"),
        (0.0, -0.1, 0.1, "not clearly apart from"),
    ],
)
def test_sides_come_in_their_order_and_the_title_follows_the_difference(
    mean: float, low: float, high: float, said: str
) -> None:
    stored = {
        "nats": dict.fromkeys(figures.SIDES, POINT),
        "differences": {
            "both less product of language models": {"mean": mean, "low": low, "high": high}
        },
    }
    picture = figures.side_bars(stored).description
    assert picture.index("left") < picture.index("right") < picture.index("two of both")
    assert f"The product of two readers is {said} both at once" in picture


def test_a_title_says_what_is_added() -> None:
    assert figures.added("it", "counts", Lead(0.24, 0.1, 0.3)) == "Beside counts, it adds 0.24 nats"
    assert figures.added("it", "counts", Lead(0.1, -0.1, 0.3)).endswith("adds nothing clear")
    assert figures.added("it", "counts", Lead(-0.2, -0.3, -0.1)).endswith("costs 0.20 nats")


def test_losses_stand_at_their_batches() -> None:
    picture = figures.loss_curves(250, {"its own": [2.0, 1.0], "others": [3.0, 2.5]})
    assert "falls from 2 at 250 to 1 at 500" in picture.description


def test_judges_stand_beside_the_commoner_answer() -> None:
    picture = figures.judge_bars({"one": POINT, "other": POINT}, 0.54)
    assert "the commoner answer at 54" in picture.description
