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
    if lesson == "bilm_from_scratch":
        _bilm(printed)
    if lesson == "scalar_mix_and_elmo":
        _mix(printed, corpora=corpora)
    if lesson == "what_the_layers_know":
        _layers(printed, corpora=corpora)
    if lesson == "context_enters":
        _context_enters(printed)
    if lesson == "starting_from_a_language_model":
        _starting(printed)
    if lesson == "awd_lstm":
        _awd_lstm(printed)
    if lesson == "ulmfit":
        _ulmfit(printed, corpora=corpora)


def _bilm(printed: str) -> None:
    uniform, first, last = _numbers(
        r"ln V = (\S+); the first loss is (\S+), after 150 steps (\S+)\n", printed
    )
    assert abs(first - uniform) < 0.1, "it knows nothing yet"
    assert last < 1, "one batch is learnt by heart"
    assert "largest distance" in printed
    assert all(float(far) < 1e-4 for far in re.findall(r"largest distance (\S+)", printed))
    ahead, behind, words, pairs = _numbers(
        r"forward (\S+), backward (\S+); (\S+), (\S+)\n", printed
    )
    assert pairs < words, "pairs know more than words"
    assert max(ahead, behind) < words, "both readers pass the counts of words"
    times = dict(re.findall(r"(\S.*): \S+ times that of (.*) \(", printed))
    assert times["counts of pairs"] == "the checkpoint's states"
    for counts in ("words", "pairs"):
        low = _numbers(rf"counts of {counts}: .* times that of the check.* \((\S+) to", printed)
        assert low[0] > 1, f"the checkpoint's states beat counts of {counts}"
    temperatures = re.findall(r"forward, (\S+): (.*)", printed)
    assert [t for t, _ in temperatures] == ["0.3", "0.7", "1.2"]
    assert all(len(said.split()) > 4 and "<UNK>" not in said for _, said in temperatures)


def _mix(printed: str, *, corpora: bool) -> None:
    learned = re.search(r"learned minus average, in points: .*: (.*)", printed)
    top = re.search(r"top layer alone minus average, in points: .*: (.*)", printed)
    assert learned is not None
    assert top is not None
    assert learned[1] == "no clear difference"
    assert (top[1] == "behind") is corpora
    assert "This is ELMo." in printed
    bayes = printed[printed.index("layer 2, linear minus naive Bayes") :]
    verdicts = re.findall(r"(\d+) examples: .*: (.*)", bayes)[:5]
    assert [said for _, said in verdicts] == ["no clear difference"] * 4 + ["behind"]


def _layers(printed: str, *, corpora: bool) -> None:
    def verdict(of: str) -> str:
        found = re.search(rf"{of}:? ([+-]\S+) \(.*\): (.*)", printed)
        assert found is not None, of
        return found[2]

    unclear = "no clear difference"
    assert verdict("trained layer 1 minus random vectors of words around") == "ahead"
    assert verdict(r"\n  trained layer 2 minus trained layer 1") == unclear  # senses
    assert verdict(r"senseval, four words \(stored\): layer 2 minus layer 1") == "ahead"
    spelling = verdict("trained layer 0 minus spelling alone")
    assert spelling == ("ahead" if corpora else unclear)
    assert verdict("trained layer 1 minus trained layer 0") == "ahead"
    assert verdict(r"20,000 words to learn from \(stored\)") == unclear
    for layer in (1, 2):
        assert verdict(rf"\n  trained layer {layer}") == "ahead"  # selectivity
    assert printed.count("trained layer 2 minus trained layer 1") == 2
    assert verdict("all layers minus layer 0 alone") == "ahead"
    assert verdict("(?:both|input|output) minus (?:both|input|output)") == unclear
    third = float(_numbers(r"F1, pass by pass: \S+, \S+, (\d+)", printed)[0])
    assert third > 1.2 * _numbers(r"without layers, after 48 passes: (\d+)", printed)[0]
    for task in ("senses", "words"):
        assert verdict(f"{task}: learned minus average") == unclear
        assert verdict(f"{task}: layer 1 minus layer 2") == unclear
    assert verdict("words: γ learned minus γ 0.01") == "ahead"
    for other in ("γ 0.01, larger steps", "γ 1", "γ 10"):
        assert verdict(f"words: γ learned minus {other}") == unclear
    kept, arrays = _numbers(r"your sum (\S+) bytes, the arrays (\S+)", printed)
    assert kept == arrays
    assert 480 / _numbers(r"every layer of the published ELMo: (\d+) GB", printed)[0] > 8.5


def _context_enters(printed: str) -> None:
    (before,) = _numbers(r"before training: perplexity (.*)", printed)
    reached, pairs, _ = _numbers(r"Your LSTM (.*), pairs (.*), triples (.*)", printed)
    assert before > 10 * reached
    assert 0.8 < reached / pairs < 1.2, "counting is a strong opponent"
    same, following = (
        _numbers(rf"bet of state t on word t{which}: perplexity (.*)", printed)[0]
        for which in ("", r" \+ 1")
    )
    assert same > 4 * following
    repeats = [float(x) for x in re.findall(r"it has just read: (.*)%", printed)]
    sound, a, b, c = repeats
    assert b > 5 * max(sound, a, c), "run B copies"
    assert "over 28 words and 5 draws" in printed


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
    bare_best, bare_last = _numbers(
        r"None of the four: (.*) at its best epoch, (.*) at the last", printed
    )
    best, last = _numbers(r"Your AWD-LSTM: (.*) at its best epoch, (.*) at the last", printed)
    assert bare_last > 1.3 * bare_best, "without a remedy it turns back"
    assert last < 1.1 * best, "with all of them it stays down"


def _ulmfit(printed: str, *, corpora: bool) -> None:
    verdicts = dict(re.findall(r"stages 1, 2 and 3 less ([^:\n]*): [^:\n]*: ([a-z ]*)", printed))
    assert len(verdicts) == 6
    counting = {verdicts["bag of words"], verdicts["naive Bayes SVM"]}
    level = {"no clear difference"}
    assert counting == level if corpora else counting <= {"ahead", "clear by one interval alone"}
    assert verdicts["ELMo features"] == "no clear difference"
    before, after = _numbers(r"unread texts of the task: (.*) before, (.*) after", printed)
    assert after < before / 1.1
    matched = re.search(r"naive Bayes SVM matches it with (.*)", printed)
    assert matched is not None
    if corpora:  # "no more than a hundred"
        assert int(matched[1].split()[0]) <= 100
    else:
        assert matched[1] == "none of these"
    few, some = _numbers(
        r"from scratch with 100 labels: (\d+)%\nfrom scratch with 300 labels: (\d+)%", printed
    )
    if corpora:  # "the network from scratch at most a few hundred"
        assert some > 62
        assert some > few


def _numbers(pattern: str, printed: str) -> list[float]:
    found = re.search(pattern, printed)
    assert found is not None, pattern
    return [float(number.replace(",", "")) for number in found.groups()]
