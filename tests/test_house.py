"""The house is in order: links lead somewhere, licences agree, no machine is written into it."""

import ast
import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import yaml

import elmo_mini
from tests.autograde.building.test_links import github_anchors

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
)
BINARY = {".png", ".jpg", ".zip", ".safetensors", ".hdf5", ".gz", ".npz"}
# Written in halves, so that this file does not hold what it forbids.
FOREIGN_PATHS = re.compile(r"(?<![\w.~$}/-])/" + r"(?:home|Users|work|root|mnt|workspace)/\w")
PACKAGE_HOSTS = re.compile(
    "|".join(map(re.escape, ("pypi" + ".org", "python" + "hosted", "download.py" + "torch")))
)


def tracked() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("not a git checkout: the list of the course's files comes from git")
    files = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in files if path.is_file() and path.suffix not in BINARY]


def this_machine() -> set[str]:
    """Texts that would tell where a file was made: folders, and the host's name."""
    folders = [ROOT, Path.home(), Path(sys.prefix), Path(sys.base_prefix)]
    folders += [Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    names = {str(folder) for folder in folders if len(folder.parts) > 2}
    host = socket.gethostname()
    return names | ({host} if len(host) > 7 and host != "localhost" else set())


def traces(text: str, machine: set[str]) -> Iterator[str]:
    """What in a text belongs to one machine or to a package index."""
    yield from (name for name in machine if name in text)
    for pattern in (FOREIGN_PATHS, PACKAGE_HOSTS):
        yield from (match[0] for match in pattern.finditer(text))


def test_no_machine_and_no_package_host_is_written_into_the_course() -> None:
    machine = this_machine()
    found = {
        f"{path.relative_to(ROOT)}: {trace}"
        for path in tracked()
        for trace in traces(path.read_text(encoding="utf-8"), machine)
    }
    assert found == set()


@pytest.mark.parametrize(
    "text",
    [
        "open('/" + "home/ada/x.txt')",
        "saved to /" + "work/main/figure.png",
        '"/' + 'Users/ada/course"',
        "pip install --index-url https://" + "pypi" + ".org/simple",
        "see build-host-42 for logs",
    ],
)
def test_traces_of_a_machine_are_seen(text: str) -> None:
    assert list(traces(text, {"build-host-42"}))


@pytest.mark.parametrize(
    "text", ["work/01_word2vec", "solutions/home/x", "https://x.example/home/x", "../work/x"]
)
def test_other_paths_are_left_alone(text: str) -> None:
    assert not list(traces(text, set()))


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_every_named_file_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in named_files(text, Path(page).parent) if gone(name)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_section_that_a_link_names_is_there(page: str) -> None:
    here = ROOT / page
    links = re.findall(r"\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)", here.read_text(encoding="utf-8"))
    for name, section in links:
        text = (here.parent / name if name else here).read_text(encoding="utf-8")
        assert section in github_anchors(text), f"{name}#{section}"


def named_files(text: str, folder: Path = Path()) -> Iterator[str]:
    """Targets of links on a page in `folder`, and code that looks like a file of the course."""
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in target and not target.startswith("#"):
            yield str(folder / target.split("#")[0])
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for span in re.findall(r"`([^`\n]+)`", prose):
        folder = span.split("/")[0]
        if "/" in span and not re.search(" |NN|TOPIC", span) and (ROOT / folder).is_dir():
            yield span


def gone(name: str) -> bool:
    made_by_a_command = name.split("/")[0] in ("work", ".venv", "build")
    return bool(name) and not made_by_a_command and not (ROOT / name).exists()


def test_a_dead_link_is_seen() -> None:
    text = "[a](no/such.md) and `tests/no_such.py`, `tests/test_house.py`, [b](README.md#start)"
    assert [name for name in named_files(text) if gone(name)] == ["no/such.md", "tests/no_such.py"]


def test_the_licences_agree_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert project["license"] == "MIT AND CC-BY-4.0"
    assert citation["license"] == ["MIT", "CC-BY-4.0"]
    assert "MIT License" in licence
    assert "Attribution 4.0 International" in licence
    assert project["license-files"] == ["LICENSE"]


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (\S+?),? ", changelog, flags=re.MULTILINE)[0]
    assert project["version"] == elmo_mini.__version__ == citation["version"] == newest


def test_every_lesson_is_in_the_readme_to_write_in_and_to_read_with_its_figures() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for notebook in sorted(ROOT.glob("lessons/*/*.ipynb")):
        name = notebook.relative_to(ROOT / "lessons").as_posix()
        assert f"({'lessons/' + name})" in readme
        assert f"({'solutions/' + name})" in readme
        cells = json.loads((ROOT / "solutions" / name).read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        # What hosts draw of a stored notebook, beside text: nothing that needs a script or a style.
        assert any("image/png" in output.get("data", {}) for output in outputs), name


def test_how_long_the_tests_take_stands_in_one_place() -> None:
    pages = [ROOT / page for page in PAGES if page != "docs/what_was_run.md"]
    pages += [ROOT / "Makefile", *ROOT.glob(".github/**/*.md")]
    found = {
        f"{page.name}: {line.strip()}"
        for page in pages
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.search('make test|[0-9] Tests|"Tests', line) and re.search(r"minutes|hours?\b", line)
    }
    assert found == set()


def imports_of(path: Path, modules: Collection[str]) -> Iterator[str]:
    """Those of `modules` that a file names at its top, for running or for annotations."""
    at_the_top = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while at_the_top:
        node = at_the_top.pop()
        if isinstance(node, ast.ImportFrom):
            inner = {f"{node.module}.{name.name}" for name in node.names}
            yield from inner & set(modules) or {str(node.module)} & set(modules)
        elif isinstance(node, ast.Import):
            yield from {name.name for name in node.names} & set(modules)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            at_the_top += node.body


def circle(folder: Path) -> list[str]:
    """Modules of a package that import one another in a circle, or none."""
    paths = {
        ".".join(path.relative_to(folder.parent).with_suffix("").parts): path
        for path in folder.rglob("*.py")
    }
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    graph = {name: set(imports_of(path, modules)) for name, path in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def rooms_of(package: str) -> tuple[str, ...]:
    """The modules and folders of a package in the order in which docs/rooms.md lists them."""
    page = (ROOT / "docs/rooms.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| (`{package}/\w.*?) \|", page, re.MULTILINE)
    return tuple(name for row in rows for name in re.findall(rf"`{package}/(\w+)(?:/|\.py)`", row))


PACKAGES = ("elmo_mini", "course", "autograde")
# What looks into every room: the face of the package, and its command line.
DOORS = ("__init__", "__main__")


def arrows_up(folder: Path, rooms: Sequence[str]) -> list[str]:
    """Imports from a room into a later one, and modules or imports that stand in no room."""
    package, height = folder.name, {room: number for number, room in enumerate(rooms)}
    found = []
    for path in sorted(folder.rglob("*.py")):
        here = path.relative_to(folder).with_suffix("")
        if here.as_posix() in DOORS:
            continue
        if here.parts[0] not in height:
            found.append(f"{here.as_posix()} stands in no room")
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in imported(node):
                there = name.split(".")
                if there[0] != package or len(there) < 2 or there[1] == here.parts[0]:
                    continue
                if height.get(there[1], len(rooms)) > height[here.parts[0]]:
                    found.append(f"{here.as_posix()} imports {name}")
    return found


def imported(node: ast.AST) -> list[str]:
    """The full names that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{name.name}" for name in node.names]
    return [name.name for name in node.names] if isinstance(node, ast.Import) else []


@pytest.mark.parametrize("package", PACKAGES)
def test_the_page_of_rooms_lists_every_room_once_each_below_those_that_it_knows(
    package: str,
) -> None:
    rooms = rooms_of(package)
    there = {
        path.stem
        for path in (ROOT / package).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert sorted(rooms) == sorted(there - set(DOORS))
    assert arrows_up(ROOT / package, rooms) == []


def test_an_arrow_up_is_seen_and_so_is_a_module_without_a_room(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    for room in ("cellar", "attic"):
        (folder / room).mkdir(parents=True)
    (folder / "attic/roof.py").write_text("from house.cellar import stairs\n")
    assert arrows_up(folder, ("cellar", "attic")) == []
    (folder / "cellar/stairs.py").write_text("def late():\n    from house.attic import roof\n")
    (folder / "loose.py").write_text("")
    assert arrows_up(folder, ("cellar", "attic")) == [
        "cellar/stairs imports house.attic.roof",
        "loose stands in no room",
    ]


def test_the_reference_knows_nothing_of_the_grader() -> None:
    for path in (ROOT / "elmo_mini").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not [name for name in imported(node) if name.split(".")[0] == "autograde"], path


def test_importing_the_package_is_quick() -> None:
    """`import elmo_mini` loads none of the libraries that take time, and every name is there."""
    code = (
        "import sys, elmo_mini\n"
        "assert not {'torch', 'numpy', 'h5py', 'nltk'} & set(sys.modules), sys.modules.keys()\n"
        "assert all(getattr(elmo_mini, name) is not None for name in elmo_mini.__all__)\n"
        "assert set(elmo_mini.__all__) <= set(dir(elmo_mini))\n"
        "assert not hasattr(elmo_mini, 'no_such_name')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other(package: str) -> None:
    assert circle(ROOT / package) == []


def test_a_circle_of_imports_is_seen(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    (folder / "attic").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "attic/__init__.py").write_text("from house import door\n")
    (folder / "door.py").write_text("if TYPE_CHECKING:\n    from house.attic import roof\n")
    assert set(circle(folder)) == {"house.attic", "house.door"}
    (folder / "door.py").write_text("def late():\n    from house.attic import roof\n")
    assert circle(folder) == []


def test_jupyterlab_settings_are_read_by_jupyterlab() -> None:
    """A misspelt plugin would be switched off in vain, and nobody would see it."""
    config = ROOT / "autograde/running/jupyter_config/labconfig"
    share = Path(sys.prefix) / "share/jupyter"
    overrides = json.loads((config / "default_setting_overrides.json").read_text())
    for plugin, values in overrides.items():
        package, name = plugin.split(":")
        own = share / "labextensions" / package / "schemas"
        schemas = own if own.is_dir() else share / "lab/schemas"
        schema = json.loads((schemas / package / f"{name}.json").read_text())
        assert values.keys() <= schema["properties"].keys()
    disabled = json.loads((config / "page_config.json").read_text())["disabledExtensions"]
    static = share / "labextensions/@jupyter/nbgrader/static"
    scripts = "".join(path.read_text(encoding="utf-8") for path in static.glob("*.js"))
    for plugin in disabled:
        assert f'"{plugin}"' in scripts, plugin
