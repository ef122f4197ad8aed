"""A text whose sentences are refused by their number; batches of them are in `test_ids`."""

import pytest

from elmo_mini.text.sentences import checked


def test_a_text_is_checked_sentence_by_sentence() -> None:
    seen = checked(iter([["a"], ["b"], ["c", 4]]))
    assert [next(seen), next(seen)] == [["a"], ["b"]]
    with pytest.raises(TypeError, match=r"token 1 of sentence 2 is 4 \(int\)"):
        next(seen)
    for text, shown in (("some text", r"'some text' \(str\)"), (None, "None")):
        with pytest.raises(TypeError, match=f"the text is {shown}, not a list of sentences"):
            next(checked(text))
