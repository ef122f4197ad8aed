"""The trellis of a tagger: scores of labels at words, with label paths drawn through them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.patches import Rectangle

from course.figures.palette import COLOURS, GROUND, INK
from course.figures.picture import DASHES, MARKERS, Picture, blank

STRONGEST_SHADE = 0.35


def trellis(
    scores: np.ndarray,
    words: Sequence[str],
    labels: Sequence[str],
    paths: Mapping[str, Sequence[int]],
    *,
    title: str,
    transitions: np.ndarray | None = None,
) -> Picture:
    """Words across, labels down, each cell with its number and shaded by it.

    Parameters
    ----------
    scores : (T, K), one for each word and label.
    paths : named lists of T label numbers, drawn as lines side by side.
    transitions : (K, K) scores from label to label; those of the paths are written at the lines.

    Raises
    ------
    ValueError
        The shape of `scores` is not (words, labels), or a path has another length.
    """
    if scores.shape != (len(words), len(labels)):
        expected = (len(words), len(labels))
        raise ValueError(f"scores need shape {expected}, words by labels, not {scores.shape}")
    for name, path in paths.items():
        if len(path) != len(words):
            raise ValueError(f"the path {name!r} has {len(path)} places, not {len(words)}")
    size = (1.9 + 1.1 * len(words), 1.6 + 0.6 * len(labels))
    figure = blank(*size, title)
    axes = figure.add_subplot()
    shades = STRONGEST_SHADE * (scores - scores.min()) / (np.ptp(scores) or 1.0)
    for (place, label), value in np.ndenumerate(scores):
        cell = Rectangle((place - 0.5, label - 0.5), 1, 1, color=INK, alpha=shades[place, label])
        cell.set_linewidth(0)
        axes.add_patch(cell)
        axes.text(place, label + 0.36, f"{value:.1f}", ha="center", va="center", fontsize=8)
    parts = [f"Trellis, {title}."]
    parts += [
        f"{word}: "
        + ", ".join(f"{name} {v:.1f}" for name, v in zip(labels, row, strict=True))
        + "."
        for word, row in zip(words, scores, strict=True)
    ]
    written: set[tuple[int, int, int]] = set()
    for index, (name, path) in enumerate(paths.items()):
        heights = np.asarray(path) - 0.22 + 0.24 * index
        axes.plot(
            range(len(words)),
            heights,
            label=name,
            color=COLOURS[(0, 3, 4)[index % 3]],
            linestyle=DASHES[index % len(DASHES)],
            marker=MARKERS[index % len(MARKERS)],
            linewidth=2,
        )
        steps = (f"{word} {labels[int(i)]}" for word, i in zip(words, path, strict=True))
        parts.append(f"{name}: {', '.join(steps)}.")
        for place, (before, after) in enumerate(pairwise(map(int, path))):
            if transitions is None or (place, before, after) in written:
                continue
            written.add((place, before, after))
            move = f"{transitions[before, after]:+.1f}"
            middle = (heights[place] + heights[place + 1]) / 2
            box = {"facecolor": GROUND, "edgecolor": "none", "pad": 1, "alpha": 0.85}
            axes.text(place + 0.5, middle, move, ha="center", va="center", fontsize=8, bbox=box)
            parts.append(f"Transition {labels[before]} to {labels[after]}: {move}.")
    axes.set_xlim(-0.5, len(words) - 0.5)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xticks(range(len(words)), words)
    axes.set_yticks(range(len(labels)), labels)
    if paths:
        figure.legend(loc="outside lower center", ncols=len(paths), frameon=False, fontsize=9)
    return Picture(figure, " ".join(parts))
