"""The same class in a PostgreSQL database as in SQLite: a server that this test starts and ends."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograde.marking.engine import Processes
from autograde.marking.grade import grade
from autograde.marking.gradebook import Gradebook
from autograde.marking.limits import Limits
from tests.autograde.marking.graded_classes import (
    SMALL,
    class_of,
    course_at,
    gradebook_of,
    hand_in,
)

LIMITS = Limits(cell_seconds=3, idle_seconds=5)
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A URL: the server listens on a socket in a folder of its own."""
    pytest.importorskip("psycopg", reason="no driver for PostgreSQL here: the extra `class`")
    if not PROGRAMS:
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    if os.getuid() == 0 and not shutil.which("runuser"):
        pytest.skip("PostgreSQL does not run as root, and there is no runuser here")
    folder = tmp_path_factory.mktemp("postgresql")
    data, socket = folder / "data", folder / "socket"
    for made in (data, socket):
        made.mkdir()
    as_user: list[str] = []
    if os.getuid() == 0:
        as_user = ["runuser", "-u", "postgres", "--"]
        for made in (data, socket):
            shutil.chown(made, "postgres", "postgres")
        for above in folder.parents[:3]:
            above.chmod(above.stat().st_mode | 0o055)
        folder.chmod(0o755)

    def run(program: str, *words: str) -> None:
        command = [*as_user, str(PROGRAMS[-1] / program), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300, cwd="/")

    run("initdb", "-D", str(data), "-U", "marker", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories='{socket}' -c fsync=off"
    run("pg_ctl", "-D", str(data), "-w", "-l", str(data / "log"), "-o", options, "start")
    try:
        run("createdb", "-h", str(socket), "-U", "marker", "marks")
        yield f"postgresql+psycopg://marker@/marks?host={socket}"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")


@pytest.mark.slow
def test_a_gradebook_in_postgresql_holds_the_same_marks(server: str, tmp_path: Path) -> None:
    """Also after a second hand-in, and as `export` and formgrader read it."""
    made = class_of(5, broken=0.2)
    courses = [
        course_at(tmp_path / "one", SMALL),
        course_at(tmp_path / "two", SMALL, server),
    ]
    (best,) = [m for m in class_of(200).values() if m.student == "as_it_should_be"][:1]
    for course in courses:
        hand_in(course, SMALL, [(student, m.data) for student, m in made.items()])
        with Processes(1) as processes:
            grade(course, SMALL, LIMITS, processes, seeded="rehearsal")
            hand_in(course, SMALL, [("s0001", best.data)])
            grade(course, SMALL, LIMITS, processes, seeded="rehearsal")
    sqlite, postgresql = courses
    assert postgresql.database == server
    assert gradebook_of(postgresql) == gradebook_of(sqlite) != []
    assert Gradebook.read(server) == Gradebook.read(sqlite.database)
    assert not (postgresql.root / "gradebook.db").exists()
