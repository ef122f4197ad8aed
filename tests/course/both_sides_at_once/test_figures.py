"""The figures of lesson 12 say what they show."""

from course.both_sides_at_once import figures

POINT = {"mean": 0.5, "low": 0.4, "high": 0.6}


def test_agreement_is_asked_in_three_questions() -> None:
    picture = figures.agreement_bars({"line": {"left": 1.0, "right": 1.0, "agree": 0.5}})
    assert "the noun is plural 100" in picture.description
    assert "they agree 50" in picture.description


def test_layers_of_both_models_stand_beside_the_neighbours() -> None:
    seen = {"accuracy": 0.5, "interval_95": (0.4, 0.6)}
    rows = {
        f"{who}, {kind}layer {layer}": seen
        for who, top in figures.TOP.items()
        for layer in range(top + 1)
        for kind in ("", "untrained, ")
    }
    rows["neighbours"] = {"accuracy": 0.7, "interval_95": (0.6, 0.8)}
    picture = figures.layer_bars(rows, title="layers")
    assert "random vectors of the neighbours at 70" in picture.description
    assert picture.description.count("layer 3 50") == 1
    assert "top layer, untrained 40 to 60" in picture.description


def test_sides_come_in_their_order() -> None:
    said = figures.side_bars(dict.fromkeys(figures.SIDES, POINT)).description
    assert said.index("left") < said.index("right") < said.index("product") < said.index("both")


def test_a_loss_is_smoothed_over_its_last_batches() -> None:
    picture = figures.loss_curve([2.0] * 100 + [1.0] * 100)
    assert "falls from 2 at 100 to 1 at 200" in picture.description


def test_judges_stand_beside_the_commoner_answer() -> None:
    picture = figures.judge_bars({"one": POINT, "other": POINT}, 0.54)
    assert "the commoner answer at 54" in picture.description
