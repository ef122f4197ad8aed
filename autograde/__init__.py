"""autograde: exercises whose checks name the mistake.

What a lesson needs is here under its own name, loaded when it is first asked for::

    from autograde import check

    check("sgns_loss", sgns_loss)
"""

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING

from autograde.moved_modules import explain_moved_modules
from elmo_mini.extras import missing

if TYPE_CHECKING:
    from autograde.checking.check import check, or_reference
    from autograde.checking.mine import mine
    from autograde.checking.model_answer import model_answer
    from autograde.checking.predictions import calibration, outcome, predict
    from autograde.checking.progress import progress
    from autograde.checking.whose import whose
    from autograde.checking.write_my_elmo import write_my_elmo
    from autograde.running.environment import environment

__all__ = [
    "calibration",
    "check",
    "environment",
    "mine",
    "model_answer",
    "or_reference",
    "outcome",
    "predict",
    "progress",
    "whose",
    "write_my_elmo",
]

# Loaded on demand (PEP 562): nbgrader and `make lab` need no torch, which takes two seconds.
_HOMES = {
    "calibration": "checking.predictions",
    "check": "checking.check",
    "environment": "running.environment",
    "mine": "checking.mine",
    "model_answer": "checking.model_answer",
    "or_reference": "checking.check",
    "outcome": "checking.predictions",
    "predict": "checking.predictions",
    "progress": "checking.progress",
    "whose": "checking.whose",
    "write_my_elmo": "checking.write_my_elmo",
}
explain_moved_modules()

_NEEDED = ("numpy", "torch", "gensim", "IPython", "ipywidgets")


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'autograde' has no attribute {name!r}")
    gone = [package for package in _NEEDED if find_spec(package) is None]
    if gone and name != "environment":  # which says in words what is missing
        raise ImportError(
            f"autograde.{name} cannot be used: {missing(gone[0], 'course')} "
            "`python -m autograde environment` says what else there is to do."
        )
    value = getattr(importlib.import_module(f"autograde.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
