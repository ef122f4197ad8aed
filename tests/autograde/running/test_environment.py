"""The environment report: words for every need, no exception whatever is missing."""

import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from email.message import Message
from pathlib import Path

import pytest

from autograde.running import requirements
from autograde.running.environment import environment
from autograde.running.environment_report import EnvironmentReport, Need
from elmo_mini import corpora

# "import autograde.running.environment" would give the function of that name.
report_module = importlib.import_module("autograde.running.environment")
COURSE = report_module.COURSE


@pytest.fixture
def in_course(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(COURSE)


def line(report: EnvironmentReport, name: str) -> Need:
    return next(need for need in report.needs if need.name == name)


@pytest.mark.usefixtures("in_course")
def test_here_everything_required_is_there() -> None:
    report = environment()
    assert report.ok, str(report)
    assert report.headline == "Everything that the course needs is here."
    for name in ("Python", "kernel", "torch", "gensim", "jupyterlab", "nbgrader", "corpora"):
        assert line(report, name).found


@pytest.mark.usefixtures("in_course")
def test_no_path_of_the_machine_is_shown() -> None:
    """Lesson 00 shows this report, and notebooks are handed in and published."""
    text = environment()._repr_html_()
    for path in (COURSE, Path(sys.prefix), Path(sys.base_prefix), Path.home()):
        assert f"{path}/" not in text


def test_a_missing_package_is_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {"numpy": ">=2", "no-such-package": ">=1"}
    monkeypatch.setattr(report_module, "_project", lambda: (">=3.11", wanted))
    report = environment()
    assert not report.ok
    assert line(report, "no-such-package").found == "missing"
    assert "make lab" in line(report, "no-such-package").advice
    assert "no-such-package" in report.headline


def test_a_package_out_of_range_is_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "_project", lambda: (">=3.11", {"numpy": "<1"}))
    need = line(environment(), "numpy")
    assert need.state == "to do"
    assert "the course needs <1" in need.found


@pytest.mark.parametrize("installed", [False, True], ids=["clone", "installed"])
def test_every_direct_dependency_is_looked_at(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if installed:  # as in a wheel: no pyproject.toml lies beside the packages
        monkeypatch.setattr(requirements, "COURSE", tmp_path)
        monkeypatch.setattr(importlib.metadata, "metadata", _metadata_of_a_wheel)
    python, wanted = report_module._project()
    assert python == ">=3.11,<3.14"
    for name in ("torch", "gensim", "nbgrader"):
        assert wanted[name].startswith(">=")
    assert len(wanted) > 20
    assert {"before-bert", "pytest", "sphinx", "fonttools", "distributed"} & wanted.keys() == set()


def test_in_colab_and_kaggle_only_what_a_kernel_needs_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    wanted = report_module._project()[1]
    assert {"torch", "gensim", "ipywidgets"} <= wanted.keys()
    assert {"jupyterlab", "notebook", "nbgrader"} & wanted.keys() == set()


def _metadata_of_a_wheel(name: str) -> Message:
    """What setuptools writes of pyproject.toml."""
    assert name == "before-bert"
    project = tomllib.loads((COURSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = Message()
    metadata["Requires-Python"] = project["requires-python"]
    for line in project["dependencies"]:
        metadata["Requires-Dist"] = line
    for extra, lines in project["optional-dependencies"].items():
        for line in lines:
            metadata["Requires-Dist"] = f'{line}; extra == "{extra}"'
    return metadata


@pytest.mark.parametrize(
    "line", ["ipython[all]>=9,<10", "ipython>=9,<10", 'ipython [all] >=9,<10; os_name == "nt"']
)
def test_a_requirement_is_cut_into_name_and_range(line: str) -> None:
    assert requirements.split(line) == ("ipython", ">=9,<10")


def test_an_old_python_is_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module.platform, "python_version", lambda: "3.10.13")
    need = line(environment(), "Python")
    assert need.state == "to do"
    assert "make lab PYTHON=" in need.advice


def test_a_package_that_does_not_import_is_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    need = line(environment(), "nltk")
    assert need.state == "to do"
    assert "does not start" in need.found


def test_missing_corpora_are_a_note_that_names_the_lessons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = tmp_path / "lessons/03_x/x.ipynb"
    lesson.parent.mkdir(parents=True)
    lesson.write_text('{"cells": [{"source": "load(\\"qc\\")"}]}')
    monkeypatch.setattr(report_module, "COURSE", tmp_path)
    monkeypatch.setattr(corpora, "available", lambda: {"lee": True, "brown": False, "qc": False})
    (need,) = report_module._corpora()
    assert need.state == "note"
    assert need.found == "1 of 3 corpora found"
    assert "brown, qc" in need.advice
    assert "03_x and others show stored results." in need.advice


def test_a_folder_without_write_access_is_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(report_module.tempfile, "TemporaryFile", refuse)
    assert line(environment(), "this folder").state == "to do"


def test_a_look_that_fails_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("odd machine")

    monkeypatch.setattr(report_module.shutil, "disk_usage", break_down)
    report = environment()
    assert line(report, "disk").found == "could not be found out (odd machine)"
    assert report.ok


def test_the_table_is_accessible_and_escaped() -> None:
    report = EnvironmentReport((Need("a<b", "to do", "x & y", "go"),))
    html = report._repr_html_()
    assert html.count("role='columnheader'") == 4
    assert html.count("role='rowheader'") == 1
    assert "<table aria-label='Not ready yet." in html
    assert "a&lt;b" in html
    assert "x &amp; y" in html


def test_the_text_lines_up_and_the_advice_is_below() -> None:
    report = EnvironmentReport((Need("a", "OK", "1"), Need("long name", "to do", "none", "go")))
    assert str(report).splitlines() == [
        "Not ready yet. To do: long name.",
        "  OK     a          1",
        "  to do  long name  none",
        "                    go",
    ]


def test_the_lesson_and_the_command_reach_it() -> None:
    """The function and its module share a name; the import of one must not hide the other."""
    code = """
        import autograde.running.environment
        from autograde import environment
        import importlib
        importlib.import_module("autograde.running.environment").add_arguments
        from autograde import environment
        assert environment().needs
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, cwd=COURSE)


@pytest.mark.parametrize(
    "package", ["torch", pytest.param("numpy", marks=pytest.mark.slow), "packaging"]
)
def test_the_command_survives_without(package: str, tmp_path: Path) -> None:
    """A package that is not installed is reported by name, with exit status 1, in no traceback."""
    (tmp_path / "sitecustomize.py").write_text(
        textwrap.dedent(f"""
            import importlib.metadata, sys
            sys.modules[{package!r}] = None
            real = importlib.metadata.version
            def version(name):
                if name == {package!r}:
                    raise importlib.metadata.PackageNotFoundError(name)
                return real(name)
            importlib.metadata.version = version
        """)
    )
    command = [sys.executable, "-m", "autograde", "environment"]
    done = subprocess.run(
        command, cwd=COURSE, env=_with_path(tmp_path), capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert re.search(rf"To do: .*\b{package}\b", done.stdout)
    assert done.returncode == 1


def _with_path(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder)}
