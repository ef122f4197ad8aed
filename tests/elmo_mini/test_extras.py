"""The package needs its base dependencies only; what needs an extra says which."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from elmo_mini.commands.run import run_command
from elmo_mini.extras import ExtraMissing, brought_by

ROOT = Path(__file__).resolve().parents[2]


def modules_beyond_the_base() -> set[str]:
    """What is installed here and neither the package's own, nor a base dependency's, nor theirs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted, found = list(project["dependencies"]), {"before-bert"}
    while wanted:
        requirement = Requirement(wanted.pop())
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name not in found and (not requirement.marker or requirement.marker.evaluate()):
            found.add(name)
            wanted += metadata.requires(name) or []
    return {
        module
        for module, owners in metadata.packages_distributions().items()
        if not found & {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners}
    }


def test_the_base_is_enough(tmp_path: Path) -> None:
    """The same script as in a real installation (`tests/test_wheel.py`), the rest hidden."""
    beyond = modules_beyond_the_base()
    assert {"nbgrader", "gensim", "sklearn"} <= beyond
    assert {"torch", "numpy", "elmo_mini"} & beyond == set()
    names = tmp_path / "modules"
    names.write_text("\n".join(beyond))
    done = subprocess.run(
        [sys.executable, "-P", ROOT / "tests/base_install.py", names],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.stdout == "The base is enough.\n", done.stderr


def test_an_import_that_fails_names_package_and_extra() -> None:
    says = pytest.raises(ExtraMissing, match=r"^scikit-learn is not installed here; .*\[things\]")
    with says, brought_by("things"):
        raise ModuleNotFoundError("No module named 'sklearn.svm'", name="sklearn.svm")


def test_a_fault_of_our_own_is_not_hidden() -> None:
    with pytest.raises(ModuleNotFoundError, match="gone"), brought_by("things"):
        import elmo_mini.gone  # type: ignore[import-not-found]  # noqa: F401


def test_a_command_without_its_packages_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "needy_command.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    commands = {"needy": ("needy_command", "needs what is not here")}
    assert run_command("python -m x", "", commands, ["needy"], extra="things") == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m x needy: no_such_package is not installed here; ")
    assert said.count("\n") == 1
