"""autograde: exercises whose checks name the mistake."""

from importlib.util import find_spec

from autograde.running.environment import environment
from elmo_mini.extras import missing

__all__ = ["calibration", "check", "environment", "or_reference", "outcome", "predict"]

# `environment` must be able to say in words that one of these is missing.
_NEEDED = ("numpy", "torch", "gensim", "IPython", "ipywidgets")
_MISSING = [name for name in _NEEDED if find_spec(name) is None]

if not _MISSING:
    from autograde.checking.check import check, or_reference
    from autograde.checking.predictions import calibration, outcome, predict


def __getattr__(name: str) -> object:
    if name in __all__:
        raise ImportError(
            f"autograde.{name} cannot be used: {missing(_MISSING[0], 'course')} "
            "`python -m autograde environment` says what else there is to do."
        )
    raise AttributeError(f"module 'autograde' has no attribute {name!r}")
