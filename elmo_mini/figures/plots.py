"""Pictures with a text description made from their data.

Every function returns a `Picture`, which shows as an image and carries its description as text.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from elmo_mini.figures.picture import COLOURS, DASHES, GREY, MARKERS, Picture
from elmo_mini.figures.road import ROAD, road

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
    "word_map",
]


def _axes(width: float, height: float, title: str, xlabel: str, ylabel: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=11, loc="left")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return figure, axes


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

    Parameters
    ----------
    bands : per line, the lower and upper edge of an interval, drawn as a shade.
    marks : named x positions, drawn as vertical lines.
    """
    figure, axes = _axes(6.6, 3.6, title, xlabel, ylabel)
    parts = [f"Line chart, {title}. Across: {xlabel}. Up: {ylabel}."]
    for index, (name, values) in enumerate(lines.items()):
        across = np.asarray(x[name] if isinstance(x, Mapping) else x, dtype=float)
        up = np.asarray(values, dtype=float)
        few = len(across) <= 25
        colour = COLOURS[index % len(COLOURS)]
        axes.plot(
            across,
            up,
            label=name,
            color=colour,
            linestyle=DASHES[index % len(DASHES)],
            marker=MARKERS[index % len(MARKERS)] if few else None,
            markersize=4,
        )
        if bands and name in bands:
            axes.fill_between(across, *bands[name], color=colour, alpha=0.18, linewidth=0)
        parts.append(_line_in_words(name, across, up))
    for name, place in (marks or {}).items():
        axes.axvline(place, color=GREY, linewidth=1)
        where = axes.get_xaxis_transform()
        axes.text(place, 0.03, name, transform=where, rotation=90, ha="right", fontsize=9)
        parts.append(f"A vertical line marks {name} at {place:.3g}.")
    if log_x:
        axes.set_xscale("log")
    elif max(abs(v) for v in axes.get_xlim()) >= 10_000:
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if log_y:
        axes.set_yscale("log")
    if len(lines) > 1:
        axes.legend(frameon=False, fontsize=9)
    return Picture(figure, " ".join(parts))


def _line_in_words(name: str, x: np.ndarray, y: np.ndarray) -> str:
    if not len(x):
        return f"{name}: no points."
    way = "rises" if y[-1] > y[0] else "falls" if y[-1] < y[0] else "stays level"
    text = f"{name} {way} from {y[0]:.3g} at {x[0]:.3g} to {y[-1]:.3g} at {x[-1]:.3g}"
    low, high = int(np.nanargmin(y)), int(np.nanargmax(y))
    inner = [(word, i) for word, i in (("lowest", low), ("highest", high)) if 0 < i < len(y) - 1]
    text += "".join(f", {word} {y[i]:.3g} at {x[i]:.3g}" for word, i in inner)
    return text + "."


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
) -> Picture:
    """Bars for each label, one per group.

    Parameters
    ----------
    errors : per group, half-lengths of the interval whiskers (n,) or lower and upper (2, n).
    level : a named horizontal line, such as a baseline; the legend has its name.

    A height of NaN is a bar that is not there.
    """
    figure, axes = _axes(6.6, 3.6, title, xlabel, ylabel)
    places = np.arange(len(labels))
    width = 0.8 / len(groups)
    parts = [f"Bar chart, {title}. Up: {ylabel}."]
    for index, (name, values) in enumerate(groups.items()):
        heights = np.asarray(values, dtype=float)
        drawn = axes.bar(
            places + (index - (len(groups) - 1) / 2) * width,
            heights,
            width,
            label=name,
            color=COLOURS[index % len(COLOURS)],
            edgecolor="white",
            hatch=("", "//", "..", "xx", "--")[index % 5],
            yerr=None if errors is None else errors.get(name),
            capsize=3,
        )
        if len(labels) * len(groups) <= 12 and errors is None:
            texts = ["" if np.isnan(h) else f"{h:.3g}" for h in heights]
            axes.bar_label(drawn, labels=texts, fontsize=8)
        named = [(n, h) for n, h in zip(labels, heights, strict=True) if not np.isnan(h)]
        said = ", ".join(f"{' '.join(name.split())} {h:.3g}" for name, h in named)
        parts.append(f"{name}: {said}.")
    longest = max(map(len, labels), default=0)
    crowded = len(labels) > 4 and (
        sum(map(len, labels)) > 60 or (len(labels) > 8 and longest * len(labels) > 60)
    )
    axes.set_xticks(
        places, labels, rotation=30 if crowded else 0, ha="right" if crowded else "center"
    )
    if log_y:
        axes.set_yscale("log")
    if level is not None:
        axes.axhline(level[1], color="black", linewidth=1.2, linestyle="--", label=level[0])
        parts.append(f"A horizontal line marks {level[0]} at {level[1]:.3g}.")
    if axes.get_ylim()[0] < 0:
        axes.axhline(0, color=GREY, linewidth=1)
    names = len(groups) + (level is not None)
    if names > 1:
        figure.legend(loc="outside lower center", ncols=min(names, 3), frameon=False, fontsize=9)
    return Picture(figure, " ".join(parts))


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
        )
        correlation = float(np.corrcoef(x, y)[0, 1])
        parts.append(f"{name}: {len(x)} points, correlation {correlation:.2f}.")
    if diagonal:
        both = [*axes.get_xlim(), *axes.get_ylim()]
        axes.plot([min(both), max(both)], [min(both), max(both)], color=GREY, linewidth=1)
        parts.append("A grey diagonal marks equality.")
    if len(groups) > 1:
        axes.legend(frameon=False, fontsize=9)
    return Picture(figure, " ".join(parts))


def word_map(
    words: Sequence[str],
    vectors: np.ndarray,
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    title: str = "Words on a map",
) -> Picture:
    """Words in two dimensions: the two main directions (PCA) of their unit-length vectors.

    Parameters
    ----------
    words : n words. vectors: (n, D).
    groups : named sets of words, each drawn in its own colour and marker.

    Raises
    ------
    ValueError
        With fewer than three words there is no map.
    """
    if len(words) < 3:
        raise ValueError(f"a map needs at least three words with vectors, got {list(words)}")
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    centred = unit - unit.mean(0)
    _, singular, directions = np.linalg.svd(centred, full_matrices=False)
    points = centred @ directions[:2].T
    kept = float((singular[:2] ** 2).sum() / (singular**2).sum())
    figure, axes = _axes(6.6, 4.8, title, "first direction", "second direction")
    of = {word: i for i, names in enumerate((groups or {}).values()) for word in names}
    colour = [COLOURS[of[w] % len(COLOURS)] if w in of else GREY for w in words]
    for (x, y), word, c in zip(points, words, colour, strict=True):
        axes.plot(x, y, MARKERS[of.get(word, 0) % len(MARKERS)], color=c, markersize=5)
        axes.annotate(word, (x, y), xytext=(3, 3), textcoords="offset points", fontsize=8, color=c)
    for index, name in enumerate(groups or {}):
        marker = MARKERS[index % len(MARKERS)]
        axes.plot([], [], marker, color=COLOURS[index % len(COLOURS)], label=name)
    if groups:
        axes.legend(frameon=False, fontsize=9)
    near = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(len(words)) * 1e9
    said = "; ".join(f"{w} beside {words[int(near[i].argmin())]}" for i, w in enumerate(words))
    text = f"Map, {title}: {len(words)} words; it keeps {kept:.0%} of the spread. {said}."
    return Picture(figure, text)


def table(
    matrix: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    form: str = "{:.2f}",
) -> Picture:
    """A small matrix as shaded cells with their numbers."""
    figure = Figure(
        figsize=(1.6 + 0.75 * len(columns), 1.0 + 0.42 * len(rows)), layout="constrained"
    )
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=11, loc="left")
    finite = np.where(np.isfinite(matrix), matrix, np.nan)
    axes.imshow(finite, cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    middle = (np.nanmin(finite) + np.nanmax(finite)) / 2
    for (i, j), value in np.ndenumerate(matrix):
        dark = not np.isfinite(value) or value < middle
        ink = "black" if not np.isfinite(value) else "white" if dark else "black"
        axes.text(j, i, form.format(value), ha="center", va="center", fontsize=8, color=ink)
    said = "; ".join(
        f"{row}: " + ", ".join(f"{c} {form.format(v)}" for c, v in zip(columns, line, strict=True))
        for row, line in zip(rows, matrix, strict=True)
    )
    return Picture(figure, f"Table, {title}. {said}.")
