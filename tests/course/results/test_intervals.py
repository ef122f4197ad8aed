"""The interval over seeds is Student's."""

import numpy as np
import pytest
from scipy import stats

from course.results.intervals import difference, interval, lead_twice


def test_interval_is_students() -> None:
    values = [0.2, 0.5, 0.9, 0.4]
    found = interval(values)
    low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert (found["low"], found["high"]) == pytest.approx((low, high))
    assert found["mean"] == pytest.approx(np.mean(values))
    assert found["values"] == values
    assert interval([2.0]) == {"mean": 2.0, "low": 2.0, "high": 2.0, "values": [2.0]}


def test_the_interval_holds_the_truth_95_times_in_100() -> None:
    samples = np.random.default_rng(0).normal(3.0, 2.0, (2000, 4))
    hits = [found["low"] < 3.0 < found["high"] for found in map(interval, samples)]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]]])
def test_no_values_have_no_interval(values: list[float]) -> None:
    with pytest.raises(ValueError, match="one number per seed; shape"):
        interval(values)


@pytest.mark.parametrize(
    ("ahead", "verdict"),
    [
        ([0.02, 0.03, 0.04], "+3.0 (+0.5 to +5.5): ahead"),
        ([-0.02, -0.03, -0.04], "-3.0 (-5.5 to -0.5): behind"),
        ([-0.03, 0.01, 0.04], "+0.7 (-8.1 to +9.4): no clear difference"),
    ],
)
def test_a_difference_is_taken_seed_by_seed(ahead: list[float], verdict: str) -> None:
    other = np.array([0.5, 0.9, 0.1])
    assert str(difference(interval(other + ahead), interval(other))) == verdict


@pytest.mark.parametrize(
    ("low", "values", "said"),
    [
        (0.01, [0.02, 0.03, 0.04], "+3.0 (+1.0 to +5.0) [+0.5 to +5.5]: ahead"),
        (
            0.01,
            [-0.01, 0.03, 0.07],
            "+3.0 (+1.0 to +5.0) [-6.9 to +12.9]: clear by one interval alone",
        ),
        (-0.01, [-0.01, 0.03, 0.07], "+3.0 (-1.0 to +5.0) [-6.9 to +12.9]: no clear difference"),
        (
            -0.01,
            [0.02, 0.03, 0.04],
            "+3.0 (-1.0 to +5.0) [+0.5 to +5.5]: clear by one interval alone",
        ),
    ],
)
def test_a_lead_says_whether_its_two_intervals_agree(
    low: float, values: list[float], said: str
) -> None:
    assert lead_twice({"mean": 0.03, "low": low, "high": 0.05, "values": values}) == said
