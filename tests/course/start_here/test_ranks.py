"""The curve of lesson 00 begins with the commonest word."""

from course.start_here.ranks import ranks


def test_the_commonest_word_comes_first() -> None:
    said = ranks({"a": 1, "the": 9, "cat": 3}, "a story").description
    assert "words of a story falls from 9 at 1 to 1 at 3" in said
