"""A notebook of an earlier release is told why its import fails, and what to do."""

import importlib
import sys

import pytest

import autograde  # noqa: F401  (it is imported first in every lesson)
from autograde.moved_modules import MovedModules, explain_moved_modules


@pytest.mark.parametrize(
    "cell",
    [
        "from elmo_mini.experiments import small_text",
        "from elmo_mini.figures import plots",
        "from elmo_mini.bilm.plain import BiLM",
        "import autograde.desk.parts",
    ],
)
def test_an_import_of_the_last_release_says_what_to_do(cell: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"earlier release.*`make lab`"):
        exec(cell, {})


def test_other_modules_are_left_alone() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_module'"):
        importlib.import_module("no_such_module")
    before = list(sys.meta_path)
    explain_moved_modules()
    assert sys.meta_path == before
    assert isinstance(before[-1], MovedModules) or any(isinstance(f, MovedModules) for f in before)
