"""What a learner's folder gets: the lessons, and in ``course/`` the pages that lessons lead to.

In the repository a lesson's links lead to ``../../CONCEPTS.md`` and the like; JupyterLab shows
nothing above the learner's folder. So ``course/`` holds copies of these pages in the repository's
own order, and the links of the learner's lessons lead there.
"""

from collections.abc import Iterator
from pathlib import Path

from autograde.checking.model_answer import FILE as MODEL_ANSWERS

PAGES = Path("course")
START, START_LESSON = Path("START_HERE.md"), Path("00_start_here/start_here.ipynb")
WHERE_TO_BEGIN = """\
# Where to begin

**Open [lesson 00](00_start_here/start_here.ipynb).** It says whether everything is there, and shows
how an exercise and its check work. Then take the lessons in the order of their numbers.
[The road](course/README.md#the-lessons) says what you build in each, and how long it takes.

Back after a while? `progress()` in any lesson draws the road with what you have done, and says
what is next.

- **Lost in a lesson?** Look up [an idea](course/CONCEPTS.md) or [a term](course/GLOSSARY.md).
- **Is my work safe?** What you write here is yours, and
  [no update overwrites it](course/docs/your_work.md).
- **Something fails?** [Installing, and what can go wrong](course/docs/installing.md).
"""
DOCS = "docs"
BOOK = "book"  # its settings: the book is made in the repository
ABOUT = (
    *(
        "README.md",
        "CONCEPTS.md",
        "GLOSSARY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE",
        "CITATION.cff",
    ),
    *("constraints.txt", "environment.yml"),
)


def released_files(course: Path) -> dict[Path, bytes]:
    """What to hand out, by its place in the learner's folder: lessons first."""
    lessons = course / "lessons"
    files = {
        path.relative_to(lessons): path.read_bytes().replace(b"](../../", b"](../course/")
        if path.suffix == ".ipynb"
        else path.read_bytes()
        for path in _files(lessons)
    }
    if START_LESSON in files:
        files[START] = WHERE_TO_BEGIN.encode()
    for path in _pages(course):
        content = path.read_bytes()
        if path.parent == course:
            # To a learner's own copy, from a title too: solved lessons are looked up, not led to.
            content = content.replace(b"](lessons/", b"](../").replace(b"](solutions/", b"](../")
        elif path.parent == course / DOCS:
            content = content.replace(b"](../lessons/", b"](../../")
        files[PAGES / path.relative_to(course)] = content
    return files


def is_a_page(path: Path) -> bool:
    """Whether a file of the learner's folder is the course's, for reading and not for writing."""
    return path.parts[0] == PAGES.name or path == START or path.name == MODEL_ANSWERS.name


def _files(lessons: Path) -> Iterator[Path]:
    found = [path for path in sorted(lessons.rglob("*")) if path.is_file()]
    for path in sorted(found, key=lambda path: path.name == MODEL_ANSWERS.name):
        hidden = [part.startswith((".", "__")) for part in path.relative_to(lessons).parts]
        if not any(hidden) or (path.name == MODEL_ANSWERS.name and not any(hidden[:-1])):
            yield path


def _pages(course: Path) -> Iterator[Path]:
    yield from (course / name for name in ABOUT if (course / name).is_file())
    yield from sorted((course / "examples").glob("*.py"))
    for path in sorted((course / DOCS).rglob("*")):
        if path.is_file() and BOOK not in path.parts:
            yield path
    for lesson in sorted(course.glob(f"lessons/*/{MODEL_ANSWERS}")):
        yield from sorted((course / "solutions" / lesson.parent.name).glob("*.ipynb"))
    packages = (course / "elmo_mini", course / "course")
    for path in sorted(path for package in packages for path in package.rglob("*")):
        # Without __init__.py a folder of this name cannot stand in for the package.
        if path.suffix in (".py", ".md") and path.name != "__init__.py":
            yield path
