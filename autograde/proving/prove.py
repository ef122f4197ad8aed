"""python -m autograde prove NAME: build, prove and mutate an exercise, and say what falls short."""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from autograde.building.build import Builder
from autograde.checking.catalogue import catalogue, find
from autograde.checking.exercise import Exercise
from autograde.proving.new_exercise import enter
from autograde.proving.proofs import shortfalls
from autograde.proving.reasons import open_questions, renew, share_told
from autograde.proving.verdicts import MOST, Verdict, counted, verdicts

WIDTH = 140


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("exercise", nargs="*", help="exercise ids; without any, all exercises")
    parser.add_argument("--most", type=int, default=MOST, help="mutants of an exercise at most")
    parser.add_argument("--list", action="store_true", help="say what became of every mutant")
    parser.add_argument(
        "--renew", action="store_true", help="write the file of reasons anew, for you to fill in"
    )
    parser.add_argument(
        "--root", type=Path, default=Path.cwd(), help="the course folder (default: this one)"
    )


def run(args: argparse.Namespace) -> int:
    """Prove each exercise; 1 where something falls short."""
    for name in args.exercise:
        try:
            if entered := enter(name, args.root.resolve()):
                print(entered)
        except LookupError as error:
            raise SystemExit(f"{error.args[0]}. Write its cells first.") from None
    unknown = [name for name in args.exercise if name not in catalogue()]
    if unknown:
        raise SystemExit(
            f"There is no exercise {unknown[0]!r}. There are: {', '.join(catalogue())}"
        )
    wanting = 0
    for name in args.exercise or list(catalogue()):
        begun = time.monotonic()
        exercise = find(name)
        found = [*built(exercise, args.root), *shortfalls(exercise)]
        mutants = verdicts(exercise, args.most)
        if not mutants:
            found.append(
                "it has no right answer that can be changed: each encloses values of its own. Add "
                "a plain function to its `right_answers`"
            )
        if args.renew:
            renew(name, mutants)
        found += open_questions(name, mutants)
        took = time.monotonic() - begun
        right = f"{len(exercise.right_answers)} other right answers"
        print(f"{name}: {len(exercise.mistakes)} mistakes, {right}; {took:.0f} s")
        print("\n".join(mutant_lines(mutants, everything=args.list)))
        print(*(f"  ! {fault}" for fault in found), sep="\n", end="\n" if found else "", flush=True)
        wanting += bool(found)
    return min(wanting, 1)


def built(exercise: Exercise, root: Path) -> Iterator[str]:
    """Build the notebooks of the exercise's lesson; what its source is refused for."""
    builder = Builder(root.resolve(), find)
    try:
        (source,) = builder.sources([exercise.lesson])
    except LookupError as error:
        yield str(error.args[0])
        return
    builder.build(source)
    yield from builder.problems
    if f'exercise="{exercise.id}"' not in source.read_text("utf-8"):
        yield f"{source.name} has no cell with exercise={exercise.id!r}"


def mutant_lines(found: list[Verdict], *, everything: bool) -> Iterator[str]:
    """What became of the mutants: those that are not told why, or all of them."""
    mutants = sum(len(verdict.changes) for verdict in found)
    said = ", ".join(f"{number} {kind}" for kind, number in counted(found).items())
    yield f"  {mutants} mutants, {len(found)} outcomes: {said}; {share_told(found):.0%} are told"
    for verdict in found:
        if everything or verdict.kind in ("guessed", "unnamed"):
            yield _cut(f"    {verdict.kind:8} {verdict.points:4g}  {narrow(verdict.changes[0])}")
            yield _cut(f"{'':18}{verdict.case}: {verdict.sentence}")


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
