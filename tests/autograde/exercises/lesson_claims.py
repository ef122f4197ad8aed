"""What the text of a lesson says of its live runs, held against what its cells print.

The tests that run a solved lesson, once with the corpora and once without, ask here.
"""

import re

from nbformat.notebooknode import NotebookNode


def claims_hold(lesson: str, notebook: NotebookNode, *, corpora: bool) -> None:
    """Assert what the text claims; most lessons have tests of their own for that."""
    printed = "".join(
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stdout"
    )
    if lesson == "starting_from_a_language_model":
        _starting(printed)
    if lesson == "awd_lstm":
        _awd_lstm(printed)
    if lesson == "ulmfit":
        _ulmfit(printed, corpora=corpora)


def _starting(printed: str) -> None:
    verdicts = dict(re.findall(r"  less ([^\n]*): [^:\n]*: ([a-z ]*)", printed))
    assert verdicts["no label: surprise"] == "behind"
    assert verdicts["naive Bayes: the ends"] == "no clear difference"
    for beaten in ("naive Bayes: all words", "random start", "LM's LSTM"):
        assert verdicts[beaten] == "ahead"
    before, after = _numbers(r"perplexity (.*) before, (.*) after", printed)
    assert before < after < 1.5 * before, "it forgets a part"
    kept = [float(p) for p in re.findall(r"weight [\d.]+: perplexity ([\d.]+)", printed)]
    assert len(kept) == 4
    assert kept == sorted(kept, reverse=True), "the larger the weight, the less is forgotten"
    needed = [float(w) for w in re.findall(r"safe weight ([\d.]+)", printed)]
    assert len(needed) == 3
    assert max(needed) < 1, "a weight below 1 is enough"


def _awd_lstm(printed: str) -> None:
    page, elsewhere = (int(share) for share in re.findall(r"(\d+)%\n", printed)[:2])
    assert page > 80 > 20 > elsewhere
    bare_best, bare_last = _numbers(r"No remedy: (.*) at its best epoch, (.*) at the last", printed)
    best, last = _numbers(r"Your AWD-LSTM: (.*) at its best, (.*) at the last", printed)
    assert bare_last > 1.3 * bare_best, "without a remedy it turns back"
    assert last < 1.1 * best, "with all of them it stays down"


def _ulmfit(printed: str, *, corpora: bool) -> None:
    verdicts = dict(re.findall(r"stages 1, 2 and 3 less ([^:\n]*): [^:\n]*: ([a-z ]*)", printed))
    assert len(verdicts) == 6
    counting = {verdicts["bag of words"], verdicts["naive Bayes SVM"]}
    assert counting == {"no clear difference" if corpora else "ahead"}
    assert verdicts["ELMo features"] == "no clear difference"
    before, after = _numbers(r"unread texts of the task: (.*) before, (.*) after", printed)
    assert after < before / 1.1
    for way in ("bag of words", "naive Bayes SVM"):
        matched = re.search(rf"{way} matches it with (.*)", printed)
        assert matched is not None
        if corpora:
            assert 100 <= int(matched[1].split()[0]) <= 300
        else:
            assert matched[1] == "none of these"


def _numbers(pattern: str, printed: str) -> list[float]:
    found = re.search(pattern, printed)
    assert found is not None, pattern
    return [float(number.replace(",", "")) for number in found.groups()]
