"""Processor seconds of ``autograde grade`` and of plain nbgrader, on the same submissions.

    python -m benchmarks.grade_class [LESSON ...] [--submissions 20] [--plain 2]

Each lesson gets two courses in a temporary folder, with the same right notebooks. Plain nbgrader
marks one submission (`autograde`, `generate_feedback`), then `grade` and `feedback` mark their
share of the class, and so on in turns, each in processes of their own. All times are processor
seconds, so that other work on the machine counts less. ``executing and judging`` is without the
start of Python, the gradebook and the feedback page; ``whole`` is all of it.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from autograde.marking.course_folder import CourseFolder
from autograde.marking.graded_course import SETTINGS
from autograde.marking.rehearsal.hand_in import HandIn

ROOT = Path(__file__).resolve().parents[1]
LESSONS = ("01_word2vec", "08_scalar_mix_and_elmo", "13_attention")
NBGRADER = str(Path(sys.executable).parent / "nbgrader")
AUTOGRADE = (sys.executable, "-m", "autograde")


def spent(folder: Path, *command: str) -> float:
    """Processor seconds of a command and of all that it started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@dataclass
class Times:
    """Processor seconds: of plain nbgrader by submission, of ours by command."""

    marked_plainly: list[float] = field(default_factory=list)
    plain_pages: list[float] = field(default_factory=list)
    judged: list[float] = field(default_factory=list)
    grade: float = 0.0
    pages: float = 0.0

    def lines(self) -> list[str]:
        """What came of it."""
        plain = sum(self.marked_plainly) / len(self.marked_plainly)
        page = sum(self.plain_pages) / len(self.plain_pages)
        number = len(self.judged)
        judged, whole = sum(self.judged) / number, (self.grade + self.pages) / number
        return [
            f"  nbgrader autograde {plain:.1f}, generate_feedback {page:.1f} a submission",
            f"  executing and judging {judged:.2f} a submission: {plain / judged:.0f} times less",
            f"  whole path, {number} submissions: {self.grade:.1f}, feedback {self.pages:.1f}; "
            f"{whole:.2f} each: {(plain + page) / whole:.0f} times less",
        ]


def course_of(root: Path, lesson: str, students: list[str]) -> CourseFolder:
    """A course that has released the lesson; everybody has handed in what is right."""
    root.mkdir()
    (root / "nbgrader_config.py").write_text(SETTINGS)
    ignored = shutil.ignore_patterns("*.py", "__pycache__")
    shutil.copytree(ROOT / "solutions" / lesson, root / "solutions" / lesson, ignore=ignored)
    spent(root, NBGRADER, "generate_assignment", lesson)
    course = CourseFolder.at(root)
    released = nbformat.read(course.released(lesson), 4)
    solved = nbformat.read(next((root / "solutions" / lesson).glob("*.ipynb")), 4)
    right = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in solved.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    for student in students:
        path = course.hand_in(student, lesson)
        path.parent.mkdir(parents=True)
        path.write_bytes(HandIn.of(released, right).saved())
    return course


def measured(folder: Path, lesson: str, submissions: int, plain: int) -> Times:
    """Both on one lesson, in turns."""
    students = [f"s{number:03}" for number in range(submissions)]
    theirs = course_of(folder / "theirs", lesson, students[:plain])
    ours = course_of(folder / "ours", lesson, students)
    times = Times()
    for turn in range(plain):
        one = ("--student", students[turn])
        times.marked_plainly.append(spent(theirs.root, NBGRADER, "autograde", lesson, *one))
        times.plain_pages.append(spent(theirs.root, NBGRADER, "generate_feedback", lesson, *one))
        share = students[turn::plain]
        chosen = [word for student in share for word in ("--student", student)]
        command = (*AUTOGRADE, "grade", lesson, "--workers", "1", *chosen)
        times.grade += spent(ours.root, *command)
    times.pages = spent(ours.root, *AUTOGRADE, "feedback", lesson)
    for path in sorted((ours.root / "verdicts" / lesson).glob("*.json")):
        verdict = json.loads(path.read_text("utf-8"))
        assert all(exercise["points"] == exercise["of"] for exercise in verdict["exercises"])
        times.judged.append(verdict["processor_seconds"])
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", nargs="*", default=LESSONS)
    parser.add_argument("--submissions", type=int, default=20)
    parser.add_argument("--plain", type=int, default=2, help="submissions that nbgrader marks, too")
    args = parser.parse_args()
    for lesson in args.lessons:
        with tempfile.TemporaryDirectory() as folder:
            times = measured(Path(folder).resolve(), lesson, args.submissions, args.plain)
        print("\n".join([f"{lesson}, processor seconds:", *times.lines()]), flush=True)


if __name__ == "__main__":
    main()
