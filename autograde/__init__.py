"""autograde: exercises whose checks name the mistake."""

from autograde.check import check, or_reference
from autograde.environment import environment
from autograde.predictions import calibration, outcome, predict

__all__ = ["calibration", "check", "environment", "or_reference", "outcome", "predict"]
