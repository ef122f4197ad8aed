"""python -m autograde mutants: change right answers the way people slip, and judge each change."""

import argparse
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from autograde.checking.catalogue import catalogue, find
from autograde.mutants.tables import faults, path_of, store, table
from autograde.mutants.verdicts import MOST, Verdict, counted, verdicts

WIDTH = 140


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("exercise", nargs="*", help="exercise ids; without any, all exercises")
    parser.add_argument("--store", action="store_true", help="keep the tables in the repository")
    parser.add_argument("--most", type=int, default=MOST, help="mutants of an exercise at most")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many at once")


def run(args: argparse.Namespace) -> int:
    """Print what became of the mutants; 1 where a table that was stored has something open."""
    names = args.exercise or list(catalogue())
    unknown = [name for name in names if name not in catalogue()]
    if unknown:
        raise SystemExit(
            f"There is no exercise {unknown[0]!r}. There are: {', '.join(catalogue())}"
        )
    wanting = 0
    for name, found in _judged(names, args.most, args.processes):
        if not found:
            raise SystemExit(
                f"{name} has no right answer that can be changed: each encloses values of its own. "
                "Add a plain function to its `right_answers`."
            )
        made = table(find(name), found)
        print("\n".join(lines(name, found, made["share_told"])), flush=True)
        if args.store:
            store(name, made)
            open_ = faults(find(name))
            print(*(f"  ! {fault}" for fault in open_), sep="\n")
            print(f"  stored in {path_of(name).name}")
            wanting += bool(open_)
    return min(wanting, 1)


def _judged(names: list[str], most: int, processes: int) -> Iterator[tuple[str, list[Verdict]]]:
    if len(names) == 1 or processes == 1:
        yield from ((name, _verdicts(name, most)) for name in names)
        return
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=fresh) as pool:
        yield from zip(names, pool.map(_verdicts, names, [most] * len(names)), strict=True)


def _verdicts(name: str, most: int) -> list[Verdict]:
    return verdicts(find(name), most)


def lines(name: str, found: list[Verdict], share: float) -> list[str]:
    """The table of an exercise for a terminal, and the two lists that matter."""
    counts = counted(found)
    mutants = sum(len(verdict.changes) for verdict in found)
    said = ", ".join(f"{number} {kind}" for kind, number in counts.items() if kind != "kept")
    shown = [
        f"{name}: {mutants} mutants, {len(found)} outcomes; {said}; {share:.0%} told the cause"
    ]
    for verdict in found:
        if verdict.kind != "kept":
            shown += [
                _cut(f"  {verdict.kind:8} {verdict.points:4g}  {narrow(verdict.changes[0])}"),
                _cut(f"{'':16}{verdict.case}: {verdict.sentence}"),
            ]
    survivors = [change for v in found if v.kind == "kept" for change in v.changes]
    if survivors:
        shown += ["  They keep all points:", *(f"    {narrow(change)}" for change in survivors)]
    silent = [verdict for verdict in found if verdict.kind in ("guessed", "unnamed")]
    if silent:
        shown += ["  They are not told why:", *(f"    {narrow(v.changes[0])}" for v in silent)]
    return shown


def narrow(change: str, context: int = 24) -> str:
    """A change with less of what both sides share."""
    old, _, new = change.partition(" → ")
    before = _shared(old, new)
    after = _shared(old[before:][::-1], new[before:][::-1])
    start, end = max(0, before - context), max(0, after - context)
    if start < 4 and end < 4:
        return change
    sides = (f"…{side[start : len(side) - end]}…" for side in (old, new))
    return " → ".join(sides)


def _shared(old: str, new: str) -> int:
    """How many letters two texts share at their beginning."""
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
