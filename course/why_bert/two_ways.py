"""From nothing, or from pretrained weights: the two ways to a model of a task."""

from course.figures.diagrams import Arrow, Box, boxes_and_arrows
from course.figures.picture import Picture

NOTHING, PRETRAINED = "from nothing", "pretrained"


def two_ways(title: str) -> Picture:
    """Two rows of boxes: at random, labels, model; and text, weights, labels, model."""
    boxes = [
        Box("random 1", 0, 1, NOTHING, "random\nweights"),
        Box("labels 1", 2.8, 1, NOTHING, "few\nlabels"),
        Box("model 1", 4.2, 1, NOTHING, "model of\nthe task"),
        Box("random 2", 0, 0, PRETRAINED, "random\nweights"),
        Box("text", 1.4, 0, PRETRAINED, "text without\nlabels", 0.95),
        Box("labels 2", 2.8, 0, PRETRAINED, "few\nlabels"),
        Box("model 2", 4.2, 0, PRETRAINED, "model of\nthe task"),
    ]
    arrows = [
        Arrow("random 1", "labels 1"),
        Arrow("labels 1", "model 1"),
        Arrow("random 2", "text"),
        Arrow("text", "labels 2"),
        Arrow("labels 2", "model 2"),
    ]
    return boxes_and_arrows(boxes, arrows, title=title, height=2.4)
