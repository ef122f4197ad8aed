"""The course as a book: python -m autograde book.

The pages of the repository and the solved notebooks are gathered in one folder, in the
repository's own order, so that their links hold; Sphinx makes a site of them that needs no server.
Sphinx with MyST-NB and Furo, because nothing is fetched while they build: all of it comes as Python
packages with exact versions, where Jupyter Book 2 brings its template from a server.
"""

import argparse
import importlib.util
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import nbformat

from autograde.building.stale_notebook import DamagedNotebook, stored_notebook
from autograde.grading.model_answers import MARK
from course.figures.picture import image_tag
from course.figures.stored import drawn

COURSE = Path(__file__).resolve().parents[2]
SETTINGS = COURSE / "docs" / "book"
START, INDEX = "README.md", "index.md"
ABOUT = ("CONCEPTS.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md")
CARDS = tuple(f"elmo_mini/{folder}/README.md" for folder in ("models", "data", "data/course_bilm"))
NO_SPHINX = (
    "The book is made with Sphinx, which is not here: "
    "python -m pip install -c constraints.txt -e '.[course,book]'"
)
LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]*)\]\((?P<to>[^)\s#]+)(?P<part>#[^)\s]*)?\)")
DOCUMENTED = "```{{eval-rst}}\n.. automodule:: {}\n"
DETAILS = "<details><summary>{}</summary>\n\n{}\n\n</details>"
TAUGHT = re.compile(r"Taught in (?P<where>lesson .*?)(?=[.;](?:\s|$))")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the site goes."""
    parser.add_argument(
        "--output", type=Path, default=COURSE / "build" / "book", help="folder of the site"
    )


def run(args: argparse.Namespace) -> int:
    """Gather the pages, and let Sphinx make the site; 1 if it finds fault with a page."""
    if importlib.util.find_spec("sphinx") is None:
        print(NO_SPHINX, file=sys.stderr)
        return 1
    output: Path = args.output.expanduser()
    pages, site = output / "pages", output / "site"
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        gather(COURSE, pages)
    except DamagedNotebook as damaged:
        print(damaged, file=sys.stderr)
        return 1
    words = ["-b", "html", "-q", "-j", "auto", "-W", "--keep-going", "-c", str(SETTINGS)]
    made = subprocess.run([sys.executable, "-m", "sphinx", *words, str(pages), str(site)])
    if made.returncode:
        print("The book was not made; the lines above say why.", file=sys.stderr)
        return 1
    print(f"The book: {site / 'index.html'}")
    return 0


def gather(course: Path, pages: Path) -> None:
    """Write the source of the book."""
    notebooks = sorted((course / "solutions").glob("[0-9][0-9]_*/*.ipynb"))
    texts = {
        START: (course / START).read_text(encoding="utf-8"),
        "papers.md": paper_table(),
        **{name: (course / name).read_text(encoding="utf-8") for name in (*ABOUT, *CARDS)},
        **{
            f"docs/{path.name}": path.read_text(encoding="utf-8")
            for path in sorted((course / "docs").glob("*.md"))
        },
        **dict(api_pages(course / "elmo_mini")),
    }
    lessons = [f"lessons/{path.parent.name}/{path.stem}" for path in notebooks]
    texts[START] += contents(lessons, [name.removesuffix(".md") for name in texts])
    for path in notebooks:
        place = Path("lessons", path.parent.name, path.name)
        notebook = book_notebook(stored_notebook(path), place)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = linked(cell.source, place, course, pages, texts)
        (pages / place).parent.mkdir(parents=True)
        nbformat.write(notebook, pages / place)
        to_open = pages / "notebooks" / path.name
        to_open.parent.mkdir(exist_ok=True)
        shutil.copyfile(course / place, to_open)
    for name, text in texts.items():
        target = pages / (INDEX if name == START else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(linked(text, Path(name), course, pages, texts), encoding="utf-8")
    shutil.copytree(course / "docs" / "pictures", pages / "docs" / "pictures")


def contents(lessons: list[str], names: list[str]) -> str:
    """The table of contents, which the theme shows beside every page."""
    parts = {
        "Lessons": lessons,
        "To look up": ["CONCEPTS", "GLOSSARY", "papers"],
        "Pages": [name for name in names if name.startswith("docs/")],
        "The package elmo_mini": [
            name for name in names if name.startswith(("api/", "elmo_mini/"))
        ],
        "The project": ["CONTRIBUTING", "CHANGELOG"],
    }
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(found) + "\n```\n"
        for title, found in parts.items()
    )


def linked(text: str, place: Path, course: Path, pages: Path, names: Collection[str]) -> str:
    """A page whose links lead into the book: to pages, to the API, to copies of other files."""

    def leading(link: re.Match[str]) -> str:
        if ":" in link["to"]:
            return link[0]
        target = (course / place.parent / link["to"]).resolve()
        if not target.is_relative_to(course) or not target.exists():
            return link[0]
        inside = target.relative_to(course)
        if inside.parts[0] == "solutions" and inside.suffix == ".ipynb":
            inside = Path("lessons", *inside.parts[1:])
        part = link["part"] or ""
        if inside.parts[0] == "elmo_mini" and inside.suffix == ".py":
            module = ".".join(inside.with_suffix("").parts)
            return f"{{py:mod}}`{link['words'].strip('`')} <{module}>`"
        if inside == Path(START):
            return f"[{link['words']}](/{INDEX}{part})"
        if inside.as_posix() in names or inside.parts[0] == "lessons":
            return f"[{link['words']}](/{inside.as_posix()}{part})"
        if not target.is_file():
            return link["words"]
        copy = Path("files", inside.name + (".txt" if inside.suffix in (".md", "") else ""))
        (pages / copy).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, pages / copy)
        return f"[{link['words']}](/{copy.as_posix()})"

    return LINK.sub(leading, text)


def book_notebook(notebook: Any, place: Path) -> Any:
    """A solved lesson to read: answers folded, no notes, a way to the notebook of each exercise.

    Its figures are the drawings, in the theme of the page.
    """
    cells = []
    for cell in notebook.cells:
        tags, role = cell.metadata.get("tags", []), cell.metadata.get("nbgrader", {})
        if "instructor" in tags:
            if "model_answer" not in cell.metadata:
                continue
            cell.source = DETAILS.format("Model answer", cell.source)
        elif role.get("solution") and cell.cell_type == "code":
            cell.metadata["tags"] = [*tags, "hide-input"]
            cell.source = MARK.sub("", cell.source)
        elif cell.cell_type == "markdown" and re.match(r"### (Exercise|Discuss)", cell.source):
            cell.source += (
                f"\n\nWrite it yourself: {{download}}`the notebook </notebooks/{place.name}>`"
            )
        for output in cell.get("outputs", []):
            if found := drawn(output):
                output.data, output.metadata = {"text/html": image_tag(*found)}, {}
        cell.metadata.pop("slideshow", None)
        cells.append(cell)
    notebook.cells = cells
    return notebook


def api_pages(package: Path) -> Iterator[tuple[str, str]]:
    """A page for each room of the package, its modules one below the other."""
    rooms = sorted({path.parent for path in package.rglob("*.py")})
    for room in sorted(rooms, key=lambda folder: (folder != package / "models", folder)):
        name = ".".join(room.relative_to(package.parent).parts)
        modules = [f"{name}.{path.stem}" for path in sorted(room.glob("[a-z]*.py"))]
        body = "".join(
            f"## `{module}`\n\n{DOCUMENTED.format(module)}   :members:\n```\n\n"
            for module in modules
        )
        yield f"api/{name}.md", f"# {name}\n\n{DOCUMENTED.format(name)}```\n\n{body}"


def paper_table() -> str:
    """Paper and equation, the code, and where it is taught, from the pages of the models."""
    rows = [
        f"| {page} | {{py:obj}}`{name} <elmo_mini.models.{page}.{name}>` | {where} | {first} |"
        for page, name, where, first in taught()
    ]
    return "\n".join(
        [
            "# From the papers to the code\n",
            "Every function and class of `elmo_mini.models` that a lesson teaches. Its page names",
            "the paper, the section and the equation.\n",
            "| page | code | taught in | what it is |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def taught() -> Iterator[tuple[str, str, str, str]]:
    """Page, name, lesson and first line of what the pages of the models teach."""
    for path in sorted((COURSE / "elmo_mini" / "models").glob("[a-z]*.py")):
        module = importlib.import_module(f"elmo_mini.models.{path.stem}")
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", "") == module.__name__ and callable(thing):
                text = " ".join((inspect.getdoc(thing) or "").split())
                if found := TAUGHT.search(text):
                    first = text.partition(". ")[0].replace("|", "\\|")
                    yield path.stem, name, found["where"], first
