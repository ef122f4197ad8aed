"""A lesson is marked in the sandbox: what is right earns its points, what is forged earns none."""

import json
import re
import socket
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograde.marking.asking.wire import Line
from autograde.marking.clock import descendants
from autograde.marking.limits import Limits
from autograde.marking.sandbox.start import NoServer, Server, has_bubblewrap
from autograde.marking.verdict import Verdict
from autograde.marking.worker import Task, gone_for, mark
from tests.autograde.marking.attacks import (
    ANSWERS,
    BEFORE,
    CANARIES,
    FORKS,
    READS_A_NOTE,
    STAYS,
)
from tests.autograde.marking.submissions import release_of, right, submission

LESSON = "01_word2vec"
LIMITS = Limits(cell_seconds=3, idle_seconds=3)
SECRET = b"a secret of the tests"
FORGED = "shifted_pmi"
FEW = ("the judge finds no difference", "a verdict is sent", "every case is refused")
FEW_ANSWERS = ("the reference is imported", "frames", "ends the process", "answers by handle")
walls = pytest.mark.skipif(not has_bubblewrap(), reason="there is no bubblewrap here that works")


@pytest.fixture(scope="module")
def task() -> Any:
    """Makes the task of marking a notebook."""
    released = release_of(LESSON)
    gone = gone_for(nbformat.reads(released, 4))

    def made(notebook: bytes, student: str = "anna", limits: Limits = LIMITS) -> Task:
        return Task(LESSON, student, notebook, released, SECRET, limits, gone)

    return made


def _points(verdict: Verdict) -> dict[str, float]:
    assert verdict.status == "marked", verdict.reason
    return {exercise.id: exercise.points for exercise in verdict.exercises}


def _of(verdict: Verdict) -> dict[str, float]:
    return {exercise.id: exercise.of for exercise in verdict.exercises}


def _slowly(names: dict[str, str], few: tuple[str, ...]) -> list[Any]:
    return [
        pytest.param(name, id=name, marks=[] if name in few else [pytest.mark.slow])
        for name in names
    ]


def test_right_answers_earn_everything(task: Any) -> None:
    """Also those that warn and print, which nbgrader's own marking counts as wrong."""
    noisy = "import warnings, sys\nwarnings.warn('careful')\nprint('x', file=sys.stderr)\n"
    from tests.autograde.marking.submissions import answers_of

    answer = noisy + answers_of(LESSON)[FORGED]
    verdict = mark(task(submission(LESSON, right(LESSON, **{FORGED: answer})))).verdict
    assert _points(verdict) == _of(verdict)


@walls
def test_an_environment_behind_a_link_marks_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a .venv on another disk, or the interpreter of a minor version in uv's folder."""
    linked = tmp_path / "linked"
    linked.symlink_to(sys.prefix)
    monkeypatch.setattr(
        sys, "executable", str(linked / Path(sys.executable).relative_to(sys.prefix))
    )
    monkeypatch.setattr(sys, "prefix", str(linked))
    server = Server(set(), LIMITS, walls=True)  # is heard, or raises
    server.close()


@walls
@pytest.mark.parametrize(
    "lesson", ["13_attention", pytest.param("10_awd_lstm", marks=pytest.mark.slow)]
)
def test_modules_are_judged_as_functions_are(lesson: str) -> None:
    """Right ones earn everything, and one that gives zeros loses its own points alone."""
    from tests.autograde.marking.submissions import answers_of

    released = release_of(lesson)
    gone = gone_for(nbformat.reads(released, 4))
    name = {"13_attention": "MultiHead", "10_awd_lstm": "WeightDrop"}[lesson]
    forged = answers_of(lesson)[name] + (
        f"\nimport torch\ntorch.allclose = torch.equal = lambda *given, **named: True\n"
        f"{name}.forward = lambda self, *given: given[0] * 0\n"
    )
    for own, points in (({}, None), ({name: forged}, 0.0)):
        notebook = submission(lesson, right(lesson, **own))
        verdict = mark(Task(lesson, "anna", notebook, released, SECRET, Limits(), gone)).verdict
        expected = _of(verdict) | ({} if points is None else {name: points})
        assert _points(verdict) == expected


def test_an_empty_notebook_earns_nothing_and_a_wrong_answer_is_named(task: Any) -> None:
    """What is not begun is said to be so; a named mistake has its name, in marking as at home."""
    empty = mark(task(submission(LESSON, {}))).verdict
    assert not any(_points(empty).values())
    assert {exercise.status for exercise in empty.exercises} == {"not begun"}
    answer = (
        "def shifted_pmi(counts, negatives):\n"
        "    chance = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True)\n"
        "    return np.log(counts * counts.sum() / chance)\n"
    )
    verdict = mark(task(submission(LESSON, {FORGED: answer}))).verdict
    (found,) = [exercise for exercise in verdict.exercises if exercise.id == FORGED]
    assert found.mistake == "log k is missing"
    assert found.points < found.of


def test_what_leans_on_a_wrong_answer_is_judged_by_the_courses_function(task: Any) -> None:
    """`or_reference` goes on working: the function comes in when the verdict is sealed."""
    own = {"sgns_loss": "def sgns_loss(center, context, negatives):\n    return 'wrong'\n"}
    leaning = right(LESSON, **own)
    assert "sgns_loss(" in leaning["sgns_step"]
    points = _points(mark(task(submission(LESSON, leaning))).verdict)
    assert points["sgns_loss"] == 0
    assert points["sgns_step"] == 3


def test_the_same_submission_has_the_same_verdict(task: Any) -> None:
    """And another student has other cases."""
    notebook = submission(LESSON, {FORGED: "def shifted_pmi(counts, k):\n    return counts\n"})
    one, two = (mark(task(notebook)).verdict.exercises for _ in range(2))
    assert one == two
    other = mark(task(notebook, "ben")).verdict.exercises
    assert [e.points for e in other] == [e.points for e in one]
    assert other != one, "the cases of two students are the same"


@walls
@pytest.mark.parametrize("name", _slowly(BEFORE, FEW))
def test_a_cell_on_top_gains_nothing(task: Any, name: str) -> None:
    """Whatever it patches, the verdict is computed elsewhere."""
    honest = right(LESSON, **{FORGED: "def shifted_pmi(counts, k):\n    return 1.0\n"})
    verdict = mark(task(submission(LESSON, honest, BEFORE[name]))).verdict
    points, most = _points(verdict), _of(verdict)
    assert points[FORGED] == 0
    assert all(points[name] <= most[name] for name in points)


@walls
@pytest.mark.parametrize("name", _slowly(ANSWERS, FEW_ANSWERS))
def test_a_forged_answer_earns_nothing_and_costs_its_own_exercise(task: Any, name: str) -> None:
    """The others are marked as they are."""
    forged = ANSWERS[name].replace("{name}", FORGED)
    verdict = mark(task(submission(LESSON, right(LESSON, **{FORGED: forged})))).verdict
    points, most = _points(verdict), _of(verdict)
    assert points[FORGED] == 0, verdict.exercises
    assert {n: p for n, p in points.items() if n != FORGED} == {
        n: p for n, p in most.items() if n != FORGED
    }


@pytest.mark.parametrize("walls", [pytest.param(True, marks=walls), False])
def test_a_signal_to_a_submissions_group_leaves_the_server_alone(walls: bool) -> None:
    """And a server that is lost all the same is known to be lost, so that marking begins anew."""
    server = Server(set(), LIMITS, walls)
    try:
        number, line = server.begin()
        Line(line).send(["run", "import os\nos.killpg(0, 9)", "<cell>", 3])
        line.settimeout(20)
        line.recv(1)  # the first process of a namespace survives what it sends itself
        server.end(number)
        number, _ = server.begin()
        assert not server.is_lost()
        server.line.shutdown(socket.SHUT_RDWR)
        with pytest.raises(NoServer):
            server.end(number)
        assert server.is_lost()
    finally:
        server.close()


def _printed(end: socket.socket, code: str) -> str:
    line = Line(end)
    line.send(["run", code, "<cell>", 10])
    answer, _ = line.receive()
    assert answer["error"] is None, answer
    return str(answer["printed"]).strip()


@walls
def test_a_submission_leaves_nothing_to_the_next_one() -> None:
    """No process, whatever it asked the kernel for, and no word: not in a log, nor in a keyring."""
    server = Server(set(), LIMITS)
    try:
        before = set(descendants(server.process.pid))
        number, end = server.begin()
        _printed(end, STAYS)
        begun = set(descendants(server.process.pid)) - before
        assert {Path(f"/proc/{one}/oom_score_adj").read_text() for one in begun} == {"1000\n"}
        Line(end).send(["bye"])
        server.end(number)
        assert set(descendants(server.process.pid)) == before
        _, end = server.begin()
        assert _printed(end, READS_A_NOTE) == "b'' -1"
    finally:
        server.close()


@walls
def test_a_fork_bomb_leaves_other_workers_their_processes() -> None:
    """Where root marks, too: the kernel counts processes by user."""
    servers = [Server(set(), LIMITS) for _ in range(2)]
    try:
        ends = [server.begin()[1] for server in servers]
        assert int(_printed(ends[0], FORKS.format(most=100))) < 100
        assert int(_printed(ends[1], FORKS.format(most=3))) == 3
    finally:
        for server in servers:
            server.close()


@walls
def test_nothing_is_read_or_written_outside(task: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """Canaries: a secret, a folder that can be written, an open port, a variable."""
    tmp_path.chmod(0o777)
    (tmp_path / "secret").write_text("the canary")
    monkeypatch.setenv("CANARY", "the canary")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        cell = "canaries = []\n"
        for name, code in CANARIES.items():
            body = code.format(folder=str(tmp_path), port=port).replace("\n", "\n    ")
            cell += f"try:\n    {body}\n    canaries.append({name!r})\nexcept BaseException: pass\n"
        tells = f"def {FORGED}(*given):\n    raise ValueError(repr(canaries))\n"
        verdict = mark(task(submission(LESSON, {FORGED: tells}, cell))).verdict
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret"]
    (found,) = [exercise for exercise in verdict.exercises if exercise.id == FORGED]
    told = re.search(r"\[.*?\]", found.message)
    assert told is not None, found.message
    private = {
        "a note for the next",
        "shared memory",
        "a poisoned module",
    }  # written, and gone with the process
    assert set(json.loads(told[0].replace("'", '"'))) <= private


@walls
def test_a_cell_that_never_ends_costs_what_depends_on_it(task: Any) -> None:
    """It is stopped, or left out, and said."""
    cell = "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n"
    verdict = mark(task(submission(LESSON, right(LESSON), cell))).verdict
    assert _points(verdict) == _of(verdict)
    assert any("Cell 1" in note for note in verdict.notes)
