"""Single blanks and judges of pairs, as lesson 12 measures them."""

import numpy as np
import pytest
import torch

from course.both_sides_at_once import experiments as both_sides
from course.both_sides_at_once import next_sentences
from course.both_sides_at_once.single_blanks import single_blanks
from course.texts.small_text import small_text
from elmo_mini import corpora
from elmo_mini.transformer.masked_lm import MaskedLM, MaskedLMOptions
from elmo_mini.transformer.masked_lm_file import load_masked_lm
from elmo_mini.transformer.sentence_pairs import pack

PAIRS = [
    (["The", "dog", "ran"], ["the", "dog", "slept"], 1),
    (["A", "ship"], ["the", "king"], 0),
    (["A", "king"], ["a", "song"], 0),
]


def test_nats_are_those_of_the_hidden_word() -> None:
    text = small_text(300, 40, 200)
    vocabulary = both_sides.masked_vocabulary(text, 200)
    blanks = single_blanks(text, vocabulary, 2)
    torch.manual_seed(0)
    model = MaskedLM(MaskedLMOptions(len(vocabulary), 16, 2, 1, 32))
    found = blanks.nats_of_counts(text, vocabulary) | {"model": blanks.nats(model)}
    for nats in found.values():
        assert nats.shape == (len(blanks.rows),)
        assert (nats > 0).all()
    row, logs = 5, both_sides.bets(model, blanks.rows, blanks.mask, blanks.places)
    assert found["model"][row] == pytest.approx(-float(logs[row, blanks.words[row]]))
    assert blanks.first_choices(model)[row] == int(logs[row].argmax())
    assert blanks.sentences.tolist()[:4] == [0, 0, 1, 1]
    point = blanks.interval(found["model"])
    assert point["low"] < point["mean"] < point["high"]


def test_clean_batches_last_as_long_as_the_steps() -> None:
    text = small_text(300, 40, 200)
    vocabulary = both_sides.masked_vocabulary(text, 200)
    batches = list(both_sides.clean_batches(text, vocabulary, range(3)))
    assert len(batches) == 3
    assert all(bool((ids != 4).all()) for ids, _, _ in batches)
    assert list(both_sides.clean_batches(text, vocabulary, range(0))) == []


def test_shared_words_are_compared_with_those_of_most_pairs() -> None:
    assert next_sentences.shared_words(PAIRS).tolist() == [True, False, False]


def test_pairs_are_packed_by_the_function_that_is_given() -> None:
    model, vocabulary = load_masked_lm()
    rows = next_sentences.packed(PAIRS, vocabulary, pack, 6)
    assert all(len(ids) == len(segments) <= 6 for ids, segments in rows)
    assert next_sentences.asked(model, vocabulary, PAIRS, pack).shape == (3,)


def test_a_page_has_twenty_sentences() -> None:
    pages = next_sentences.pages()
    assert all(len(page) == next_sentences.PAGE for page in pages[:-1])
    assert pages[0] == list(corpora.course_text().split("dev").sentences())[:20]


def test_the_second_judge_is_held_to_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    many = PAIRS * 19 * 4
    truth = np.array([follows for *_, follows in many])
    right = next_sentences.rightly(many, {"never": truth < 0, "always": truth == 1})
    assert right["always"]["mean"] == 1
    assert next_sentences.commoner(many) == pytest.approx(2 / 3)
    assert right["never"]["mean"] == pytest.approx(2 / 3)
    assert "ahead" in capsys.readouterr().out
