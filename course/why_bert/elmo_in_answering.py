"""ELMo in a model that answers questions: beside question and passage, at two heights."""

from course.figures.diagrams import FROM_A_LANGUAGE_MODEL, Arrow, Box, boxes_and_arrows
from course.figures.picture import Picture

TASK, MIX, FROZEN = (
    "the task's own",
    "mix with weights of the task",
    f"{FROM_A_LANGUAGE_MODEL}, frozen",
)


def elmo_in_answering(title: str) -> Picture:
    """Question and passage, each from its words to the attention that joins them."""
    boxes, arrows = [], []
    for side, x, way in (("question", 0.0, 1), ("passage", 5.6, -1)):
        word, own, layers, first, second, rnn, pair = (
            f"{part} of the {side}"
            for part in ("a word", "own vector", "layers", "mix 1", "mix 2", "RNN", "pair")
        )
        boxes += [
            Box(word, x + 0.9 * way, 0.0, width=1.8),
            Box(own, x, 1.0, TASK, "own vector", 1.2),
            Box(layers, x + 1.8 * way, 1.0, FROZEN, "three layers", 1.3),
            Box(first, x + way, 2.0, MIX, "mix 1"),
            Box(second, x + 2.1 * way, 2.0, MIX, "mix 2"),
            Box(rnn, x + 0.4 * way, 3.0, TASK, "RNN", 1.2),
            Box(pair, x + 1.3 * way, 4.0, TASK, "RNN and mix 2, side by side", 2.7),
        ]
        ways = [(word, own), (word, layers), (layers, first), (layers, second), (own, rnn)]
        ways += [(first, rnn), (rnn, pair), (second, pair), (pair, "attention")]
        arrows += [Arrow(start, end) for start, end in ways]
    answer = "start and end of the answer"
    boxes += [
        Box("attention", 2.8, 5.0, TASK, "attention between question and passage", 4.0),
        Box(answer, 2.8, 5.9, width=2.4),
    ]
    arrows.append(Arrow("attention", answer))
    return boxes_and_arrows(boxes, arrows, title=title, height=5.0, width=7.8)
