"""The folder of packages that a submission sees: without what would answer its assignment."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from autograde.marking import oracles
from autograde.marking.oracles import HERE, PACKAGES, Symbol

OF_AUTOGRADE = (
    *("checking", "workspace/place.py", "workspace/renamed.py", "workspace/__init__.py"),
    *("marking/__init__.py", "marking/asking"),
    *("marking/sandbox/__init__.py", "marking/sandbox/namespaces.py"),
    "marking/sandbox/course_modules.py",
    *("marking/sandbox/server.py", "marking/sandbox/submission.py"),
)
DATA = "data"


def student_build(folder: Path, gone: Iterable[Symbol]) -> list[tuple[Path, Path]]:
    """Write the packages into an empty folder.

    Returns
    -------
    Folders of data that lie elsewhere, and where in the build they belong.
    """
    gone, data = set(gone), []
    for package in PACKAGES:
        source = oracles.folder_of(package)
        if source is None:
            continue
        shutil.copytree(source, folder / package, ignore=_left_out)
        if (source / DATA).is_dir():
            (folder / package / DATA).mkdir()
            data.append((source / DATA, folder / package / DATA))
    for name in {module for module, _ in gone if not oracles.is_hidden(module)}:
        module = oracles.module_of(name)
        package = name.split(".")[0]
        root = oracles.folder_of(package)
        assert root is not None
        target = folder / package / module.path.relative_to(root)
        target.write_text(oracles.without(module, gone), "utf-8")
    _autograde(folder)
    for at, _, _ in os.walk(folder):
        Path(at).chmod(0o755)
    return data


def _left_out(at: str, names: list[str]) -> list[str]:
    top = Path(at).name in PACKAGES and Path(at).parent == HERE
    return [name for name in names if name == "__pycache__" or (top and name == DATA)]


def _autograde(folder: Path) -> None:
    for name in OF_AUTOGRADE:
        source, target = HERE / "autograde" / name, folder / "autograde" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    names = HERE / "autograde/marking/sandbox/student_names.py"
    shutil.copy(names, folder / "autograde/__init__.py")
