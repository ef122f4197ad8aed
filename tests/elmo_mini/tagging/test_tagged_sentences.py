from elmo_mini.tagging.tagged_sentences import TaggedSentence, normalise


def test_words_are_looked_up_in_lower_case_with_zeros() -> None:
    assert normalise("U.S.-1987") == "u.s.-0000"


def test_a_sentence_to_be_predicted_needs_words_only() -> None:
    assert TaggedSentence(("a", "b")) == (("a", "b"), (), None)
