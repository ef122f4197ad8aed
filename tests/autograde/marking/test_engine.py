"""Workers may be lost, and the coordinator killed: nobody's mark is, and each is what it was."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from autograde.marking import engine, worker
from autograde.marking import verdict as verdicts
from autograde.marking.course_folder import CourseFolder, Refused
from autograde.marking.engine import Cluster, Processes
from autograde.marking.grade import grade
from autograde.marking.gradebook import Gradebook
from autograde.marking.limits import Limits
from autograde.marking.marks import Marks
from autograde.marking.repair import read_submission, repaired
from autograde.marking.verdict import ExerciseVerdict, Verdict
from autograde.marking.worker import Marked, Task
from tests.autograde.marking.graded_classes import (
    SMALL,
    class_of,
    course_at,
    gradebook_of,
    hand_in,
)
from tests.autograde.marking.small_lesson import LESSON, released, right, saved
from tests.autograde.marking.submissions import ROOT

LIMITS = Limits(cell_seconds=3, idle_seconds=5)
STUDENTS = 14


def marked_or_killed(task: Task) -> Marked:
    """In place of `mark`: a notebook that ends whatever process marks it."""
    if task.submission == b"kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return Marked(Verdict(task.lesson, task.student, "digest"))


@pytest.mark.slow
def test_a_notebook_that_ends_its_worker_costs_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "mark", marked_or_killed)
    tasks = [
        Task(SMALL, f"s{n}", b"kill" if n == 3 else b"", "", b"", LIMITS, frozenset())
        for n in range(9)
    ]
    with Processes(2) as processes:
        found = {marked.verdict.student: marked.verdict for marked in processes.marked(tasks)}
    assert found.keys() == {task.student for task in tasks}
    assert {s for s, verdict in found.items() if verdict.status == "failed"} == {"s3"}
    assert "ended 3 times" in found["s3"].reason


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> CourseFolder:
    """A class that was marked in one go."""
    course = course_at(tmp_path_factory.mktemp("undisturbed"), SMALL)
    made = class_of(STUDENTS)
    hand_in(course, SMALL, [(student, m.data) for student, m in made.items()])
    with Processes(1) as processes:
        found = grade(course, SMALL, LIMITS, processes, seeded="rehearsal")
    for verdict in found:
        must = made[verdict.student].must
        assert verdict.status == ("unreadable" if must.status == "unreadable" else "marked")
        assert {e.id: e.points for e in verdict.exercises}.items() <= must.points.items()
    return course


def same_class(undisturbed: CourseFolder, root: Path, database: str = "") -> CourseFolder:
    """Another course, with the same hand-ins."""
    course = course_at(root / "course", SMALL, database)
    for path in undisturbed.root.glob(f"submitted/*/{SMALL}/*.ipynb"):
        hand_in(course, SMALL, [(path.parts[-3], path.read_bytes())])
    return course


@pytest.mark.slow
def test_a_worker_of_a_cluster_is_lost_in_the_middle(
    undisturbed: CourseFolder, tmp_path: Path
) -> None:
    """Dask, with a scheduler and workers of their own processes; one of them is killed."""
    distributed = pytest.importorskip("distributed", reason="no Dask here: the extra `class`")
    course = same_class(undisturbed, tmp_path)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        victim = next(iter(cluster.workers.values())).pid

        def kill() -> None:
            while len(list(course.root.glob("verdicts/*/*.json"))) < 3:
                time.sleep(0.05)
            os.kill(victim, signal.SIGKILL)

        threading.Thread(target=kill, daemon=True).start()
        with Cluster(cluster.scheduler_address) as workers:
            found = grade(course, SMALL, LIMITS, workers, seeded="rehearsal")
        assert victim not in {nanny.pid for nanny in cluster.workers.values()}
    assert "failed" not in {verdict.status for verdict in found}
    assert len(found) == STUDENTS
    assert gradebook_of(course) == gradebook_of(undisturbed)


COORDINATOR = """\
import sys
from pathlib import Path
from autograde.marking.course_folder import CourseFolder
from autograde.marking.engine import Processes
from autograde.marking.grade import grade
from autograde.marking.gradebook import Gradebook
from autograde.marking.limits import Limits
if __name__ == "__main__":
    with Processes(2) as processes:
        limits = Limits(cell_seconds=3, idle_seconds=5)
        course = CourseFolder.at(Path(sys.argv[1]))
        grade(course, sys.argv[2], limits, processes, seeded="rehearsal")
"""


def _family(process: psutil.Process) -> dict[str, list[psutil.Process]]:
    """The coordinator, its workers, and their fork servers."""
    found: dict[str, list[psutil.Process]] = {"coordinator": [process]}
    for child in process.children(recursive=True):
        try:
            line = " ".join(child.cmdline())
        except psutil.Error:
            continue
        if "spawn_main" in line:
            found.setdefault("worker", []).append(child)
        elif "sandbox.server" in line and "bwrap" not in line:
            found.setdefault("fork server", []).append(child)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("who", ["coordinator", "worker", "fork server"])
def test_whoever_is_killed_the_gradebook_is_the_same(
    who: str, undisturbed: CourseFolder, tmp_path: Path
) -> None:
    """kill -9 at random moments, again and again, and then a run that is left alone."""
    course = same_class(undisturbed, tmp_path)
    script = tmp_path / "coordinate.py"
    script.write_text(COORDINATOR)
    command = [sys.executable, str(script), str(course.root), SMALL]
    draw, killed = random.Random(who), 0
    everybody: list[psutil.Process] = []
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for _ in range(3):
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        family = psutil.Process(process.pid)
        already = len(list(course.root.glob("verdicts/*/*.json")))
        wanted = already + draw.randint(0, 4)
        while process.poll() is None:
            if len(list(course.root.glob("verdicts/*/*.json"))) >= wanted and (
                victims := _family(family).get(who)
            ):
                time.sleep(draw.random() / 5)
                everybody += [p for kind in _family(family).values() for p in kind]
                draw.choice(victims).kill()
                killed += 1
                break
            time.sleep(0.02)
        process.wait(timeout=600)
    assert killed
    _, left = psutil.wait_procs(everybody, timeout=60)
    assert not left, "processes of a killed run go on"
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL, timeout=600)
    assert gradebook_of(course) == gradebook_of(undisturbed)
    statuses = [path.read_text() for path in course.root.glob("verdicts/*/*.json")]
    assert len(statuses) == STUDENTS
    assert not any('"status": "failed"' in text for text in statuses)


def test_a_time_that_is_none_stops_nobody(course: CourseFolder) -> None:
    """With nbgrader's exchange, the file with the time comes from the student."""
    notebook, _ = repaired(read_submission(saved(right())), released())
    points = [ExerciseVerdict(n, n, 1.0, 1.0, "judged", "", "") for n in ("double", "share")]
    marks = Marks(course.database, LESSON, "small", released())
    try:
        for when in ("a canary \ufffd", "9" * 40, "2026-13-45"):
            marks.write(Verdict(LESSON, "kim", "", exercises=tuple(points)), notebook, when)
    finally:
        marks.close()
    assert Gradebook.read(course.database).marks[LESSON, "kim"].total == 2


def test_words_that_no_file_can_hold_stop_nobody(tmp_path: Path) -> None:
    """An error's text is a student's, and `grade` writes the verdicts of a class one by one."""
    bad = "half \ud800"
    exercise = ExerciseVerdict(
        "x", bad, 0, 1, "judged", bad, bad, page=bad, cases=({bad[:4]: bad},)
    )
    verdict = Verdict("00", "kim", "", reason=bad, notes=(bad,), exercises=(exercise,))
    verdict.write(tmp_path / "kim.json")
    assert verdicts.read(tmp_path / "kim.json") == verdict
    assert verdict.notes == ("half \ufffd",)


def test_unreadable_hand_ins_leave_the_server_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each server holds hundreds of megabytes, and a class may hand in dozens of damaged files."""
    closed: list[object] = []

    class OneServer:
        stamp = "none"

        def is_lost(self) -> bool:
            return False

        def close(self) -> None:
            closed.append(self)

    server = OneServer()
    monkeypatch.setattr(worker, "_server_for", lambda task: server)
    release = saved(released()).decode()
    task = Task(LESSON, "kim", b"{", release, b"secret", LIMITS, frozenset())
    assert worker.mark(task).verdict.status == "unreadable"
    assert not closed
    assert worker.mark(replace(task, submission=saved(right()))).verdict.status == "failed"
    assert closed == [server], "a server in a state that nobody knows is ended"


@pytest.mark.parametrize(
    ("students", "said"), [(None, "Nobody has handed in"), (["nobody"], "no hand-in of nobody")]
)
def test_a_class_of_nobody_is_not_marked_in_silence(
    course: CourseFolder, students: list[str] | None, said: str
) -> None:
    with pytest.raises(Refused, match=said), Processes(1) as processes:
        grade(course, LESSON, LIMITS, processes, students)
