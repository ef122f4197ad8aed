"""Animation of a forward and a backward language model over one sentence, step by step."""

from collections.abc import Callable, Sequence

from course.figures.palette import COLOURS, GREY, GROUND, INK, TINTS
from course.figures.picture import Picture, blank
from course.figures.slider import Slider

Bets = Sequence[tuple[str, float]]


def two_readers(
    words: Sequence[str], step: int, ahead: Bets, behind: Bets, *, title: str
) -> Picture:
    """Both readers after `step` words: what they have read, and what they expect to come next.

    Parameters
    ----------
    words : the T words, boundaries included
    step : how many words each reader has read, 1 to T
    ahead, behind : the likeliest words of each, with their chances; none at the end

    Raises
    ------
    ValueError
        There is no such step.
    """
    size = len(words)
    if not 1 <= step <= size:
        raise ValueError(f"a sentence of {size} words has the steps 1 to {size}, not {step}")
    figure = blank(8.6, 2.7, f"{title}, {step} of {size} words read by each")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-0.7, size - 0.3)
    axes.set_ylim(-1.1, 2.1)
    parts = [f"{title.capitalize()}, after {step} of {size} words."]
    readers = (
        ("forward", 1.0, range(step), step, ahead, TINTS[0], COLOURS[0], "-"),
        (
            "backward",
            0.0,
            range(size - step, size),
            size - step - 1,
            behind,
            TINTS[1],
            COLOURS[1],
            "--",
        ),
    )
    for name, height, read, asked, bets, face, edge, dash in readers:
        for place, word in enumerate(words):
            seen = place in read
            axes.text(
                place,
                height,
                word if seen else "?" if place == asked else "·",
                ha="center",
                va="center",
                fontsize=10,
                weight="bold" if place == asked else "normal",
                bbox={
                    "boxstyle": "round,pad=0.3",
                    "facecolor": face if seen else GROUND,
                    "edgecolor": edge if seen or place == asked else GREY,
                    "linestyle": dash,
                },
            )
        said = ", ".join(f"'{word}' {chance:.0%}" for word, chance in bets)
        text = "has read everything"
        if 0 <= asked < size:
            text = f"is asked for '{words[asked]}' and says {said}"
        level = 1.6 if height else -0.7
        axes.text(-0.6, level, f"{name} {text}", fontsize=10.5, va="center", color=INK)
        seen_words = " ".join(words[place] for place in read)
        parts.append(f"The {name} reader has read: {seen_words}. It {text}.")
    return Picture(figure, " ".join(parts))


def step_through(words: Sequence[str], bets: Callable[[Sequence[str], str], Bets]) -> Slider:
    """Both readers, one word at a time.

    Parameters
    ----------
    words : the T words, boundaries included
    bets : the likeliest words after ("forward") or before ("backward") some of them
    """

    def after(number: float) -> Picture:
        step = int(number)
        sides = (words[:step], "forward"), (words[-step:], "backward")
        ahead, behind = ([] if step == len(words) else bets(*side) for side in sides)
        return two_readers(words, step, ahead, behind, title="two readers")

    middle = (len(words) + 1) // 2
    return Slider(after, "words read", range(1, len(words) + 1), middle, still=after(middle))
