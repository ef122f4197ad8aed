"""What a person says of an exercise's mutants: ``reasons/NAME.json``, written by hand.

``equivalent`` says why a mutant that keeps all points is right; ``why_below``, where that is so,
why fewer than nine in ten of the others are told their cause. Nothing else is stored: what became
of the mutants is found out anew each time.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from autograde.proving.verdicts import TOLD, Verdict

FOLDER = Path(__file__).parent / "reasons"
AIM = 0.9


def path_of(exercise_id: str) -> Path:
    """Where the reasons of an exercise stand."""
    return FOLDER / f"{exercise_id}.json"


def reasons(exercise_id: str) -> tuple[dict[str, str], str]:
    """Why each equivalent mutant is right, and why fewer are told their cause than is the aim."""
    path = path_of(exercise_id)
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found.get("equivalent", {}), found.get("why_below", "")


def share_told(found: list[Verdict]) -> float:
    """The share of wrong outcomes that are told their cause; 1 where none is wrong."""
    wrong = [verdict for verdict in found if verdict.kind != "kept"]
    told = sum(verdict.kind in TOLD for verdict in wrong)
    return told / len(wrong) if wrong else 1.0


def open_questions(exercise_id: str, found: list[Verdict]) -> Iterator[str]:
    """What falls short in these verdicts and has no reason, and reasons that speak of nothing."""
    equivalent, why_below = reasons(exercise_id)
    place = f"autograde/proving/reasons/{exercise_id}.json"
    kept = _kept(found)
    for change in kept:
        if not equivalent.get(change):
            yield (
                f"a mutant keeps all points: {change}\n"
                f"    Add a case that catches it, or say under `equivalent` in {place} why it is "
                "right."
            )
    for change in [change for change in equivalent if change not in kept]:
        yield f"{place} speaks of a mutant that is wrong, or is not made any more: {change}"
    if share_told(found) < AIM and not why_below:
        yield (
            f"{share_told(found):.0%} of the wrong mutants are told their cause, the aim is "
            f"{AIM:.0%}. Name more of them, or say under `why_below` in {place} why not."
        )


def renew(exercise_id: str, found: list[Verdict]) -> None:
    """Write the file anew: an empty reason for each new survivor, none for what is gone."""
    equivalent, why_below = reasons(exercise_id)
    said: dict[str, str | dict[str, str]] = {}
    if why_below and share_told(found) < AIM:
        said["why_below"] = why_below
    if kept := _kept(found):
        said["equivalent"] = {change: equivalent.get(change, "") for change in kept}
    path = path_of(exercise_id)
    if said:
        path.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", "utf-8")
    else:
        path.unlink(missing_ok=True)


def _kept(found: list[Verdict]) -> list[str]:
    return [change for verdict in found if verdict.kind == "kept" for change in verdict.changes]
