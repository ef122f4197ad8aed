"""What counts of the checkpoint's own text pay is stored, and belongs to the sentences asked."""

import pytest

from course.bilm_from_scratch.counted_text import stored_pairs
from course.bilm_from_scratch.frozen_softmax import perplexity
from course.results.stored import stored_result
from course.texts.small_text import SmallText
from tests.course.texts.test_small_text import text


def test_stored_counts_are_given_for_the_sentences_that_were_asked_and_no_others() -> None:
    stored = stored_result("counted_text_pairs").numbers
    asked = [["word"] * (words - 1) for words in stored["words asked"]]
    found = stored_pairs(SmallText(asked, asked, text().vocabulary))
    assert found is not None
    assert perplexity(found) == pytest.approx([*stored["perplexity"].values()])
    assert stored_pairs(text()) is None
