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
    near = numbers(r"a window of 1: (\d+)%", printed) + numbers(r"of 10: (\d+)%", printed)
    verdicts = dict(re.findall(r"(.*), the arithmetic .*: .*: (.*)", printed))
    assert verdicts["facts"] != "ahead", "the neighbour of c does as well"
    if corpora:  # "in Brown"
        assert near[0] > near[1]
        assert re.search(r"\n1 less 10, over \d+ words: .*: ahead", printed)
        assert verdicts["word forms"] != "behind"
