"""How long ``python -m autograde export`` takes for a large class, beside ``nbgrader export``.

    python -m benchmarks.export_class [--students 300] [--lessons 16] [--nbgrader]

Makes a course in a temporary folder: every student has handed in every lesson of the course, each
with a verdict and with all its cells in the gradebook; then runs the commands as processes and
prints wall-clock and processor seconds of each.
"""

import argparse
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from nbgrader.api import Gradebook

from autograde.marking.course_folder import CourseFolder
from autograde.marking.graded_course import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
LEDGER = {"version": 1, "questions": []}


def make_course(root: Path, students: list[str], lessons: int) -> CourseFolder:
    """A course whose every cell has a mark."""
    (root / "nbgrader_config.py").write_text(SETTINGS)
    for path in sorted(ROOT.glob("lessons/*/*.ipynb"))[:lessons]:
        release = root / "lessons" / path.parent.name
        release.mkdir(parents=True)
        shutil.copy(path, release)
    course = CourseFolder.at(root)
    with sqlite3.connect(root / "gradebook.db") as new:
        new.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
    with Gradebook(course.database) as book:
        for student in students:
            book.add_student(student)
        for lesson in course.lessons():
            path = course.released(lesson)
            book.add_assignment(lesson)
            book.add_notebook(path.stem, lesson)
            for cell in json.loads(path.read_text())["cells"]:
                nbgrader = cell["metadata"].get("nbgrader", {})
                if nbgrader.get("grade"):
                    name, kind, most = nbgrader["grade_id"], cell["cell_type"], nbgrader["points"]
                    book.add_grade_cell(name, path.stem, lesson, max_score=most, cell_type=kind)
    with sqlite3.connect(root / "gradebook.db") as book_file:
        for lesson in course.lessons():
            _hand_in_all(course, lesson, students, book_file)
    rows = "".join(f"{s},First {s},Last,{s}@example.org\n" for s in students)
    (root / "roster.csv").write_text(f"Username,First name,Surname,Email address\n{rows}")
    return course


def _hand_in_all(
    course: CourseFolder, lesson: str, students: list[str], book: sqlite3.Connection
) -> None:
    data = course.released(lesson).read_bytes()
    digest, ledger = sha256(data).hexdigest(), {}
    (assignment,) = book.execute("SELECT id FROM assignment WHERE name = ?", (lesson,)).fetchone()
    (notebook,) = book.execute(
        "SELECT id FROM notebook WHERE assignment_id = ?", (assignment,)
    ).fetchone()
    cells = book.execute("SELECT id FROM base_cell WHERE notebook_id = ?", (notebook,)).fetchall()
    for student in students:
        path = course.hand_in(student, lesson)
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        verdict = course.root / "verdicts" / lesson / f"{student}.json"
        verdict.parent.mkdir(parents=True, exist_ok=True)
        verdict.write_text(json.dumps({"version": 1, "status": "marked", "submission": digest}))
        page = course.root / "feedback" / student / lesson / "page.html"
        page.parent.mkdir(parents=True)
        page.write_text("feedback\n" * 1000)
        file = f"{student}_1_assignsubmission_file_/{path.name}"
        attempt = {"file": file, "digest": digest, "time": "2026-11-20 10:00:00"}
        ledger[student] = [{**attempt, "platform": "moodle", "number": "1", "name": student}]
        of_student, of_notebook = uuid4().hex, uuid4().hex
        book.execute(
            "INSERT INTO submitted_assignment (id, assignment_id, student_id) VALUES (?, ?, ?)",
            (of_student, assignment, student),
        )
        book.execute(
            "INSERT INTO submitted_notebook (id, assignment_id, notebook_id) VALUES (?, ?, ?)",
            (of_notebook, of_student, notebook),
        )
        book.executemany(
            "INSERT INTO grade (id, notebook_id, cell_id, auto_score, needs_manual_grade) "
            "VALUES (?, ?, ?, 1, 0)",
            [(uuid4().hex, of_notebook, cell) for (cell,) in cells],
        )
    path = course.ledger(lesson)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**LEDGER, "students": ledger}))


def timed(command: list[str], folder: Path) -> str:
    """Wall-clock and processor seconds of a command."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{time.perf_counter() - begun:.1f} s, {processor:.1f} processor s"


def main() -> None:
    """Make the class and time the exports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--lessons", type=int, default=16)
    parser.add_argument("--nbgrader", action="store_true", help="its own export, too: minutes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        students = [f"s{number:04}" for number in range(args.students)]
        root = Path(folder).resolve()
        course = make_course(root, students, args.lessons)
        print(f"{len(students)} students, {len(course.lessons())} lessons")
        ours = [sys.executable, "-m", "autograde", "export", "--for", "moodle"]
        print("autograde export --for moodle:", timed(ours, root))
        if args.nbgrader:
            theirs = [str(Path(sys.executable).parent / "nbgrader"), "export", "--to", "g.csv"]
            print("nbgrader export:", timed(theirs, root))


if __name__ == "__main__":
    main()
