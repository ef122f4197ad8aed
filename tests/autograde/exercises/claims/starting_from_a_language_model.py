"""What the text of lesson 04 says of its live run."""

import itertools
import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    verdicts = dict(re.findall(r"  less ([^\n]*): [^:\n]*: ([a-z ]*)", printed))
    assert verdicts["no label: surprise"] == "behind"
    assert verdicts["naive Bayes: the ends"] == "no clear difference"
    assert verdicts["threshold on surprise"] == "behind"
    for beaten in ("naive Bayes: all words", "random start", "LM's LSTM"):
        assert verdicts[beaten] == "ahead" or not corpora
    before, after = numbers(r"perplexity (.*) before, (.*) after", printed)
    assert before < after < 1.5 * before, "it forgets a part"
    kept = [float(p) for p in re.findall(r"weight [\d.]+: perplexity ([\d.]+)", printed)]
    assert len(kept) == 4
    for less, more in itertools.pairwise(kept):
        assert more < 1.01 * less, "the larger the weight, the less is forgotten"
    assert kept[0] - before > 3 * abs(kept[-1] - before)
    needed = [float(w) for w in re.findall(r"safe weight ([\d.]+)", printed)]
    assert len(needed) == 3
    assert max(needed) < 1, "a weight below 1 is enough"
