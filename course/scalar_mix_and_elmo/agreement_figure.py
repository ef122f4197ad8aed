"""How far one program's vectors are from another's, sentence by sentence."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from course.figures.picture import Picture
from course.figures.plots import curves


def agreement(distances: Mapping[str, ArrayLike], title: str) -> Picture:
    """Largest distances on a logarithmic axis, sentence after sentence.

    Parameters
    ----------
    distances : named rows, a distance for each sentence, all above 0
    """
    rows = {name: np.asarray(row, dtype=float) for name, row in distances.items()}
    sentences = np.arange(1, len(next(iter(rows.values()))) + 1)
    picture = curves(
        sentences,
        rows,
        title=title,
        xlabel="sentence of the text",
        ylabel="largest distance",
        log_y=True,
    )
    picture.figure.axes[0].set_xticks(sentences)
    return picture
