"""A deck holds what its slides promise, and says so where it cannot."""

import html
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograde.building.lesson_source import read_lesson
from autograde.grading.instructor_notes import TIMES
from autograde.slides import shown
from autograde.slides.deck import CannotShow, deck, solved_notebook
from course.figures import plots
from course.figures.stored import stored
from tests.autograde.slides.test_deck_source import NOTE, lesson_of

POLL = 'WAYS = ["up", "down"]\npredict("way", "Up or down?", options=WAYS)'
ANSWER = 'outcome("way", "up")'


def slide(kind: str, text: str = "# ## A heading\n", keys: str = "") -> str:
    return f'# %% [markdown] deck="{kind}"{keys}\n{text}{NOTE}\n'


def made(
    folder: Path,
    slides: str,
    source: str,
    *outputs: Any,
    kind: str = "code",
    measured: str = "up",
) -> str:
    """The deck of one slide before one cell, and a poll's answer."""
    written = source if kind == "code" else "".join(f"# {line}\n" for line in source.splitlines())
    header = "# %%" if kind == "code" else "# %% [markdown]"
    text = f"{slides}{header}\n{written}\n\n# %%\n{ANSWER}\n"
    cell = (
        new_code_cell(source, outputs=list(outputs))
        if kind == "code"
        else new_markdown_cell(source)
    )
    said = {"text/plain": f"Nothing recorded · measured: {measured}"}
    answered = new_code_cell(ANSWER, outputs=[new_output("execute_result", data=said)])
    return deck(lesson_of(folder, text), new_notebook(cells=[cell, answered]))


def drawn() -> Any:
    picture = plots.bars(["a", "b"], {"x": [1, 2]}, title="B is twice A", ylabel="times")
    data, metadata = stored(b"", picture.svg(), picture.description)
    return new_output("execute_result", data=data, metadata=metadata)


def printed(text: str) -> Any:
    return new_output("stream", name="stdout", text=text)


def test_a_figures_title_becomes_the_heading_and_leaves_the_drawing(tmp_path: Path) -> None:
    page = made(tmp_path, slide("figure", ""), "draw()", drawn())
    assert "<h2>B is twice A</h2>" in page
    figure = shown.figure(new_code_cell("draw()", outputs=[drawn()]), "", text=False)
    assert "twice" not in figure.svg
    assert "times" in figure.svg
    assert f'alt="{figure.alt}"' in page


def test_a_prediction_is_a_poll_with_its_answer_as_the_last_step(tmp_path: Path) -> None:
    page = made(tmp_path, slide("poll", ""), POLL)
    question, options, answer = (
        page.index(text) for text in ("Up or down?", "<li>down", "<b>up</b>")
    )
    assert question < options < answer
    assert '<li class="fragment is" data-fragment-index="2">up</li>' in page


def test_an_answer_comes_after_its_stub(tmp_path: Path) -> None:
    source = "def f():\n    ### BEGIN SOLUTION\n    return 7\n    ### END SOLUTION"
    page = made(tmp_path, slide("code"), source)
    assert "SOLUTION" not in page
    assert page.index("<h2>") < page.index('<span class="fragment">') < page.index(">7<")


def test_options_on_the_slide_take_the_place_of_those_in_the_call(tmp_path: Path) -> None:
    listed = slide("poll", "# - upwards\n# - up\n")
    for options in ('["up", "down"]', "list(MADE)"):
        page = made(tmp_path / options[:4], listed, f'predict("way", "What?", options={options})')
        assert "<li>upwards</li>" in page
        assert "down" not in page.split('class="slides"')[1].split("<aside")[0]


@pytest.mark.parametrize(
    ("options", "measured", "right", "shown_as"),
    [
        (["below 5", "about 25", "1,000 or more"], "4.437", "below 5", "4.44"),
        (["about 10 %", "about 50 %"], "49", "about 50 %", "49"),
        (["[x] behind", "about 7 points ahead"], "-6.65 points", "behind", "−6.65 points"),
        (["about 150", "about 1,000"], "194.5", "about 150", "194"),
    ],
)
def test_the_option_that_was_measured_lights_up(
    tmp_path: Path, options: list[str], measured: str, right: str, shown_as: str
) -> None:
    listed = slide("poll", "".join(f"# - {option}\n" for option in options))
    page = made(tmp_path, listed, 'predict("way", "What?")', measured=measured)
    lit = '<li class="fragment is" data-fragment-index="2">'
    assert page.count(lit) == 1
    assert f"{lit}{right}</li>" in html.unescape(page).replace("\xa0", " ")
    assert f"<b>{shown_as}</b>" in page
    assert "[x]" not in page


def test_long_lines_that_are_printed_are_broken_and_tables_are_not(tmp_path: Path) -> None:
    for name, said, lines in (
        ("prose", "word " * 18, 2),
        ("too long for a wall", "word " * 40, 3),
        ("table", "column    " * 8, 1),
    ):
        page = made(tmp_path / name, slide("printed"), "f()", printed(said))
        shown_text = page.split("<pre")[1].split("<code>")[1].split("</code>")[0]
        assert len(shown_text.strip().splitlines()) == lines, name


def test_no_full_stop_stands_alone(tmp_path: Path) -> None:
    page = made(tmp_path, slide("printed"), "f()", printed("word " * 30 + "."))
    assert page.split("<code>")[1].split("</code>")[0].splitlines()[-1].split() == ["word", "."]


def test_what_is_printed_begins_at_the_left(tmp_path: Path) -> None:
    page = made(tmp_path, slide("printed"), "f()", printed("    one\n  three\n"))
    assert "<code>  one\nthree</code>" in page


def test_a_docstring_does_not_make_the_code_small(tmp_path: Path) -> None:
    short, wide = "def f():\n    return 7", f'def f():\n    """{"W" * 60}."""\n    return 7'
    plain, without = (
        made(tmp_path / str(len(source)), slide("code"), source) for source in (short, wide)
    )
    assert "WWW" not in without
    assert plain.split("<pre")[1].split("</pre>")[0] == without.split("<pre")[1].split("</pre>")[0]


def test_tables_formulas_and_chosen_lines_are_shown(tmp_path: Path) -> None:
    table = "Text.\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert "<td>1</td>" in made(tmp_path / "1", slide("table"), table, kind="markdown")
    formulas = "$$x$$\n\n$$y \\tag{1}$$"
    page = made(tmp_path / "2", slide("formula", keys=' lines="2"'), formulas, kind="markdown")
    assert "<mi>y</mi>" in page
    assert "<mi>x</mi>" not in page
    assert "(1)" not in page.split("</section>")[0].split("<section")[1]
    lines = slide("printed", keys=' lines="1,3"')
    page = made(tmp_path / "3", lines, "show()", printed("one\ntwo\nthree\n"))
    assert "<code>one\nthree</code>" in page


def test_the_note_counts_the_minutes(tmp_path: Path) -> None:
    page = made(tmp_path, slide("words") + slide("words"), "1")
    assert "<strong>Minutes 0 to 1.5</strong> of 3" in page
    assert "<strong>Minutes 1.5 to 3</strong> of 3" in page
    assert page.count('data-timing="90"') == 2


def test_the_note_says_how_long_the_slides_cell_takes(tmp_path: Path) -> None:
    lesson = lesson_of(tmp_path, slide("printed") + "# %%\nf()\n")
    cell = new_code_cell("f()", outputs=[printed("so")])
    for seconds, said in ((31.0, 1), (4.0, 0)):
        taken = {TIMES: {"slowest cells": {cell["id"]: seconds}}}
        page = deck(lesson, new_notebook(cells=[cell], metadata=taken))
        assert page.count("about 30 s of one core") == said


@pytest.mark.parametrize(
    ("kind", "source", "said"),
    [
        ("figure", "1 + 1", "it has drawn no figure"),
        ("printed", "1 + 1", "it has printed nothing"),
        ("table", "1 + 1", "it has no table"),
        ("formula", "1 + 1", "it has no displayed formula"),
        ("poll", "1 + 1", "it asks for no prediction"),
        ("poll", 'predict("other", "What?")', "no outcome('other', ...) has been measured"),
        ("poll", 'predict("way", "What?")', "it names no options"),
        ("poll", 'predict("way", "What?", options=make())', "its options are computed"),
        ("poll", 'predict("way", "What?", options=["5", "7"])', "which option is 'up'?"),
        ("code", "\n".join(f"line_{n} = {n}" for n in range(13)), "it has 13 lines"),
        ("code", f"x = '{'x' * 95}'", "a wall holds 12 of 94"),
    ],
)
def test_what_cannot_be_shown_is_said_with_its_line(
    tmp_path: Path, kind: str, source: str, said: str
) -> None:
    with pytest.raises(CannotShow) as error:
        made(tmp_path, slide(kind), source)
    assert said in str(error.value)
    assert "x.py:1" in str(error.value)


def test_a_notebook_of_another_source_is_refused(tmp_path: Path) -> None:
    lesson = lesson_of(tmp_path, slide("words") + "# %%\n1 + 1\n")
    with pytest.raises(CannotShow, match="build --execute 01_x"):
        deck(lesson, new_notebook(cells=[new_code_cell("2 + 2")]))


LESSONS = sorted((Path(__file__).parents[3] / "solutions").glob("*/*.py"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_slide_of_a_lesson_can_be_shown(path: Path) -> None:
    lesson = read_lesson(path)
    if lesson.deck:
        assert deck(lesson, solved_notebook(lesson)).count("<section") >= len(lesson.deck)
