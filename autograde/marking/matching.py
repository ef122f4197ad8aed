"""Align a submitted notebook with the released one: by text, claimed ids, what a cell defines.

A claim (cell id, ``grade_id``) is evidence and no more: programs rewrite ids, splitting a cell
copies them, and students can write what they like.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from nbformat.notebooknode import NotebookNode

from autograde.marking.cell_text import defines, plain, without_checks

Kind = Literal["given", "answer", "check", "discussion"]
OFFER = "# Model answer: run this cell"
ALIKE = 0.6
LOOKED_AT = 40


@dataclass(eq=False)
class Released:
    """A cell of the released notebook."""

    cell: NotebookNode
    kind: Kind
    exercise: str
    names: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        return plain(self.cell.source)

    @property
    def claim(self) -> str:
        return str(self.cell.metadata.get("nbgrader", {}).get("grade_id", self.cell["id"]))


@dataclass(eq=False)
class Submitted:
    """A cell of the submission; `of` is the position of its released cell, once that is known."""

    cell: NotebookNode
    source: str
    of: int | None = None
    check_of: str = ""
    claims: frozenset[str] = field(default_factory=frozenset)

    @property
    def text(self) -> str:
        return plain(self.source)

    @property
    def is_code(self) -> bool:
        return bool(self.cell.cell_type == "code")


def released_cells(released: NotebookNode) -> list[Released]:
    """The cells of a release with their roles, and the names that each exercise asks for."""
    cells = []
    for cell in released.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        name = str(nbgrader.get("grade_id", ""))
        kind: Kind = "given"
        if nbgrader.get("grade") and not nbgrader.get("solution"):
            kind, name = "check", name.removeprefix("check_")
        elif nbgrader.get("solution"):
            kind = "discussion" if nbgrader.get("grade") else "answer"
        cells.append(Released(cell, kind, name))
    asked: dict[str, set[str]] = defaultdict(set)
    for known in cells:
        if known.kind == "check":
            calls = re.findall(r"check\([^,()]+,\s*([A-Za-z_]\w*)", known.cell.source)
            asked[known.exercise] |= set(calls) or {known.exercise}
    for known in cells:
        known.names = frozenset(asked[known.exercise]) if known.kind == "answer" else frozenset()
    return cells


def matched(notebook: NotebookNode, release: list[Released]) -> list[Submitted]:
    """The submitted cells in their order, each with the position of its released cell or None."""
    cells = _pieces(notebook, release)
    free = dict(enumerate(release))
    _mark_checks(cells, release, free)
    _by_claim(cells, free, {"answer", "discussion"})
    _by_text(cells, free)
    _by_claim(cells, free, {"given"})
    _by_definition(cells, free)
    _by_place(cells, free)
    return cells


def _pieces(notebook: NotebookNode, release: list[Released]) -> list[Submitted]:
    """The submitted cells, merged ones cut apart, halves of one function put together."""
    texts = {known.text for known in release}
    there = {plain(cell.source) for cell in notebook.cells}
    gone = [k for k in release if k.text not in there and k.kind != "answer" and len(k.text) > 9]
    pieces: list[Submitted] = []
    for cell in notebook.cells:
        if cell.source.startswith(OFFER) and plain(cell.source) not in texts:
            continue
        claims = frozenset({cell["id"], cell.metadata.get("nbgrader", {}).get("grade_id")})
        whole = Submitted(cell, cell.source, claims=claims - {None, ""})
        last = pieces[-1] if pieces else None
        if last and _second_half(last, whole):
            last.source = f"{last.source.rstrip()}\n{whole.source}"
        else:
            pieces += _cut(whole, gone) if plain(cell.source) not in texts else [whole]
    return pieces


def _second_half(first: Submitted, second: Submitted) -> bool:
    """Whether a cell goes on in the middle of the function that the cell before began."""
    if not (first.is_code and second.is_code and re.match(r"[ \t]+\S", second.source)):
        return False
    tail = first.source.rstrip().rpartition("\n")[2]
    return tail.startswith((" ", "\t")) or tail.endswith(":")


def _cut(whole: Submitted, gone: list[Released]) -> list[Submitted]:
    """A cell that holds whole released cells besides other lines, cut at their edges."""
    for known in gone:
        if (known.cell.cell_type == "code") != whole.is_code:
            continue
        before, found, after = f"\n{whole.text}\n".partition(f"\n{known.text}\n")
        if found and (before.strip() or after.strip()):
            middle = Submitted(whole.cell, known.text, claims=frozenset({known.claim}))
            rest = [Submitted(whole.cell, part, claims=whole.claims) for part in (before, after)]
            left, right = (_cut(part, gone) if part.text else [] for part in rest)
            return [*left, middle, *right]
    return [whole]


def _mark_checks(
    cells: list[Submitted], release: list[Released], free: dict[int, Released]
) -> None:
    """Find the checks; of several copies the last one is the check, the others go."""
    for number, known in enumerate(release):
        if known.kind != "check":
            continue
        called = re.compile(rf'^check\(\s*["\']{re.escape(known.exercise)}["\']', re.MULTILINE)
        is_one = [c for c in cells if known.claim in c.claims or called.search(c.source)]
        pure = [c for c in is_one if known.claim in c.claims or not without_checks(c.source)]
        for cell in pure:
            cell.check_of = known.exercise
        if pure:
            pure[-1].of = number
            del free[number]


def _by_claim(cells: list[Submitted], free: dict[int, Released], kinds: set[str]) -> None:
    for number, known in list(free.items()):
        if known.kind not in kinds:
            continue
        claiming = [c for c in cells if known.claim in c.claims and c.of is None and not c.check_of]
        if known.kind == "answer":
            claiming = [c for c in claiming if defines(c.source, known.names)] or claiming[:1]
            above = [c for c in claiming if _above_check(c, cells, known.exercise)]
            claiming = (above or claiming)[-1:]
        if claiming:
            claiming[0].of = number
            del free[number]


def _above_check(cell: Submitted, cells: list[Submitted], exercise: str) -> bool:
    checks = [i for i, c in enumerate(cells) if c.check_of == exercise and c.of is not None]
    return not checks or cells.index(cell) < checks[0]


def _by_text(cells: list[Submitted], free: dict[int, Released]) -> None:
    same: dict[tuple[bool, str], list[Submitted]] = defaultdict(list)
    for cell in cells:
        if cell.of is None and not cell.check_of:
            same[cell.is_code, cell.text].append(cell)
    for number, known in list(free.items()):
        code = known.cell.cell_type == "code"
        # A code cell that was turned into Markdown has its text still, and the other way round.
        found = same[code, known.text] or same[not code, known.text]
        if found and known.kind != "discussion":
            found.pop(0).of = number
            del free[number]


def _by_definition(cells: list[Submitted], free: dict[int, Released]) -> None:
    for number, known in list(free.items()):
        if known.kind != "answer":
            continue
        defining = [
            c for c in cells if c.of is None and not c.check_of and defines(c.source, known.names)
        ]
        above = [c for c in defining if _above_check(c, cells, known.exercise)]
        if defining:
            (above or defining)[-1].of = number
            del free[number]


def _by_place(cells: list[Submitted], free: dict[int, Released]) -> None:
    """What is left, by its neighbours: given cells that look alike, and texts of discussions."""
    for number, known in list(free.items()):
        if known.kind in ("check", "answer"):
            continue
        gap = _between(cells, number)
        if known.kind == "discussion":
            texts = [c for c in gap if not c.is_code and c.text]
            for cell in texts[:1]:
                cell.of = number
                del free[number]
            continue
        code = known.cell.cell_type == "code"
        for cell in gap[:LOOKED_AT]:
            ratio = SequenceMatcher(None, cell.text[:2000], known.text[:2000], autojunk=False)
            if cell.is_code == code and ratio.quick_ratio() > ALIKE and ratio.ratio() > ALIKE:
                cell.of = number
                del free[number]
                break


def _between(cells: list[Submitted], number: int) -> list[Submitted]:
    """The unmatched cells between the released cell's nearest matched neighbours."""
    before = [i for i, c in enumerate(cells) if c.of is not None and c.of < number]
    start = max(before, key=lambda i: cells[i].of or 0) + 1 if before else 0
    behind = [i for i, c in enumerate(cells) if c.of is not None and c.of > number]
    stop = min(behind, key=lambda i: cells[i].of or 0) if behind else len(cells)
    return [c for c in cells[start:stop] if c.of is None and not c.check_of]


def moved_up(cells: list[Submitted]) -> list[Submitted]:
    """The matched cells that were put above cells which are released before them."""
    places = [cell.of for cell in cells if cell.of is not None]
    rank = sorted(places)
    blocks = SequenceMatcher(None, places, rank, autojunk=False).get_matching_blocks()
    stayed = {places[block.a + i] for block in blocks for i in range(block.size)}
    out, lowest = [], len(places) and rank[-1] + 1
    for cell in reversed(cells):
        if cell.of in stayed:
            lowest = min(lowest, cell.of)
        elif cell.of is not None and cell.of > lowest:
            out.append(cell)
    return out
