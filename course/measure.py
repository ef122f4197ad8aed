"""``python -m course measure``: which stored results are up to date; measures them again.

Each result is measured by the command that is stored with it, in a process of its own. A run that
is stopped loses the result that it was at. The next one leaves out what has been measured with the
code as it is now.
"""

import argparse
import math
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from course.results.reached_code import Command, Project, Reached
from course.results.stored import FOLDER, StoredResult, stored_result
from elmo_mini import corpora
from elmo_mini.errors import ConfigurationError
from elmo_mini.files import make_folder, unfinished
from elmo_mini.training.stopping import noting_signals

UP_TO_DATE, NOT_KNOWN = "up to date", "not known"
ROUNDING = 1e-9
CATALOGUE = "elmo_mini.corpora.catalogue"  # names every corpus, whatever a result reads
NEEDED = {
    "--model": "`python -m elmo_mini pretrain` makes such a model; elmo_mini/data/README.md has "
    "the whole command",
    "--starts": "`python -m elmo_mini pretrain-masked` and `pretrain` make what is in it; "
    "elmo_mini/data/README.md has the whole commands",
    "--allennlp": "`python -m pip download --no-deps allennlp==2.10.1` fetches it",
}
"""How to get the file that an option of a command names."""


@dataclass(frozen=True)
class State:
    """A stored result, and how it stands to the code as it is now.

    Attributes
    ----------
    known : the result of the course.
    kept : what lies under its name in the folder of results; None if nothing does.
    word : up to date, what has changed, or not known.
    lacks : what it needs and is not here, each in a sentence.
    """

    known: StoredResult
    kept: StoredResult | None
    word: str
    lacks: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of the file."""
        return self.known.name

    @property
    def seconds(self) -> dict[str, float] | None:
        """How long it took when it was last measured, if that is known."""
        return (self.kept and self.kept.seconds) or self.known.seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command can be told."""
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="stored results to measure again; none: list all")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--changed", action="store_true", help="those whose code has changed")
    which.add_argument("--all", action="store_true", help="every one")
    add("--again", action="store_true", help="also those that are up to date")
    text = "where results are, and are stored (default: course/results)"
    add("--results", type=Path, default=FOLDER, metavar="FOLDER", help=text)


def run(args: argparse.Namespace) -> int:
    """List, or measure.

    Returns
    -------
    The exit status: 0; 1 if a result could not be measured; 128 and a signal's number if one came

    Raises
    ------
    ConfigurationError
        There is no result of such a name.
    """
    known = {path.stem: stored_result(path.stem, FOLDER) for path in sorted(FOLDER.glob("*.json"))}
    if args.names and (args.all or args.changed):
        raise ConfigurationError("either names, or --all, or --changed")
    for name in args.names:
        if name not in known:
            near = get_close_matches(name, known, 3) or [n for n in known if name in n][:3]
            way = f"near are {', '.join(near)}" if near else "python -m course measure lists them"
            raise ConfigurationError(f"there is no stored result {name!r}; {way}")
    project = Project()
    chosen = dict.fromkeys(args.names or known)
    missing = [name for name, here in corpora.available().items() if not here]
    states = [_state(known[name], args.results, project, missing) for name in chosen]
    if args.changed:
        if open_ := sum(state.word == NOT_KNOWN for state in states):
            print(
                f"Of {open_} it is not known whether their code has changed; --all measures them."
            )
        states = [state for state in states if state.word not in (UP_TO_DATE, NOT_KNOWN)]
    elif not (args.all or args.names):
        _list(states)
        return 0
    return _measure_all(states, args.results, args.again)


def _state(known: StoredResult, folder: Path, project: Project, missing: Sequence[str]) -> State:
    """How a result stands; `missing` are the corpora that are not here."""
    there = (folder / f"{known.name}.json").is_file()
    kept = stored_result(known.name, folder) if there else None
    try:
        reached = project.reached(Command.parse(known.command))
    except (ValueError, LookupError) as error:
        return State(known, kept, NOT_KNOWN, (str(error),))
    return State(known, kept, _compared(kept, reached), tuple(_lacking(known, reached, missing)))


def _compared(kept: StoredResult | None, reached: Reached) -> str:
    """Up to date, what has changed, or not known."""
    if kept is None or kept.code is None:
        return NOT_KNOWN
    then, now = kept.code, reached.digests
    changed = [n for n in sorted(then.keys() | now.keys()) if then.get(n) != now.get(n)]
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"code changed: {changed[0]}{more}" if changed else UP_TO_DATE


def _lacking(known: StoredResult, reached: Reached, missing: Sequence[str]) -> Iterable[str]:
    """What a command needs and is not here, and the way to get it."""
    arguments = Command.parse(known.command).arguments
    for option, value in pairwise(arguments):
        if option in NEEDED and not Path(value).exists():
            yield f"{value}, which is not in this folder: {NEEDED[option]}"
    if names := reached.says(missing, aside=CATALOGUE):
        way = f"`python -m elmo_mini corpora --download {' '.join(names)}`"
        yield f"text that is not on this machine: {way} fetches it"


def _list(states: Sequence[State]) -> None:
    """Print a line for each result."""
    rows = [("result", "took", "code", "title")]
    rows += [(s.name, _took(s.seconds), s.word, s.known.title) for s in states]
    width = shutil.get_terminal_size().columns
    widest = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        line = "  ".join(f"{cell:{most}}" for cell, most in zip(row, widest, strict=False))
        room = max(width - len(line) - 2, 12)
        print(f"{line}  {row[3] if len(row[3]) <= room else row[3][: room - 1] + '…'}")
    counts = {word: sum(s.word == word for s in states) for word in (UP_TO_DATE, NOT_KNOWN)}
    print(
        f"\n{len(states)} results: {counts[UP_TO_DATE]} up to date, {counts[NOT_KNOWN]} not known, "
        f"of {len(states) - sum(counts.values())} the code has changed. "
        f"They took: {_sum(states)}."
    )


def _measure_all(states: Sequence[State], folder: Path, again: bool) -> int:
    """Measure one after the other, and say what is left of the time."""
    done = [state for state in states if state.word == UP_TO_DATE and not again]
    if done:
        print(f"Up to date: {', '.join(s.name for s in done)}. --again measures them, too.")
    failed = [state for state in states if state.lacks and state not in done]
    for state in failed:
        print(f"Left out: {state.name} needs {'; and '.join(state.lacks)}.")
    todo = [state for state in states if state not in done and state not in failed]
    print(f"To measure: {len(todo)}. Last time: {_sum(todo)}.", flush=True)
    make_folder(folder)
    for number, state in enumerate(todo):
        print(
            f"\n[{number + 1} of {len(todo)}] {state.name}: {state.known.command}\n"
            f"  last time: {_sum([state])}; code: {state.word.removeprefix('code ')}; "
            f"all from here: {_sum(todo[number:])}",
            flush=True,
        )
        path = folder / f"{state.name}.json"
        before = _stamp(path)
        status, stopped = _measured(state.known.command, folder)
        if stopped:
            for part in unfinished(path):
                part.unlink(missing_ok=True)
            print(
                f"\nStopped. {number} of {len(todo)} are stored; {state.name} is as it was. "
                "The same command goes on from here.",
                flush=True,
            )
            return 128 + stopped
        if status or _stamp(path) == before:
            failed.append(state)
            print(f"  {state.name} was not measured: its command ended with status {status}.")
        else:
            _tell(state, stored_result(state.name, folder))
    if failed:
        print(f"\nNot measured: {', '.join(state.name for state in failed)}.")
    return 1 if failed else 0


def _tell(state: State, new: StoredResult) -> None:
    """Say how long it took, and whether the numbers are the ones there were."""
    apart = _apart((state.kept or state.known).numbers, new.numbers)
    same = f"the same numbers as before{', but for rounding' if apart else ''}"
    numbers = same if apart < ROUNDING else "other numbers than before"
    print(f"  took {_took(new.seconds)}; {numbers}")
    if new.code is None:
        print("  its code was changed while it ran: whether it is up to date is not known")


def _apart(before: Any, after: Any) -> float:
    """The largest difference of two numbers at the same place, relative; inf for other things."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        return max((_apart(before[key], after[key]) for key in before), default=0.0)
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return max((_apart(*pair) for pair in zip(before, after, strict=True)), default=0.0)
    if isinstance(before, float) and isinstance(after, float) and before != after:
        return abs(before - after) / max(abs(before), abs(after))
    return 0.0 if before == after else math.inf


def _measured(command: str, folder: Path) -> tuple[int, int]:
    """Run a command to its end: its exit status, and the signal that stopped it, or 0."""
    parts = Command.parse(command)
    words = [sys.executable, "-m", parts.module, *parts.arguments, "--results", str(folder)]
    asked: list[int] = []
    with noting_signals(asked):
        with _deaf_to_ctrl_c():
            child = subprocess.Popen(words)
        try:
            while not asked:
                with suppress(subprocess.TimeoutExpired):
                    return child.wait(timeout=0.2), 0
        finally:
            _end(child)
    return 0, asked[0]


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """What is started meanwhile leaves Ctrl-C, which the whole terminal gets, to this process."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End a process, if it runs, and those that it has started."""
    if child.poll() is None:
        with suppress(psutil.NoSuchProcess):
            for process in psutil.Process(child.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    process.terminate()
        child.terminate()
        child.wait()


def _stamp(path: Path) -> tuple[int, int] | None:
    """Which file lies there: another one once it has been written again."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


def _sum(states: Sequence[State]) -> str:
    """How long these took when they were last measured."""
    known = [state.seconds for state in states if state.seconds]
    if not known:
        return NOT_KNOWN
    open_ = len(states) - len(known)
    rest = f", and {open_} whose time is not known" if open_ else ""
    total = {clock: sum(one[clock] for one in known) for clock in ("wall", "processor")}
    return f"{_took(total)} ({_time(total['processor'])} of processor){rest}"


def _took(seconds: dict[str, float] | None) -> str:
    return _time(seconds["wall"]) if seconds else NOT_KNOWN


def _time(seconds: float) -> str:
    """``40 s``, ``12 min``, ``3 h 05 min``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"
