import pytest

from elmo_mini.tagging.tagged_sentences import TaggedSentence, check_labels, normalise


def test_words_are_looked_up_in_lower_case_with_zeros() -> None:
    assert normalise("U.S.-1987") == "u.s.-0000"


def test_a_sentence_to_be_predicted_needs_words_only() -> None:
    assert TaggedSentence(("a", "b")) == (("a", "b"), (), None)


def test_what_is_no_tagged_sentence_is_refused_by_its_number() -> None:
    good = TaggedSentence(("a", "b"), ("O", "O"))
    with pytest.raises(TypeError, match=r"dev sentence 1 is \(\['a'\], \['O'\]\), no TaggedSent"):
        check_labels([good, (["a"], ["O"])], "dev sentence")  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a sentence is a list of words, but here is the string"):
        check_labels([TaggedSentence("ab", ("O", "O"))])  # type: ignore[arg-type]
