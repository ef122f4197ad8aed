"""What the text of lesson 12 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    early, late = numbers(r"After 200 steps .* (\d+)% .*\nAfter 3,000 steps .* (\d+)% ", printed)
    assert early > 50 > late, "at first most blanks are filled with *the*"
    (low,) = numbers(r"Pairs less yours, nats: \S+ \((\S+) to", printed)
    assert low <= 0, "the network does not beat the pairs of neighbours"
    (few,) = numbers(r"Asked for few and not for all: \S+ nats \((\S+) to", printed)
    (blank,) = numbers(r"At a blank and not before it: +\S+ nats \((\S+) to", printed)
    assert min(few, blank) > 0.1, "few questions cost much, the blank about as much again"
    learnt, unread = numbers(r"agree, learnt sentences +(\d+)% .* (\d+)%", printed)
    assert learnt > 75 > 60 > unread, "no sum passes 75, and reading has joined the two"
    new, unread = numbers(r"\nagree +(\d+)% .* (\d+)%", printed)
    assert 55 < new < 65, "about six in ten"
    assert 40 < unread < 60
    assert "0.50: log odds +0.00\n" in printed
    if corpora:  # "not clearly better"
        assert re.search(r"The second less the first, .*: no clear difference", printed)
