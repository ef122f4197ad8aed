"""Pictures with a text description made from their data.

Every function returns a `Picture`, which shows as an image and carries its description as text.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import (
    FixedLocator,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
    StrMethodFormatter,
)

from course.figures.controls import is_control
from course.figures.palette import COLOURS, GREY, GROUND, INK
from course.figures.picture import DASHES, MARKERS, Picture, blank, width_of, wrapped
from course.figures.road import ROAD, road

__all__ = [
    "COLOURS",
    "DASHES",
    "GREY",
    "MARKERS",
    "ROAD",
    "Picture",
    "bars",
    "curves",
    "road",
    "scatter",
    "table",
]

LABEL_POINTS = 10
BESIDE_AXES = 1.1  # inches of a figure that its axes leave free: above and below, or left and right
BETWEEN_NAMES, MOST_LINES = 0.08, 3  # inches between the names of bars; lines of one
HATCHES = ("", "//", "\\\\", "xx", "--")
# Above this many points, a cloud is drawn in pixels: smaller than a vector for each point.
MANY_POINTS = 300
STRONGEST_SHADE = 0.55
# Behind a number that may stand on the dashed line of a level.
BESIDE_A_LEVEL = {"facecolor": GROUND, "edgecolor": "none", "pad": 0.6}
LEGEND_LETTERS = 75  # in a row below the figure
HOLLOW = "hollow: baseline or control"
HOLLOW_BAR = Patch(facecolor=GROUND, edgecolor=INK)
HOLLOW_MARKER = Line2D([], [], linestyle="", marker="o", color=INK, markerfacecolor=GROUND)
# Between these, numbers on a logarithmic axis are written out and not as powers of ten.
WRITTEN_OUT = (1e-3, 1e6)
FEWEST_NUMBERS = 2  # on a logarithmic axis
MARKED = 25  # up to so many points a line has a marker at each; a control has as many at most
NARROW = 4  # up to this factor, a logarithmic axis is numbered like a plain one


def _axes(width: float, height: float, title: str, xlabel: str, ylabel: str) -> tuple[Figure, Axes]:
    figure = blank(width, height, title)
    axes = figure.add_subplot()
    axes.set_xlabel(xlabel)
    axes.set_ylabel(wrapped(ylabel, height - BESIDE_AXES, LABEL_POINTS))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)
    return figure, axes


def legend_below(axes: Axes, names: Collection[str], *, hollow: Artist | None = None) -> None:
    """A legend in one row if it fits, else in rows of like length; it says what hollow means.

    Parameters
    ----------
    hollow : `HOLLOW_BAR` or `HOLLOW_MARKER` if some are
    """
    drawn = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    shown: dict[str, Artist] = {name: mark for name, mark in drawn.items() if name in names}
    if hollow is not None:
        shown[HOLLOW] = hollow
    lengths = np.array([len(name) + 6 for name in shown])
    of_rows = [-(-len(lengths) // rows) for rows in range(1, len(lengths) + 1)]
    columns = next(
        (n for n in of_rows if sum(map(max, np.array_split(lengths, n))) <= LEGEND_LETTERS), 1
    )
    axes.figure.legend(
        shown.values(), shown, loc="outside lower center", ncols=columns, frameon=False, fontsize=9
    )


def _logarithmic(axes: Axes, which: str, places: Sequence[float] | np.ndarray = ()) -> None:
    """Make one axis logarithmic; a few known places are its ticks.

    Within a decade or two, powers of ten would leave it with a number or none: then it has others.
    """
    getattr(axes, f"set_{which}scale")("log")
    axis = getattr(axes, f"{which}axis")
    if 1 < len(places) <= 6:
        axis.set_major_locator(FixedLocator(list(places)))
        axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    low, high = getattr(axes, f"get_{which}lim")()
    if sum(low <= tick <= high for tick in axis.get_majorticklocs()) < FEWEST_NUMBERS:
        narrow = high < NARROW * low
        axis.set_major_locator(
            MaxNLocator(6, steps=(1, 2, 5, 10)) if narrow else LogLocator(subs=(1, 2, 5))
        )
    if low >= WRITTEN_OUT[0] / 10 and high <= WRITTEN_OUT[1]:
        axis.set_major_formatter(_plainly)


def _plainly(number: float, _: int | None = None) -> str:
    """A number as a reader writes it: 0.01, 2.5, 100, 14,200."""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def curves(
    x: Sequence[float] | np.ndarray | Mapping[str, np.ndarray],
    lines: Mapping[str, Sequence[float] | np.ndarray],
    *,
    title: str,
    xlabel: str,
    ylabel: str,
    log_x: bool = False,
    log_y: bool = False,
    bands: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
    marks: Mapping[str, float] | None = None,
) -> Picture:
    """Lines over a common x axis, or over one x each when ``x`` is a mapping.

    The markers of controls, as `is_control` knows them, are hollow.

    Parameters
    ----------
    bands : per line, the lower and upper edge of an interval, drawn as a shade.
    marks : named x positions, drawn as vertical lines.
    """
    figure, axes = _axes(6.6, 3.6, title, xlabel, ylabel)
    controls = [name for name in lines if is_control(name)]
    parts = [f"Line chart, {title}. Across: {xlabel}. Up: {ylabel}."]
    for index, (name, values) in enumerate(lines.items()):
        across = np.asarray(x[name] if isinstance(x, Mapping) else x, dtype=float)
        up = np.asarray(values, dtype=float)
        colour, hollow = COLOURS[index % len(COLOURS)], name in controls
        marked = hollow or len(across) <= MARKED
        axes.plot(
            across,
            up,
            label=name,
            color=colour,
            linestyle=DASHES[index % len(DASHES)],
            marker=MARKERS[index % len(MARKERS)] if marked else None,
            markevery=max(1, -(-len(across) // MARKED)),
            markersize=5 if hollow else 4,
            markerfacecolor=GROUND if hollow else colour,
        )
        if bands and name in bands:
            axes.fill_between(across, *bands[name], color=colour, alpha=0.18, linewidth=0)
        parts.append(_line_in_words(name, across, up))
        if bands and name in bands:
            parts.append(_band_in_words(name, across, *bands[name]))
    for name, place in (marks or {}).items():
        axes.axvline(place, color=GREY, linewidth=1)
        where = axes.get_xaxis_transform()
        axes.text(place, 1.02, name, transform=where, rotation=45, fontsize=9)
        parts.append(f"A vertical line marks {name} at {place:.3g}.")
    if log_x:
        _logarithmic(axes, "x", () if isinstance(x, Mapping) else x)
    elif max(abs(v) for v in axes.get_xlim()) >= 10_000:
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if log_y:
        _logarithmic(axes, "y")
    if len(lines) > 1:
        legend_below(axes, lines, hollow=HOLLOW_MARKER if controls else None)
    return Picture(figure, " ".join([*parts, *hollow_in_words(controls)]))


def hollow_in_words(controls: Sequence[str]) -> list[str]:
    """A sentence that names the baselines and controls; none without them."""
    names = ", ".join(" ".join(name.split()) for name in controls)
    return [f"Hollow, as baselines or controls: {names}."] if names else []


def _line_in_words(name: str, x: np.ndarray, y: np.ndarray) -> str:
    if not len(x):
        return f"{name}: no points."
    way = "rises" if y[-1] > y[0] else "falls" if y[-1] < y[0] else "stays level"
    text = f"{name} {way} from {y[0]:.3g} at {x[0]:.3g} to {y[-1]:.3g} at {x[-1]:.3g}"
    low, high = int(np.nanargmin(y)), int(np.nanargmax(y))
    inner = [(word, i) for word, i in (("lowest", low), ("highest", high)) if 0 < i < len(y) - 1]
    text += "".join(f", {word} {y[i]:.3g} at {x[i]:.3g}" for word, i in inner)
    return text + "."


def _band_in_words(name: str, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    points = list(zip(low, high, x, strict=True))
    said = points if len(points) <= 8 else [points[0], points[len(points) // 2], points[-1]]
    return (
        f"Interval of {name}: {', '.join(f'{a:.3g} to {b:.3g} at {at:.3g}' for a, b, at in said)}."
    )


def bars(
    labels: Sequence[str],
    groups: Mapping[str, Sequence[float] | np.ndarray],
    *,
    title: str,
    xlabel: str = "",
    ylabel: str,
    errors: Mapping[str, np.ndarray] | None = None,
    log_y: bool = False,
    level: tuple[str, float] | None = None,
    controls: Collection[str] | None = None,
) -> Picture:
    """Bars for each label, one per group; dots where the axis is logarithmic and has no zero.

    Parameters
    ----------
    errors : per group, half-lengths of the interval whiskers (n,) or lower and upper (2, n).
    level : a named horizontal line, such as a baseline; the legend has its name.
    controls : the labels and groups whose bars are hollow: what is compared with, not what is asked
        about. Without them it is told from their names, by `is_control`.

    A height of NaN is a bar that is not there; the others of its label stand in the middle.
    """
    figure, axes = _axes(max(6.6, 0.95 * len(labels)), 3.6, title, xlabel, ylabel)
    heights = np.array([list(values) for values in groups.values()], dtype=float)
    there = ~np.isnan(heights)
    width = 0.8 / len(groups)
    # The place of each bar among those of its label, from the middle.
    offsets = there.cumsum(0) - 1 - (there.sum(0) - 1) / 2
    if controls is None:
        controls = [name for name in (*labels, *groups) if is_control(name)]
    hollow: list[tuple[Rectangle, str]] = []
    for index, name in enumerate(groups):
        shown = there[index]
        across, up = (np.arange(len(labels)) + width * offsets[index])[shown], heights[index][shown]
        whiskers = None if errors is None or name not in errors else np.asarray(errors[name])
        colour = COLOURS[index % len(COLOURS)]
        if log_y:
            marker = MARKERS[index % len(MARKERS)]
            ground = GROUND if name in controls else colour
            axes.plot(across, up, marker, ms=8, mfc=ground, label=name, color=colour)
            empty = [labels[at] in controls for at in np.flatnonzero(shown).tolist()]
            axes.plot(across[empty], up[empty], marker, ms=8, mfc=GROUND, color=colour)
        else:
            hatch = HATCHES[index % len(HATCHES)]
            drawn = axes.bar(
                across, up, width, label=name, color=colour, edgecolor=GROUND, hatch=hatch
            )
            there_at = zip(drawn, np.flatnonzero(shown).tolist(), strict=True)
            hollow += [(bar, colour) for bar, at in there_at if labels[at] in controls]
            if name in controls:  # in the legend, too
                _make_hollow(drawn, colour)
        if whiskers is not None:
            _whiskers(axes, across, up, whiskers[..., shown])
        elif errors is None and len(labels) * len(groups) <= 12:
            for place, height in zip(across, up, strict=True):
                below = height < 0
                axes.annotate(
                    _plainly(height),
                    (place, height),
                    xytext=(0, (-3 if below else 3) * (2 if log_y else 1)),
                    textcoords="offset points",
                    ha="center",
                    va="top" if below else "bottom",
                    fontsize=8,
                    bbox=None if level is None else BESIDE_A_LEVEL,
                )
    _label_bars(axes, labels)
    if log_y:
        _logarithmic(axes, "y")
    axes.margins(y=0.1)
    if level is not None:
        axes.axhline(level[1], color=INK, linewidth=1.2, linestyle="--", label=level[0])
    if axes.get_ylim()[0] < 0:
        axes.axhline(0, color=GREY, linewidth=1)
    names = [*groups, *([] if level is None else [level[0]])]
    mark = HOLLOW_MARKER if log_y else HOLLOW_BAR
    key = mark if any(name in controls for name in (*labels, *groups)) else None
    if len(names) > 1 or key:
        legend_below(axes, names if len(names) > 1 else (), hollow=key)
    for bar, colour in hollow:  # after the legend, whose patches are full
        _make_hollow([bar], colour)
    kind = "Dot chart" if log_y else "Bar chart"
    said = [f"{kind}, {title}. Up: {ylabel}."]
    for name, row in zip(groups, heights, strict=True):
        values = zip(labels, row, strict=True)
        each = [f"{' '.join(label.split())} {v:.3g}" for label, v in values if not np.isnan(v)]
        said.append(f"{name}: {', '.join(each)}.")
    if level is not None:
        said.append(f"A horizontal line marks {level[0]} at {level[1]:.3g}.")
    said += hollow_in_words([name for name in (*labels, *groups) if name in controls])
    return Picture(figure, " ".join(said))


def _make_hollow(drawn: Iterable[Rectangle], colour: str) -> None:
    for bar in drawn:
        bar.set(facecolor=GROUND, edgecolor=colour, linewidth=1.6)


def _whiskers(axes: Axes, across: np.ndarray, up: np.ndarray, lengths: np.ndarray) -> None:
    """Whiskers with a rim of the ground's colour, so that they are seen on bars of any colour."""
    drawn = axes.errorbar(across, up, lengths, fmt="none", ecolor=INK, elinewidth=1.4, capsize=3)
    _, caps, stems = drawn.lines
    for line in (*caps, *stems):
        line.set_path_effects([withStroke(linewidth=3.6, foreground=GROUND)])


def _label_bars(axes: Axes, labels: Sequence[str]) -> None:
    """Names below the bars, in several lines; they slant where a word is wider than its bar."""
    axes.set_xlim(-0.6, len(labels) - 0.4)
    figure = axes.figure
    assert isinstance(figure, Figure)
    each = (figure.get_figwidth() - BESIDE_AXES) / (len(labels) + 0.2) - BETWEEN_NAMES
    names = [name if "\n" in name else wrapped(name, each, LABEL_POINTS) for name in labels]
    lines = [name.split("\n") for name in names]
    slant = any(
        len(of_one) > MOST_LINES or max(width_of(line, LABEL_POINTS) for line in of_one) > each
        for of_one in lines
    )
    axes.set_xticks(
        range(len(labels)),
        labels if slant else names,
        rotation=30 if slant else 0,
        ha="right" if slant else "center",
        rotation_mode="anchor" if slant else "default",
    )
    axes.grid(visible=False, axis="x")


def scatter(
    groups: Mapping[str, tuple[np.ndarray, np.ndarray]],
    *,
    title: str,
    xlabel: str,
    ylabel: str,
    diagonal: bool = False,
) -> Picture:
    """Points in the plane by group; each group is (x, y). The description gives correlations."""
    figure, axes = _axes(5.2, 4.2, title, xlabel, ylabel)
    parts = [f"Scatter plot, {title}. Across: {xlabel}. Up: {ylabel}."]
    for index, (name, (x, y)) in enumerate(groups.items()):
        axes.scatter(
            x,
            y,
            s=18,
            label=name,
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            alpha=0.7,
            linewidth=0,
            rasterized=len(x) > MANY_POINTS,
        )
        correlation = float(np.corrcoef(x, y)[0, 1])
        parts.append(f"{name}: {len(x)} points, correlation {correlation:.2f}.")
    if diagonal:
        both = [*axes.get_xlim(), *axes.get_ylim()]
        axes.plot([min(both), max(both)], [min(both), max(both)], color=GREY, linewidth=1)
        parts.append("A grey diagonal marks equality.")
    if len(groups) > 1:
        legend_below(axes, groups)
    return Picture(figure, " ".join(parts))


def table(
    matrix: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    form: str = "{:.2f}",
) -> Picture:
    """A small matrix as shaded cells with their numbers: the higher, the stronger the shade."""
    figure = blank(1.6 + 0.75 * len(columns), 1.0 + 0.42 * len(rows), title)
    axes = figure.add_subplot()
    finite = np.where(np.isfinite(matrix), matrix, np.nan)
    low, high = float(np.nanmin(finite)), float(np.nanmax(finite))
    for (i, j), value in np.ndenumerate(matrix):
        share = (value - low) / ((high - low) or 1.0) if np.isfinite(value) else 0.0
        cell = Rectangle((j - 0.5, i - 0.5), 1, 1, color=COLOURS[0], alpha=STRONGEST_SHADE * share)
        cell.set_linewidth(0)
        axes.add_patch(cell)
        axes.text(j, i, form.format(value), ha="center", va="center", fontsize=8)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(rows)), rows)
    said = "; ".join(
        f"{row}: " + ", ".join(f"{c} {form.format(v)}" for c, v in zip(columns, line, strict=True))
        for row, line in zip(rows, matrix, strict=True)
    )
    return Picture(figure, f"Table, {title}. {said}.")
