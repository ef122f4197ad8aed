"""What the text of lesson 12 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    (mister,) = numbers(r"\[MASK\] howard .*\n +after: +mr (\d+)%", printed)
    assert mister > 30, "what tells the word stands to the right of the blank"
    neighbours = numbers(r"blank looks at: .* prime (\d+)%, \[MASK\] \d+%, says (\d+)%", printed)
    assert sum(neighbours) > 40, "most goes to the two neighbours"
    assert re.search(r"follows \*prime\* .*\{'minister': \d+\}\n", printed), "every time"
    early, late = numbers(r"after 250 batches .* (\d+)% .*\nafter \S+ batches .* (\d+)% ", printed)
    assert early > 50 > late, "at first most blanks are filled with *the*"
    _, high = numbers(r"yours saves over the counts: +(\S+) .* to (\S+)\)", printed)
    assert high < 0, "counting wins"
    (added,) = numbers(r"saves, added to them: +(\S+) ", printed)
    assert added > 0
    (few,) = numbers(r"by asking for all and not for few: +\S+ \((\S+) to", printed)
    (blank,) = numbers(r"by asking before a word, not at a blank: +\S+ \((\S+) to", printed)
    assert min(few, blank) > 0.1, "few questions cost much, the blank about as much again"
    new, unread = numbers(r"\nthey agree +(\d+)% .* (\d+)%", printed)
    assert 60 < new < 72, "about two of three"
    assert 45 < unread < 55, "one in two"
    (low,) = numbers(r"they agree, 95 % over the nouns: (\d+)% to", printed)
    assert low > 55 > unread, "reading has joined noun and verb, in part"
    (apart,) = numbers(r"Largest distance from PyTorch's attention weights: (\S+)", printed)
    assert apart < 1e-5
    runs = re.findall(r"(sound|A|B|C): moves by (\S+), repeats (\d+)%", printed)
    moves = {name: float(moved) for name, moved, _ in runs}
    repeats = {name: int(share) for name, _, share in runs}
    assert moves["B"] < 1e-4 < min(moves["sound"], moves["A"], moves["C"])
    assert repeats["A"] > 90 > 60 > repeats["sound"]
    assert "0.50: log odds +0.00\n" in printed
    if corpora:  # "not clearly better"
        assert re.search(r"model less shared words, .*: no clear difference", printed)
