"""The network of the bidirectional language model, unrolled over a short sentence."""

from collections.abc import Sequence
from itertools import pairwise

from elmo_mini.figures.diagrams import Arrow, Box, boxes_and_arrows
from elmo_mini.figures.picture import Picture

SHARED, FORWARD, BACKWARD = "token layer (shared)", "forward LSTMs", "backward LSTMs"
LAYERS = (1, 2)


def bilm_network(words: Sequence[str]) -> Picture:
    """Letters, token layer, two LSTMs in each direction, and what each top state bets on."""
    boxes, arrows = [], []
    for place, word in enumerate(words):
        across = 2.2 * place
        boxes += [
            Box(f"letters of {word}", across, 0, text=word),
            Box(f"x of {word}", across, 1, SHARED, "x"),
        ]
        arrows.append(Arrow(f"letters of {word}", f"x of {word}"))
        for kind, side, neighbour in (
            (FORWARD, -0.5, place + 1),
            (BACKWARD, 0.5, place - 1),
        ):
            below = f"x of {word}"
            for layer in LAYERS:
                name = f"{kind[:-6]} {layer} of {word}"
                boxes.append(Box(name, across + side, layer + 1, kind, f"h {layer}"))
                arrows.append(Arrow(below, name))
                below = name
            if 0 <= neighbour < len(words):
                asked = words[neighbour]
                bet = f"{kind[:-6]} bet of {word} on {asked}"
                boxes.append(Box(bet, across + side, 4, text=f"{asked}?"))
                arrows.append(Arrow(below, bet))
    for before, after in pairwise(words):
        for layer in LAYERS:
            arrows += [
                Arrow(f"forward {layer} of {before}", f"forward {layer} of {after}", bend=-0.3),
                Arrow(f"backward {layer} of {after}", f"backward {layer} of {before}", bend=-0.3),
            ]
    title = "Two stacks of LSTMs over one token layer"
    return boxes_and_arrows(boxes, arrows, title=title, height=4.4, width=8.2)
