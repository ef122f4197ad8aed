"""pyproject.toml, constraints.txt, environment.yml and the Makefile tell one story."""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from elmo_mini._version import __version__

ROOT = Path(__file__).resolve().parent.parent
CONDA_NAMES = {"torch": "pytorch"}
# Imported under another name than they are installed.
INSTALLED_AS = {
    "IPython": "ipykernel",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "xdist": "pytest-xdist",
    "yaml": "pyyaml",
}
# Come with a direct dependency that is about them: nbgrader with nbconvert and its Pygments,
# JupyterLab with these.
BROUGHT_ALONG = {"traitlets", "nbconvert", "pygments", "sqlalchemy"}
BROUGHT_ALONG |= {"jupyter_client", "jupyter_core", "jupyter_server"}


class Pins:
    """The three files, read."""

    def __init__(self, pyproject: str, constraints: str, environment: str) -> None:
        project = tomllib.loads(pyproject)["project"]
        self.python = SpecifierSet(project["requires-python"])
        extras = project["optional-dependencies"]
        self.base = _requirements(project["dependencies"])
        self.package = self.base | _requirements(extras["experiments"])
        self.direct = self.package | _requirements([*extras["lessons"], *extras["course"]])
        self.direct.pop(canonicalize_name(project["name"]))  # [course] brings [experiments] so
        self.several, self.slides = _requirements(extras["class"]), _requirements(extras["slides"])
        self.test = self.several | self.slides | _requirements([*extras["book"], *extras["test"]])
        self.test.pop(canonicalize_name(project["name"]))
        lines = [line.split("#")[0].strip() for line in constraints.splitlines()]
        self.pinned = _requirements(filter(None, lines))
        self.conda, self.conda_pip = _conda(environment)

    def disagreements(self) -> Iterator[str]:
        for name, wanted in {**self.direct, **self.test}.items():
            if name not in self.pinned:
                yield f"{name} is in pyproject.toml, not in constraints.txt"
            elif not wanted.specifier.contains(_version(self.pinned[name])):
                yield f"{name}: constraints.txt has {self.pinned[name]}, pyproject.toml {wanted}"
        for name, pin in self.pinned.items():
            if [s.operator for s in pin.specifier] != ["=="] or "+" in str(pin.specifier):
                yield f"{name}: not one exact, platform-neutral version in constraints.txt: {pin}"
        for name in self.direct:
            conda_name = CONDA_NAMES.get(name, name)
            version = self.conda.get(conda_name) or self.conda_pip.get(name)
            if version is None:
                yield f"{name} is in pyproject.toml, not in environment.yml"
            elif name in self.pinned and version != _version(self.pinned[name]):
                yield f"{name}: environment.yml has {version}, constraints.txt {self.pinned[name]}"
        known = {CONDA_NAMES.get(name, name) for name in self.direct} | {"python", "pip"}
        for name in (self.conda.keys() | self.conda_pip.keys()) - known:
            yield f"{name} is in environment.yml, not in pyproject.toml"
        if not self.python.contains(f"{self.conda['python']}.0"):
            yield f"environment.yml has Python {self.conda['python']}, pyproject {self.python}"


def _requirements(lines: object) -> dict[str, Requirement]:
    requirements = map(Requirement, lines)  # type: ignore[call-overload]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def _version(pin: Requirement) -> str:
    (specifier,) = pin.specifier
    return specifier.version


def _conda(text: str) -> tuple[dict[str, str], dict[str, str]]:
    conda, through_pip = {}, {}
    for entry in yaml.safe_load(text)["dependencies"]:
        if isinstance(entry, dict):
            for line in entry["pip"]:
                if not line.startswith("-e"):
                    pin = Requirement(line)
                    through_pip[canonicalize_name(pin.name)] = _version(pin)
        else:
            name, _, rest = entry.partition("=")
            conda[canonicalize_name(name)] = rest.split("=")[0]
    return conda, through_pip


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def files() -> list[str]:
    return [read("pyproject.toml"), read("constraints.txt"), read("environment.yml")]


def test_the_three_files_agree(files: list[str]) -> None:
    assert list(Pins(*files).disagreements()) == []


@pytest.mark.parametrize(
    ("which", "old", "new", "said"),
    [
        (0, '"gensim>=4.4,<5"', '"gensim>=4.5,<5"', "gensim: constraints.txt has"),
        (0, '"tqdm>=4.66",', '"tqdm>=4.66", "spacy>=3",', "spacy is in pyproject.toml, not in"),
        (0, '"tqdm>=4.66",', "", "tqdm is in environment.yml, not in pyproject.toml"),
        (0, '">=3.11,<3.14"', '">=3.12,<3.14"', "environment.yml has Python 3.11"),
        (1, "nltk==", "nltk>=", "nltk: not one exact"),
        (1, "torch==2.13.0", "torch==2.13.0+cpu", "torch: not one exact"),
        (1, "numpy==", "numpy==1.", "numpy: constraints.txt has"),
        (1, "pytest==", "pytest-x==", "pytest is in pyproject.toml, not in constraints.txt"),
        (2, "pytorch=2.13.0", "pytorch=2.12.0", "torch: environment.yml has 2.12.0"),
        (0, '"nh3>=0.3",', "", "nh3 is in environment.yml, not in pyproject.toml"),
        (2, "- gensim=", "- gensim-x=", "gensim is in pyproject.toml, not in environment.yml"),
        (2, "jupyterlab-rise==0.43.1", "jupyterlab-rise==0.43.0", "jupyterlab-rise: environment"),
    ],
)
def test_every_kind_of_drift_is_seen(
    files: list[str], which: int, old: str, new: str, said: str
) -> None:
    assert old in files[which]
    drifted = [
        text.replace(old, new, 1) if place == which else text for place, text in enumerate(files)
    ]
    assert any(line.startswith(said) for line in Pins(*drifted).disagreements())


def test_the_version_stands_the_same_in_both_places(files: list[str]) -> None:
    assert tomllib.loads(files[0])["project"]["version"] == __version__


def test_the_makefile_takes_the_pythons_of_pyproject(files: list[str]) -> None:
    low, high = re.findall(
        r"\((\d+, \d+)\) <= sys\.version_info\[:2\] <= \((\d+, \d+)\)", read("Makefile")
    )[0]
    (major, first), (_, last) = (map(int, text.split(", ")) for text in (low, high))
    python = Pins(*files).python
    taken = [minor for minor in range(30) if python.contains(f"{major}.{minor}.0")]
    assert taken == list(range(first, last + 1))
    names = [f"3.{minor}" for minor in taken]
    spoken = f"{', '.join(names[:-1])} or {names[-1]}"
    for place in ("Makefile", "README.md"):
        assert spoken in read(place), f"{place} should say Python {spoken}"


def test_the_dev_container_has_a_python_of_pyproject(files: list[str]) -> None:
    container = json.loads(read(".devcontainer/devcontainer.json"))
    (minor,) = re.findall(r":1-(\d\.\d+)-", container["image"])
    assert Pins(*files).python.contains(f"{minor}.0")
    assert container["postCreateCommand"].startswith("make lab ")


def test_what_is_imported_is_declared(files: list[str]) -> None:
    """A package that is imported but only comes along by accident breaks on the next update."""
    pins = Pins(*files)
    imported = {
        "elmo_mini": pins.package.keys() | {"ipywidgets"},  # inside brought_by("course")
        "course": pins.package.keys() | {"ipywidgets"},
        "autograde": pins.direct.keys() | pins.several.keys() | pins.slides.keys(),
        "tests": pins.direct.keys() | pins.test.keys(),
    }
    undeclared = {
        f"{path.relative_to(ROOT)}: {module}"
        for folder, declared in imported.items()
        for path in (ROOT / folder).rglob("*.py")
        for module in _imports(path)
        if module not in BROUGHT_ALONG
        and canonicalize_name(INSTALLED_AS.get(module, module)) not in declared
    }
    assert undeclared == set()


def _imports(path: Path) -> Iterator[str]:
    made_by_tests = {"my_elmo", "my_parts", "own_words", "more_words"}
    own = {
        "elmo_mini",
        "course",
        "autograde",
        "benchmarks",
        "tests",
        *made_by_tests,
    } | sys.stdlib_module_names
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        for name in names:
            if (module := name.split(".")[0]) not in own:
                yield module
