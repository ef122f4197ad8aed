"""Colab and Kaggle: the kernel gets what a lesson lacks, and the learner a folder of their own.

A student notebook's first code cell installs the course there and calls `settle`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograde.checking.model_answer import FILE as MODEL_ANSWERS
from autograde.running.requirements import LESSONS, lacking
from autograde.workspace.place import MARK, find_workspace

DRIVE = Path("/content/drive/MyDrive")
KEPT_IN = {
    DRIVE: "It is in your Google Drive, and stays.",
    Path("/kaggle/working"): "It stays with the version of this notebook that you save.",
    Path("/content"): (
        "It is gone when this runtime ends: to keep it, mount Google Drive, restart the session "
        "and run this cell again."
    ),
}
FOLDER = "before_bert"


def hosted() -> bool:
    """Whether this kernel runs in Colab or Kaggle."""
    return "google.colab" in sys.modules or "KAGGLE_KERNEL_RUN_TYPE" in os.environ


def settle(lesson: str, clone: Path | None = None) -> None:
    """Install what the lesson's kernel lacks, and go to the lesson's folder.

    Parameters
    ----------
    lesson : its folder, as 01_word2vec
    clone : a clone of the course; its model answers come along
    """
    if missing := lacking(LESSONS):
        print(f"Installing {', '.join(missing)}")
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", *missing], check=True)
    base = next((place for place in KEPT_IN if place.is_dir()), Path.cwd())
    work = base / FOLDER if base == DRIVE else find_workspace() or base / FOLDER
    folder = work / lesson
    for made in (work / MARK, folder):
        made.mkdir(parents=True, exist_ok=True)
    if clone and (answers := clone / "lessons" / lesson / MODEL_ANSWERS).is_file():
        shutil.copyfile(answers, folder / MODEL_ANSWERS)
    os.chdir(folder)
    print(f"The course is here. What you do is kept in {work}. {KEPT_IN.get(base, '')}".strip())
    from autograde.running.lab import fetch_corpora

    fetch_corpora(work)
