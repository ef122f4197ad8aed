"""A notebook of an earlier release is told why its import fails, and what to do."""

import importlib
import subprocess
import sys
import warnings

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
        "import elmo_mini.few_labels.labels_saved",
    ],
)
def test_an_import_of_the_last_release_says_what_to_do(cell: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"earlier release.*`make lab`"):
        exec(cell, {})


def test_a_module_that_moved_whole_is_found_and_its_new_place_told() -> None:
    from course.a_hundred_labels import protocol

    for name in [name for name in sys.modules if name.startswith("elmo_mini.few_labels")]:
        del sys.modules[name]
    with pytest.warns(
        FutureWarning, match=r"few_labels\.protocol is course\.a_hundred_labels\.pro"
    ):
        old = importlib.import_module("elmo_mini.few_labels.protocol")
    assert old.learn_and_answer is protocol.learn_and_answer
    with warnings.catch_warnings():  # none, where the new place has been imported before
        warnings.simplefilter("ignore")
        exec("from elmo_mini.few_labels import methods\nmethods.bag_of_words()", {})
    with pytest.raises(AttributeError):
        old.nothing_of_this_name  # noqa: B018
    with pytest.raises(ImportError, match="labels_saved"):
        exec("from elmo_mini.few_labels import labels_saved", {})


def test_elmo_mini_alone_knows_of_no_course() -> None:
    """Only autograde, which needs both, leads from one to the other."""
    code = "import elmo_mini.few_labels"
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "No module named 'elmo_mini.few_labels'" in asked.stderr


def test_other_modules_are_left_alone() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_module'"):
        importlib.import_module("no_such_module")
    before = list(sys.meta_path)
    explain_moved_modules()
    assert sys.meta_path == before
    assert isinstance(before[-1], MovedModules) or any(isinstance(f, MovedModules) for f in before)
