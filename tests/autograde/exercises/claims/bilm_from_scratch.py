"""What the text of lesson 07 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    uniform, first, last = numbers(
        r"ln V = (\S+); the first loss is (\S+), after 150 steps (\S+)\n", printed
    )
    assert abs(first - uniform) < 0.1, "it knows nothing yet"
    assert last < 1, "one batch is learnt by heart"
    (longer,) = numbers(r"(\S+) times as much as without the 1\n", printed.replace(",", ""))
    assert 1900 < longer < 2100, "after 20 words: 0.73 against 0.5"
    assert "largest distance" in printed
    assert all(float(far) < 1e-4 for far in re.findall(r"largest distance (\S+)", printed))
    ahead, behind, words, pairs = numbers(r"forward (\S+), backward (\S+); (\S+), (\S+)\n", printed)
    assert pairs < words, "pairs know more than words"
    assert max(ahead, behind) < words, "both readers pass the counts of words"
    if corpora:  # "the counts of pairs are still ahead of both"
        assert pairs < min(ahead, behind)
    low = numbers(r"all counts: .* times that of counts and states \((\S+) to", printed)
    assert low[0] > 1, "the states add to all counts"
    if corpora:
        _, high = numbers(r"all counts: .* times that of the check.* \((\S+) to (\S+)\)", printed)
        assert high < 1, "all counts are ahead of the states"
        (times,) = numbers(r"all counts: (\S+) times that of counts and states", printed)
        assert abs(times - 1.14) < 0.015, "about 1.14 times"
        nothing = r"all counts: (\S+) times that of counts and untrained states"
        assert numbers(nothing, printed) == [1.00], "untrained states add nothing"
    for counts in ("words", "pairs"):
        low = numbers(rf"counts of {counts}: .* times that of the check.* \((\S+) to", printed)
        assert low[0] > 1, f"the checkpoint's states beat counts of {counts}"
    beside = {
        name: (float(ahead), float(behind))
        for name, ahead, behind in re.findall(
            r"(\w+): beside a longer one, forward (\S+), backward (\S+)\n", printed
        )
    }
    assert [*beside] == ["sound", "A", "B", "C"]
    assert [name for name, far in beside.items() if max(far) > 1e-3] == ["B"]
    assert beside["B"][0] < 1e-4, "B's fault is in its backward reader"
    if corpora:
        assert "measured: worse than counts of words" in printed, "the cut"
    moves = {
        name: (float(ahead), float(behind))
        for name, ahead, behind in re.findall(
            r"(\S.*): padding moves forward states by (\S+), backward states by (\S+)\n", printed
        )
    }
    assert max(moves["two that never meet"]) < 1e-4
    assert min(moves["bidirectional=True"]) > 0.1, "padding is read"
    alone, behind_alone = moves["one layer, untrained"]
    assert alone < 1e-4 < 1e-3 < behind_alone
    assert "259 257 260 261 261 261 261 261 …\n" in printed, "<S> as a row of ids"
    temperatures = re.findall(r"forward, (\S+): (.*)", printed)
    assert [t for t, _ in temperatures] == ["0.3", "0.7", "1.2"]
    assert all(len(said.split()) > 4 and "<UNK>" not in said for _, said in temperatures)
