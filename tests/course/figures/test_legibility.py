"""What cannot be read in a figure is named: each kind of fault in a figure that has it."""

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from course.figures.legibility import LEAST_CONTRAST, unreadable
from course.figures.palette import COLOURS, DARK, GREY, GROUND, INK, PALE, TINTS, contrast, on_dark


def figure_with(*texts: tuple[float, float, str], **looks: object) -> Figure:
    figure = Figure(figsize=(3, 2))
    for x, y, said in texts:
        figure.text(x, y, said, ha="center", **looks)
    return figure


def test_a_figure_that_can_be_read_has_no_fault() -> None:
    assert unreadable(figure_with((0.5, 0.3, "father"), (0.5, 0.7, "mother"))) == []


def test_words_over_words_are_named() -> None:
    figure = figure_with((0.5, 0.5, "father"), (0.52, 0.53, "mother"))
    assert unreadable(figure) == ["'father' and 'mother' overlap"]


@pytest.mark.parametrize("side", [-1, 1])
def test_a_small_word_that_reaches_into_a_large_one_is_named(side: int) -> None:
    figure = figure_with((0.5, 0.5, "HOME"))
    figure.texts[0].set_fontsize(20)
    figure.text(0.5 + side * 0.14, 0.52, "state", fontsize=6, ha="center")
    assert unreadable(figure) == ["'HOME' and 'state' overlap"]


def test_turned_words_beside_each_other_do_not_overlap() -> None:
    slanting = figure_with((0.4, 0.4, "elementary"), (0.55, 0.4, "elementary"), rotation=45)
    assert unreadable(slanting) == []
    level = figure_with((0.4, 0.4, "elementary"), (0.55, 0.4, "elementary"))
    assert unreadable(level) == ["'elementary' and 'elementary' overlap"]


def test_a_cut_title_is_named() -> None:
    figure = figure_with((0.9, 0.5, "a title that is too long"))
    assert unreadable(figure) == ["'a title that is too long' is cut by the frame"]


def test_pale_words_are_named_for_each_theme() -> None:
    assert unreadable(figure_with((0.5, 0.5, "home"), color="#e69f00")) == [
        "'home' has a contrast of 2.3 in the light theme"
    ]
    assert unreadable(figure_with((0.5, 0.5, "home"), color="#333333")) == [
        "'home' has a contrast of 1.5 in the dark theme"
    ]


def test_words_are_held_against_the_shapes_behind_them() -> None:
    figure = figure_with((0.5, 0.5, "x"), color=GROUND)
    assert len(unreadable(figure)) == 2
    figure.add_artist(Circle((0.5, 0.5), 0.2, color=INK))
    assert unreadable(figure) == []
    figure.add_artist(Circle((0.5, 0.5), 0.2, color=INK, zorder=0))
    figure.add_artist(Circle((0.5, 0.5), 0.2, color=GROUND, alpha=0.6))
    assert [fault[:20] for fault in unreadable(figure)] == ["'x' has a contrast o"] * 2


def test_a_name_from_the_code_is_named_and_a_formula_is_not() -> None:
    assert unreadable(figure_with((0.5, 0.5, "after_second"))) == [
        "'after_second' is a name from the code, no word"
    ]
    assert unreadable(figure_with((0.5, 0.5, "$p_t$"))) == []


def test_a_text_wider_than_its_box_is_named() -> None:
    figure = figure_with((0.5, 0.5, "language model"))
    box = FancyBboxPatch((0.45, 0.45), 0.1, 0.2, boxstyle="square,pad=0", facecolor=GROUND)
    figure.add_artist(box)
    assert unreadable(figure) == ["'language model' is wider than its box"]


def test_ticks_that_are_not_drawn_are_not_judged() -> None:
    figure = Figure(figsize=(4, 3), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xticks([0, 1, 1.001], ["a", "outside", "outside too"])
    axes.set_xlim(-0.5, 0.5)
    assert unreadable(figure) == []


@pytest.mark.parametrize("theme", [str, on_dark], ids=["light", "dark"])
def test_what_is_written_on_the_papers_colours_can_be_read(theme: type[str]) -> None:
    for ground in (GROUND, PALE, *TINTS):
        assert contrast(theme(INK), theme(ground)) >= LEAST_CONTRAST, ground
    assert contrast(theme(GREY), theme(GROUND)) >= LEAST_CONTRAST
    for colour in (COLOURS[0], COLOURS[4]):
        assert contrast(theme(GROUND), theme(colour)) >= LEAST_CONTRAST, colour


def test_every_colour_of_data_stands_out_from_a_dark_ground() -> None:
    assert min(contrast(on_dark(colour), DARK[GROUND]) for colour in COLOURS) > 3
