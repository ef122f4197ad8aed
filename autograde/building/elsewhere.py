"""What a notebook needs to be opened elsewhere: its first code cell, and links to Colab and others.

The course has a public address when ``pyproject.toml`` says one, as ``Repository`` under
``[project.urls]``. ``python -m autograde build`` writes it into the notebooks and pages.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbformat.v4 import new_code_cell

from autograde.workspace.place import HEAD_CELL

BRANCH = "main"
GITHUB = re.compile(r"https://github\.com/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?")
HEAD = """\
# @title In Colab or Kaggle this cell brings the course. At home it does nothing.
def bring_the_course(lesson: str, repository: str) -> None:
    import os
    import subprocess
    import sys
    from importlib import invalidate_caches
    from importlib.util import find_spec
    from pathlib import Path

    if "google.colab" not in sys.modules and "KAGGLE_KERNEL_RUN_TYPE" not in os.environ:
        return
    clone = Path("before_bert_course")
    if find_spec("autograde") is None:
        wheel = "before_bert-*.whl"
        found = [*Path().glob(wheel), *Path("/kaggle/input").glob(f"**/{wheel}")]
        if not found and not repository:
            raise FileNotFoundError(
                "Put the course's wheel, before_bert-VERSION-py3-none-any.whl, beside this "
                "notebook, or write the address of its repository into the last line of this cell."
            )
        if not found and not clone.is_dir():
            subprocess.run(["git", "clone", "-q", "--depth=1", repository, clone], check=True)
        install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
        subprocess.run([*install, str(max(found, default=clone.resolve()))], check=True)
        invalidate_caches()
    from autograde.running.elsewhere import settle

    settle(lesson, clone)"""
HIDDEN = {
    "cellView": "form",
    "jupyter": {"source_hidden": True},
    "slideshow": {"slide_type": "skip"},
    "tags": [HEAD_CELL],
}
UNKNOWN = (
    "This copy of the course does not know its public address yet: write it into `pyproject.toml`, "
    'as `Repository = "https://github.com/OWNER/NAME"` under `[project.urls]`, and run '
    "`python -m autograde build`."
)
PAGE, FRONT = Path("docs/elsewhere.md"), Path("README.md")
MARKS = ("<!-- made by python -m autograde build -->", "<!-- end -->")
BLOCK = re.compile(rf"(?<={re.escape(MARKS[0])}\n).*?(?={re.escape(MARKS[1])})", re.DOTALL)
BADGE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img">'
    '<title>{words}</title><rect width="{width}" height="20" rx="3" fill="#0b4f79"/>'
    '<text x="{middle}" y="14" fill="#fff" text-anchor="middle" font-size="11" '
    'font-family="DejaVu Sans,Verdana,sans-serif">{words}</text></svg>\n'
)


def repository(course: Path) -> str:
    """The public address of a course, or an empty text."""
    settings = course / "pyproject.toml"
    if not settings.is_file():
        return ""
    project = tomllib.loads(settings.read_text(encoding="utf-8")).get("project", {})
    return str(project.get("urls", {}).get("Repository", ""))


def with_head_cell(content: bytes, lesson: str, address: str) -> bytes:
    """A student notebook with the cell that brings the course before its first code cell."""
    notebook = nbformat.reads(content.decode(), as_version=4)
    called = f"bring_the_course({json.dumps(lesson)}, {json.dumps(address)})"
    cell = new_code_cell(f"{HEAD}\n\n\n{called}", metadata=HIDDEN)
    cell["id"] = HEAD_CELL
    first = next((n for n, c in enumerate(notebook.cells) if c.cell_type == "code"), 0)
    notebook.cells.insert(first, cell)
    return (nbformat.writes(notebook) + "\n").encode()


def links(address: str, notebook: str) -> dict[str, str]:
    """Where a student notebook, ``01_word2vec/word2vec.ipynb``, opens; none outside GitHub."""
    found = GITHUB.fullmatch(address)
    if found is None:
        return {}
    owner, name = found["owner"], found["name"]
    file = f"{owner}/{name}/blob/{BRANCH}/lessons/{notebook}"
    work = quote(f"work/{notebook}", safe="")
    return {
        "Colab": f"https://colab.research.google.com/github/{file}",
        "Kaggle": f"https://kaggle.com/kernels/welcome?src=https://github.com/{file}",
        "Binder": f"https://mybinder.org/v2/gh/{owner}/{name}/{BRANCH}?labpath={work}",
    }


def in_words(address: str, notebook: str) -> str:
    """The links of one lesson in a line of its first cell; empty without an address."""
    found = [f"[{place}]({link})" for place, link in links(address, notebook).items()]
    return f"Open your copy in {', '.join(found[:-1])} or {found[-1]}" if found else ""


def published(course: Path) -> Iterator[tuple[Path, str]]:
    """The pages that name the places, and their badges, as a build writes them."""
    address = repository(course)
    notebooks = sorted(
        f"{source.parent.name}/{source.stem}.ipynb"
        for source in course.glob("solutions/[0-9][0-9]_*/*.py")
    )
    places = [*links(address, "")]
    rows = [
        f"| {notebook.split('/')[0]} | {' | '.join(_badges(address, notebook, 'pictures/'))} |\n"
        for notebook in notebooks
    ]
    table = f"| lesson | {' | '.join(places)} |\n|---|{'---|' * len(places)}\n{''.join(rows)}"
    front = " ".join(_badges(address, notebooks[0], "docs/pictures/")) if notebooks else ""
    blocks = {PAGE: table if places else f"{UNKNOWN}\n", FRONT: f"{front}\n" if front else ""}
    for page, block in blocks.items():
        if (course / page).is_file():
            text = (course / page).read_text(encoding="utf-8")
            yield page, BLOCK.sub(block.replace("\\", r"\\"), text)
    for place in places:
        words = f"Open in {place}"
        width = 7 * len(words) + 12
        yield (
            Path("docs/pictures", _file(place)),
            BADGE.format(width=width, middle=width / 2, words=escape(words)),
        )


def _badges(address: str, notebook: str, pictures: str) -> list[str]:
    return [
        f"[![Open in {place}]({pictures}{_file(place)})]({link})"
        for place, link in links(address, notebook).items()
    ]


def _file(place: str) -> str:
    return f"open_in_{place.lower()}.svg"
