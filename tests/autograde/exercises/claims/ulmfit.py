"""What the text of lesson 11 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    verdicts = dict(re.findall(r"stages 1, 2 and 3 less ([^:\n]*): [^:\n]*: ([a-z ]*)", printed))
    assert len(verdicts) == 6
    counting = {verdicts["bag of words"], verdicts["naive Bayes SVM"]}
    level = {"no clear difference"}
    assert counting == level if corpora else counting <= {"ahead", "clear by one interval alone"}
    if corpora:
        assert verdicts["ELMo features"] == "no clear difference"
    before, after = numbers(r"unread texts of the task: (.*) before, (.*) after", printed)
    assert after < before / 1.1
    begun, ended = numbers(r"first ten windows (.*), last (.*)\n", printed)
    assert ended < begun, "stage 2 learns"
    first, kept, lost = numbers(r"of news: before (.*), yours (.*), the twin (.*)", printed)
    assert kept < 1.5 * first, "the recipe keeps the language model"
    if corpora:  # "more than three times as hard", as in every stored draw
        assert lost > 3 * kept
    woken, by_layer, triangle = numbers(
        r"unfreezing (.*), rates by layer (.*), the tr.* (.*)\n", printed
    )
    assert by_layer < min(woken, triangle), "low rates, as the twins have said"
