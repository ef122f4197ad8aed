"""What lesson 13 shows of the root of d, at learning and in the slope."""

import pytest

from course.attention import unscaled_attention as undivided
from elmo_mini.models.attention import one_head


@pytest.mark.by_reach("trained again", seconds=5)
def test_a_large_head_that_does_not_divide_learns_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undivided, "SEEDS", (0,))
    found = undivided.learning_with(one_head, (16, 64))
    by = {name: {d: point["mean"] for d, point in points.items()} for name, points in found.items()}
    assert by[undivided.DIVIDED]["64"] > by[undivided.NOT]["64"] + 15
    assert abs(by[undivided.DIVIDED]["16"] - by[undivided.NOT]["16"]) < 15


@pytest.mark.by_reach("trained again", seconds=5)
def test_undivided_shares_lose_their_slope() -> None:
    slopes = undivided.slopes(one_head, (4, 256))
    assert slopes[undivided.NOT][1] < 0.3 * slopes[undivided.NOT][0]
    assert slopes[undivided.DIVIDED][1] > 0.8 * slopes[undivided.DIVIDED][0]


@pytest.mark.by_reach("trained again", seconds=5)
def test_a_quiet_start_helps_and_is_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undivided, "SEEDS", (0,))
    by = {name: point["mean"] for name, point in undivided.taken_apart(one_head).items()}
    assert by[undivided.NOT] < by[undivided.QUIET] < by[undivided.DIVIDED] - 15
