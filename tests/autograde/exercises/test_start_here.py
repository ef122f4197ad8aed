"""What lesson 00 says of its report, step by step."""

from autograde.checking.check import examine
from autograde.exercises.start_here.relative_frequency import EXERCISE


def red(report_of: object) -> list[str]:
    """The cases that the check shows in red, in their order."""
    report = examine(EXERCISE, report_of)
    return [case.name for case in report.cases if case.difference is not None]


def test_the_repaired_line_turns_another_case_red_which_was_green_before() -> None:
    before = red(lambda tokens, word: float(tokens.count(word)))
    after = red(lambda tokens, word: tokens.count(word) / len(tokens))
    assert "a text without tokens" not in before
    assert len(before) > 1
    assert after == ["a text without tokens"]
