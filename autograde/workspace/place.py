"""Where the learner's workspace is: the folder that `make lab` copied the lessons to."""

import os
from pathlib import Path

MARK = ".course"
PACKAGE = "my_elmo"  # the parts of an ELMo, which become a package that runs by itself
OTHERS = "my_parts"  # the answers to all other exercises
KEPT_IN = (PACKAGE, OTHERS)
HEAD_CELL = "elsewhere"  # tag and id of the cell that brings the course to Colab and Kaggle
THE_COURSES = ("elmo_mini", "course", "autograde")
# Each stands after those that it may use.
ELMO_PARTS = (
    "character_ids",
    "convolve",
    "highway",
    "CharCNN",
    "lstm_step",
    "reverse_each",
    "BiLM",
    "scalar_mix",
    "ScalarMix",
    "without_boundaries",
    "embed",
)


def being_graded() -> bool:
    """Whether nbgrader runs this notebook, to validate it or to mark it."""
    return "NBGRADER_EXECUTION" in os.environ


def find_workspace() -> Path | None:
    """The nearest folder from here upwards in which the course keeps its records.

    None while nbgrader runs the notebook, and where there is no such folder: then nothing is kept.
    """
    if being_graded():
        return None
    try:
        here = Path.cwd()
    except OSError:  # the folder has been deleted meanwhile
        return None
    return next((folder for folder in (here, *here.parents) if (folder / MARK).is_dir()), None)
