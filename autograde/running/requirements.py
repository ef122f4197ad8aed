"""What the course needs, from pyproject.toml or as installed; and what of it is not there."""

import importlib.metadata
import re
from pathlib import Path

COURSE = Path(__file__).resolve().parents[2]
DISTRIBUTION = "before-bert"
LESSONS = ("experiments", "lessons")  # what a kernel needs
ALL = (*LESSONS, "course")  # and JupyterLab and nbgrader around it
EXTRA = re.compile(r"""extra == ["']([\w-]+)["']""")


def project(extras: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """The range of Python, and of each package of the base and of these extras."""
    pyproject = COURSE / "pyproject.toml"
    if pyproject.is_file():
        import tomllib

        found = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
        optional = found["optional-dependencies"]
        lines = [*found["dependencies"], *(line for extra in extras for line in optional[extra])]
        python = found["requires-python"]
    else:
        metadata = importlib.metadata.metadata(DISTRIBUTION)
        python = metadata["Requires-Python"]
        lines = [
            line
            for line in metadata.get_all("Requires-Dist") or []
            if set(EXTRA.findall(line)) <= set(extras)
        ]
    ranges = dict(map(split, lines))
    ranges.pop(DISTRIBUTION, None)  # one extra brings another by the distribution's own name
    return python, ranges


def split(requirement: str) -> tuple[str, str]:
    """``"ipython[all]>=9,<10; marker"`` to ``("ipython", ">=9,<10")``."""
    match = re.match(r"([\w.-]+)\s*(?:\[[^]]*\])?\s*([^;]*)", requirement)
    assert match is not None, requirement
    return match[1], match[2].strip()


def in_range(version: str, wanted: str) -> bool:
    """Whether a version is one of a range."""
    try:
        from packaging.specifiers import SpecifierSet
    except ImportError:
        return True  # packaging itself is then the one that is missing
    return SpecifierSet(wanted).contains(version, prereleases=True)


def lacking(extras: tuple[str, ...]) -> list[str]:
    """The requirements of these extras that this Python does not meet, as pip takes them."""
    wanted = project(extras)[1].items()
    return [f"{name}{versions}" for name, versions in wanted if not _met(name, versions)]


def _met(name: str, wanted: str) -> bool:
    try:
        return in_range(importlib.metadata.version(name), wanted)
    except importlib.metadata.PackageNotFoundError:
        return False
