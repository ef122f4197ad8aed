"""``graded-course``: a course to set and mark, in a folder of its own beside the clone.

Nothing in the clone is changed, so that ``git pull`` goes on working; and what was released to a
class stays as it is until its instructor releases a lesson again.
"""

import argparse
import shutil
import subprocess
from pathlib import Path

from autograde.marking.course_folder import Refused

SETTINGS = '''\
"""nbgrader reads this file when it is started in this folder. The settings are the course's."""

from autograde.grading.nbgrader_settings import configure

c = get_config()  # noqa: F821 (nbgrader provides get_config)
configure(c)

# A graded course releases neither model answers nor solved lessons.
c.ReleaseModelAnswers.enabled = False
'''
IGNORED = "# Marks and hand-ins of a class belong in no repository.\n*\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Run it again with a LESSON to take its newest version; without one, lessons that are "
        "there stay as they are."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="new, for example ../marks")
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="default: all of the clone")
    parser.add_argument(
        "--clone",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="where the course was cloned to (default: this folder)",
    )


def run(args: argparse.Namespace) -> int:
    folder: Path = args.folder.resolve()
    for said in make_course(args.clone.resolve(), folder, args.lessons):
        print(said)
    print(f"Next, in {folder}: nbgrader generate_assignment LESSON")
    return 0


def make_course(clone: Path, folder: Path, lessons: list[str]) -> list[str]:
    """Make or renew the course; return what was done, a sentence each.

    Raises
    ------
    Refused
            The folder is the clone, or lies in it where git sees it, or there is no such lesson.
    """
    known = sorted(path.parent.name for path in clone.glob("solutions/*/*.ipynb"))
    if not known:
        raise Refused(f"{clone} is no clone of the course: it has no solutions/. See --clone.")
    wrong = [lesson for lesson in lessons if lesson not in known]
    if wrong:
        raise Refused(f"There is no lesson {wrong[0]}. There are: {', '.join(known)}.")
    _refuse_tracked(clone, folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("nbgrader_config.py", SETTINGS), (".gitignore", IGNORED)):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")
    said = []
    for lesson in lessons or known:
        there = (folder / "solutions" / lesson).exists()
        if there and not lessons:
            said.append(f"{lesson} was there and stays.")
            continue
        _copy(clone / "solutions" / lesson, folder / "solutions" / lesson)
        said.append(f"{lesson} {'was renewed' if there else 'is there'}.")
    return said


def _refuse_tracked(clone: Path, folder: Path) -> None:
    if folder == clone:
        raise Refused(f"{folder} is the clone itself: name a new folder, for example ../marks.")
    if clone not in folder.parents:
        return
    ignored = subprocess.run(
        ["git", "-C", clone, "check-ignore", "-q", folder / "gradebook"], check=False
    ).returncode
    if ignored != 0:
        raise Refused(
            f"{folder} lies in the clone and git does not ignore it: take a folder beside the "
            "clone, for example ../marks."
        )


def _copy(source: Path, target: Path) -> None:
    """The solved notebook and the data beside it; the author's source is not needed."""
    shutil.copytree(
        source,
        target,
        ignore=shutil.ignore_patterns("*.py", "__pycache__", ".*"),
        dirs_exist_ok=True,
    )
