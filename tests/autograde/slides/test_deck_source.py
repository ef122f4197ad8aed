"""A lesson's slides: read from the source, kept out of the notebooks, refused where they lack."""

from pathlib import Path

import pytest

from autograde.building.deck_source import deck_refusals, slides_of
from autograde.building.lesson_source import Lesson, read_lesson
from tests.lesson_text import for_learners

NOTE = """#
# minutes: 1.5
#
# say: This is so.
#
# And this.
#
# ask: Why?
#
# expect: "Because."
#
# skip: Nothing.
"""
SLIDE = f"""# %% [markdown] deck="words"
# ## A heading
#
# First.
#
# . . .
#
# Then.
{NOTE}
"""
SOURCE = f"# %% [markdown]\n# # A lesson\n\n{SLIDE}# %%\n1 + 1\n"


def lesson_of(folder: Path, source: str) -> Lesson:
    path = folder / "solutions" / "01_x" / "x.py"
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    return read_lesson(path)


def test_a_slide_stands_beside_its_cell_and_in_no_notebook(tmp_path: Path) -> None:
    lesson = lesson_of(tmp_path, SOURCE)
    assert [cell.kind for cell in lesson.cells] == ["markdown", "code"]
    (slide,) = slides_of(lesson)
    assert (slide.heading, slide.steps, slide.position) == ("A heading", ["First.", "Then."], 1)
    assert slide.minutes == 1.5
    assert slide.note["say"] == "This is so.\n\nAnd this."
    assert list(deck_refusals(lesson)) == []
    assert for_learners(lesson.path) == SOURCE.replace(SLIDE, "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('deck="words"', 'deck="film"', "unknown slide deck='film'"),
        ("# expect: ", "# believe: ", "the slide's note has no expect"),
        ("# minutes: 1.5", "# minutes: soon", "minutes: soon -- write a number up to 6"),
        ("# minutes: 1.5", "# minutes: 9", "minutes: 9 -- write a number up to 6"),
        ("# ## A heading\n", "", "the slide has no heading"),
        ('deck="words"', 'deck="figure"', "the slide shows the figure that the next cell draws"),
    ],
)
def test_a_slide_that_lacks_something_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    source = SOURCE.replace(old, new)
    if new == 'deck="figure"':
        source = source.replace("# %%\n1 + 1\n", "")
    (refusal,) = deck_refusals(lesson_of(tmp_path, source))
    assert said in refusal.message
    assert refusal.line == 4
