"""The pictures of the README, drawn by the package itself: python -m autograde pictures.

Each is an SVG with a light and a dark theme, which a page takes from its reader's system.
"""

import argparse
import textwrap
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from course.figures.palette import COLOURS, GREY, INK
from course.figures.picture import Picture, blank
from course.figures.road import road
from elmo_mini import ElmoEmbedder

COURSE = Path(__file__).resolve().parents[2]
FOLDER = Path("docs/pictures")
SENTENCES = ("She saw a new play at the theatre .", "Every morning they play in the street .")
WORD = "play"
SHOWN = 48  # numbers of each vector
EXERCISE = "perplexity"
WRITTEN = """\
def perplexity(losses, tokens):
    return float(np.exp(np.mean(losses)))
"""
COLUMNS = 100  # letters of a line of the report


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
    """A short answer and what the check says of it, as a notebook shows them."""
    exercise = find(EXERCISE)
    names: dict[str, Any] = {}
    exec(f"import numpy as np\n{WRITTEN}", names)
    said = examine(exercise, names[EXERCISE])
    advice = textwrap.wrap(said.advice, COLUMNS)
    code = WRITTEN.splitlines()
    rows = 2.6 + len(code) + len(advice) + len(said.cases)
    figure = blank(8.2, 0.25 * rows, "")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set(xlim=(-0.2, 100.2), ylim=(rows, 0))

    axes.add_patch(Rectangle((0, 0.2), 100, len(code) + 0.6, fill=False, edgecolor=GREY))
    for at, line in enumerate(code, start=1):
        indent = len(line) - len(line.lstrip())  # SVG folds spaces at the start of a text
        look: dict[str, Any] = {"va": "center", "fontsize": 9.5, "family": "monospace"}
        axes.text(1.5 + indent, at, line.lstrip(), color=INK, **look)
    top = len(code) + 1.2
    axes.add_patch(Rectangle((0, top), 0.5, rows - top - 0.2, color=COLOURS[4]))
    below = top + 0.5
    heading = f"{exercise.title}: {said.headline}"
    axes.text(1.5, below, heading, va="center", fontsize=9.5, weight="bold", color=INK)
    for line in advice:
        below += 1
        axes.text(1.5, below, line, va="center", fontsize=9.5, color=INK)
    for case in said.cases:
        below += 1
        for x, words in zip((1.5, 13, 50), case.cells, strict=True):
            axes.text(x, below, words, va="center", fontsize=9, color=GREY)
    told = "; ".join(" ".join(filter(None, case.cells)) for case in said.cases)
    return Picture(
        figure,
        f"A learner wrote {' '.join(WRITTEN.split())}. The check says: {heading}. {said.advice} "
        f"Below it stands a line for each case: {told}",
    )


PICTURES: dict[str, Callable[[], Picture]] = {
    "two_sentences": two_sentences,
    "road": lambda: road(None),
    "report": report,
}
