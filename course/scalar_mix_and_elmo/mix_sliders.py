"""Occurrences of a word as points that move as the layers are mixed: s and gamma by hand."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from course.figures.palette import COLOURS, GREY
from course.figures.picture import MARKERS, Picture, blank
from course.figures.slider import Knob, Sliders

WEIGHTS = range(-6, 7)
GAMMAS = (0.25, 0.5, 0.75, 1.0, 1.25)
ALIKE = 1e-5  # of two cosines: occurrences that no context tells apart


def mix_sliders(vectors: np.ndarray, groups: Sequence[str], *, word: str) -> Sliders:
    """Sliders for the weight w of each layer and for gamma, over the mixed vectors of a word.

    The vectors are shown in one plane, which stays: the two directions along which occurrences
    differ most, taken over all layers. Zero is a cross, so that gamma is seen to scale. How many
    occurrences have one of their own group nearest is counted in all dimensions, by the cosine.

    Parameters
    ----------
    vectors : (n, n_layers, D), the layers of each occurrence
    groups : (n,) what each occurrence means, in a word or two
    word : the word that occurs

    Raises
    ------
    ValueError
        There are fewer than three occurrences, or not one group for each.
    """
    rows = np.asarray(vectors, dtype=float)
    if rows.ndim != 3 or len(rows) < 3:
        raise ValueError(
            f"the vectors have shape {rows.shape}; give (occurrences, layers, D), three or more"
        )
    if len(groups) != len(rows):
        raise ValueError(f"{len(groups)} groups were given for {len(rows)} occurrences")
    plane, layers = _Plane(rows, groups, word), rows.shape[1]

    def draw(*values: float) -> Picture:
        *w, gamma = values
        return plane.picture([(_softmax(np.array(w)), gamma)])

    knobs = [Knob(f"w of layer {j}", WEIGHTS, 0) for j in range(layers)]
    ends = np.eye(layers)
    still = plane.picture([(ends[0], 1.0), (np.full(layers, 1 / layers), 1.0), (ends[-1], 1.0)])
    return Sliders(draw, [*knobs, Knob("gamma", GAMMAS, 1.0)], still)


class _Plane:
    def __init__(self, rows: np.ndarray, groups: Sequence[str], word: str) -> None:
        self.rows, self.groups, self.word = rows, list(groups), word
        # Within each layer: the way from one layer's mean to the next would take up both axes.
        apart = (rows - rows.mean(0)).reshape(-1, rows.shape[-1])
        self.axes = np.linalg.svd(apart, full_matrices=False)[2][:2]
        corners = np.concatenate([rows.reshape(-1, rows.shape[-1]) @ self.axes.T, np.zeros((1, 2))])
        self.low, self.high = (max(GAMMAS) * edge for edge in (corners.min(0), corners.max(0)))

    def picture(self, mixes: Sequence[tuple[np.ndarray, float]]) -> Picture:
        """One panel for each pair of shares s and gamma, side by side."""
        figure = blank(6.2 if len(mixes) == 1 else 3.0 * len(mixes), 4.4, "")
        said = [f"Map, {len(self.rows)} occurrences of '{self.word}', each a mix of its layers."]
        chance = _by_chance(self.groups)
        panels = figure.subplots(1, len(mixes), squeeze=False)[0]
        for panel, (s, gamma) in zip(panels, mixes, strict=True):
            mixed = gamma * np.einsum("l,nld->nd", s, self.rows)
            shares = ", ".join(f"{share:.2f}" for share in s)
            own = f"{_own_nearest(mixed, self.groups):.3g} of {len(mixed)}"
            panel.set_title(
                f"s = {shares}; gamma = {gamma:g}\n"
                f"nearest is of its own group:\n{own} (by chance {chance:.3g})",
                fontsize=9,
                loc="left",
            )
            said.append(
                f"With s = {shares} and gamma = {gamma:g}, the nearest is of its own group for "
                f"{own}."
            )
            self._draw(panel, mixed @ self.axes.T)
        panels[0].set_ylabel("second direction", fontsize=9)
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(
            handles, names, loc="outside lower center", ncols=len(names), frameon=False, fontsize=9
        )
        said.append(f"By chance it would be for {chance:.3g}.")
        return Picture(figure, " ".join(said))

    def _draw(self, panel: Axes, points: np.ndarray) -> None:
        for index, group in enumerate(dict.fromkeys(self.groups)):
            x, y = points[np.array(self.groups) == group].T
            panel.plot(
                x,
                y,
                MARKERS[index % len(MARKERS)],
                color=COLOURS[index % len(COLOURS)],
                label=group,
                markersize=6,
                alpha=0.8,
                markeredgewidth=0,
            )
        panel.plot(0, 0, "+", color=GREY, markersize=10, label="zero")
        room = 0.06 * (self.high - self.low)
        panel.set_xlim(self.low[0] - room[0], self.high[0] + room[0])
        panel.set_ylim(self.low[1] - room[1], self.high[1] + room[1])
        panel.set_xlabel("first direction", fontsize=9)
        panel.set_xticks([])
        panel.set_yticks([])


def _softmax(w: np.ndarray) -> np.ndarray:
    powers = np.exp(w - w.max())
    shares: np.ndarray = powers / powers.sum()
    return shares


def _own_nearest(vectors: np.ndarray, groups: Sequence[str]) -> float:
    """How many have one of their own group nearest; equals share one place among them."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = cosines >= cosines.max(1, keepdims=True) - ALIKE
    same = np.array(groups)[:, None] == np.array(groups)
    return float(((nearest & same).sum(1) / nearest.sum(1)).sum())


def _by_chance(groups: Sequence[str]) -> float:
    n = len(groups)
    return sum((groups.count(group) - 1) / (n - 1) for group in groups)
