"""A mistake is named when the outputs are its own, and no other mistake's."""

from typing import Any

import numpy as np

from autograde.checking.check import examine
from autograde.checking.exercise import Case, Mistake
from tests.autograde.checking.made_up import exercise


def blind(inputs: Any, outputs: Any) -> Any:
    """A view that tells right from wrong and no more."""
    return bool(np.array_equal(outputs, 2 * inputs["values"]))


def test_a_view_that_merges_two_mistakes_names_neither() -> None:
    cases = exercise().cases[:1]
    report = examine(exercise(view=blind, cases=cases), lambda values: values**2)
    assert report.points == 0
    assert report.mistake is None
    assert "perhaps" not in report.headline


def test_two_mistakes_that_say_the_same_are_one() -> None:
    twins = tuple(
        Mistake(name, lambda values, power=power: values**power, "You raise to a power.")
        for name, power in (("squared", 2), ("cubed", 3))
    )
    made = exercise(view=blind, cases=exercise().cases[:1], mistakes=twins)
    report = examine(made, lambda values: values**4)
    assert report.mistake is twins[0]
    assert report.certain


def test_an_answer_that_varies_is_not_one_that_is_always_the_same() -> None:
    """Such as `sound` for every black box: the answer calls some of them broken."""

    def size(values: np.ndarray) -> int:
        return len(values) % 3

    cases = tuple(
        Case(f"{n} values", lambda rng, n=n: {"values": np.zeros(n)})  # type: ignore[misc]
        for n in range(1, 6)
    )
    always = Mistake("always none", lambda values: 0, "You say 0 of all.")
    made = exercise(reference=size, cases=cases, mistakes=(always,), right_answers={})
    report = examine(made, lambda values: 0 if len(values) < 3 else size(values))
    assert report.mistake is None
    assert examine(made, lambda values: 0).mistake is always


def test_nan_for_nan_names_no_mistake_but_one_that_speaks_of_it() -> None:
    """Whatever is divided by 0 gives nan, so two answers may agree there by accident."""
    cases = tuple(
        Case(name, lambda rng, values=values: {"values": np.array(values)})  # type: ignore[misc]
        for name, values in (("zeros", [0.0, 0.0]), ("ones", [1.0, 2.0]))
    )

    def mine(values: np.ndarray) -> np.ndarray:
        return 2 * values * values / values

    def told(says: str) -> bool:
        mistake = Mistake("thrice", lambda values: 3 * values * values / values, says)
        made = exercise(cases=cases, mistakes=(mistake,), right_answers={})
        return examine(made, mine).mistake is mistake

    assert not told("You triple.")
    assert told("Where a number is 0 you divide 0 by 0.")
