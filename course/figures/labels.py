"""Words beside their points, moved apart where they would cover each other."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from course.figures.palette import GREY

FONT_POINTS = 9
MARKER_POINTS = 5
# From near to far, each time all round; beyond the first ring a thin line leads to the point.
RINGS = (4, 12, 22, 34, 48)
DIRECTIONS = ((1, 1), (-1, 1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))


def put_words_beside(axes: Axes, points: np.ndarray, words: Sequence[str]) -> None:
    """Write each word at the nearest free place beside its point, inside of the axes.

    Parameters
    ----------
    axes : with its points drawn; its limits and layout must not change afterwards
    points : (n, 2), in the units of the axes
    words : n
    """
    figure = axes.figure
    assert isinstance(figure, Figure)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    scale = figure.dpi / 72
    places = axes.transData.transform(points)
    radius = MARKER_POINTS * scale / 2 + 1
    taken = [Bbox.from_extents(x - radius, y - radius, x + radius, y + radius) for x, y in places]
    for place, point, word in zip(places, points, words, strict=True):
        note = axes.annotate(
            word,
            tuple(point),
            xytext=(0, 0),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=FONT_POINTS,
        )
        note.set_in_layout(False)
        box = note.get_window_extent(canvas.get_renderer())
        half = np.array([box.width, box.height]) / 2
        best = None
        for ring in RINGS:
            for direction in np.array(DIRECTIONS):
                away = direction * (ring * scale + half)
                tried = Bbox([place + away - half, place + away + half])
                inside = axes.bbox.contains(*tried.min) and axes.bbox.contains(*tried.max)
                hit = tried.count_overlaps(taken) + (0 if inside else 2)
                if best is None or hit < best[0]:
                    best = (hit, ring, away, tried)
            if best is not None and best[0] == 0:
                break
        assert best is not None
        _, ring, away, tried = best
        taken.append(tried)
        note.set_position(tuple(away / scale))
        if ring > RINGS[0]:
            nearest = place + np.clip(-away, -half, half) + away
            start = axes.transData.inverted().transform(nearest)
            axes.plot(*zip(point, start, strict=True), color=GREY, linewidth=0.7, zorder=1)
