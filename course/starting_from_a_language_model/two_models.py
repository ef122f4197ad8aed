"""The translator of Ramachandran, Liu & Le 2017, drawn (after their figure 1)."""

from course.figures.diagrams import FROM_A_LANGUAGE_MODEL, Arrow, Box, boxes_and_arrows
from course.figures.picture import Picture

LM, FRESH = FROM_A_LANGUAGE_MODEL, "starts at random"


def two_models(title: str) -> Picture:
    """Encoder and decoder over three steps each, and what comes from the two language models."""
    boxes, arrows = [], []
    for step, word in enumerate(["A", "B", "C"]):
        boxes += [
            Box(f"source word {word}", step, 0, text=word),
            Box(f"source embedding {step}", step, 1, LM, "vector"),
            Box(f"encoder layer 1, step {step}", step, 2, LM, "LSTM 1"),
            Box(f"encoder layer 2, step {step}", step, 3, FRESH, "LSTM 2"),
        ]
    for step, word in enumerate(["</s>", "W", "X"], start=4):
        boxes += [
            Box(f"target word {word}", step, 0, text=word),
            Box(f"target embedding {step}", step, 1, LM, "vector"),
            Box(f"decoder layer 1, step {step}", step, 2, LM, "LSTM 1"),
            Box(f"decoder layer 2, step {step}", step, 3, FRESH, "LSTM 2"),
            Box(f"softmax {step}", step, 4.8, LM, "softmax"),
        ]
    boxes += [
        Box("attention", 2.7, 3.9, FRESH, "attention", width=1.1),
        Box("combine", 4, 3.9, FRESH, "combine"),
    ]
    for start, end in (
        ("source word", "source embedding"),
        ("source embedding", "encoder layer 1"),
        ("encoder layer 1", "encoder layer 2"),
        ("target word", "target embedding"),
        ("target embedding", "decoder layer 1"),
        ("decoder layer 1", "decoder layer 2"),
        ("decoder layer 2", "softmax"),
    ):
        lower = [box for box in boxes if box.name.startswith(start)]
        upper = [box for box in boxes if box.name.startswith(end)]
        arrows += [
            Arrow(a.name, b.name)
            for a, b in zip(lower, upper, strict=True)
            if b.name != "softmax 4"  # there `combine` stands between
        ]
    arrows += [
        Arrow(f"{side} layer {layer}, step {step}", f"{side} layer {layer}, step {step + 1}")
        for side, steps in (("encoder", (0, 1)), ("decoder", (4, 5)))
        for layer in (1, 2)
        for step in steps
    ]
    arrows += [
        *(
            Arrow(f"encoder layer 2, step {step}", "attention", kind="read by attention")
            for step in range(3)
        ),
        Arrow("encoder layer 1, step 2", "attention", bend=0.2, kind="read by attention"),
        Arrow("decoder layer 2, step 4", "attention", kind="asks, with its query q"),
        Arrow("attention", "combine", kind="read by attention"),
        Arrow("decoder layer 2, step 4", "combine"),
        Arrow("combine", "softmax 4"),
        Arrow("decoder layer 1, step 6", "softmax 6", bend=0.9, kind="residual"),
    ]
    return boxes_and_arrows(boxes, arrows, title=title, height=4.4, width=7.0)
