"""The pictures of the README, drawn by the package itself: python -m autograde pictures.

Each is an SVG with a light and a dark theme, which a page takes from its reader's system.
"""

import argparse
import textwrap
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from elmo_mini import ElmoEmbedder
from elmo_mini.figures.palette import COLOURS, GREY, INK
from elmo_mini.figures.picture import Picture, blank
from elmo_mini.figures.road import road

COURSE = Path(__file__).resolve().parents[2]
FOLDER = Path("docs/pictures")
SENTENCES = ("She saw a new play at the theatre .", "Every morning they play in the street .")
WORD = "play"
SHOWN = 48  # numbers of each vector
EXERCISE, SLIP = "lstm_step", "the forget gate without its 1"
WRITTEN = "`torch.sigmoid(f) * c` in an LSTM"
COLUMNS = 104  # letters of a line of the report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options: the pictures lie where the README shows them."""


def run(args: argparse.Namespace) -> None:
    """Draw all of them anew."""
    for name, draw in PICTURES.items():
        path = COURSE / FOLDER / f"{name}.svg"
        path.write_text(described(draw()), encoding="utf-8")
        print(path.relative_to(COURSE))


def described(picture: Picture) -> str:
    """The picture as an SVG that says in words what it shows."""
    svg = picture.svg()
    opening = svg.index(">") + 1
    head = svg[: opening - 1] + ' role="img">'
    return f"{head}<title>{escape(picture.description)}</title>{svg[opening:]}\n"


def two_sentences() -> Picture:
    """A word in two sentences: from its letters alone, and from layer 2 of the course's biLM."""
    embedder = ElmoEmbedder()
    read = [sentence.split() for sentence in SENTENCES]
    layers = [embedder.embed_sentence(words)[:, words.index(WORD)] for words in read]
    figure = blank(8.2, 3.4, "One word, two sentences: a table has one vector, a reader has two")
    grid = figure.subplots(2, 2, sharey="row")
    cosines = []
    for row, (layer, kind) in enumerate(((0, "from the word alone"), (2, "after reading"))):
        for column, words in enumerate(read):
            axes = grid[row, column]
            vector = layers[column][layer]
            axes.bar(np.arange(SHOWN), vector[:SHOWN], color=COLOURS[(0, 4)[row and column]])
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
            if row == 0:
                axes.set_title(" ".join(words), fontsize=10)
            if column == 0:
                axes.set_ylabel(kind, fontsize=9)
        one, other = (vectors[layer] for vectors in layers)
        cosines.append(float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)))
    alike = f"cosine {cosines[0]:.2f} above, {cosines[1]:.2f} below"
    figure.supxlabel(
        f"the first {SHOWN} of {layers[0].shape[1]} numbers of “{WORD}”; {alike}",
        fontsize=9,
        color=GREY,
    )
    return Picture(
        figure,
        f"The vector of “{WORD}” in “{SENTENCES[0]}” and in “{SENTENCES[1]}”, as bars. From the "
        "word alone it is the same in both. After reading the sentence, in layer 2 of the course's "
        f"model, there are two vectors ({alike}).",
    )


def report() -> Picture:
    """What a check says of an LSTM whose forget gate lacks its 1."""
    exercise = find(EXERCISE)
    (answer,) = (known.answer for known in exercise.mistakes if known.name == SLIP)
    said = examine(exercise, answer).text().partition("  The first wrong case:")[0]
    lines = [(f"A learner wrote {WRITTEN}. The check says:", GREY, "normal")]
    for line in said.splitlines():
        colour = GREY if line.startswith("  [no]") else INK
        weight = "normal" if line.startswith(" ") else "bold"
        lines += [(part, colour, weight) for part in textwrap.wrap(line.strip(), COLUMNS)]
    figure = blank(8.2, 0.21 * len(lines) + 0.3, "")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_ylim(len(lines) - 0.4, -0.6)
    for at, (line, colour, weight) in enumerate(lines):
        axes.text(0, at, line, va="center", fontsize=9, weight=weight, color=colour)
    words = " ".join(said.split())
    return Picture(figure, f"A learner wrote {WRITTEN}. What the check says: {words}")


PICTURES: dict[str, Callable[[], Picture]] = {
    "two_sentences": two_sentences,
    "road": lambda: road(None),
    "report": report,
}
