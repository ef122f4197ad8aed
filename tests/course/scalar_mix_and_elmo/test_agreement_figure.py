"""The picture of two programs' vectors names sentences and distances."""

from course.figures.legibility import unreadable
from course.scalar_mix_and_elmo.agreement_figure import agreement


def test_every_sentence_is_there() -> None:
    picture = agreement({"ours": [1e-6, 0.5], "theirs": [1e-6, 1e-6]}, "T")
    assert "ours rises from 1e-06 at 1 to 0.5 at 2." in picture.description
    assert "theirs stays level" in picture.description
    assert unreadable(picture.figure) == []
