"""What of a figure cannot be read: text that is cut, covered, too pale, or a name from the code."""

from collections.abc import Callable, Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from course.figures.palette import GROUND, contrast, on_dark

Theme = Callable[[str], str]

LEAST_CONTRAST = 4.5  # WCAG 2.2, success criterion 1.4.3
SLACK = 1.0  # pixels by which the boxes of two words may touch


def unreadable(figure: Figure) -> list[str]:
    """One phrase for each fault; a figure that can be read has none."""
    figure.draw_without_rendering()
    texts = [text for text in _drawn(figure) if text.get_text().strip()]
    frames = [_frame(text) for text in texts]
    painted = [(patch, patch.get_window_extent()) for patch in _painted(figure)]
    ground = figure.bbox.padded(SLACK)
    found = []
    for text, frame in zip(texts, frames, strict=True):
        said = repr(" ".join(text.get_text().split()))
        if not (ground.contains(*frame.min(0)) and ground.contains(*frame.max(0))):
            found.append(f"{said} is cut by the frame")
        if "_" in text.get_text() and "$" not in text.get_text():
            found.append(f"{said} is a name from the code, no word")
        box = Bbox([frame.min(0), frame.max(0)])
        patches = [patch for patch, around in painted if around.overlaps(box)]
        found += _against_what_is_behind(text, said, frame, patches)
    lows = np.array([frame.min(0) for frame in frames]).reshape(-1, 2)
    highs = np.array([frame.max(0) for frame in frames]).reshape(-1, 2)
    near = ((lows[:, None] < highs) & (lows < highs[:, None])).all(-1)  # (texts, texts)
    for one, other in np.argwhere(np.triu(near, 1)):
        if _cross(frames[one], frames[other]):
            found.append(f"{texts[one].get_text()!r} and {texts[other].get_text()!r} overlap")
    return found


def _drawn(figure: Figure) -> Iterator[Text]:
    """Every text that shows: without the tick labels that lie outside of their axis."""
    hidden: set[Text] = set()
    for axes in figure.axes:
        for axis, (low, high) in (
            (axes.xaxis, sorted(axes.get_xlim())),
            (axes.yaxis, sorted(axes.get_ylim())),
        ):
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not axes.axison or not low <= tick.get_loc() <= high:
                    hidden |= {tick.label1, tick.label2}
            if not axes.axison:
                hidden |= {axis.label, axis.offsetText}
    yield from (t for t in figure.findobj(Text) if t.get_visible() and t not in hidden)


def _frame(text: Text) -> np.ndarray:
    """The corners (4, 2), in pixels, of the box around a text, which may be turned."""
    around = text.get_window_extent()
    middle = np.array([around.x0 + around.x1, around.y0 + around.y1]) / 2
    turned = text.get_rotation()
    text.set_rotation(0)
    level = text.get_window_extent()
    text.set_rotation(turned)
    half = np.array([level.width, level.height]) / 2 - SLACK / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    cos, sin = np.cos(np.radians(turned)), np.sin(np.radians(turned))
    return middle + corners @ np.array([[cos, sin], [-sin, cos]])


def _cross(one: np.ndarray, other: np.ndarray) -> bool:
    first, second = (Path([*corners, corners[0]]) for corners in (one, other))
    return bool(first.intersects_path(second, filled=True))


def _painted(figure: Figure) -> list[Patch]:
    """The filled shapes, in the order in which they are drawn."""
    shapes = [
        patch
        for patch in figure.findobj(Patch)
        if patch.get_visible()
        and patch.get_fill()
        and to_rgba(patch.get_facecolor())[3] > 0
        and not isinstance(patch, FancyArrowPatch)
        and not (isinstance(patch.axes, Axes) and patch is patch.axes.patch)
        and patch is not figure.patch
    ]
    return sorted(shapes, key=lambda patch: patch.get_zorder())


def _against_what_is_behind(
    text: Text, said: str, frame: np.ndarray, patches: list[Patch]
) -> Iterator[str]:
    middle, sides = frame.mean(0), (frame[[0, 1]] + frame[[3, 2]]) / 2
    own = text.get_bbox_patch()
    behind: list[list[Patch]] = [
        [own] if own is not None else [p for p in patches if p.contains_point(place)]
        for place in (middle, *sides)
    ]
    themes: dict[str, Theme] = {"light": str, "dark": on_dark}
    for theme, seen in themes.items():
        ink = seen(to_hex(text.get_color()))
        least = min(contrast(ink, _blended(layers, seen)) for layers in behind)
        if least < LEAST_CONTRAST:
            yield f"{said} has a contrast of {least:.1f} in the {theme} theme"
    for patch in behind[0]:
        if isinstance(patch, FancyBboxPatch) and patch is not own:
            around = patch.get_window_extent()
            if frame[:, 0].min() < around.x0 or frame[:, 0].max() > around.x1:
                yield f"{said} is wider than its box"


def _blended(layers: list[Patch], seen: Theme) -> str:
    """The colour that layers of paint give on the ground of a theme."""
    red, green, blue = to_rgb(seen(GROUND))
    for patch in layers:
        alpha = to_rgba(patch.get_facecolor())[3]
        over = to_rgb(seen(to_hex(patch.get_facecolor())))
        red, green, blue = (
            (1 - alpha) * below + alpha * paint
            for below, paint in zip((red, green, blue), over, strict=True)
        )
    return to_hex((red, green, blue))
