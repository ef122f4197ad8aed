"""News, blanks and judges of pairs, as lesson 12 measures them."""

import numpy as np
import pytest
import torch

from course.both_sides_at_once import next_sentences
from course.both_sides_at_once.experiments import counting_bets, masked_vocabulary
from course.both_sides_at_once.news import blanks_of, news
from course.texts.small_text import small_text
from elmo_mini import corpora
from elmo_mini.transformer.files import load_masked_lm
from elmo_mini.transformer.sentence_pairs import pack

PAIRS = [
    (["The", "dog", "ran"], ["the", "dog", "slept"], 1),
    (["A", "ship"], ["the", "king"], 0),
    (["A", "king"], ["a", "song"], 0),
]


def test_counts_cost_what_their_bets_on_the_right_words_say() -> None:
    text = small_text(300, 40, 200)
    words = masked_vocabulary(text, 200)
    blanks = blanks_of(text, words, 2)
    assert blanks.sentences.tolist()[:4] == [0, 0, 1, 1]
    assert bool((blanks.rows[torch.arange(len(blanks.rows)), blanks.positions] == 4).all())
    bets = counting_bets(text, words, blanks.rows, blanks.positions)
    assert set(blanks.counts) == {"words", "pairs", "triples"}
    row, said = 5, bets["counts of triples, both sides"]
    assert blanks.counts["triples"][row] == pytest.approx(-float(said[row, blanks.words[row]]))
    point = blanks.interval(blanks.counts["pairs"])
    assert point["low"] < point["mean"] < point["high"]
    lead = blanks.lead(blanks.counts["words"] - blanks.counts["triples"])
    assert lead.verdict == "ahead"
    assert str(lead).startswith(f"{lead.mean:+.2f} ({lead.low:+.2f} to ")


def test_news_has_two_parts_that_share_no_sentence() -> None:
    some = news()
    chosen, judged = (
        {tuple(row[row > 4].tolist()) for row in part.rows}
        for part in (some.chosen_by, some.judged_by)
    )
    assert not chosen & judged
    assert len(judged) > 2 * len(chosen) > 100


def test_shared_words_are_compared_with_those_of_most_pairs() -> None:
    assert next_sentences.shared_words(PAIRS).tolist() == [True, False, False]


def test_pairs_are_packed_by_the_function_that_is_given() -> None:
    _, vocabulary = load_masked_lm()
    ids, mask, segments = next_sentences.rows(PAIRS, vocabulary, pack, 6)
    assert ids.shape == mask.shape == segments.shape == (3, 6)


def test_a_page_has_twenty_sentences() -> None:
    pages = next_sentences.pages()
    assert all(len(page) == next_sentences.PAGE for page in pages[:-1])
    assert pages[0] == list(corpora.course_text().split("dev").sentences())[:20]


def test_one_judge_is_held_to_another() -> None:
    many = PAIRS * 19 * 4
    truth = np.array([follows for *_, follows in many])
    assert next_sentences.accuracy(many, truth == 1)["mean"] == 1
    assert next_sentences.commoner(many) == pytest.approx(2 / 3)
    assert next_sentences.accuracy(many, truth < 0)["mean"] == pytest.approx(2 / 3)
    found = next_sentences.difference(many, truth < 0, truth == 1)
    assert (round(found.mean, 1), found.verdict) == (33.3, "ahead")
