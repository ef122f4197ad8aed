"""Which items run: what changed since it was green, a share in turn, and never without a word."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.economy.drawing import shares, turn_of
from tests.economy.record import RECORD, Record
from tests.economy.selection import BUDGETS, LeftOut, budgets, drawn, told

ROOT = Path(__file__).resolve().parent.parent
ITEMS = {f"mutants: {n}": float(1 + n % 5) for n in range(60)}
TREE = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p no:cacheprovider'\n"
    "markers = ['by_reach(family, seconds): x', 'slow: x']\n",
    "tests/placeholder.txt": "",
    "pack/__init__.py": "",
    "pack/one.py": "VALUE = 1\n",
    "pack/two.py": "VALUE = 2\n",
    "checks/test_one.py": "import pytest\nfrom pack.one import VALUE\n\n"
    "@pytest.mark.by_reach('ones', seconds=1)\n@pytest.mark.parametrize('n', [1, 2])\n"
    "def test_it(n):\n    assert VALUE\n\n"
    "@pytest.mark.slow\n@pytest.mark.by_reach('slow ones', seconds=1)\n"
    "def test_more():\n    assert VALUE < 3\n",
    "checks/test_two.py": "import pytest\nfrom pack.two import VALUE\n\n"
    "@pytest.mark.by_reach('twos', seconds=1)\ndef test_it():\n    assert VALUE == 2\n\n"
    "def test_without_mark():\n    pass\n",
}


def test_a_few_turns_meet_everything_and_each_keeps_to_the_budget() -> None:
    groups = shares(ITEMS, budget=30)
    assert sorted(item for group in groups for item in group) == sorted(ITEMS)
    assert all(sum(ITEMS[item] for item in group) <= 30 for group in groups)
    assert len(groups) <= 2 * sum(ITEMS.values()) / 30
    stale = {item for item in ITEMS if item.endswith(("1", "2"))}
    runs, (turns, fresh_turns) = drawn(ITEMS, stale, (12, 20), turn=7)
    assert sum(ITEMS[item] for item in runs & stale) <= 12
    assert sum(ITEMS[item] for item in runs - stale) <= 20
    seen = [drawn(ITEMS, stale, (12, 20), turn)[0] for turn in range(max(turns, fresh_turns))]
    assert set().union(*seen) == set(ITEMS)
    assert drawn(ITEMS, stale, (12, 20), turn=7)[0] == runs


def test_what_is_longer_than_the_budget_runs_when_it_is_its_turn() -> None:
    assert shares({"a": 100.0, "b": 1.0}, budget=10) in ([{"a"}, {"b"}], [{"b"}, {"a"}])
    assert drawn({"a": 100.0}, {"a"}, (10, 0), turn=3) == ({"a"}, [1, 0])


def test_stale_items_all_run_where_nothing_bounds_them() -> None:
    stale = set(list(ITEMS)[:20])
    assert drawn(ITEMS, stale, BUDGETS["stale"], turn=3)[0] == stale
    assert drawn(ITEMS, stale, BUDGETS["all"], turn=3)[0] == set(ITEMS)


def test_the_environment_sets_budgets_and_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_FRESH_SECONDS", raising=False)
    monkeypatch.setenv("TEST_STALE_SECONDS", "5")
    assert budgets("quick") == (5, BUDGETS["quick"][1])
    monkeypatch.setenv("TEST_TURN", "12")
    assert turn_of(ROOT) == 12


def test_the_turn_is_that_of_the_commits_or_of_the_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_TURN", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert turn_of(tmp_path) > 700_000  # days since the year 1
    git(tmp_path, "init")
    git(tmp_path, *COMMIT)
    git(tmp_path, *COMMIT)
    assert turn_of(tmp_path) == 2


COMMIT = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x", "--allow-empty"]


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def test_the_record_keeps_what_was_green(tmp_path: Path) -> None:
    file = tmp_path / "green.txt"
    record = Record(file)
    assert not record.is_fresh("mutants: a", "1")
    assert record.seconds("mutants: a", otherwise=9) == 9
    record.is_green("mutants: b", "2", 4.0)
    record.is_green("mutants: a", "1", 6.0)
    assert file.read_text() == "mutants: a\t1\t6.0\nmutants: b\t2\t4.0\n"
    again = Record(file)
    assert again.is_fresh("mutants: a", "1")
    assert not again.is_fresh("mutants: a", "2")
    assert again.seconds("mutants: c", otherwise=9) == 5  # as the family
    again.is_green("mutants: a", "1", 7.0)
    assert file.read_text() == "mutants: a\t1\t6.0\nmutants: b\t2\t4.0\n"
    again.is_red("mutants: a")
    assert file.read_text() == "mutants: b\t2\t4.0\n"
    again.keep_only(set())
    assert file.read_text() == ""


def test_two_branches_that_ran_the_same_both_count(tmp_path: Path) -> None:
    file = tmp_path / "green.txt"
    file.write_text("mutants: a\t1\t6.0\nmutants: a\t2\t6.0\n")
    assert Record(file).is_fresh("mutants: a", "1")
    assert Record(file).is_fresh("mutants: a", "2")
    assert "tests/green.txt merge=union" in (ROOT / ".gitattributes").read_text()


def test_what_is_left_out_is_said() -> None:
    said = LeftOut([3, 4], {"mutants": [10, 4, 100, 20], "rounding": [0, 0, 5, 5]}, {"slow": 7})
    first, second, how, marked = told(said, turn=4)
    assert first.startswith("mutants: 6 of 10 that have to run again")
    assert "turn 2 of 3" in first
    assert second.startswith("mutants: 80 that reach nothing that has changed")
    assert "TEST_TURN=4" in how
    assert "make test-stale" in how
    assert marked == "7 tests marked slow: `make test-slow`"
    assert told(LeftOut(), turn=4) == []


def run(folder: Path, *words: str, **variables: str) -> str:
    """What pytest says of the made tree, in one process or on two workers."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("TEST_")}
    environment = {**own, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "TEST_TURN": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "tests.economy.selection", *words],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1, 5), done.stdout + done.stderr
    return done.stdout


def ran(said: str) -> set[str]:
    return {line.split("/")[1] for line in said.splitlines() if line.startswith("PASSED")}


ONES = {"test_one.py::test_it[1]", "test_one.py::test_it[2]"}
MORE, TWO, PLAIN = (
    "test_one.py::test_more",
    "test_two.py::test_it",
    "test_two.py::test_without_mark",
)
ONLY_STALE = {"TEST_FRESH_SECONDS": "0"}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_what_was_green_and_has_not_changed_is_left_out(made: Path, tmp_path: Path) -> None:
    """Without git; then in a clone whose `origin/main` is its own HEAD, as in CI."""
    (made / "pack/two.py").write_text("VALUE = 3\n")  # its test is red
    said = run(made, "--items", "stale", "-n", "2")
    assert ran(said) == {*ONES, MORE, PLAIN}
    green = Record(made / RECORD).green
    assert set(green) == {"ones: 1", "ones: 2", "slow ones: test_more"}
    said = run(made, "--items", "quick", "-m", "not slow", "-n", "2", **ONLY_STALE)
    assert ran(said) == {PLAIN}
    assert "FAILED checks/test_two.py::test_it" in said
    assert "ones: 2 that reach nothing that has changed since they were green" in said
    assert "1 tests marked slow: `make test-slow`" in said
    git(made, "init")
    git(made, "add", ".")
    git(made, *COMMIT)
    (made / "pack/one.py").write_text("VALUE = 2\n")
    git(made, *COMMIT[:-1], "-a")
    git(tmp_path, "clone", "-q", str(made), "clone")
    said = run(made / "clone", "--items", "quick", **ONLY_STALE)
    assert ran(said) == {*ONES, MORE, PLAIN}


def test_without_a_record_everything_runs_and_a_turn_takes_what_fits(made: Path) -> None:
    assert ran(run(made, "--items", "quick", **ONLY_STALE)) == {*ONES, MORE, TWO, PLAIN}
    assert not (made / RECORD).exists()
    small = {"TEST_STALE_SECONDS": "2"}
    said = [run(made, "--items", "quick", **small, TEST_TURN=turn) for turn in "01"]
    assert all(len(ran(each) - {PLAIN}) == 2 for each in said)
    assert ran(said[0]) | ran(said[1]) == {*ONES, MORE, TWO, PLAIN}
    assert "they are drawn in turn, this is turn 2 of 2" in said[1]


def test_what_was_drawn_is_recorded_where_that_is_asked(made: Path) -> None:
    run(made, "--items", "quick", **ONLY_STALE, TEST_RECORD="1")
    assert set(Record(made / RECORD).green) == {
        "ones: 1",
        "ones: 2",
        "slow ones: test_more",
        "twos: test_it",
    }


def test_no_test_is_left_out_where_nothing_was_asked(made: Path) -> None:
    assert ran(run(made)) == {*ONES, MORE, TWO, PLAIN}
    assert not (made / RECORD).exists()
