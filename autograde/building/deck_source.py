"""Read the slides of a lecture that stand in a lesson's source, beside the cells that they show.

A slide is a Markdown cell that no notebook gets. Its key says what it shows of the next cell:

    # %% [markdown] deck="figure"
    # ## The heading; without one a figure's own title takes its place
    #
    # A sentence for the wall. A paragraph `. . .` holds back what follows it, a step at a time.
    #
    # minutes: 2
    #
    # say: What the speaker tells.
    #
    # ask: The question for the room.
    #
    # expect: The wrong answer to expect, and what to say to it.
    #
    # skip: What to leave out when time is short.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograde.building.lesson_source import Lesson, Refusal, SourceCell

KINDS = {
    "words": "only what its own cell says",
    "figure": "the figure that the next cell draws",
    "code": "the code of the next cell; an answer comes as the next step",
    "printed": "what the next cell prints",
    "table": "the table of the next cell",
    "formula": "the displayed formulas of the next cell",
    "poll": "the next cell's predict(...): question, options, measured answer",
}
NOTE = ("minutes", "say", "ask", "expect", "skip")
KEY = re.compile(rf"^({'|'.join(NOTE)}):[ \n]+")
PAUSE = ". . ."
MOST_MINUTES = 6


@dataclass(frozen=True)
class Slide:
    """One slide as its author wrote it.

    ``position`` is the place, in the lesson's cells, of the cell that it shows. ``steps`` are the
    parts of its text; all but the first come as next steps.
    """

    kind: str
    heading: str
    steps: list[str]
    note: dict[str, str]
    position: int
    cell: SourceCell

    @property
    def minutes(self) -> float:
        """How long the slide stays on the wall."""
        return float(self.note["minutes"])


def slides_of(lesson: Lesson) -> list[Slide]:
    """The lesson's slides in their order; the lesson must have passed `deck_refusals`."""
    return [_slide(position, cell) for position, cell in lesson.deck]


def _slide(position: int, cell: SourceCell) -> Slide:
    text, note = _parts(cell.source)
    first, _, rest = text.partition("\n")
    heading = first.lstrip("#").strip() if first.startswith("#") else ""
    body = rest if heading else text
    steps = [part.strip() for part in re.split(rf"^{re.escape(PAUSE)}$", body, flags=re.MULTILINE)]
    return Slide(cell.name, heading, steps, note, position, cell)


def _parts(source: str) -> tuple[str, dict[str, str]]:
    """What is for the wall, and the note for the speaker by its keys."""
    wall: list[str] = []
    note: dict[str, str] = {}
    key = ""
    for paragraph in re.split(r"\n{2,}", source.strip()):
        begins = KEY.match(paragraph)
        if begins:
            key = begins[1]
            note[key] = paragraph[begins.end() :].strip()
        elif key:
            note[key] += f"\n\n{paragraph}"
        else:
            wall.append(paragraph)
    return "\n\n".join(wall).strip(), note


def deck_refusals(lesson: Lesson) -> Iterator[Refusal]:
    """Slides of an unknown kind, before no cell, or with a note that lacks a part."""
    for position, cell in lesson.deck:
        if cell.name not in KINDS:
            yield lesson.refusal(
                cell, f"unknown slide deck={cell.name!r}. The kinds are: {', '.join(KINDS)}."
            )
            continue
        if position == len(lesson.cells) and cell.name != "words":
            yield lesson.refusal(
                cell, f"the slide shows {KINDS[cell.name]}, and there is none. Move it before one."
            )
        wall, note = _parts(cell.source)
        missing = [key for key in NOTE if not note.get(key)]
        if missing:
            yield lesson.refusal(
                cell,
                f"the slide's note has no {' and no '.join(missing)}. Write a paragraph "
                f"`{missing[0]}: ...` at its end.",
            )
        elif not re.fullmatch(r"\d(\.5)?", note["minutes"]) or not (
            0 < float(note["minutes"]) <= MOST_MINUTES
        ):
            yield lesson.refusal(
                cell,
                f"minutes: {note['minutes']} -- write a number up to {MOST_MINUTES} in halves, "
                "such as 1.5. What takes longer is more than one slide.",
            )
        if cell.name not in ("figure", "poll") and not wall.startswith("## "):
            yield lesson.refusal(
                cell, "the slide has no heading. Begin it with `# ## What it says`."
            )
        elif wall.startswith("# "):  # `# # ` is the lesson's title, and links are made of it
            yield lesson.refusal(cell, "a slide's heading begins with `# ## `, the first one, too.")
