"""The README's pictures, which `python -m autograde pictures` draws, say what is so today."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from autograde.building import front_page
from course.figures.legibility import unreadable

ROOT = Path(__file__).resolve().parents[3]
SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+\.\d+")
THEMES = re.compile(r":root\{(.*?)\}")


def said(svg: str) -> list[str]:
    """Its title and every word on it; a number with a point by its first digit after it."""
    drawn = ElementTree.fromstring(svg)
    found = ["".join(e.itertext()) for tag in ("title", "text") for e in drawn.iter(SVG + tag)]
    return [NUMBER.sub(lambda n: f"{float(n[0]):.1f}", words) for words in found]


@pytest.mark.parametrize("name", front_page.PICTURES)
def test_a_picture_says_what_would_be_drawn_now_in_today_s_colours(name: str) -> None:
    stored = (ROOT / front_page.FOLDER / f"{name}.svg").read_text("utf-8")
    now = front_page.PICTURES[name]()
    drawn = front_page.described(now)
    assert said(stored) == said(drawn)
    assert THEMES.findall(stored) == THEMES.findall(drawn)
    assert len(THEMES.findall(stored)) == 2
    assert "prefers-color-scheme:dark" in stored
    assert unreadable(now.figure) == []


@pytest.mark.parametrize("name", front_page.PICTURES)
def test_the_readme_shows_it_with_words_for_who_cannot_see_it(name: str) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (alt,) = re.findall(rf"!\[([^\]]+)\]\({front_page.FOLDER.as_posix()}/{name}\.svg\)", readme)
    assert len(alt.split()) > 5


def test_the_table_gives_one_vector_and_the_reader_two() -> None:
    picture = front_page.two_sentences()
    above, below = map(float, re.findall(r"cosine (\S+) above, (\S+) below", str(picture))[0])
    assert above > 0.99
    assert below < 0.8
