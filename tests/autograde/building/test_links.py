"""Links of lessons and pages lead somewhere: in a learner's folder, in the repository, on the web.

Nothing here asks the network: an address on the web must have the form that its host gives.
"""

import re
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pytest

from autograde.building.lesson_source import read_lesson
from autograde.building.links import with_links
from autograde.building.notebooks import solution_notebook
from autograde.checking.catalogue import find
from autograde.running.released import released_files

ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted(ROOT.glob("solutions/[0-9][0-9]_*/*.py"))
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HOSTS = {
    "papers.nips.cc": r"/paper/\d{4}/hash/[0-9a-f]{32}-Abstract\.html",
    "arxiv.org": r"/abs/\d{4}\.\d{4,5}",
    "aclanthology.org": r"/[A-Z]\d\d-\d{4}/",
    "doi.org": r"/10\.\d{4,9}/\S+",
    "creativecommons.org": r"/licenses/[\w./-]+",
    "github.com": r"/[\w-]+/[\w.-]+(?:/blob/[\w./-]+|/issues/\d+)?",
    "allennlp.org": r"/elmo",
    "pytorch.org": r"/get-started/locally/",
    "docs.astral.sh": r"/uv/",
    "nbgrader.readthedocs.io": r"/en/stable/[\w./]*",
    "jobqueue.dask.org": r"/?",
    "colab.research.google.com": r"/github/[\w./-]+",
    "kaggle.com": r"/kernels/welcome",
    "mybinder.org": r"/v2/gh/[\w./-]+",
}


@cache
def handed_out() -> dict[str, str]:
    """Every page of a learner's folder with its text, the lessons as their sources give them."""
    pages = {
        path.as_posix(): content.decode()
        for path, content in released_files(ROOT).items()
        if path.suffix != ".ipynb"
    }
    for source in SOURCES:
        text = markdown_of(source).replace("](../../", "](../course/")
        pages[f"{source.parent.name}/{source.stem}.ipynb"] = text
    return pages


@cache
def markdown_of(source: Path) -> str:
    """The text of a built lesson."""
    cells = solution_notebook(read_lesson(source), find).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def links(text: str) -> list[str]:
    # A link's own words may be code; what stands between backticks alone is no link.
    return LINK.findall(CODE.sub("", text))


def headings(text: str) -> list[str]:
    return re.findall(r"^#{1,6} +(.+?) *$", text, re.MULTILINE)


def github_anchors(text: str) -> set[str]:
    """What ``#...`` may name on a page in the repository."""
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings(text)}


def anchors(text: str) -> set[str]:
    """What ``#...`` may name: JupyterLab and GitHub write headings in their two ways."""
    return github_anchors(text) | {heading.replace(" ", "-") for heading in headings(text)}


def dead(page: str, link: str, pages: dict[str, str]) -> str | None:
    """What is wrong with a link on a page, or None."""
    address = urlsplit(link)
    if address.scheme:
        form = HOSTS.get(address.netloc)
        if address.scheme != "https" or form is None or not re.fullmatch(form, address.path):
            return f"{page}: {link} is no known kind of address"
        return None
    parts: list[str] = []
    for part in (*PurePosixPath(page).parent.parts, *PurePosixPath(address.path).parts):
        if part == ".." and not parts:
            return f"{page}: {link} leads out of the learner's folder"
        parts = parts[:-1] if part == ".." else [*parts, part]
    target = "/".join(parts) if address.path else page
    if target not in pages:
        return f"{page}: {link} leads nowhere"
    if address.fragment and address.fragment not in anchors(pages[target]):
        return f"{page}: {link} names no heading"
    return None


def test_every_link_of_a_learners_folder_leads_somewhere() -> None:
    pages = handed_out()
    read = {page: text for page, text in pages.items() if page.endswith((".ipynb", ".md"))}
    found = [(page, link) for page, text in read.items() for link in links(text)]
    assert len(found) > 40
    assert [problem for page, link in found if (problem := dead(page, link, pages))] == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_lessons_links_lead_somewhere_in_the_repository(source: Path) -> None:
    for link in links(markdown_of(source)):
        if not urlsplit(link).scheme:
            assert (source.parent / link.split("#")[0]).resolve().exists(), link


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_lesson_leads_to_its_neighbours_and_to_the_concepts(source: Path) -> None:
    here = SOURCES.index(source)
    neighbours = [*SOURCES[max(0, here - 1) : here], *SOURCES[here + 1 : here + 2]]
    found = links(markdown_of(source))
    for neighbour in neighbours:
        assert found.count(f"../{neighbour.parent.name}/{neighbour.stem}.ipynb") == 2
    assert found.count("../../CONCEPTS.md") == 2


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_no_paper_is_named_by_its_number_without_a_link(source: Path) -> None:
    text = LINK.sub("", re.sub(r"\[[^\]]*\]\([^)]*\)", "", markdown_of(source)))
    assert re.findall(r"arXiv:\d{4}\.\d+|\b[A-Z]\d\d-\d{4}\b", text) == []


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ("../course/NOTHING.md", "leads nowhere"),
        ("../../README.md", "leads out of"),
        ("../course/README.md#no-such-heading", "names no heading"),
        ("https://arxiv.org/pdf/1301.3781", "no known kind"),
        ("https://arxiv.org/abs/13013781", "no known kind"),
        ("http://doi.org/10.1162/tacl_a_00051", "no known kind"),
        ("https://example.org/", "no known kind"),
    ],
)
def test_a_dead_link_is_seen(link: str, says: str) -> None:
    problem = dead("01_word2vec/word2vec.ipynb", link, handed_out())
    assert problem is not None
    assert says in problem


def test_links_are_added_where_nobody_wrote_them() -> None:
    text = (
        "Two papers (arXiv:1301.3781v3 and P17-1161), `CONCEPTS.md`, `elmo_mini/text/vocabulary.py`"
        " and [arXiv:1802.05365](https://arxiv.org/abs/1802.05365), `arXiv:1801.06146`, `x.py`,"
        " `elmo_mini/no_such.py`."
    )
    assert with_links(text, ROOT) == (
        "Two papers ([arXiv:1301.3781v3](https://arxiv.org/abs/1301.3781) and "
        "[P17-1161](https://aclanthology.org/P17-1161/)), [`CONCEPTS.md`](../../CONCEPTS.md), "
        "[`elmo_mini/text/vocabulary.py`](../../elmo_mini/text/vocabulary.py)"
        " and [arXiv:1802.05365](https://arxiv.org/abs/1802.05365), `arXiv:1801.06146`, `x.py`,"
        " `elmo_mini/no_such.py`."
    )
