"""Bars with whiskers say the ends of their intervals in words."""

from course.figures.interval_bars import NOT_THERE, interval_bars, interval_curves
from course.figures.legibility import unreadable


def test_the_description_has_heights_and_the_ends_of_intervals() -> None:
    points = [{"mean": 0.5, "low": 0.4, "high": 0.7}, {"mean": 0.1, "low": -0.1, "high": 0.3}]
    picture = interval_bars(["a\nb", "c"], {"ours": points}, title="T", ylabel="percent")
    assert "ours: a b 50, c 10." in picture.description
    assert "Intervals of ours: a b 40 to 70, c -10 to 30." in picture.description
    assert unreadable(picture.figure) == []


def test_curves_have_the_interval_of_every_point() -> None:
    points = [{"mean": 0.5, "low": 0.4, "high": 0.7}, {"mean": 0.1, "low": 0.0, "high": 0.3}]
    picture = interval_curves(
        [10, 30], {"ours": points}, title="T", xlabel="examples", ylabel="percent", log_x=True
    )
    assert "ours falls from 50 at 10 to 10 at 30" in picture.description
    assert "Interval of ours: 40 to 70 at 10, 0 to 30 at 30." in picture.description
    assert unreadable(picture.figure) == []


def test_a_result_that_is_not_there_has_no_bar_and_is_not_described() -> None:
    point = {"mean": 0.5, "low": 0.4, "high": 0.6}
    groups = {"ours": [point, point], "other": [point, NOT_THERE]}
    picture = interval_bars(["few", "many"], groups, title="T", ylabel="n")
    assert "nan" not in picture.description
    assert picture.description.endswith("Intervals of other: few 40 to 60.")
