"""Read a lesson source, ``solutions/NN_topic/topic.py``, into cells that know their line.

The source is in jupytext's percent format. Our cell-header keys say what a cell is:

    # %% [markdown] exercise="id"      the text of an exercise
    # %% exercise="id"                 the answer, between BEGIN SOLUTION and END SOLUTION
    # %% check="id"                    the check of the answer
    # %% [markdown] hints="id"         three paragraphs: "nudge:", "idea:", "outline:"
    # %% [markdown] discussion="id" points=2    the rubric
    # %% [markdown] model_answer="id"  a discussion's model answer, or why an exercise's is so
    # %% [markdown] instructor=true    a note that students never see
    # %% [markdown] deck="figure"      a slide of the lecture; in no notebook (autograde.slides)
    # %% ... slide="slide"             slide type of any cell
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jupytext

ROLES = ("exercise", "check", "hints", "discussion", "model_answer", "instructor", "deck")
KEYS = (*ROLES, "points", "slide", "tags", "lines")
WRITTEN_BY_JUPYTEXT = ("lines_to_next_cell", "cell_marker")
HEADER = re.compile(r"^#\s*%%")


@dataclass(frozen=True)
class Refusal:
    """One thing that is wrong with a lesson, where it is, and how to mend it."""

    path: Path
    line: int | None
    message: str

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{where}: {self.message}"


@dataclass(frozen=True)
class SourceCell:
    """One cell of the source. ``line`` is the line of its ``# %%`` header, from 1."""

    kind: str
    source: str
    line: int
    keys: dict[str, Any]

    @property
    def role(self) -> str | None:
        """The key that says what the cell is; None for plain prose and code."""
        return next((role for role in ROLES if role in self.keys), None)

    @property
    def name(self) -> str:
        """The id that the role's key gives, for instance of the exercise."""
        return str(self.keys[self.role]) if self.role else ""

    def has_role(self, role: str, kind: str) -> bool:
        """Whether this is a cell of that role and kind, such as an exercise's markdown."""
        return self.role == role and self.kind == kind


@dataclass(frozen=True)
class Lesson:
    """A lesson source: its folder name (``01_word2vec``), file and cells.

    ``deck`` holds the lecture's slides, each with the place in ``cells`` of the
    cell that it stands before.
    """

    name: str
    path: Path
    cells: list[SourceCell]
    deck: list[tuple[int, SourceCell]] = field(default_factory=list)

    @property
    def course(self) -> Path:
        """The course's folder, two above the lesson's."""
        return self.path.absolute().parents[2]

    @property
    def notebook_name(self) -> str:
        """File name of both notebooks, ``word2vec.ipynb``."""
        return self.path.with_suffix(".ipynb").name

    def refusal(self, cell: SourceCell, message: str, line_in_cell: int = 0) -> Refusal:
        """What is wrong with a cell, or with one of its lines, counted from 1."""
        return Refusal(self.path, cell.line + line_in_cell, message)


class UnreadableSource(ValueError):
    """A source that cannot be cut into cells; holds the refusal."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


def read_lesson(path: Path) -> Lesson:
    """Cut a source into cells.

    Raises
    ------
    UnreadableSource
        The file is no percent-format text.
    """
    try:
        text = path.read_text(encoding="utf-8")
        # jupytext makes an empty cell of blank lines before the first header.
        cells = jupytext.reads(text.lstrip("\n"), fmt="py:percent").cells
    except Exception as error:
        reason = str(error).strip().splitlines()[0]
        raise UnreadableSource(
            Refusal(path, 1, f"this is no lesson in percent format ({reason}). Mend the file.")
        ) from error
    headers = _header_lines(text)
    if _text_before_first_header(text, headers):
        raise UnreadableSource(
            Refusal(path, 1, "there is text before the first cell. Begin it with `# %%`.")
        )
    if len(headers) != len(cells):
        raise UnreadableSource(
            Refusal(
                path,
                headers[0] if headers else 1,
                f"there are {len(headers)} lines that begin with `# %%` but {len(cells)} cells. "
                "Does a multi-line string hold such a line? Write it in another way.",
            )
        )
    read = [
        SourceCell(
            kind=cell.cell_type,
            source=cell.source.strip("\n"),
            line=line,
            keys={k: v for k, v in cell.metadata.items() if k not in WRITTEN_BY_JUPYTEXT},
        )
        for cell, line in zip(cells, headers, strict=True)
    ]
    lesson = Lesson(path.parent.name, path, [])
    for source_cell in read:
        if source_cell.role == "deck":
            lesson.deck.append((len(lesson.cells), source_cell))
        else:
            lesson.cells.append(source_cell)
    return lesson


def _header_lines(text: str) -> list[int]:
    return [n for n, line in enumerate(text.splitlines(), start=1) if HEADER.match(line)]


def _text_before_first_header(text: str, headers: list[int]) -> bool:
    before = text.splitlines()[: headers[0] - 1 if headers else None]
    if before and before[0].rstrip() == "# ---":
        closing = next((n for n, line in enumerate(before[1:], 1) if line.rstrip() == "# ---"), 0)
        before = before[closing + 1 :]
    return any(line.strip() for line in before)
