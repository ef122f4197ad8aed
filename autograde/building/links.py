"""Links that no author need write: papers by their number, files of the course, the next lesson.

They are relative to a lesson's folder in the repository; `autograde.running.released` turns them
to the copies in a learner's folder.
"""

import re
from pathlib import Path

from autograde.building.elsewhere import in_words, repository
from autograde.building.lesson_source import Lesson, SourceCell

# Code, links and formulas stay as they are.
LEFT_ALONE = r"```.*?```|~~~.*?~~~|\[[^\]\n]*\]\([^)\n]*\)|<[^>\n]+>|\$[^$]+\$"
FILE = r"`(?P<file>(?:elmo_mini|course)/[\w/]+\.(?:py|md)|docs/\w+\.md|README\.md|CONCEPTS\.md)`"
PAPER = r"arXiv:(?P<arxiv>\d{4}\.\d{4,5})(?:v\d+)?\b|\b(?P<acl>[A-Z]\d\d-\d{4})\b"
PIECE = re.compile(rf"{LEFT_ALONE}|{FILE}|`[^`\n]*`|{PAPER}", re.DOTALL)
TITLE = re.compile(r"^# # (?P<title>.+)$", re.MULTILINE)


def with_links(text: str, course: Path) -> str:
    """Markdown in which papers and existing files of the course are links."""

    def linked(piece: re.Match[str]) -> str:
        if piece["arxiv"]:
            return f"[{piece[0]}](https://arxiv.org/abs/{piece['arxiv']})"
        if piece["acl"]:
            return f"[{piece[0]}](https://aclanthology.org/{piece['acl']}/)"
        if piece["file"] and (course / piece["file"]).is_file():
            return f"[{piece[0]}](../../{piece['file']})"
        return piece[0]

    return PIECE.sub(linked, text)


def way_on(lesson: Lesson) -> str:
    """One line of links: the lesson before, the index of concepts, the lesson after."""
    sources = sorted(lesson.course.glob("solutions/[0-9][0-9]_*/*.py"))
    here = [source.parent.name for source in sources].index(lesson.name)
    links = []
    if here > 0:
        links.append(f"[← {_title(sources[here - 1])}]({_notebook(sources[here - 1])})")
    if (lesson.course / "CONCEPTS.md").is_file():
        links.append("[All ideas, and where they are taught](../../CONCEPTS.md)")
    if here + 1 < len(sources):
        links.append(f"[{_title(sources[here + 1])} →]({_notebook(sources[here + 1])})")
    return " · ".join(links)


def first_and_last(lesson: Lesson) -> set[int]:
    """Lines of the two cells that get the way on: the first and the last prose of the lesson."""
    prose = [c.line for c in lesson.cells if c.kind == "markdown" and c.role is None]
    return {prose[0], prose[-1]} if prose else set()


def linked_source(cell: SourceCell, source: str, lesson: Lesson) -> str:
    """The Markdown of a cell with its links, and with the way on where it belongs."""
    text = with_links(source, lesson.course)
    ends = first_and_last(lesson)
    way = way_on(lesson) if cell.line in ends else ""
    opened = ""
    if ends and cell.line == min(ends):
        opened = in_words(repository(lesson.course), f"{lesson.name}/{lesson.notebook_name}")
    return "\n\n".join(filter(None, (text, way, opened)))


def _title(source: Path) -> str:
    found = TITLE.search(source.read_text(encoding="utf-8"))
    return found["title"] if found else source.parent.name


def _notebook(source: Path) -> str:
    return f"../{source.parent.name}/{source.with_suffix('.ipynb').name}"
