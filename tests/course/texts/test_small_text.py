"""A small text gives one sentence to a reader of words and to one of letters, and counts it."""

import pytest
import torch

from course.baselines.kneser_ney import KneserNey
from course.texts.small_text import SmallText
from elmo_mini.text.running_text import word_vocabulary

SENTENCES = [["a", "b", "c"], ["c", "B", "a", "b", "d"], ["d", "a"]]


def text() -> SmallText:
    lower = [list(map(str.lower, sentence)) for sentence in SENTENCES]
    return SmallText(SENTENCES, SENTENCES[:1], word_vocabulary(lower))


def test_a_small_text_reads_letters_in_its_own_case_and_words_in_lower_case() -> None:
    small = text()
    numbers, mask = small.numbers(SENTENCES)
    assert small.vocabulary.decode(numbers[1].tolist()) == ["</s>", *"cbabd", "</s>"]
    assert mask.sum(1).tolist() == [5, 7, 4]
    ids, again = small.words(SENTENCES)
    assert torch.equal(ids > 0, mask)
    assert torch.equal(again, numbers)
    letters = small.characters(SENTENCES, 10)
    assert letters.shape == (3, 7, 10)
    assert letters[1, 2, 1] == ord("B") + 1
    assert torch.equal((letters > 0).any(-1), mask)


def test_counts_of_words_and_of_pairs_bet_on_every_word_and_one_boundary() -> None:
    small = text()
    words = [word for row in ("abc", "cbabd", "da") for word in (*row, "</s>")]
    stream = small.vocabulary.encode(["</s>", *words])
    held_out = stream[:5]
    for order in (1, 2):
        expected = KneserNey(stream, len(small.vocabulary), order).perplexity(held_out)
        assert small.ngram(small.held_out, order) == pytest.approx(expected)
    assert small.ngram(small.held_out, 2) < small.ngram(small.held_out, 1)


def test_counts_of_fewer_sentences_know_less() -> None:
    small = text()
    few = small.ngram(small.held_out, 2, counted=SENTENCES[2:])
    assert few > small.ngram(small.held_out, 2)


def test_a_known_sentence_has_the_fewest_words_outside_the_vocabulary() -> None:
    held_out = [["a", "x", "y"], ["a"], ["x", "b", "c"], ["c", "B", "a"], ["b", "c", "a"]]
    small = SmallText(SENTENCES, held_out, text().vocabulary)
    assert small.known_sentence(3) == ["c", "B", "a"]
    small = SmallText(SENTENCES, held_out[:3], text().vocabulary)
    assert small.known_sentence(3) == ["x", "b", "c"]
    with pytest.raises(ValueError, match="has 4 words"):
        small.known_sentence(4)
