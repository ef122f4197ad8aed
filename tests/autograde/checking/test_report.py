"""The wrong case that a report unfolds can be read at a glance, if there is such a one."""

import numpy as np

from autograde.checking.check import examine
from autograde.checking.exercise import Answer, Case, Inputs, Plain
from tests.autograde.checking.made_up import exercise


def test_a_long_wrong_case_gives_way_to_a_short_one() -> None:
    short = Case("two numbers", lambda rng: {"values": [1, 2]})
    long = Case("many numbers", lambda rng: {f"row{i}": "x" * 300 for i in range(9)})

    def run(answer: Answer, inputs: Inputs) -> Plain:
        return answer(inputs)

    made = exercise(cases=(long, short), mistakes=(), reference=len, run=run)
    report = examine(made, lambda values: -1)
    assert ("in: values", "[1, 2]") in report.detail
    for shown in (report.text(), report.html()):
        assert "Shorter: two numbers" in shown
        assert "The first wrong case" not in shown


def test_a_short_first_wrong_case_is_the_one_shown() -> None:
    report = examine(exercise(), lambda values: values)
    assert report.detail_of is None
    assert "The first wrong case" in report.html()
    assert "The first wrong case:" in report.text()


def test_of_a_long_table_the_rows_that_differ_are_shown() -> None:
    def table(values: object) -> Plain:
        return {f"row {n}": n for n in range(40)}

    def run(answer: Answer, inputs: Inputs) -> Plain:
        return answer(**inputs)

    made = exercise(mistakes=(), right_answers={}, reference=table, run=run)
    one = examine(made, lambda values: {**table(values), "row 7": -1})
    assert ("expected", "row 7: 7") in one.detail
    assert ("came", "row 7: -1") in one.detail
    many = dict(examine(made, lambda values: dict.fromkeys(table(values), -1)).detail)
    assert many["came"].count("-1") == 8
    assert many["came"].endswith("others that differ: 32")


def test_what_each_case_says_again_is_said_once() -> None:
    names = ("one number", "two numbers", "three numbers")
    made = exercise(cases=tuple(Case(name, lambda rng: {"values": np.ones(1)}) for name in names))
    stops = "Your function stopped with ZeroDivisionError"
    again = examine(made, lambda values: 1 / 0)
    rows = [line for line in again.text().splitlines() if "[no]" in line]
    assert [stops in row for row in rows] == [True, False, False]
    assert [row.endswith("numbers: as above") for row in rows] == [False, True, True]
    assert again.html().count("as above") == 2
    assert "as above" not in examine(made, lambda values: 3 * values).text()  # a few numbers
