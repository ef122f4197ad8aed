"""The wrong case that a report unfolds can be read at a glance, if there is such a one."""

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
