"""What an item reaches: on small made trees, on this repository, and what is really opened."""

import ast
import os
import subprocess
import sys
from importlib.util import source_from_cache
from pathlib import Path

import pytest

from tests.economy.items import exercise_file, lesson_files
from tests.economy.reach import Repository

ROOT = Path(__file__).resolve().parent.parent
PROOFS = ROOT / "tests/autograde/exercises/test_exercise_proofs.py"
LESSONS = ROOT / "tests/autograde/exercises/test_lessons.py"
MUTANTS = ROOT / "tests/autograde/proving/test_reasons.py"
SECOND_OPINION = ROOT / "tests/autograde/checking/test_second_opinion.py"
TREE = {
    "pack/__init__.py": "",
    "pack/leaf.py": "LEAF = 1\n",
    "pack/branch.py": "from pack.leaf import LEAF\n",
    "pack/beside.py": "",
    "pack/late.py": "def f():\n    from pack import leaf\n",
    "pack/typed.py": "if TYPE_CHECKING:\n    import pack.leaf\n",
    "pack/relative.py": "from .leaf import LEAF\n",
    "pack/started.py": "run('-m', 'pack.leaf')\n",
    "pack/told.py": '"""As in `pack.leaf`."""\n',
    "pack/room/__init__.py": "from pack import branch\n",
    "pack/room/deep.py": "",
    "pack/inside.py": "import pack.room.deep\n",
    "lazy/__init__.py": "_HOMES = {'one': 'home', 'two': 'other.two'}\nif TYPE_CHECKING:\n"
    "    from lazy.home import one\n    from lazy.other import two\n",
    "lazy/home.py": "",
    "lazy/other.py": "",
    "pack/asks.py": "from lazy import one\n",
    "pack/asks_all.py": "import lazy\n",
    "pack/data/words.txt": "",
    "pack/data/senses_en.txt": "",
    "pack/data/model/weights.bin": "",
    "pack/data/README.md": "words",
    "pack/reasons/it.json": "",
    "pack/reads.py": "open('data/words.txt')\n",
    "pack/reads_any.py": "def f(l):\n    return open(f'data/senses_{l}.txt')\n",
    "pack/reads_model.py": "Path('data') / 'model'\n",
    "tests/__init__.py": "",
    "tests/green.txt": "",
    "tests/other.txt": "",
    "pack/tested.py": "Path('tests')\n",
    "pack/reads_its_own.py": "def f(n):\n    return open(f'{n}.json'), 'it'\n",
}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def names(root: Path, start: str, own: str = "") -> set[str]:
    found = {path.relative_to(root).as_posix() for path in Repository(root).of([root / start], own)}
    return found - {start, "pack/__init__.py"}


@pytest.mark.parametrize(
    ("start", "reaches"),
    [
        ("pack/leaf.py", set()),
        ("pack/branch.py", {"pack/leaf.py"}),
        ("pack/late.py", {"pack/leaf.py"}),
        ("pack/typed.py", {"pack/leaf.py"}),
        ("pack/relative.py", {"pack/leaf.py"}),
        ("pack/started.py", {"pack/leaf.py"}),
        ("pack/told.py", set()),
        (
            "pack/inside.py",
            {"pack/room/__init__.py", "pack/room/deep.py", "pack/branch.py", "pack/leaf.py"},
        ),
        ("pack/asks.py", {"lazy/__init__.py", "lazy/home.py"}),
        ("pack/asks_all.py", {"lazy/__init__.py", "lazy/home.py", "lazy/other.py"}),
        ("pack/reads.py", {"pack/data/words.txt"}),
        ("pack/reads_any.py", {"pack/data/senses_en.txt"}),
        ("pack/reads_model.py", {"pack/data/model/weights.bin"}),
        ("pack/reads_its_own.py", set()),
        ("pack/tested.py", {"tests/other.txt"}),
    ],
)
def test_reach_is_the_closure_of_imports_and_the_data_it_names(
    made: Path, start: str, reaches: set[str]
) -> None:
    assert names(made, start) == reaches


def test_what_is_proved_reaches_the_data_of_its_own_name(made: Path) -> None:
    assert names(made, "pack/leaf.py", own="it") == {"pack/reasons/it.json"}


def test_a_leaf_that_changes_is_seen_and_a_file_out_of_reach_is_not(made: Path) -> None:
    def digest() -> str:
        repository = Repository(made)
        return repository.digest(repository.of([made / "pack/late.py"]))

    before = digest()
    (made / "pack/beside.py").write_text("BESIDE = 1\n")
    assert digest() == before
    (made / "pack/leaf.py").write_text("LEAF = 2\n")
    changed = digest()
    assert changed != before
    (made / "pack/leaf.py").write_text("LEAF = 1\n")
    assert digest() == before
    (made / "pack/late.py").write_text("from pack import beside, leaf\n")
    assert digest() not in (before, changed)


@pytest.fixture(scope="module")
def course() -> Repository:
    return Repository(ROOT)


def test_an_exercise_reaches_what_it_imports_and_no_other_exercise(course: Repository) -> None:
    from autograde.checking.catalogue import catalogue, places

    catalogue()
    files = {name: exercise_file(name) for name in places()}
    core = course.of([PROOFS])
    assert not core & set(files.values())
    assert {ROOT / "autograde/checking/judge.py", ROOT / "autograde/proving/proofs.py"} <= core
    reached = {name: course.of([file], own=name) - core for name, file in files.items()}
    assert sorted(map(len, reached.values()))[len(reached) // 2] < 20  # most reach little
    for name, file in files.items():
        imported = ast.walk(ast.parse(file.read_text("utf-8")))
        named = {node.module for node in imported if isinstance(node, ast.ImportFrom)}
        inside = {course.modules[module] for module in named if module in course.modules}
        assert inside <= reached[name] | core


@pytest.mark.parametrize("package", ["autograde", "elmo_mini"])
def test_names_loaded_on_demand_lead_home(course: Repository, package: str) -> None:
    face = course.modules[package]
    homes = course.source(face).homes
    assert len(homes) > 5
    everything = course.of([face])
    for name, home in homes.items():
        file = (
            course.modules.get(f"{package}.{home}")
            or course.modules[f"{package}.{home}".rpartition(".")[0]]
        )
        assert file in set(course._loaded(f"{package}.{name}"))
        assert file not in everything or home.startswith("_")


# Which files of the repository a process opens or imports, and every process that it starts.
# Each is noted at once: a kernel may be killed before it ends by itself.
NOTING = """
import os, sys
root, seen = os.environ["COURSE"] + os.sep, set()
notes = os.path.join(os.environ["OPENED"], f"{os.getpid()}.opened")
notes = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(event, words):
    if event == "open" and isinstance(words[0], (str, os.PathLike)):
        path = os.path.abspath(os.fspath(words[0]))
        if path.startswith(root) and path not in seen:
            seen.add(path)
            os.write(notes, os.fsencode(path + os.linesep))
sys.addaudithook(note)
"""
EXERCISE = """
from autograde.checking.catalogue import find
from autograde.proving import proofs, reasons, sources, verdicts
from tests.autograde.checking.taken_out import second_opinions
exercise = find({name!r})
sources.catalogue = lambda: {{}}  # asked only which functions are other exercises' references
list(proofs.shortfalls(exercise))
list(reasons.open_questions(exercise.id, verdicts.verdicts(exercise)))
assert second_opinions(exercise)
"""
LESSON = """
from pathlib import Path
from autograde.building import executed_notebook
from autograde.building.lesson_source import read_lesson
from autograde.building.notebooks import solution_notebook
from autograde.checking.catalogue import find
lesson = read_lesson(Path({name!r}))
notebook = solution_notebook(lesson, find)
# The list of the learner's points names every exercise of the course, and needs no more of them.
notebook.cells = [cell for cell in notebook.cells if "progress()" not in cell.source]
executed_notebook.execute(notebook, lesson)
"""
FACES = set(
    ROOT.glob("autograde/exercises/*/__init__.py")
)  # ids alone: an exercise is found by them
TITLES = {
    *ROOT.glob("solutions/*/*.py"),  # of the lessons before and after, for links to them
    *ROOT.glob("lessons/*/*.ipynb"),  # lesson 00 looks which package versions they quote
    ROOT / "pyproject.toml",  # and which versions the course allows
    ROOT / "CONCEPTS.md",
}


def opened(script: str, folder: Path) -> set[Path]:
    (folder / "sitecustomize.py").write_text(NOTING, "utf-8")
    noting = {
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "COURSE": str(ROOT),
        "OPENED": str(folder),
    }
    here = os.environ | noting | {"PYTHONDONTWRITEBYTECODE": "1", "NLTK_DATA": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=here, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [file.read_text("utf-8").splitlines() for file in folder.glob("*.opened")]
    return {
        file
        for file in map(_source, {Path(name) for names in lines for name in names})
        if file.is_file() and not {".git", ".venv"} & {*file.parts}
    }


def _source(file: Path) -> Path:
    """Of a module that was read as bytecode, its source."""
    return Path(source_from_cache(str(file))) if file.suffix == ".pyc" else file


@pytest.mark.parametrize("name", ["relative_frequency", "shifted_pmi"])
def test_no_exercise_opens_what_it_is_not_said_to_reach(
    name: str, course: Repository, tmp_path: Path
) -> None:
    from autograde.checking.catalogue import find

    find(name)
    tests = [PROOFS, MUTANTS, SECOND_OPINION]
    reached = course.of([*tests, exercise_file(name)], own=name)
    found = opened(EXERCISE.format(name=name), tmp_path)
    assert exercise_file(name) in found
    assert found - FACES - reached == set()


def test_no_lesson_opens_what_it_is_not_said_to_reach(course: Repository, tmp_path: Path) -> None:
    from autograde.checking.catalogue import places

    assert places()
    source = ROOT / "solutions/00_start_here/start_here.py"
    reached = course.of([LESSONS, *lesson_files(source, ROOT)])
    found = opened(LESSON.format(name=str(source)), tmp_path)
    assert ROOT / "autograde/checking/check.py" in found  # the kernel was heard, too
    assert found - FACES - TITLES - reached == set()
