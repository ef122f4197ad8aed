"""What the text of lesson 03 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    (before,) = numbers(r"before training: perplexity (.*)", printed)
    reached, pairs, _ = numbers(r"Your LSTM (.*), pairs (.*), triples (.*)", printed)
    assert before > 10 * reached
    assert 0.8 < reached / pairs < 1.2, "counting is a strong opponent"
    triples = float(re.findall(r", triples (\S+)", printed)[0])
    together, cached = numbers(r"half LSTM, half triples: (\S+), with a cache (\S+)", printed)
    assert cached < together < min(reached, pairs, triples), "they know different things"
    (from_zeros,) = numbers(r"From zeros: (\S+) times", printed)
    assert from_zeros > 1.3, "the page of zeros is strange to the model"
    same, following = (
        numbers(rf"bet of state t on word t{which}: perplexity (.*)", printed)[0]
        for which in ("", r" \+ 1")
    )
    assert same > 4 * following
    (beside,) = re.findall(r"chance of the word just read (.*)\n", printed)
    sound, a, b, c = (float(share.strip("%")) for share in beside.split())
    assert b > 5 * max(sound, a, c), "run B copies"
    assert "over 28 words and 5 draws" in printed
    honest, spoilt = (
        numbers(rf"{name} here, one run with less text: (\d+)% right", printed)[0]
        for name in ("context2vec", "the spoilt one")
    )
    (counts,) = numbers(r"\nnaive Bayes: (\d+)% right", printed)
    assert counts == 60
    over_counts = re.findall(r"less naive Bayes, over words: \S+ \(.*\): (.*)", printed)
    assert over_counts[0] != "ahead", "not clearly ahead of that"
    assert spoilt < min(honest, 53) or not corpora, "no more than the two words beside, 50.5"
