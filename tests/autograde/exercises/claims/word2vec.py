"""What the text of lesson 01 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    assert all(float(far) < 1e-5 for far in re.findall(r"largest difference (\S+)", printed))
    often = [int(share) for share in re.findall(r"(\d+)% of the pairs hold", printed)]
    sound, even, _, everything = often
    assert even == sound < everything - 20, "run C is not thinned out"
    scores = [float(score) for score in re.findall(r"two by chance score (\S+)", printed)]
    assert scores[0] < 0, "in a sound run noise is pushed apart"
    assert scores[1] > scores[0] + 0.5, "in run A it is not"
    plain, flattened = numbers(
        r"from PMI - log k: (.*)\nmean distance from PMI with flattened counts: (.*)", printed
    )
    assert flattened < plain / 3
    for word, paper, code, gensim in re.findall(
        r"(\w+): paper (\S+), code (\S+), gensim (\S+)", printed
    ):
        assert abs(float(code) - float(gensim)) < 0.002 <= 0.002 + float(code) - float(paper), word
    near = {
        name: int(share)
        for name, share in re.findall(r"(a window of \d|chance): (\d+)% of the", printed)
    }
    leads = {
        name: (float(mean), verdict)
        for name, mean, verdict in re.findall(r"(.*): ([+-]\S+) \(.* to .*\): (.*)", printed)
    }
    assert leads["both side by side less the best counts"][1] != "ahead", "it adds nothing clear"
    for name in ("your vectors, facts", "counts, facts"):
        if name in leads:
            assert leads[name][1] != "ahead", "the neighbour of c does as well"
    if corpora:  # "in Brown"
        assert near["a window of 1"] > near["a window of 5"] > near["chance"]
        assert leads["network less counts, both plain"][1] != "behind", "at least as well"
        assert leads["the best network less the best counts"][1] == "behind"
        assert leads["your vectors, word forms"][1] == leads["counts, word forms"][1] == "ahead"
        assert leads["counts, word forms"][0] > leads["your vectors, word forms"][0] + 3
