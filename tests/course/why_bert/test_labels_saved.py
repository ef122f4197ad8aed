"""How many labels one learner needs for what another does with fewer."""

import numpy as np
import pytest

from course.why_bert.labels_saved import labels_needed, needed_interval


def test_the_interval_of_the_labels_that_are_needed() -> None:
    rng = np.random.default_rng(0)
    level = (rng.random((5, 60)) < 0.6).astype(float)
    curve = {n: (rng.random((5, 60)) < p).astype(float) for n, p in ((10, 0.3), (40, 0.9))}
    found = needed_interval(level, curve, rng, 200)
    shares = [curve[count].mean() for count in curve]
    assert found["mean"] == pytest.approx(labels_needed([10, 40], shares, level.mean()))
    assert 10 < found["low"] < found["mean"] < found["high"] < 40
    never = needed_interval(level, {10: curve[10]}, rng, 50)
    assert never == {"mean": 10, "low": 10, "high": 10}
