"""Pictures: described from their data, small, and apart under colour blindness."""

import itertools
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from course.figures import palette, plots
from course.figures.controls import is_control
from course.figures.legibility import unreadable
from course.figures.picture import UNREADABLE

# Machado, Oliveira & Fernandes 2009, full severity, for linear RGB.
PROTAN = [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]
DEUTAN = [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]


def lab(colour: str, deficiency: list[list[float]] | None) -> np.ndarray:
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    if deficiency is not None:
        linear = np.clip(np.array(deficiency) @ linear, 0, 1)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(np.maximum(to_xyz @ linear / [0.9505, 1, 1.089], 1e-4))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("deficiency", [None, PROTAN, DEUTAN])
def test_the_first_four_colours_stay_apart(deficiency: list[list[float]] | None) -> None:
    for a, b in itertools.combinations(plots.COLOURS[:4], 2):
        assert np.linalg.norm(lab(a, deficiency) - lab(b, deficiency)) > 20, (a, b)


def test_curves_describe_their_ends_and_extremes() -> None:
    picture = plots.curves(
        [1, 2, 3], {"loss": [5.0, 1.0, 2.0]}, title="Loss", xlabel="epoch", ylabel="nats"
    )
    assert "loss falls from 5 at 1 to 2 at 3, lowest 1 at 2" in picture.description


def test_a_band_round_a_curve_is_told() -> None:
    bands = {"loss": (np.array([4.0, 0.5, 1.5]), np.array([6.0, 1.5, 2.5]))}
    lines = {"loss": [5.0, 1.0, 2.0], "other": [1.0, 1.0, 1.0]}
    picture = plots.curves(
        [1, 2, 3], lines, title="Loss", xlabel="epoch", ylabel="nats", bands=bands
    )
    said = "Interval of loss: 4 to 6 at 1, 0.5 to 1.5 at 2, 1.5 to 2.5 at 3."
    assert said in picture.description
    assert "Interval of other" not in picture.description


def test_bars_scatter_and_table_describe_their_values() -> None:
    chart = plots.bars(["a", "b"], {"x": [1, 2]}, title="T", ylabel="n", level=("base", 1.5))
    assert "a 1, b 2" in chart.description
    assert "base at 1.5" in chart.description
    points = {"p": (np.arange(5.0), np.arange(5.0))}
    cloud = plots.scatter(points, title="T", xlabel="x", ylabel="y", diagonal=True)
    assert "5 points, correlation 1.00" in cloud.description
    grid = plots.table(np.array([[1.0, -np.inf]]), ["r"], ["c", "d"], title="T")
    assert "c 1.00, d -inf" in grid.description
    assert unreadable(grid.figure) == []


def test_a_bar_that_is_not_there_is_not_named_and_a_level_is_in_the_legend() -> None:
    chart = plots.bars(
        ["a\nb", "c"], {"x": [np.nan, 2]}, title="T", ylabel="n", level=("base", 1.5)
    )
    assert "x: c 2." in chart.description
    axes, legend = chart.figure.axes[0], chart.figure.legends[0]
    assert [label.get_text() for label in axes.texts] == ["2"]
    assert [name.get_text() for name in legend.get_texts()] == ["base", "x"]


def test_controls_are_hollow_and_the_legend_says_so() -> None:
    groups = {"x": [1, 2], "y": [3, 4]}
    chart = plots.bars(["a\nb", "c"], groups, title="T", ylabel="n", controls=["a\nb"])
    (axes,), (legend,) = chart.figure.axes, chart.figure.legends
    full = [[to_hex(bar.get_facecolor()) for bar in bars] for bars in axes.containers]
    assert full == [[palette.GROUND, colour] for colour in plots.COLOURS[:2]]
    shown = [to_hex(patch.get_facecolor()) for patch in legend.get_patches()]
    assert shown == [*plots.COLOURS[:2], palette.GROUND]
    assert [name.get_text() for name in legend.get_texts()] == ["x", "y", plots.HOLLOW]
    assert chart.description.endswith("Hollow, as baselines or controls: a b.")


def test_a_group_that_is_a_control_is_hollow_in_the_legend_too() -> None:
    groups = {"untrained": [1, 2], "trained": [3, 4]}
    chart = plots.bars(["a", "b"], groups, title="T", ylabel="n")
    (axes,), (legend,) = chart.figure.axes, chart.figure.legends
    ground, trained = palette.GROUND, plots.COLOURS[1]
    full = [{to_hex(bar.get_facecolor()) for bar in bars} for bars in axes.containers]
    assert full == [{ground}, {trained}]
    assert [to_hex(p.get_facecolor()) for p in legend.get_patches()] == [ground, trained, ground]


@pytest.mark.parametrize("points", [2, 200])
def test_a_line_of_a_control_has_hollow_markers_however_long_it_is(points: int) -> None:
    x = np.arange(points)
    lines = {"untrained": x, "trained": x}
    (axes,) = plots.curves(x, lines, title="T", xlabel="x", ylabel="n").figure.axes
    faces = [to_hex(line.get_markerfacecolor()) for line in axes.lines]
    assert faces == [palette.GROUND, plots.COLOURS[1]]
    assert axes.lines[0].get_marker() != "None"


def test_hollow_says_the_same_in_every_legend() -> None:
    groups = {"untrained": [1, 2], "trained": [2, 1]}
    for chart in (
        plots.curves([1, 2], groups, title="T", xlabel="x", ylabel="n"),
        plots.bars(["a", "b"], groups, title="T", ylabel="n"),
        plots.bars(["a", "b"], groups, title="T", ylabel="n", log_y=True),
    ):
        (legend,) = chart.figure.legends
        assert [text.get_text() for text in legend.texts] == [*groups, plots.HOLLOW]
        assert chart.description.endswith("Hollow, as baselines or controls: untrained.")


def test_curves_without_controls_have_nothing_hollow_in_their_legend() -> None:
    lines = plots.curves([1, 2], {"a": [1, 2], "b": [2, 1]}, title="T", xlabel="x", ylabel="n")
    assert [text.get_text() for text in lines.figure.legends[0].texts] == ["a", "b"]
    assert "ollow" not in lines.description


def test_the_dots_of_controls_on_a_logarithmic_axis_are_hollow() -> None:
    chart = plots.bars(["chance", "ours"], {"n": [9, 4]}, title="T", ylabel="n", log_y=True)
    faces = [to_hex(line.get_markerfacecolor()) for line in chart.figure.axes[0].lines]
    assert faces == [plots.COLOURS[0], palette.GROUND]
    assert np.array_equal(chart.figure.axes[0].lines[1].get_xdata(), [0])


def test_a_legend_of_many_long_names_stays_within_the_frame() -> None:
    readers = ["two words beside", "average around", "LSTM", "context2vec"]
    groups = {name: [1, 2] for name in [*readers, "untrained LSTM", "untrained context2vec"]}
    chart = plots.bars(["a", "b"], groups, title="T", ylabel="n")
    assert unreadable(chart.figure) == []


@pytest.mark.parametrize(
    ("name", "control"),
    [
        ("counts of\npairs", True),
        ("counts: pairs\nand triples", True),
        ("counted vectors", True),
        ("Untrained states", True),
        ("layer 2,\nuntrained", True),
        ("naive Bayes, EM", True),
        ("layer 0, no context", True),
        ("layer 0,\nword before", True),
        ("what counts expect next", True),
        ("speeches,\nwords shuffled", True),
        ("counts,\nyours", False),
        ("naive Bayes with layer 2", False),
        ("counts and states", False),
        ("untrained layer 0 over no LM", False),
        ("less random vectors", False),
        ("top layer over counted vectors", False),
        ("ELMo features", False),
        ("layer 0", False),
        ("longest common ending", True),
    ],
)
def test_controls_are_known_by_their_names(name: str, control: bool) -> None:
    assert is_control(name) is control


NAMED = re.compile(
    r"(?:[.:]|\d,) ((?:untrained|random|naive Bayes|counts of)[a-zA-Z ]*)(?= -?\d[\d.e+]*[,.]|:)"
)
NOTEBOOKS = sorted(Path(__file__).parents[3].glob("solutions/*/*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_untrained_or_counting_bar_of_the_lessons_is_hollow(path: Path) -> None:
    """Of the names that stand before a number in a bar chart's description."""
    for cell in nbformat.read(path, 4).cells:
        for output in cell.get("outputs", []):
            said = output.get("metadata", {}).get("image/png", {}).get("alt", "")
            if said.startswith("Bar chart"):
                bars, _, hollow = said.partition(" Up: ")[2].partition("Hollow, as ")
                named = {name for name in NAMED.findall(bars) if is_control(name)}
                assert [name for name in sorted(named) if name not in hollow] == [], said


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_long_names_below_bars_are_broken_into_lines(count: int) -> None:
    name = "the same, untrained, last four letters"
    chart = plots.bars([name] * count, {"x": [1.0] * count}, title="T", ylabel="n")
    assert unreadable(chart.figure) == []
    chart = plots.bars(["father", "mother"], {"x": [1.0, 2.0]}, title="T", ylabel="n")
    written = [label.get_text() for label in chart.figure.axes[0].get_xticklabels()]
    assert written == ["father", "mother"]


@pytest.mark.parametrize(
    "name", ["desegregation", "a name of so many words that it takes five lines"]
)
def test_names_slant_where_a_word_is_wider_than_its_bar_or_the_lines_are_many(name: str) -> None:
    chart = plots.bars([name] * 9, {"x": [1.0] * 9}, title="T", ylabel="n")
    assert {label.get_rotation() for label in chart.figure.axes[0].get_xticklabels()} == {30}
    assert unreadable(chart.figure) == []


def test_the_line_of_a_level_does_not_run_through_a_number() -> None:
    for level in (None, ("base", 1.01)):
        chart = plots.bars(["a"], {"x": [1.0]}, title="T", ylabel="n", level=level)
        axes = chart.figure.axes[0]
        (number,) = axes.texts
        assert (number.get_bbox_patch() is None) is (level is None)
    (line,) = axes.lines
    assert number.get_zorder() > line.get_zorder()


def test_road_marks_the_lesson_and_refuses_an_unknown_one() -> None:
    assert "You are at 01, word2vec" in plots.road("01").description
    with pytest.raises(ValueError, match="no lesson '99'"):
        plots.road("99")


def test_road_with_progress_says_it_without_colours_and_nothing_touches() -> None:
    passed = {number: (i % 4, 3) for i, (number, _) in enumerate(plots.ROAD)}
    picture = plots.road("05", passed)
    texts = picture.figure.axes[0].texts
    assert [text.get_text() for text in texts].count("✓") == 4
    assert "2/3" in [text.get_text() for text in texts]
    assert unreadable(picture.figure) == []
    assert "03 context enters (done)" in picture.description
    assert "02 limits of static vectors (2 of 3 exercises passed)" in picture.description
    with pytest.raises(ValueError, match="no lesson '99'"):
        plots.road("05", {"99": (1, 1)})


@pytest.mark.parametrize("here", [number for number, _ in plots.ROAD])
def test_the_road_can_be_read(here: str) -> None:
    figure = plots.road(here).figure
    assert len(figure.axes[0].texts) == 2 * len(plots.ROAD)
    assert unreadable(figure) == []


def bars_of(picture: plots.Picture) -> list[Rectangle]:
    return [patch for patch in picture.figure.axes[0].patches if isinstance(patch, Rectangle)]


def test_a_missing_bar_leaves_the_others_over_their_label() -> None:
    groups = {"a": [1.0, np.nan, 2.0], "b": [np.nan, 3.0, 4.0]}
    chart = plots.bars(["x", "y", "z"], groups, title="T", ylabel="n")
    middles = [bar.get_x() + bar.get_width() / 2 for bar in bars_of(chart)]
    assert middles == pytest.approx([0, 1.8, 1, 2.2])


def test_a_logarithmic_axis_has_dots_and_no_bars() -> None:
    chart = plots.bars(["a", "b"], {"n": [14221, 6]}, title="T", ylabel="n", log_y=True)
    assert bars_of(chart) == []
    assert chart.description.startswith("Dot chart")
    assert ">14,221</text>" in chart.svg()


def test_whiskers_have_a_rim_and_nothing_is_written_over_them() -> None:
    errors = {"ours": np.array([0.1, np.nan])}
    groups = {"ours": [1.0, np.nan], "paper": [2.0, 3.0]}
    chart = plots.bars(["a", "b"], groups, title="T", ylabel="n", errors=errors)
    (stem,) = (c for c in chart.figure.axes[0].collections if isinstance(c, LineCollection))
    (rim,) = stem.get_path_effects()
    assert isinstance(rim, withStroke)
    assert len(stem.get_segments()) == 1
    assert not chart.figure.axes[0].texts


def test_percentages_on_a_logarithmic_axis_are_written_out() -> None:
    x, lines = [1, 10, 100], {"F1": [70, 80, 90]}
    chart = plots.curves(x, lines, title="T", xlabel="percent", ylabel="F1", log_x=True)
    assert all(f">{number}</text>" in chart.svg() for number in ("1", "10", "100"))


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ((44, 70), (50, 60)),
        ((65, 300), (100, 200)),
        ((3, 2000), (10, 100)),
        ((0.41, 0.45), (0.42,)),
    ],
)
def test_a_logarithmic_axis_has_numbers_within_a_decade(
    values: tuple[float, ...], numbers: tuple[float, ...]
) -> None:
    lines = {"loss": values}
    chart = plots.curves([1, 2], lines, title="T", xlabel="x", ylabel="y", log_y=True)
    low, high = chart.figure.axes[0].get_ylim()
    ticks = [tick for tick in chart.figure.axes[0].get_yticks() if low <= tick <= high]
    assert 2 <= len(ticks) <= 6
    assert all(f">{number:g}</text>" in chart.svg() for number in numbers)


def test_a_long_label_is_wrapped() -> None:
    ylabel = "points of F1 against: after the first floor, in percent"
    chart = plots.bars(["a", "b"], {"n": [1, 2]}, title="Where to join", ylabel=ylabel)
    assert unreadable(chart.figure) == []
    assert f"Up: {ylabel}." in chart.description


def test_a_long_title_is_wrapped() -> None:
    title = "Probability of each label, from the gradient of the log-partition function log Z"
    chart = plots.table(np.eye(2), ["a", "b"], ["c", "d"], title=title)
    assert unreadable(chart.figure) == []
    assert chart.description.startswith(f"Table, {title}.")


def test_the_image_is_small_and_carries_its_description() -> None:
    bundle, metadata = plots.curves(
        np.arange(200),
        {"a": np.sin(np.arange(200) / 30), "b<": np.cos(np.arange(200) / 30)},
        title="Waves",
        xlabel="x",
        ylabel="y",
    )._repr_mimebundle_()
    assert metadata == {UNREADABLE: []}
    assert len(bundle["text/html"]) < 30_000
    alt = re.search(r'alt="([^"]+)"', bundle["text/html"])
    assert alt is not None
    assert "b&lt;" in alt[1]
    assert "Line chart, Waves" in bundle["text/plain"]
