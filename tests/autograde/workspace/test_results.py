"""The journal of results: whole after damage, shared by two kernels."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from autograde.workspace import results


def test_the_best_the_latest_and_the_number_of_tries(workspace: Path) -> None:
    for points in (0, 3, 1):
        results.add(workspace, "a", points, 3, now=datetime(2026, 5, 3, 12, points))
    results.add(workspace, "b", 1, 2)
    results.add(workspace, "a", 2, 3)
    found = results.results(workspace)
    assert [*found] == ["b", "a"]  # the latest is the last
    assert (found["a"].best, found["a"].latest, found["a"].tries) == (3, 2, 4)
    assert found["a"].passed
    assert not found["b"].passed


def test_damage_costs_no_line_but_its_own(workspace: Path) -> None:
    results.add(workspace, "a", 1, 1)
    journal = workspace / results.FILE
    journal.write_bytes(journal.read_bytes() + b'\xff\x00 nonsense\n[]\n{"exercise": 3}\n{"exer')
    results.add(workspace, "b", 1, 1)
    assert [*results.results(workspace)] == ["a", "b"]
    assert b"nonsense" in journal.read_bytes()


@pytest.mark.parametrize(
    "line",
    [
        '{"exercise": "c", "points": "1", "out_of": 1, "when": "2026-01-01T00:00:00"}',
        '{"exercise": "c", "points": 2, "out_of": 1, "when": "2026-01-01T00:00:00"}',
        '{"exercise": "c", "points": 1, "out_of": 1, "when": "yesterday"}',
        '{"exercise": "c", "points": NaN, "out_of": 1, "when": "2026-01-01T00:00:00"}',
        '{"exercise": ["c"], "points": 1, "out_of": 1, "when": "2026-01-01T00:00:00"}',
        '{"exercise": "c", "points": 1, "out_of": 1, "when": 3, "more": 4}',
    ],
)
def test_a_line_that_is_not_ours_counts_for_nothing(workspace: Path, line: str) -> None:
    (workspace / results.FILE).write_text(line)
    assert results.results(workspace) == {}


def test_two_kernels_at_once_lose_nothing(workspace: Path) -> None:
    code = (
        "import sys, pathlib\nfrom autograde.workspace.results import add\n"
        "for _ in range(300): add(pathlib.Path(sys.argv[1]), sys.argv[2], 1, 1)"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(workspace), name]) for name in "abc"
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert {name: found.tries for name, found in results.results(workspace).items()} == {
        "a": 300,
        "b": 300,
        "c": 300,
    }
