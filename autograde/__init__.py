"""autograde: exercises whose checks name the mistake."""

from autograde.check import check, or_reference
from autograde.predictions import calibration, outcome, predict

__all__ = ["calibration", "check", "or_reference", "outcome", "predict"]
