"""The closing picture: years in their order, readable, each idea in a lesson of the road."""

from course.a_hundred_labels.ideas import IDEAS, ideas
from course.figures.legibility import unreadable
from course.figures.road import ROAD


def test_years_run_down_and_every_lesson_is_on_the_road() -> None:
    assert [idea.year for idea in IDEAS] == sorted(idea.year for idea in IDEAS)
    assert {idea.lesson for idea in IDEAS} <= {number for number, _ in ROAD}


def test_it_is_readable_and_says_everything_in_words() -> None:
    picture = ideas("What mended what")
    assert unreadable(picture.figure) == []
    for idea in IDEAS:
        assert f"{idea.year} {idea.name} (lesson {idea.lesson})" in picture.description
        assert idea.mended in picture.description
        assert idea.left in picture.description
