"""The concept index points at sections that exist and that speak of the idea.

A row's last column holds the words of the idea as the lesson writes them, parted by semicolons.
Where it is empty, the idea itself is looked for. Every word must stand in one of the row's
sections, and every section must have one of the words.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.lesson_text import for_learners

ROOT = Path(__file__).resolve().parent.parent


class Section(NamedTuple):
    """A heading of a lesson and the prose below it, up to the next heading as high.

    An exercise belongs to the section that it stands in, whatever the level of its heading.
    """

    heading: str
    text: str


class Row(NamedTuple):
    """One idea, where it is taught, and the words to look for there."""

    idea: str
    places: list[tuple[str, str]]
    words: list[str]


def plain(text: str) -> str:
    """Lower case, one space between words, no marks of emphasis or code."""
    return " ".join(re.sub(r"[*_`]", "", text).lower().split())


def sections_of(source: str) -> list[Section]:
    """Sections of a lesson's source; instructor's notes and code are no part of them."""
    prose: list[str] = []
    for cell in re.split(r"^# %%", source, flags=re.MULTILINE)[1:]:
        header, _, body = cell.partition("\n")
        if "[markdown]" in header and "instructor=true" not in header:
            prose += [line.removeprefix("#").strip() for line in body.splitlines()]
    starts = [
        (i, len(found[1]) + found[2].startswith("Exercise "), found[2])
        for i, line in enumerate(prose)
        if (found := re.match(r"(#{1,4}) (.+)", line))
    ]
    return [
        Section(
            plain(heading),
            plain(
                "\n".join(prose[i : next((j for j, n, _ in starts if j > i and n <= level), None)])
            ),
        )
        for i, level, heading in starts
    ]


@cache
def lesson(number: str) -> list[Section]:
    (source,) = ROOT.glob(f"solutions/{number}_*/*.py")
    return sections_of(for_learners(source))


def rows_of(page: str) -> list[Row]:
    rows = []
    for line in page.splitlines():
        if re.match(r"\| [^|]+ \| \d\d,", line):
            idea, places, _, words = (cell.strip() for cell in line.split("|")[1:-1])
            rows.append(
                Row(
                    plain(idea),
                    re.findall(r"(\d\d), \*([^*]+)\*", places),
                    [plain(word) for word in words.split(";")] if words else [plain(idea)],
                )
            )
    return rows


def complaints(row: Row, sections: dict[str, list[Section]]) -> list[str]:
    """What is untrue in a row: sections that are not there or do not speak of the idea."""
    if not row.places:
        return ["names no section"]
    said, seen = [], ""
    for number, heading in row.places:
        texts = [s.text for s in sections[number] if s.heading == plain(heading)]
        if not texts:
            said.append(f"lesson {number} has no section {heading!r}")
        elif not any(word in text for text in texts for word in row.words):
            said.append(f"{number}, {heading!r} says none of {row.words}")
        seen += "\n".join(texts)
    return said + [f"no section says {word!r}" for word in row.words if word not in seen]


ROWS = rows_of((ROOT / "CONCEPTS.md").read_text("utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=[row.idea for row in ROWS])
def test_the_section_speaks_of_the_idea(row: Row) -> None:
    assert complaints(row, {number: lesson(number) for number, _ in row.places}) == []


def test_there_are_rows() -> None:
    page = (ROOT / "CONCEPTS.md").read_text("utf-8")
    assert len(ROWS) == len(re.findall(r"^\| ", page, re.MULTILINE)) - 1 > 20


SOURCE = """
# %% [markdown]
# ## 1. Nets
# A **net** has
# holes.
# ### Knots
# ### Exercise 1. Tie one
A *reef knot*.
# %%
# ## 9. A comment, and a sieve
# %% [markdown] instructor=true
# Say *trawl*.
# %% [markdown]
# ## 2. Boats
# A boat floats.
"""


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("| net has holes | 01, *1. Nets* | | |", None),
        ("| sailor's knots | 01, *1. Nets*; 01, *Knots* | two of them | reef knot |", None),
        ("| a boat | 01, *1. Nets* | | |", "says none of"),
        ("| sieve | 01, *1. Nets* | | |", "says none of"),
        ("| trawl | 01, *1. Nets* | | |", "says none of"),
        ("| reef knot | 01, *1. Nets*; 01, *2. Boats* | | |", "'2. Boats' says none of"),
        ("| both | 01, *1. Nets* | | holes; boat |", "no section says 'boat'"),
        ("| net | 01, *3. Fish* | | |", "has no section '3. Fish'"),
        ("| sieve | 01, *9. A comment, and a sieve* | | |", "has no section"),
        ("| net | 01, Nets | | |", "names no section"),
    ],
)
def test_untrue_rows_are_told(row: str, complaint: str | None) -> None:
    (read,) = rows_of(row)
    said = complaints(read, {"01": sections_of(SOURCE)})
    assert said == [] if complaint is None else complaint in " ".join(said)
