"""The closing picture: every idea of the road, its year, what it mended and what it left open."""

from typing import NamedTuple

from course.figures.palette import COLOURS, GREY, INK
from course.figures.picture import Picture, blank, wrapped


class Idea(NamedTuple):
    """One station: the lesson that teaches it, its name and year, and both sides of its account."""

    lesson: str
    name: str
    year: int
    mended: str
    left: str


IDEAS = (
    Idea("01", "word2vec", 2013, "vectors for words, cheaply, from raw text", "one vector a word"),
    Idea("02", "GloVe", 2014, "counts and vectors are two sides of one thing", "one vector a word"),
    Idea("04", "Dai & Le", 2015, "a whole network starts from a language model", "reads one way"),
    Idea(
        "03",
        "context2vec",
        2016,
        "a vector for the place: both sides of it",
        "both sides meet at the top only",
    ),
    Idea(
        "04",
        "Ramachandran & others",
        2016,
        "encoder and decoder start from two language models",
        "forgetting: needs a second loss",
    ),
    Idea(
        "02", "fastText", 2017, "unseen words have vectors, from their parts", "one vector a word"
    ),
    Idea("05", "TagLM", 2017, "a frozen language model helps a tagger", "its top layer alone"),
    Idea("10", "AWD-LSTM", 2017, "small texts no longer learnt by heart", "a step at a time"),
    Idea("13", "Transformer", 2017, "every word one step away; all at once", "T² pairs of words"),
    Idea(
        "08",
        "ELMo",
        2018,
        "a vector for each occurrence, from all layers and letters",
        "two directions that never meet",
    ),
    Idea(
        "11", "ULMFiT", 2018, "fine-tuning with care not to forget", "tried on classification only"
    ),
    Idea("13", "GPT", 2018, "one Transformer, fine-tuned for each task", "reads one way"),
    Idea("12", "BERT", 2018, "all layers see both sides", "15 % of the words teach; cannot write"),
)
ROW, TOP = 0.36, 0.75
AT = (0.0, 0.75, 3.0, 6.55)
WIDTH = 9.6


def ideas(title: str) -> Picture:
    """The road as a ladder of years: what each idea mended, and what it left for the next."""
    figure = blank(WIDTH, TOP + ROW * (len(IDEAS) + 1), title)
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-0.1, WIDTH)
    axes.set_ylim(len(IDEAS) - 0.4, -1.5)
    for across, head in zip(AT, ("year", "idea (lesson)", "mended", "left open"), strict=True):
        axes.text(across, -1, head, weight="bold", fontsize=8.5, color=INK, va="center")
    axes.plot([0.55, 0.55], [-0.3, len(IDEAS) - 0.7], color=GREY, linewidth=2, zorder=1)
    years = [idea.year for idea in IDEAS]
    for row, idea in enumerate(IDEAS):
        axes.plot(0.55, row, "o", color=COLOURS[0], markersize=7, zorder=2)
        if row == 0 or years[row - 1] != idea.year:
            axes.text(AT[0], row, str(idea.year), fontsize=8.5, color=INK, va="center")
        said = (f"{idea.name} ({idea.lesson})", idea.mended, idea.left)
        for across, until, words in zip(AT[1:], (*AT[2:], WIDTH), said, strict=True):
            text = wrapped(words, until - across - 0.1, 8)
            axes.text(across, row, text, fontsize=8, color=INK, va="center", linespacing=0.95)
    told = "; ".join(
        f"{idea.year} {idea.name} (lesson {idea.lesson}): mended: {idea.mended}; "
        f"left open: {idea.left}"
        for idea in IDEAS
    )
    return Picture(figure, f"{title}. From top to bottom: {told}.")
