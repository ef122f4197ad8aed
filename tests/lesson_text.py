"""A lesson's source as its learners meet it: without the slides of the lecture."""

import re
from pathlib import Path

SLIDE = re.compile(r"^# %% \[markdown\] deck=.*?(?=^# %%|\Z)", re.MULTILINE | re.DOTALL)


def for_learners(source: Path) -> str:
    """The text of a source, less the cells that are slides."""
    return SLIDE.sub("", source.read_text(encoding="utf-8"))
