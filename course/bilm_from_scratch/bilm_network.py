"""The network of the bidirectional language model, unrolled over a short sentence."""

from collections.abc import Sequence
from itertools import pairwise

from course.figures.diagrams import Arrow, Box, boxes_and_arrows
from course.figures.picture import Picture

SHARED, FORWARD, BACKWARD = "token layer (shared)", "forward reader", "backward reader"


def bilm_network(words: Sequence[str]) -> Picture:
    """The token layer in the middle, the forward reader in the lane above, the other one below.

    A layer is drawn as its LSTM; from the second one on, what went in is added to what comes out.
    """
    boxes, arrows = [], []
    for place, word in enumerate(words):
        across, token = 2.2 * place, f"x of {word}"
        boxes.append(Box(token, across, 0, SHARED, word))
        for kind, side in ((FORWARD, 1), (BACKWARD, -1)):
            one, two, out = (f"{kind} {part} of {word}" for part in ("layer 1", "layer 2", "sum"))
            boxes += [
                Box(one, across, side * 1.1, kind, "LSTM 1"),
                Box(two, across, side * 2.2, kind, "LSTM 2"),
                Box(out, across, side * 3.1, kind, "+"),
            ]
            arrows += [Arrow(token, one), Arrow(one, two), Arrow(two, out)]
            arrows.append(Arrow(one, out, bend=0.9 * side))
    for before, after in pairwise(words):
        for layer in ("layer 1", "layer 2"):
            arrows += [
                Arrow(f"{FORWARD} {layer} of {before}", f"{FORWARD} {layer} of {after}"),
                Arrow(f"{BACKWARD} {layer} of {after}", f"{BACKWARD} {layer} of {before}"),
            ]
    title = "Two readers in two lanes: no state crosses"
    return boxes_and_arrows(boxes, arrows, title=title, height=4.4, width=8.6)
