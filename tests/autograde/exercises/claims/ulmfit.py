"""What the text of lesson 11 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    verdicts = dict(re.findall(r"^   ([\w ,]*): [^:(\n]* \([^:\n]*\): ([a-z ]*)$", printed, re.M))
    counting = {"bag of words", "naive Bayes SVM"}
    assert {"from scratch", "stages 1 and 3", "ELMo features"} | counting <= set(verdicts)
    chosen = {"SVD of the text", "naive Bayes with EM"} & set(verdicts)
    assert len(chosen) == 1, "dev chooses one"
    if corpora:  # "nobody wins"
        assert chosen == {"SVD of the text"}
        rivals = counting | chosen | {"ELMo features"}
        assert {verdicts[rival] for rival in rivals} == {"no clear difference"}
    else:  # counting words says nothing of their order
        assert {verdicts[rival] for rival in counting | chosen} == {"ahead"}
    (triples,) = numbers(r"counts of triples: (\S+) alone\n", printed)
    alone, mixed = numbers(r"stages 1 and 2: (\S+) alone, (\S+) with counts", printed)
    assert triples < 0.95 * alone, "alone, counting is ahead"
    assert mixed < 0.9 * triples, "the mixture is the best of all"
    if corpora:  # "Even stage 1 alone, at a fifth, adds a little"
        beside, weight = numbers(r"stage 1: \S+ alone, (\S+) with counts \((\d+)%", printed)
        assert mixed < beside < 0.97 * triples
        assert 10 <= weight <= 30
        added = re.search(r"stage 1: .*\n +added to counts, .*: (\w.*)\n", printed)
        assert added is not None
        assert added[1] == "ahead"
    before, after = numbers(r"unread texts of the task: (.*) before, (.*) after", printed)
    assert after < before / 1.1
    begun, ended = numbers(r"first ten windows (.*), last (.*)\n", printed)
    assert ended < begun, "stage 2 learns"
    (first,) = numbers(r"of news before stage 3: (.*)\n", printed)
    kept, lost = numbers(r"After it: yours (.*), the twin (.*)\n", printed)
    assert kept < 1.5 * first, "the recipe keeps the language model"
    if corpora:  # "more than three times as hard", as in every stored draw
        assert lost > 3 * kept
    woken, by_layer, triangle = numbers(
        r"unfreezing (.*), rates by layer (.*), the tr.* (.*)\n", printed
    )
    assert by_layer < min(woken, triangle), "low rates, as the twins have said"
