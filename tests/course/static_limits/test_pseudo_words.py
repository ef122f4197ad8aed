"""Merging words keeps the text."""

import numpy as np
import pytest

from course.static_limits.pseudo_words import choose_pairs, hide, merge_words
from elmo_mini import corpora
from elmo_mini.text.vocabulary import Vocabulary

TEXT = [["a", "cat", "and", "a", "dog"], ["no", "pets"], ["dog", "dog"]]


def test_merging_and_putting_back_gives_the_text() -> None:
    before = [list(sentence) for sentence in TEXT]
    new, labels = merge_words(TEXT, "cat", "dog", "catdog")
    assert before == TEXT
    assert labels == [(0, 1, "cat"), (0, 4, "dog"), (2, 0, "dog"), (2, 1, "dog")]
    assert new == [["a", "catdog", "and", "a", "catdog"], ["no", "pets"], ["catdog", "catdog"]]
    for number, place, word in labels:
        new[number][place] = word
    assert new == TEXT


def test_hiding_keeps_the_text_and_the_shares() -> None:
    rng = np.random.default_rng(0)
    text = [[str(w) for w in rng.choice(["p", "q", "r", "s", "x"], 20)] for _ in range(500)]
    new, (one, two) = hide(text, [("p", "q"), ("r", "s")], shares=[0.25, 0.5], seed=3)
    assert one.name == "p|q"
    counts = {w: sum(s.count(w) for s in text) for w in "pqrs"}
    replaced = {w: sum(label[2] == w for p in (one, two) for label in p.labels) for w in "pqrs"}
    rates = {w: replaced[w] / counts[w] for w in counts}
    assert rates == pytest.approx({"p": 0.25, "q": 0.75, "r": 0.5, "s": 0.5}, abs=0.05)
    assert one.share == pytest.approx(0.25, abs=0.05)
    assert one.majority == 1 - one.share
    assert sum(s.count("p|q") for s in new) == len(one.labels)
    for pseudo in (one, two):
        for number, place, word in pseudo.labels:
            assert new[number][place] == pseudo.name
            new[number][place] = word
    assert new == text


def test_shares_run_from_a_fifth_to_four_fifths_by_default() -> None:
    text = [["p", "q", "r", "s"]] * 2000
    _, (one, two) = hide(text, [("p", "q"), ("r", "s")])
    assert (one.share, two.share) == pytest.approx((0.2, 0.8), abs=0.03)


def test_a_word_in_two_pairs_is_refused() -> None:
    for pairs in ([("a", "b"), ("b", "c")], [("a", "a")]):
        with pytest.raises(ValueError, match="two pairs"):
            hide(TEXT, pairs)


def test_pairs_keep_the_rule_and_share_no_word() -> None:
    vocabulary = Vocabulary.from_sentences(corpora.lee().sentences(lower=True))
    pairs = choose_pairs(vocabulary, 20, least=30, skip=10, seed=4)
    words = [word for pair in pairs for word in pair]
    assert len(set(words)) == 40
    assert all(len(w) >= 5 and vocabulary.counts[vocabulary.id(w)] >= 30 for w in words)
    assert "their" not in words
    assert pairs == choose_pairs(vocabulary, 20, least=30, skip=10, seed=4)
    assert pairs != choose_pairs(vocabulary, 20, least=30, skip=10, seed=5)
    with pytest.raises(ValueError, match="500 pairs need 1000 words"):
        choose_pairs(vocabulary, 500, least=30)
