"""What the text of lesson 04 says of its live run."""

import itertools
import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    blocks = printed.split(" in points (95 % interval):\n")[1:]
    mixed, further, moved = (
        dict(re.findall(r"  less ([^\n]*): [^:\n]*: ([a-z ]*)", block)) for block in blocks[:3]
    )
    assert mixed["counts of pairs"] == "no clear difference", "the network adds nothing clear"
    if corpora:
        assert further["counts of pairs"] == "ahead", "pairs can but toss a coin"
        assert further["counts of triples"] == "no clear difference", "they come about as far"
        assert moved["naive Bayes: the ends"] == "no clear difference"
    for beaten in ("random start", "LM's vectors", "LM's LSTM"):
        assert moved[beaten] == "ahead" or not corpora
    by_heart, moved_in = (
        numbers(
            rf"{who}: loss of its own labels (\S+) in the first pass, (\S+) in the last", printed
        )
        for who in ("random start", "both")
    )
    assert by_heart[1] < moved_in[1] or not corpora, "the random start overfits"
    before, after = numbers(r"perplexity (.*) before, (.*) after", printed)
    assert before < after < 1.5 * before, "it forgets a part"
    kept = [float(p) for p in re.findall(r"weight [\d.]+: perplexity ([\d.]+)", printed)]
    assert 3 <= len(kept) <= 4
    assert kept[0] - before > 3 * abs(kept[-1] - before)
    for less, more in itertools.pairwise(kept):
        assert more < 1.01 * less, "the larger the weight, the less is forgotten"
    needed = {
        kind: [float(w) for w in re.findall(rf"{kind}: .* safe weight, (\d+\.\d+)", printed)]
        for kind in ("all", "eight")
    }
    assert list(map(len, needed.values())) == [3, 3]
    assert max(needed["all"]) < max(needed["eight"]) < 1, "eight need more, and a weight below 1"
