"""Which items run: a pytest plugin that leaves out what was green and has not changed since.

``--items quick`` and ``--items slow`` run what is stale within a budget, and some of the rest;
``stale`` all that is stale, ``all`` everything. These two write the record, and the others where
``TEST_RECORD`` is set. The end of a run says what was left out, why, and which command runs it.
"""

import os
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tests.economy.drawing import shares, turn_of
from tests.economy.items import MARK, name_of, reach_of, seconds_of
from tests.economy.reach import Repository
from tests.economy.record import RECORD, Record

# Processor seconds for items that are stale, and besides for those that are not.
BUDGETS = {"quick": (120.0, 80.0), "slow": (600.0, 300.0), "stale": (inf, 0.0), "all": (inf, inf)}
RECORDING = ("stale", "all")
COMMANDS = {"slow": "make test-slow", "longest": "make test-all"}
SAID = pytest.StashKey["LeftOut"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--items", choices=BUDGETS, help=(__doc__ or "").partition("\n")[0])


def pytest_configure(config: pytest.Config) -> None:
    if (mode := config.getoption("--items")) is None:
        return
    os.environ["TEST_TURN"] = str(turn_of(config.rootpath))  # of the workers, too
    config.pluginmanager.register(Selection(mode, config.rootpath))
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ending(mode, config.rootpath))


@dataclass
class LeftOut:
    """How many items of each family are stale, and how many of these and of the rest run."""

    turns: list[int] = field(default_factory=list)
    families: dict[str, list[int]] = field(default_factory=dict)
    marked: dict[str, int] = field(default_factory=dict)


def budgets(mode: str) -> tuple[float, float]:
    """Processor seconds for what is stale and for what is not; the environment may say other."""
    stale, fresh = BUDGETS[mode]
    given = os.environ.get
    return (
        float(given("TEST_STALE_SECONDS", stale)),
        float(given("TEST_FRESH_SECONDS", fresh)),
    )


def drawn(
    seconds: dict[str, float], stale: set[str], budget: tuple[float, float], turn: int
) -> tuple[set[str], list[int]]:
    """The items that run, and in how many turns all stale and all fresh ones have run."""
    runs, turns = set[str](), list[int]()
    for kind, most in zip((stale, seconds.keys() - stale), budget, strict=True):
        groups = shares({item: seconds[item] for item in kind}, most) if most else []
        runs |= groups[turn % len(groups)] if groups else set()
        turns.append(len(groups))
    return runs, turns


class Selection:
    """In the process that runs the tests: leave out, measure, and send along with each report."""

    def __init__(self, mode: str, root: Path) -> None:
        self.mode = mode
        self.record = Record(root / RECORD)
        self.digests: dict[str, tuple[str, str]] = {}
        self.before = 0.0
        self.left_out = LeftOut()
        self._collected: list[pytest.Item] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self._collected = list(items)

    @pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
    def pytest_leave_out(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """After ``-m`` and ``-k``."""
        chosen = set(items)
        other = [test for test in self._collected if test not in chosen]
        marked = [mark for test in other for mark in COMMANDS if test.get_closest_marker(mark)]
        self.left_out.marked = dict(Counter(marked))
        repository = Repository(config.rootpath)
        names = {test: name for test in items if (name := name_of(test))}
        twice = [name for name, times in Counter(names.values()).items() if times > 1]
        if twice:
            raise pytest.UsageError(f"two tests are the item {twice[0]!r}")
        for test, name in names.items():
            self.digests[test.nodeid] = name, repository.digest(reach_of(test, repository))
        stale = {
            name for name, digest in self.digests.values() if not self.record.is_fresh(name, digest)
        }
        seconds = {n: self.record.seconds(n, seconds_of(test)) for test, n in names.items()}
        runs, turns = drawn(seconds, stale, budgets(self.mode), int(os.environ["TEST_TURN"]))
        self.left_out.turns = turns
        families: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for name in names.values():
            kind = 0 if name in stale else 2
            families[name.split(":")[0]][kind] += 1
            families[name.split(":")[0]][kind + 1] += name in runs
        self.left_out.families = dict(families)
        gone = [test for test, name in names.items() if name not in runs]
        config.hook.pytest_deselected(items=gone)
        items[:] = [test for test in items if test not in set(gone)]
        config.stash[SAID] = self.left_out

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Any:
        self.before = sum(os.times()[:4])
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        report = yield
        if item.nodeid in self.digests:
            seconds = sum(os.times()[:4]) - self.before
            report.user_properties.append((MARK, (*self.digests[item.nodeid], seconds)))
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[MARK] = vars(self.left_out)


class Ending:
    """In the process that prints: write the record, and say what was left out."""

    def __init__(self, mode: str, root: Path) -> None:
        self.mode = mode
        self.records = mode in RECORDING or bool(os.environ.get("TEST_RECORD"))
        self.record = Record(root / RECORD)
        self.names: dict[str, str] = {}
        self.passed: set[str] = set()
        self.red: set[str] = set()
        self.left_out: LeftOut | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found: Any = dict(report.user_properties).get(MARK)
        if found:
            self.names[report.nodeid] = found[0]
        item = self.names.get(report.nodeid)
        if item is None or not self.records:
            return
        if report.failed:
            self.red.add(item)
            self.record.is_red(item)
        elif report.when == "call" and report.passed:
            self.passed.add(item)
        elif found and report.when == "teardown" and item in self.passed - self.red:
            self.record.is_green(*found)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """After a whole run: forget items that there are no more."""
        whole = session.config.args_source is pytest.Config.ArgsSource.TESTPATHS
        chosen = session.config.option.keyword or session.config.option.markexpr
        if self.mode == "all" and whole and not chosen and exitstatus in (0, 1):
            self.record.keep_only(set(self.names.values()))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        if said := getattr(node, "workeroutput", {}).get(MARK):
            self.left_out = LeftOut(**said)

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        said = self.left_out or config.stash.get(SAID, None)
        lines = list(told(said, int(os.environ["TEST_TURN"]))) if said else []
        if lines:
            terminalreporter.section("left out")
            for line in lines:
                terminalreporter.write_line(line)


def told(said: LeftOut, turn: int) -> list[str]:
    """What was left out, why, and what runs it."""
    lines = []
    for family, (stale, stale_run, fresh, fresh_run) in sorted(said.families.items()):
        if stale > stale_run:
            lines.append(
                f"{family}: {stale - stale_run} of {stale} that have to run again; they are drawn "
                f"in turn, this is turn {turn % said.turns[0] + 1} of {said.turns[0]}"
            )
        if fresh > fresh_run:
            besides = f"; {fresh_run} others of these ran nevertheless" if fresh_run else ""
            lines.append(
                f"{family}: {fresh - fresh_run} that reach nothing that has changed since they "
                f"were green{besides}"
            )
    if lines:
        lines.append(
            "`make test-stale` runs all that has to run again, `make test-all` everything, "
            f"TEST_TURN={turn} before the command the same again."
        )
    lines += [f"{n} tests marked {mark}: `{COMMANDS[mark]}`" for mark, n in said.marked.items()]
    return lines
