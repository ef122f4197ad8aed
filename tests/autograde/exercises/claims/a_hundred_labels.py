"""What the text of lesson 15 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    best, again = numbers(r"Published: .* has (\d+)%.*\nThe same .*: (\d+)%", printed)
    assert best > again + 10, "the published number is worth nothing"
    found = re.findall(r"^(\S.*?) +(\d+) labels: (\S+) \(.*\): (.*)$", printed, re.MULTILINE)
    leads = {(name, int(count)): (float(mean), said) for name, count, mean, said in found}
    assert leads["ELMo", 25][0] > 5
    if corpora:
        assert 0 < leads["yours less naive Bayes, EM", 25][0] < 5
        assert leads["ELMo less EM", 25][1] == "behind"
        assert leads["ELMo less EM", 50][1] == leads["ELMo less EM", 100][1]
        assert leads["ELMo less EM", 100][1] == "no clear difference"
        assert leads["naive Bayes, EM", 25][0] > leads["ELMo", 25][0]
        assert leads["ELMo", 25][1] == leads["ELMo", 100][1] == "ahead"
        assert leads["naive Bayes, EM", 25][1] == leads["naive Bayes, EM", 100][1] == "ahead"
        assert leads["yours less ELMo", 100][1] == "ahead"
        assert leads["changed", 100][0] < 0, "behind"
    half, most = numbers(r"637 texts: .* in (\d+)%.*\n1,299 texts: .* in (\d+)%", printed)
    assert (round(half, -1), round(most, -1)) == (50, 80)
