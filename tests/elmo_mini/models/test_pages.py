"""Each page of elmo_mini/models is short, stands alone, and says where it is taught."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import elmo_mini.models

PAGES = sorted(
    path for path in Path(elmo_mini.models.__path__[0]).glob("*.py") if path.name != "__init__.py"
)
EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
SOURCES = sorted(Path(__file__).parents[3].glob("solutions/*/*.py"))
LONGEST = 260
MAY_IMPORT = ("torch", "numpy", "elmo_mini.models")
STANDARD = (
    "collections.abc",
    "contextlib",
    "dataclasses",
    "functools",
    "itertools",
    "math",
    "typing",
)
TAUGHT = re.compile(r"[Tt]aught in lessons? (\d\d)")


def foreign_imports(text: str) -> Iterator[str]:
    """Modules that a page imports and that are neither torch, numpy nor another page."""
    for node in ast.walk(ast.parse(text)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else names
        for name in names:
            allowed = any(name == one or name.startswith(f"{one}.") for one in MAY_IMPORT)
            if not allowed and name not in STANDARD:
                yield name


@EVERY_PAGE
def test_a_page_is_short_and_stands_alone(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert list(foreign_imports(text)) == []


def test_the_readme_lists_every_page_once_with_its_lessons() -> None:
    readme = PAGES[0].with_name("README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.py\) \|.*\| ([\d, ]+) \|$", readme, re.MULTILINE)
    assert sorted(name for name, _, _ in rows) == [page.stem for page in PAGES]
    for name, file, lessons in rows:
        page = PAGES[0].with_name(f"{file}.py").read_text(encoding="utf-8")
        assert name == file
        assert set(lessons.split(", ")) <= set(re.findall(r"\b(\d\d)\b", page))


@EVERY_PAGE
def test_a_page_says_where_its_classes_are_taught(page: Path) -> None:
    """Each public class names its lesson, and a lesson of that number exists."""
    lessons = {path.parent.name[:2] for path in SOURCES}
    tree = ast.parse(page.read_text(encoding="utf-8"))
    said = TAUGHT.findall(ast.get_docstring(tree) or "")
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            here = TAUGHT.findall(ast.get_docstring(node) or "")
            assert here or said, f"{node.name} does not say where it is taught"
            assert set(here) <= lessons
    assert set(said) <= lessons


def sections_of_exercises() -> dict[tuple[str, str], int]:
    """The section in which each exercise stands, by its lesson's number and its name."""
    found, section = {}, 0
    for source in SOURCES:
        for line in source.read_text(encoding="utf-8").splitlines():
            if heading := re.match(r"# ## (\d+)\. ", line):
                section = int(heading[1])
            elif exercise := re.match(r'# %% exercise="(\w+)"', line):
                found[source.parent.name[:2], exercise[1]] = section
    return found


@EVERY_PAGE
def test_what_is_an_exercise_is_taught_where_the_exercise_stands(page: Path) -> None:
    of = sections_of_exercises()
    for node in ast.parse(page.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            text = " ".join((ast.get_docstring(node) or "").split())
            taught = re.search(r"[Tt]aught in lesson (\d\d), sections? (\d[^.;:]*)", text)
            if taught and (taught[1], node.name) in of:
                first, *more = map(int, re.findall(r"(?<!exercise )\b(\d+)\b", taught[2]))
                said = range(first, more[0] + 1) if " to " in taught[2] else [first, *more]
                assert of[taught[1], node.name] in said, node.name


def test_a_foreign_import_is_seen() -> None:
    assert list(foreign_imports("import math\nfrom torch import nn\nimport numpy as np")) == []
    assert list(foreign_imports("from elmo_mini.models.crf import CRF")) == []
    found = (
        "def f():\n    from elmo_mini.errors import ConfigurationError\nimport tqdm, scipy.stats"
    )
    assert sorted(foreign_imports(found)) == ["elmo_mini.errors", "scipy.stats", "tqdm"]
