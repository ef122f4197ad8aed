"""autograde: exercises whose checks name the mistake."""

from autograde.running.environment import environment

__all__ = ["calibration", "check", "environment", "or_reference", "outcome", "predict"]

try:
    from autograde.checking.check import check, or_reference
    from autograde.checking.predictions import calibration, outcome, predict
except ModuleNotFoundError as error:
    # `environment` must still be able to say in words that numpy or torch is missing.
    if str(error.name).startswith(("autograde", "elmo_mini")):
        raise
    _missing = error.name

    def __getattr__(name: str) -> object:
        if name in __all__:
            raise ImportError(
                f"autograde.{name} needs {_missing}, which is not installed here. "
                "`python -m autograde environment` says what to do."
            )
        raise AttributeError(f"module 'autograde' has no attribute {name!r}")
