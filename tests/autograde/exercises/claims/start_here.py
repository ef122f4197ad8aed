"""What the text of lesson 00 says of its live run."""

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    once, rare = numbers(r"(\d+)% of the words occur exactly once,\nand (\d+)% fewer", printed)
    assert 40 < once < 55, "about half"
    assert 70 < rare < 80, "three quarters"
