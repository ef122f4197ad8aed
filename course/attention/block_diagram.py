"""The block of a Transformer as boxes and arrows."""

from itertools import pairwise

from course.figures.diagrams import Arrow, Box, boxes_and_arrows
from course.figures.picture import Picture

LOOK, ALONE, BETWEEN = "attends to other positions", "each position alone", "sum, then layer norm"


def block_diagram() -> Picture:
    """One block, from left to right: heads, sum and norm, feed-forward layer, sum and norm."""
    boxes = [
        Box("states in", 0, 0, text="states\n(B, T, D)"),
        Box("heads", 1.2, 0, LOOK, "several\nheads"),
        Box("sum 1", 2.4, 0, BETWEEN, "sum,\nnorm 1"),
        Box("wide", 3.6, 0, ALONE, "wide,\nGELU"),
        Box("narrow", 4.8, 0, ALONE, "narrow"),
        Box("sum 2", 6.0, 0, BETWEEN, "sum,\nnorm 2"),
        Box("states out", 7.2, 0, text="states\n(B, T, D)"),
    ]
    row = [box.name for box in boxes]
    arrows = [Arrow(a, b) for a, b in pairwise(row)]
    past = [
        Arrow("states in", "sum 1", kind="residual connection", over=0.6),
        Arrow("sum 1", "sum 2", kind="residual connection", over=0.6),
    ]
    return boxes_and_arrows(
        boxes, [*arrows, *past], title="One block: attention, then a feed-forward layer", height=2.6
    )
