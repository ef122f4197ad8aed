"""A small text gives one sentence to a reader of words and to one of letters, and counts it."""

import numpy as np
import pytest
import torch

from elmo_mini.experiments.small_text import SmallText
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


def test_the_unigram_bets_by_counts_alone() -> None:
    small = text()
    # a 3, b 3 (one of them as B), c 2, d 2, the boundary 3, <unk> 0: 13 words and one more each
    chances = {"a": 4, "b": 4, "c": 3, "</s>": 4}
    expected = np.prod([chances[word] / 19 for word in ["a", "b", "c", "</s>"]]) ** (-1 / 4)
    assert small.unigram(small.held_out) == pytest.approx(expected, rel=1e-5)
