"""The drawing of ELMo in question answering says what feeds what, and can be read."""

from course.figures.legibility import unreadable
from course.why_bert.elmo_in_answering import elmo_in_answering


def test_both_sides_have_two_mixes_and_meet_in_the_attention() -> None:
    picture = elmo_in_answering("T")
    for side in ("question", "passage"):
        said = f"layers of the {side} to mix 1 of the {side} and mix 2 of the {side}"
        assert said in picture.description
        assert f"pair of the {side} to attention" in picture.description
    assert unreadable(picture.figure) == []
