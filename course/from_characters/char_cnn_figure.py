"""Pictures of a character encoder: stencils and filters on a word, two lanes, a gate that opens."""

from collections.abc import Callable

import torch
from matplotlib.patches import Rectangle
from torch import Tensor

from course.figures import plots
from course.figures.diagrams import Arrow, Box, boxes_and_arrows
from course.figures.palette import COLOURS, GREY, TINTS
from course.figures.picture import Picture, blank
from course.figures.slider import Slider

Highway = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]

BEGIN, END, PADDING = "‹", "›", "·"
GATE = "the gate"
NEW, OLD = "something new", "the old"


def stencil(word: str, letters: str) -> Picture:
    """A stencil of some letters slid along a word; at each place, how many letters agree.

    Parameters
    ----------
    word : without its marks; they are drawn as ‹ and ›
    letters : what the stencil looks for
    """
    marked = f"{BEGIN}{word}{END}"
    places = range(len(marked) - len(letters) + 1)
    matches = [
        sum(a == b for a, b in zip(letters, marked[place:], strict=False)) for place in places
    ]
    best = max(matches)
    title = f"The stencil '{letters}' on '{word}': best match {best} of {len(letters)}"
    figure = blank(6.6, 2.6, title)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.5))
    for place, letter in enumerate(marked):
        above.add_patch(Rectangle((place - 0.45, 0), 0.9, 0.9, facecolor=TINTS[0]))
        above.text(place, 0.45, letter, ha="center", va="center", fontsize=13)
    for place in places:
        if matches[place] == best:
            frame = Rectangle((place - 0.5, -0.1), len(letters), 1.1, fill=False, linewidth=2)
            frame.set_edgecolor(COLOURS[4])
            above.add_patch(frame)
    above.set_ylim(-0.2, 1.1)
    above.set_axis_off()
    colours = [COLOURS[4] if match == best else GREY for match in matches]
    below.bar(list(places), matches, color=colours, width=0.6)
    below.set_xlim(-0.7, len(marked) - 0.3)
    below.set_xticks(list(places), [f"{place}" for place in places])
    below.set_yticks(range(best + 1))
    below.set_xlabel("place of the stencil's first column")
    below.set_ylabel("match")
    said = ", ".join(f"{match} at {place}" for place, match in enumerate(matches))
    return Picture(figure, f"{title}. Letters that agree at each place: {said}.")


def matches_along(word: str, matches: Tensor, width: int, name: str) -> Picture:
    """How well a trained filter matches at each place of a word, from its start mark on.

    Parameters
    ----------
    matches : at each place, the first for the start mark; those beyond the word are left out
    width : columns of the filter
    """
    marked = BEGIN + word + END + PADDING * width
    places = len(word) + 1
    found = [float(match) for match in matches[:places]]
    best = max(range(places), key=lambda place: found[place])
    return plots.bars(
        [marked[place : place + width] for place in range(places)],
        {"match": found},
        title=f"In '{word}', {name} waits for '{marked[best : best + width]}'",
        ylabel=f"match ({PADDING} is padding)",
    )


def lanes() -> Picture:
    """A highway: x takes two lanes to y, and a gate made from x says how much of each."""
    boxes = [
        Box("x", 0, 0),
        Box("relu(x W + b)", 1.6, 0.8, NEW, "relu(x W + b)", 1.2),
        Box("as it is", 1.6, -0.8, OLD, "x as it is", 1.2),
        Box("gate", 1.6, 0, GATE, "σ(x W + b)", 1.2),
        Box("times g", 3.2, 0.8, GATE, "× g"),
        Box("times 1 - g", 3.2, -0.8, GATE, "× (1 − g)"),
        Box("sum", 4.4, 0, text="+"),
        Box("y", 5.9, 0),
    ]
    ways = [
        ("x", "relu(x W + b)"),
        ("x", "as it is"),
        ("x", "gate"),
        ("relu(x W + b)", "times g"),
        ("as it is", "times 1 - g"),
        ("gate", "times g"),
        ("gate", "times 1 - g"),
        ("times g", "sum"),
        ("times 1 - g", "sum"),
        ("sum", "y"),
    ]
    return boxes_and_arrows(
        boxes, [Arrow(*way) for way in ways], title="A highway: two lanes and a gate", height=3.2
    )


def gate_slider(highway: Highway, biases: tuple[float, ...] = (-2.0, 0.0, 2.0)) -> Slider:
    """The smallest highway, one number in and one out; a slider moves the bias of its gate.

    Parameters
    ----------
    highway : x (N, 1), and the weights and biases of both parts, to y (N, 1)
    biases : what the still picture shows
    """
    x = torch.linspace(-2, 2, 101)[:, None]
    one, half = torch.ones(1, 1), torch.full((1,), 0.5)
    across = x[:, 0].numpy()
    between = {"x, the old": across, "relu(0.5 − x), the new": torch.relu(half - x)[:, 0].numpy()}

    def mixed(shown: tuple[float, ...], title: str) -> Picture:
        ys = {
            f"y, bias {bias:g}": highway(x, -one, half, one, torch.tensor([bias]))[:, 0].numpy()
            for bias in shown
        }
        return plots.curves(across, between | ys, title=title, xlabel="x", ylabel="y")

    return Slider(
        lambda bias: mixed((bias,), f"Gate bias {bias:g}"),
        "gate bias",
        [float(bias) for bias in range(-8, 9)],
        biases[0],
        mixed(biases, "The gate's bias decides which lane y follows"),
    )
