"""TagLM drawn for four words: trainable layers and the frozen language model."""

from course.figures.diagrams import FROM_A_LANGUAGE_MODEL, Arrow, Box, boxes_and_arrows
from course.figures.picture import Picture

LEARNT, FROZEN = "learnt from labels", f"{FROM_A_LANGUAGE_MODEL}, frozen"


def taglm_network(words: list[str], labels: list[str], title: str) -> Picture:
    """Each word with its own states of the language model beside the first LSTM."""
    boxes, arrows = [], []
    for place, (word, label) in enumerate(zip(words, labels, strict=True)):
        x = 2.0 * place
        boxes += [
            Box(word, x, 0.0),
            Box(f"LSTM 1 {word}", x - 0.46, 1.0, LEARNT, "LSTM 1"),
            Box(f"LM states {word}", x + 0.46, 1.0, FROZEN, "LM states"),
            Box(f"LSTM 2 {word}", x, 2.1, LEARNT, "LSTM 2", 1.2),
            Box(f"label {label} of {word}", x, 4.1, "", label),
        ]
        arrows += [
            Arrow(word, f"LSTM 1 {word}"),
            Arrow(word, f"LM states {word}"),
            Arrow(f"LSTM 1 {word}", f"LSTM 2 {word}"),
            Arrow(f"LM states {word}", f"LSTM 2 {word}"),
            Arrow(f"LSTM 2 {word}", "CRF"),
            Arrow("CRF", f"label {label} of {word}"),
        ]
    middle, width = len(words) - 1.0, 2.0 * len(words) - 1.2
    boxes.append(Box("CRF", middle, 3.1, LEARNT, "dense layer and CRF", width))
    return boxes_and_arrows(boxes, arrows, title=title, height=4.4, width=7.6)
