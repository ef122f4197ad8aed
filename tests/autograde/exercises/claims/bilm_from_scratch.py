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
    (low,) = numbers(r"all counts: .* times that of counts and states \((\S+) to", printed)
    assert low > 1, "the states add to all counts"
    (low,) = numbers(
        r"all counts: .* times that of counts and states, new softmax \((\S+) to", printed
    )
    assert low > 1, "there the read states still add, and clearly"
    if corpora:
        softmax = r"all counts: (\S+) times that of states, {} softmax \((\S+) to (\S+)\)"
        _, _, high = numbers(softmax.format("new"), printed)
        own, low, _ = numbers(softmax.format("own"), printed)
        assert high < 1 < low, "all counts are ahead of the new softmax, and behind the own one"
        (times,) = numbers(r"all counts: (\S+) times that of counts and states", printed)
        assert abs(own - 1.19) < 0.025, "about 1.19 times"
        assert abs(times - 1.28) < 0.025, "about 1.28 times"
        for nothing in ("untrained states", "layer 0"):
            ratio = rf"all counts: \S+ times that of counts and {nothing} \(\S+ to (\S+)\)"
            assert numbers(ratio, printed)[0] < 1.01, f"{nothing} add nothing"
    (low,) = numbers(r"counts of pairs: .* times that of states, new .* \((\S+) to", printed)
    assert low > 1, "the checkpoint's states beat counts of pairs"
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
