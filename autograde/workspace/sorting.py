"""What lies in ``my_elmo`` and does not belong to an ELMo moves to ``my_parts``, and back.

Earlier releases kept every answer in ``my_elmo``, also one that imports the course. Nothing is
deleted, and files that import one another still find one another.
"""

import re
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from autograde.workspace import parts
from autograde.workspace.part_imports import foreign, parts_in
from autograde.workspace.place import ELMO_PARTS, KEPT_IN, OTHERS, PACKAGE, THE_COURSES


def sort_parts(
    workspace: Path, exercises: Collection[str], ours: Collection[str], now: datetime
) -> str:
    """Put each file in its place.

    Parameters
    ----------
    exercises : the ids of all of them
    ours : names of files in ``my_elmo`` that no learner has written

    Returns
    -------
    A sentence on what has moved out; "" where nothing has.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    inside = {
        path.stem: path for path in (workspace / PACKAGE).glob("*.py") if path.name not in ours
    }
    texts = {stem: parts.read(path) or "" for stem, path in inside.items()}
    others = {s for s in texts if _exercise(s) in exercises and _exercise(s) not in ELMO_PARTS}
    needy = {stem for stem, text in texts.items() if _may_not_stay(stem, foreign(text))}
    out = _all_that_need(texts, others | needy)
    waiting = {s: parts.read(workspace / OTHERS / f"{s}.py") for s in ELMO_PARTS if s not in inside}
    back = {
        stem: text.replace(f"{OTHERS}.", f"{PACKAGE}.") for stem, text in waiting.items() if text
    }
    staying = (texts.keys() - out) | {*ELMO_PARTS}
    stay_out = {s for s, t in back.items() if foreign(t) or not staying.issuperset(parts_in(t))}
    home = back.keys() - _all_that_need(back, stay_out)
    for stem in sorted(out):
        _move(inside[stem], workspace / OTHERS, now)
    for stem in sorted(home):
        _move(workspace / OTHERS / f"{stem}.py", workspace / PACKAGE, now)
    for path in (workspace / OTHERS).glob("*.py") if out or home else ():
        _import_from(path, out, OTHERS)
        _import_from(path, home, PACKAGE)
    for stem in home:
        _import_from(workspace / PACKAGE / f"{stem}.py", ELMO_PARTS, PACKAGE)
    return _said(workspace, out, others)


def _exercise(stem: str) -> str:
    """Whose file it is, also where it has been put aside as ``NAME (before ...)``."""
    return stem.partition(" (")[0]


def _may_not_stay(stem: str, needs: Collection[str]) -> bool:
    """A learner may put a program of their own there, which needs what it likes but the course."""
    own_program = _exercise(stem) not in ELMO_PARTS
    return any(m.partition(".")[0] in THE_COURSES or not own_program for m in needs)


def _all_that_need(texts: dict[str, str], found: set[str]) -> set[str]:
    """These, and all that import one of them."""
    more = {stem for stem, text in texts.items() if found.intersection(parts_in(text))}
    return found if more <= found else _all_that_need(texts, found | more)


def _move(path: Path, folder: Path, now: datetime) -> None:
    folder.mkdir(exist_ok=True)
    if (folder / path.name).exists():
        parts.put_aside(path, now, folder)
    else:
        path.rename(folder / path.name)


def _import_from(path: Path, names: Collection[str], package: str) -> None:
    try:
        text = path.read_text(encoding="utf-8") if names else ""
    except (OSError, ValueError):
        return
    either = "|".join(map(re.escape, [*names]))
    new = re.sub(rf"\b(?:{'|'.join(KEPT_IN)})\.({either})\b", rf"{package}.\1", text)
    if new != text:
        parts.write(path, new)


def _said(workspace: Path, out: Collection[str], others: Collection[str]) -> str:
    def names(stems: Collection[str]) -> str:
        first, more = sorted(stems)[:3], len(stems) - 3
        return ", ".join(f"{stem}.py" for stem in first) + f" and {more} more" * (more > 0)

    where = f"{workspace.name}/{OTHERS}"
    said = []
    if others:
        said.append(
            f"Moved to {where}: {names(others)}. Answers to other exercises are kept there now."
        )
    if away := {*out} - {*others}:
        what = "It imports" if len(away) == 1 else "They import"
        said.append(
            f"Moved to {where}: {names(away)}. {what} more than torch, numpy and h5py, and "
            f"{PACKAGE} runs with these alone."
        )
    return "\n".join(said)
