"""Naive Bayes on counted clues."""

import numpy as np
import pytest

from course.baselines.naive_bayes import naive_bayes


def test_a_label_is_as_likely_as_its_examples_and_their_clues() -> None:
    known = [["the", "money"], ["the", "the"], ["river"]]
    labels, likely = naive_bayes(known, ["bank", "bank", "shore"], [["the"], ["unseen"]], 1.0)
    assert labels.tolist() == ["bank", "shore"]
    alone = np.log([2 / 3, 1 / 3])
    joint = alone + np.log([(3 + 1) / (4 + 3), (0 + 1) / (1 + 3)])
    assert likely[0] == pytest.approx(joint - np.logaddexp(*joint))
    assert likely[1] == pytest.approx(alone)  # what nobody has seen says nothing
