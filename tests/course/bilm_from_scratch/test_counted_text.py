"""What counts of the checkpoint's own text pay is stored, and belongs to the sentences asked."""

import pytest

from course.bilm_from_scratch.counted_text import FEW, STOP, stored_triples
from course.bilm_from_scratch.frozen_softmax import perplexity
from course.results.stored import stored_result


def test_stored_counts_are_given_for_the_sentences_that_were_asked_and_no_others() -> None:
    stored = stored_result("counted_text_triples").numbers
    asked = [["word"] * (words - 1) for words in stored["words asked"]]
    found = stored_triples(asked)
    assert found is not None
    whole = perplexity(found.since(STOP - FEW))
    assert whole == pytest.approx([*stored["perplexity"].values()], rel=1e-3)
    assert stored_triples(asked[1:]) is None
