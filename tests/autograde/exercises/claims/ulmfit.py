"""What the text of lesson 11 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    verdicts = dict(re.findall(r"^   ([\w ,]*): [^:(\n]* \([^:\n]*\): ([a-z ]*)$", printed, re.M))
    rivals = ("bag of words", "naive Bayes SVM", "SVD of the text", "ELMo features")
    assert {"from scratch", "stages 1 and 3", *rivals} <= set(verdicts)
    if corpora:  # "nobody wins"
        assert {verdicts[rival] for rival in rivals} == {"no clear difference"}
    else:  # counting words says nothing of their order
        assert "behind" not in {verdicts[rival] for rival in rivals[:3]}
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
