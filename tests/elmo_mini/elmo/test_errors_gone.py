"""The column "increase" of the paper's table 1."""

import numpy as np
import pytest

from elmo_mini.elmo.errors_gone import errors_gone

BASELINE = np.array([81.1, 88.0, 81.4, 67.2, 90.15, 51.4])
WITH_ELMO = np.array([85.8, 88.7, 84.6, 70.4, 92.22, 54.7])


def test_it_is_what_the_paper_prints() -> None:
    printed = [24.9, 5.8, 17.2, 9.8, 21.0, 6.8]
    np.testing.assert_allclose(errors_gone(BASELINE, WITH_ELMO), printed, atol=0.06)


def test_against_the_best_before_three_of_six_are_above_five_percent() -> None:
    before = np.array([84.4, 88.6, 81.7, 67.2, 91.93, 53.7])
    assert int((errors_gone(before, WITH_ELMO) > 5).sum()) == 3


def test_errors_that_were_added_are_negative() -> None:
    assert float(errors_gone(50, 45)) == pytest.approx(-10)
