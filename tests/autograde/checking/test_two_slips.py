"""Two slips that are made at once are recognised, and both sentences are said."""

from typing import Any

import numpy as np
import pytest

from autograde.checking import two_slips
from autograde.checking.check import examine
from autograde.checking.exercise import Case, Exercise
from autograde.checking.slips import slips
from tests.autograde.checking.made_up import exercise


def line(values: np.ndarray) -> np.ndarray:
    doubled = 2 * values
    return doubled + 1


TEXT = """
--- hint 2
not doubled: 2 * values -> values
    Double them.
squared: 2 * values -> 2 * values**2
    Do not square.
--- hint 1
the 1 subtracted: + 1 -> - 1
    Add the 1.
the 1 forgotten: doubled + 1 -> doubled
    The 1 is missing.
"""


def made(**changes: Any) -> Exercise:
    cases = tuple(
        Case(f"{n} numbers", lambda rng, n=n: {"values": rng.standard_normal(n)}) for n in (3, 5)
    )
    declared = {"reference": line, "cases": cases, "mistakes": slips(line, TEXT)}
    return exercise(**(declared | changes))


def test_both_are_named_and_both_sentences_said() -> None:
    report = examine(made(), lambda values: values - 1)
    assert report.mistake is not None
    assert report.certain
    assert report.mistake.name == "not doubled, and the 1 subtracted"
    assert report.mistake.says == "Two things. Double them. Add the 1."
    assert report.mistake.hint is None


def test_a_hint_that_both_belong_to_is_named() -> None:
    one = TEXT.replace("--- hint 1", "--- hint 2")
    report = examine(made(mistakes=slips(line, one)), lambda values: values - 1)
    assert report.mistake is not None
    assert report.mistake.hint == 2


def test_one_slip_comes_before_two() -> None:
    report = examine(made(), lambda values: values + 1)
    assert report.mistake is not None
    assert report.mistake.name == "not doubled"


def test_where_several_pairs_fit_none_is_named() -> None:
    twice = TEXT + "turned: doubled + 1 -> (doubled - 2)\n    Two less.\n"
    twice += "half: 2 * values -> (values + 1)\n    One more.\n"
    answer = lambda values: values - 1  # noqa: E731  not doubled - 1, and (values + 1) - 2
    assert examine(made(mistakes=slips(line, twice)), answer).mistake is None


def test_pairs_that_differ_in_a_later_case_are_told_apart() -> None:
    text = TEXT + "large ones too: doubled + 1 -> doubled + 1 + (len(values) > 4)\n    Not these.\n"
    report = examine(
        made(mistakes=slips(line, text)), lambda values: values + 1 + (len(values) > 4)
    )
    assert report.mistake is not None
    assert report.mistake.says == "Two things. Double them. Not these."


def test_few_labels_name_no_pair() -> None:
    signs = made(view=lambda inputs, outputs: np.sign(outputs))
    report = examine(signs, lambda values: values - 1)
    assert report.mistake is None or not report.mistake.says.startswith("Two things")


def test_a_pair_that_never_ends_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(values: np.ndarray) -> np.ndarray:
        rest, total = 3, 0 * values
        while rest > 0:
            total = total + values
            rest = rest - 1
        return total

    monkeypatch.setattr(two_slips, "ENDLESS", 0.1)
    text = """
more: rest > 0 -> rest != 0
    Above 0.
steps of two: rest - 1 -> rest - 2
    One at a time.
the sum begun at one: 0 * values -> 0 * values + 1
    Begin with 0.
"""
    endless = made(reference=counted, mistakes=slips(counted, text)[1:])
    assert examine(endless, lambda values: 17 * values).mistake is None
    pairs = made(reference=counted, mistakes=slips(counted, text)[:2])
    assert examine(pairs, lambda values: 17 * values).mistake is None
