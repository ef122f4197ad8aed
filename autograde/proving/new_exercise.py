"""A new exercise is entered in its lesson's folder, where the exercises are listed in order."""

import importlib
import re
from pathlib import Path

from autograde import exercises
from autograde.building.lesson_source import read_lesson
from autograde.checking.catalogue import places

NAMES = re.compile(r"^EXERCISES = \(.*?\)$", re.M | re.S)


def enter(name: str, root: Path) -> str:
    """Write the name of an exercise, whose file and cells are there, into its folder's list.

    Returns what was done in a sentence; "" where no file has this name, or it was listed already.

    Raises
    ------
    LookupError
        If the lesson has no cell of this exercise.
    """
    found = [path for folder in exercises.__path__ for path in Path(folder).glob(f"*/{name}.py")]
    if name in places() or not found:
        return ""
    face = found[0].with_name("__init__.py")
    lesson = importlib.import_module(f"{exercises.__name__}.{found[0].parent.name}")
    (source,) = root.glob(f"solutions/{lesson.LESSON}/*.py")
    answers = [cell for cell in read_lesson(source).cells if cell.has_role("exercise", "code")]
    order = [cell.name for cell in answers]
    if name not in order:
        raise LookupError(f"{source.name} has no cell with exercise={name!r}")
    listed = "".join(f'    "{each}",\n' for each in order if each in (*lesson.EXERCISES, name))
    face.write_text(
        NAMES.sub(f"EXERCISES = (\n{listed})", face.read_text("utf-8"), count=1), "utf-8"
    )
    importlib.reload(lesson)
    places.cache_clear()
    return f"{name} is entered in {found[0].parent.name}/__init__.py."
