"""The concept index points at sections that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROWS = [
    line.split("|")[1:3]
    for line in (ROOT / "CONCEPTS.md").read_text("utf-8").splitlines()
    if re.match(r"\| [^|]+ \| \d\d,", line)
]


def headings(number: str) -> set[str]:
    (source,) = ROOT.glob(f"solutions/{number}_*/*.py")
    found = re.findall(r"^# #{1,4} (.+)$", source.read_text("utf-8"), re.MULTILINE)
    return {heading.replace("*", "") for heading in found}


@pytest.mark.parametrize(("idea", "places"), ROWS, ids=[row[0].strip() for row in ROWS])
def test_the_section_exists(idea: str, places: str) -> None:
    named = re.findall(r"(\d\d), \*([^*]+)\*", places)
    assert named, f"{idea.strip()} names no section"
    for number, section in named:
        assert section in headings(number)


def test_there_are_rows() -> None:
    assert len(ROWS) > 20
