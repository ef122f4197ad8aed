"""F1 over draws and sentences, and the interval of a lead."""

import numpy as np
import pytest

from course.results.span_f1 import f1_share

RANDOM = np.random.default_rng(0)
GOLD = RANDOM.integers(2, 6, (3, 80))
HALF = np.stack([RANDOM.binomial(GOLD, 0.5), GOLD, GOLD], -1)
MORE = np.stack([np.minimum(HALF[..., 0] + 1, GOLD), GOLD, GOLD], -1)


def test_f1_is_that_of_all_spans_draw_by_draw() -> None:
    point = f1_share(HALF)
    each = HALF[..., 0].sum(1) / GOLD.sum(1)
    assert point["values"] == pytest.approx(each.tolist())
    assert point["low"] < point["mean"] < point["high"]
    assert 0.02 < point["high"] - point["low"] < 0.2


def test_a_lead_is_paired() -> None:
    lead, alone = f1_share(MORE, HALF), f1_share(HALF)
    assert lead["mean"] == pytest.approx(f1_share(MORE)["mean"] - alone["mean"])
    assert 0 < lead["low"] < lead["high"]
    assert lead["high"] - lead["low"] < alone["high"] - alone["low"]
    assert f1_share(HALF, HALF)["low"] == f1_share(HALF, HALF)["high"] == 0
