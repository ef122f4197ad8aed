"""What the text of lesson 02 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    before, after = numbers(r"J falls from (\S+) to (\S+)\. ", printed)
    assert before > 8 * after
    runs = {
        name: (float(often), float(target), float(never))
        for name, often, target, never in re.findall(
            r"(\w+): pairs that .* score (\S+) \(mean log X (\S+)\); .*, (\S+)\n", printed
        )
    }
    assert runs["A"][0] > 5 * runs["A"][1], "held to the count itself"
    assert abs(runs["B"][0] - runs["B"][1]) < 0.3, "shuffled text is fitted, too"
    assert runs["C"][2] < runs["sound"][2] - 2, "pairs that never occur are pushed down"
    assert re.search(r"difference times 100: .*: ahead", printed), "a mixture of its own words"
    verdicts = re.findall(r"\n(.*) less the ceiling: .*: (.*)", printed)
    assert verdicts == [
        (kind, "ahead") for kind in ("random vectors", "bag of words", "your vectors")
    ]
    near = r"\nyour vectors, words on each side .*\n    1 less 10: .*: ahead"
    assert re.search(near, printed), "the words next door say the most"
    assert printed.count("cosine with gensim's vector 1.0000") == 3
    summed = [int(hit) for hit in re.findall(r"\n(?:a letter|two letters) \w+: (\d+)% of", printed)]
    alone = [int(hit) for hit in re.findall(r"no vectors, by the share of .*: (\d+)%", printed)]
    assert len(summed) == len(alone) == 2
    assert all(one <= other for one, other in zip(summed, alone, strict=True))
    at_random = {
        size: [int(hit.strip("% ")) for hit in hits.split(",")]
        for size, hits in re.findall(r"random pieces, (\d+) numbers: (.*)", printed)
    }
    assert max(at_random["50"]) + 10 < summed[1] < min(at_random["300"]) + 10, "few numbers blur"
