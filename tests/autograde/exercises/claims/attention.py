"""What the text of lesson 13 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    (typed,) = numbers(r"(\d+)% of 1,000 right, 64 words", printed)
    assert typed >= 99, "badges and notes typed by hand need no training"
    distances = re.findall(r"largest distance (\S+)|masked model: (\S+)\. ", printed)
    assert len(distances) == 4
    assert all(float(one or other) < 1e-4 for one, other in distances)
    assert "He has been there for ten ... years" in printed
    (pairs,) = numbers(r"counts of pairs (\S+)", printed)
    peeking, honest = numbers(r"\nboth sides: (\S+)\nonly back: (\S+)", printed)
    assert peeking < pairs, "a perplexity is worth nothing while the answer is seen"
    assert peeking < honest
    if corpora:
        assert honest < pairs < honest + 4, "passed by a little, with Brown"
    runs = re.findall(r"(\w+): largest (?:share|weight) (\S+), a row adds up to (\S+)", printed)
    shares = {name: (float(share), float(row)) for name, share, row in runs}
    assert [name for name, (_, row) in shares.items() if row != 1] == ["B"]
    assert shares["C"][0] > 1.4 * shares["sound"][0]
