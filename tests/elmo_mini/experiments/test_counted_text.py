"""What counts of the checkpoint's own text pay is stored, and belongs to the sentences asked."""

import pytest

from elmo_mini.experiments.counted_text import stored_pairs
from elmo_mini.experiments.frozen_softmax import perplexity
from elmo_mini.experiments.small_text import SmallText
from elmo_mini.results.stored import stored_result
from tests.elmo_mini.experiments.test_small_text import text


def test_stored_counts_are_given_for_the_sentences_that_were_asked_and_no_others() -> None:
    stored = stored_result("counted_text_pairs").numbers
    asked = [["word"] * (words - 1) for words in stored["words asked"]]
    found = stored_pairs(SmallText(asked, asked, text().vocabulary))
    assert found is not None
    assert perplexity(found) == pytest.approx([*stored["perplexity"].values()])
    assert stored_pairs(text()) is None
