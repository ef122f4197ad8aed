"""What the text of lesson 10 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    page, elsewhere = (int(share) for share in re.findall(r"(\d+)%\n", printed)[:2])
    assert page > 80 > 20 > elsewhere
    bare_best, bare_last = numbers(
        r"None of the four: (.*) at its best epoch, (.*) at the last", printed
    )
    best, last = numbers(r"Your AWD-LSTM: (.*) at its best epoch, (.*) at the last", printed)
    assert bare_last > 1.3 * bare_best, "without a remedy it turns back"
    assert last < 1.1 * best, "with all of them it stays down"
