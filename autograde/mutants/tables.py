"""The stored table of an exercise: what became of its mutants, and what a person says of them.

Counted by the machine, with the fingerprint of what they were made from. Two things are written by
hand and kept: why a survivor is no mistake (``equivalent``), and why fewer than nine in ten are
told their cause, where that is so (``why_below``). A survivor without a reason is open.
"""

import hashlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any

from autograde.checking.catalogue import places
from autograde.checking.exercise import Exercise
from autograde.mutants.sources import answers
from autograde.mutants.verdicts import KINDS, TOLD, Verdict, counted

FOLDER = Path(__file__).parent / "tables"
AIM = 0.9
Table = dict[str, Any]


def fingerprint(exercise: Exercise) -> str:
    """What the table depends on: the exercise's module, those it draws from, what is mutated."""
    home = sys.modules[places()[exercise.id]]
    room = home.__name__.rpartition(".")[0]
    near = {getattr(value, "__module__", None) or "" for value in vars(home).values()}
    modules = {name for name in near if name.startswith(f"{room}.")} | {home.__name__}
    texts = [inspect.getsource(sys.modules[name]) for name in sorted(modules)]
    parts = [part for made_of in answers(exercise).values() for part in made_of]
    texts += [inspect.getsource(part) for part in parts if part.__module__ not in modules]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def path_of(exercise_id: str) -> Path:
    """Where the table of an exercise is stored."""
    return FOLDER / f"{exercise_id}.json"


def stored(exercise_id: str) -> Table:
    """The stored table, or an empty one."""
    path = path_of(exercise_id)
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def table(exercise: Exercise, found: list[Verdict]) -> Table:
    """The table of these verdicts, with what was said by hand in the stored one."""
    before = stored(exercise.id)
    reasons = before.get("equivalent", {})
    kept = [verdict for verdict in found if verdict.kind == "kept"]
    counts = counted(found)
    killed = len(found) - len(kept)
    told = sum(counts[kind] for kind in TOLD)
    ran = killed - counts["crashed"]
    return {
        "fingerprint": fingerprint(exercise),
        "mutants": sum(len(verdict.changes) for verdict in found),
        "mistakes": killed,
        **{kind: counts[kind] for kind in KINDS[1:]},
        "share_told": _share(told, killed),
        "share_told_of_those_that_ran": _share(told - counts["crashed"], ran),
        "why_below": before.get("why_below", ""),
        "equivalent": {
            change: reasons.get(change, "") for verdict in kept for change in verdict.changes
        },
        "not_told": {
            verdict.changes[0]: verdict.sentence
            for verdict in found
            if verdict.kind in ("guessed", "unnamed")
        },
    }


def _share(told: int, wrong: int) -> float:
    return round(told / wrong, 3) if wrong else 1.0


def store(exercise_id: str, made: Table) -> None:
    """Write the table of an exercise."""
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    path_of(exercise_id).write_text(text, "utf-8")


def faults(exercise: Exercise) -> list[str]:
    """What is wrong with a stored table, each in a sentence; nothing is run for it."""
    kept = stored(exercise.id)
    renew = f"run `python -m autograde mutants {exercise.id} --store`"
    if not kept:
        return [f"{exercise.id} has no table of mutants: {renew}"]
    found = []
    if kept["fingerprint"] != fingerprint(exercise):
        found.append(f"{exercise.id} has changed since its mutants were made: {renew}")
    for change, reason in kept["equivalent"].items():
        if not reason:
            found.append(
                f"{exercise.id}: a mutant keeps all points: {change}. Add a case that catches it, "
                f"or say in {path_of(exercise.id).name} why it is right"
            )
    if kept["share_told"] < AIM and not kept["why_below"]:
        found.append(
            f"{exercise.id}: {kept['share_told']:.0%} of its mistakes are told their cause, the "
            f"aim is {AIM:.0%}. Name more of those under `not_told`, or say under `why_below` why "
            f"not"
        )
    return found
