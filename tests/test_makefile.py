"""The Makefile with a stand-in for Python: what is set up when, and what is said when it fails."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STAND_IN = """\
#!/bin/sh
echo "$*" >> calls
case "$*" in
  *ensurepip*) exit ${NO_VENV:-0} ;;
  *"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *version_info*) exit ${TOO_OLD:-0} ;;
  *"pip --version"*) exit 0 ;;
  *install*) echo "${PIP_LOG:-}"; exit ${PIP_FAILS:-0} ;;
  *"-m autograde lab"*) echo "lab started" ;;
esac
"""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A course folder with a space in its name, as on many a learner's machine."""
    folder = tmp_path / "my courses" / "before bert"
    folder.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    python = tmp_path / "python3"
    python.write_text(STAND_IN)
    python.chmod(0o755)
    return folder


def test_where_no_python_fits_uv_is_asked_for_one(folder: Path) -> None:
    fitting = folder.parent / "fitting python"
    fitting.write_text(STAND_IN)
    fitting.chmod(0o755)
    (folder.parent.parent / "uv").write_text(
        f'#!/bin/sh\necho "uv $*" >> calls\ntest "$2" = install || echo "{fitting}"\n'
    )
    (folder.parent.parent / "uv").chmod(0o755)
    status, told, asked = make(folder, "lab", TOO_OLD="1")
    assert status == 0
    assert "uv fetches one" in told
    assert [line for line in asked if line.startswith("uv")] == [
        "uv python install --quiet 3.13",
        "uv python find --system 3.13",  # else .venv, which may be about to go
    ]


def make(folder: Path, target: str, **environment: str) -> tuple[int, str, list[str]]:
    """Exit status, what was said, and what the stand-in was asked to do."""
    calls = folder / "calls"
    calls.unlink(missing_ok=True)
    path = f"{folder.parent.parent}{os.pathsep}{os.environ['PATH']}"
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    done = subprocess.run(
        ["make", target, "PYTHON=python3"],
        cwd=folder,
        env={**inherited, "PATH": path, **environment},
        capture_output=True,
        text=True,
    )
    asked = calls.read_text().splitlines() if calls.exists() else []
    return done.returncode, done.stdout, asked


def installs(asked: list[str]) -> int:
    return sum(" install " in line for line in asked)


def test_the_first_call_installs_and_the_second_starts_at_once(folder: Path) -> None:
    status, said, asked = make(folder, "lab")
    assert (status, installs(asked)) == (0, 1)
    assert any("-c constraints.txt" in line and "-e .[course]" in line for line in asked)
    assert asked[-1] == "-m autograde lab --after 2"
    assert [line[:4] for line in said.splitlines()] == ["1/4 ", "2/4 ", "    ", "lab "]
    assert make(folder, "lab") == (0, "lab started\n", ["-m autograde lab"])


@pytest.mark.parametrize("name", ["cash $5", "$HOME", "a $(shell touch made) b", "it's #1"])
def test_a_folder_may_have_any_sign_in_its_name(folder: Path, name: str) -> None:
    odd = folder.rename(folder.with_name(name))
    status, _, asked = make(odd, "lab")
    assert (status, installs(asked)) == (0, 1)
    assert make(odd, "lab") == (0, "lab started\n", ["-m autograde lab"])
    assert not list(folder.parent.parent.rglob("made"))


def test_what_pip_says_goes_to_a_file(folder: Path) -> None:
    """A first start is read by a person: two hundred lines of pip would hide what matters."""
    said = make(folder, "lab", PIP_LOG="Collecting torch")[1]
    assert "Collecting" not in said
    assert "Collecting torch" in (folder / ".venv/pip.log").read_text()


def test_new_pins_are_installed(folder: Path) -> None:
    make(folder, "lab")
    later = (folder / ".venv/lab.stamp").stat().st_mtime + 10
    os.utime(folder / "constraints.txt", (later, later))
    asked = make(folder, "lab")[2]
    assert installs(asked) == 1
    assert not any("-m venv" in line for line in asked)


def test_a_moved_course_gets_a_new_environment(folder: Path) -> None:
    make(folder, "lab")
    moved = folder.rename(folder.with_name("elsewhere"))
    asked = make(moved, "lab")[2]
    assert any("-m venv" in line for line in asked)
    assert installs(make(moved, "lab")[2]) == 0


def test_an_interrupted_installation_is_taken_up_again(folder: Path) -> None:
    assert make(folder, "lab", PIP_FAILS="1")[0] != 0
    assert installs(make(folder, "lab")[2]) == 1


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"TOO_OLD": "1"}, "The course needs Python 3.11, 3.12 or 3.13. Looked for: python3."),
        ({"NO_VENV": "1"}, "python3 has no venv module. On Debian and Ubuntu: "),
        (
            {"PIP_FAILS": "1", "PIP_LOG": "Retrying after connection broken by 'x'"},
            "No package index answered: there is no network here",
        ),
        ({"PIP_FAILS": "1", "PIP_LOG": "ERROR: x: No space left on device"}, "The disk is full. "),
        ({"PIP_FAILS": "1"}, "The packages could not be installed. The lines above say why"),
        ({"PIP_FAILS": "1", "PIP_LOG": "ERROR: No matching torch"}, "\nERROR: No matching torch\n"),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(
    folder: Path, broken: dict[str, str], said: str
) -> None:
    status, told, asked = make(folder, "lab", **broken)
    assert status != 0
    assert said in told
    assert not any("autograde" in line for line in asked)


def test_make_test_runs_every_check_and_pytest_last(folder: Path) -> None:
    status, _, asked = make(folder, "test")
    assert status == 0
    assert installs(asked) == 2
    checks = [line.removeprefix("-m ") for line in asked if "pip" not in line][-5:]
    assert [check.split()[0] for check in checks] == ["ruff", "ruff", "mypy", "autograde", "pytest"]
    assert checks[3] == "autograde build --check"
    assert "slow" not in checks[4]


@pytest.mark.parametrize(
    ("target", "chosen"),
    [
        ("test", "--items quick"),
        ("test-slow", "--items slow -m slow"),
        ("test-stale", "--items stale -m by_reach"),
        ("test-all", "--items all -m "),  # every mark
    ],
)
def test_each_target_runs_its_tests_once(folder: Path, target: str, chosen: str) -> None:
    asked = make(folder, target)[2]
    (tests,) = (line for line in asked if line.startswith("-m pytest"))
    assert tests.partition("--no-loadscope-reorder ")[2] == chosen


@pytest.mark.parametrize(
    ("target", "extras", "runs"),
    [
        ("slides", "course,slides", "-m autograde slides"),
        ("book", "course,book", "-m autograde book"),
    ],
)
def test_a_target_installs_what_it_needs_and_runs(
    folder: Path, target: str, extras: str, runs: str
) -> None:
    status, _, asked = make(folder, target)
    assert (status, installs(asked)) == (0, 2)
    assert any(line.endswith(f"-e .[{extras}]") for line in asked)
    assert asked[-1] == runs
    assert make(folder, target)[2] == [runs]


def test_make_test_all_checks_style_and_types_as_well(folder: Path) -> None:
    assert make(folder, "test-all")[2][-5:-1] == make(folder, "test")[2][-5:-1]


def test_a_start_after_the_tests_has_nothing_to_set_up(folder: Path) -> None:
    make(folder, "test")
    assert make(folder, "lab")[2] == ["-m autograde lab"]


def test_clean_leaves_the_learners_work(folder: Path) -> None:
    make(folder, "lab")
    (folder / "work").mkdir()
    (folder / "work/mine.ipynb").write_text("answers")
    assert make(folder, "clean")[0] == 0
    assert not (folder / ".venv").exists()
    assert (folder / "work/mine.ipynb").read_text() == "answers"
