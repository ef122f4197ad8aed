"""Restore a submitted notebook to the released one with the student's answers in it.

What is graded comes from the release: each exercise's answer, check and discussion stands there
exactly once and in the released order, whatever was deleted, copied, split, merged, renamed or
changed in type. What the student wrote stays, in its place.
"""

from collections import defaultdict

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograde.marking.cell_text import checks_in, defines, plain, without_checks
from autograde.marking.matching import Released, Submitted, matched, moved_up, released_cells
from autograde.marking.reading import NOTES, Unreadable, read_submission

__all__ = ["Unreadable", "read_submission", "repaired"]

# In the metadata of each repaired cell: its kind ("given", "answer", "check", "discussion",
# "added"), and whether a given cell was edited.
KEY = "marking"


def repaired(notebook: NotebookNode, released: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """The submission as it can be marked, and what was done to it, a sentence each.

    Parameters
    ----------
    notebook : what `read_submission` gave
    released : the lesson's student version

    Returns
    -------
    The notebook has the released cells in the released order, with the released ids and nbgrader
    metadata, and the student's own cells after the cells that they followed. ``marking`` in a
    cell's metadata holds its ``kind`` and whether it was ``edited``.

    Raises
    ------
    Unreadable
        Nothing of this lesson is in it.
    """
    release = released_cells(released)
    _hold_to_this_lesson(notebook, release)
    cells = matched(notebook, release)
    if not any(cell.of is not None and release[cell.of].kind != "discussion" for cell in cells):
        raise Unreadable("holds nothing of this lesson: perhaps it is another notebook")
    found = {cell.of: cell for cell in cells if cell.of is not None}
    together = _written_together(cells, release, found)
    found |= together
    notes = [*notebook.metadata.get(NOTES, []), *_notes(notebook, cells, release, found)]
    for number in together:
        name = release[number].exercise
        notes.append(
            f"The answer to `{name}` stood in a cell with others; it was taken from there."
        )
    followers = _followers(cells, release, found, notes)
    result = new_notebook(metadata=nbformat.from_dict(released.metadata))
    result.cells += [_added(cell) for cell in followers[-1]]
    for number, known in enumerate(release):
        own = found.get(number)
        begun = own is not None and own.text != known.text
        # The essay of a split cell; or one that was written below the cell that waits for it.
        text = [
            c
            for c in followers[number]
            if known.kind == "discussion"
            and not c.is_code
            and (not begun or known.claim in c.claims)
        ]
        result.cells.append(_canonical(known, own, text))
        for cell in followers[number]:
            if cell not in text:
                result.cells.append(_added(cell))
    _name_added_cells(result)
    return result, notes


def _hold_to_this_lesson(notebook: NotebookNode, release: list[Released]) -> None:
    """Lessons share cells and names of functions; what a notebook checks says whose it is."""
    here = {known.exercise for known in release if known.kind != "given"}
    named = set()
    for cell in notebook.cells:
        claim = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if claim.startswith("check_"):
            named.add(claim.removeprefix("check_"))
        if cell.cell_type == "code":
            named |= checks_in(cell.source)
    if named and not named & here:
        which = ", ".join(f"`{name[:40]}`" for name in sorted(named)[:3])
        raise Unreadable(f"holds nothing of this lesson: it is another one's, with {which}")


def _written_together(
    cells: list[Submitted], release: list[Released], found: dict[int, Submitted]
) -> dict[int, Submitted]:
    """By position: answers whose own cell is gone, since another one holds several of them."""
    taken = {}
    for number, known in enumerate(release):
        if known.kind != "answer" or number in found:
            continue
        for cell in reversed(cells):
            theirs = cell.of is None or release[cell.of].kind == "answer"
            if theirs and cell.is_code and not cell.check_of and defines(cell.source, known.names):
                taken[number] = Submitted(cell.cell, cell.source)
                break
    return taken


def _followers(
    cells: list[Submitted],
    release: list[Released],
    found: dict[int, Submitted],
    notes: list[str],
) -> dict[int, list[Submitted]]:
    """The student's own cells by the position of the released cell that they follow, -1: none."""
    followers: dict[int, list[Submitted]] = defaultdict(list)
    texts = {known.text for known in release if known.kind != "discussion"}
    early = {id(cell) for cell in moved_up(cells) if release[cell.of or 0].kind == "answer"}
    place = -1
    for cell in cells:
        if cell.of is not None and id(cell) in early:
            # What stands between may lean on it: it runs here, too.
            followers[place].append(Submitted(cell.cell, cell.source))
            notes.append(f"The answer to `{release[cell.of].exercise}` was moved up.")
            continue
        if cell.of is not None:
            place = cell.of
        if cell.of is None or cell.check_of:
            left = without_checks(cell.source) if cell.is_code else cell.text
            # Copies of given cells, and empty cells, change nothing.
            if left and cell.text not in texts and left not in texts:
                where = place - 1 if cell.check_of and cell.of is not None else place
                followers[where].append(Submitted(cell.cell, left, claims=cell.claims))
    _bring_answers_up(followers, release, found, notes)
    return followers


def _bring_answers_up(
    followers: dict[int, list[Submitted]],
    release: list[Released],
    found: dict[int, Submitted],
    notes: list[str],
) -> None:
    """Where an answer was left as released but written further down, put it above its check."""
    checks = {known.exercise: n for n, known in enumerate(release) if known.kind == "check"}
    for number, known in enumerate(release):
        own = found.get(number)
        if known.kind != "answer" or (own and own.text != known.text):
            continue
        check = checks.get(known.exercise, number)
        if any(defines(c.source, known.names) for n in range(number, check) for c in followers[n]):
            continue
        for below in sorted(n for n in followers if n >= check):
            run = followers[below]
            if any(c.is_code and defines(c.source, known.names) for c in run):
                followers[check - 1] += run
                followers[below] = []
                notes.append(f"The answer to `{known.exercise}` was found below its check.")
                break


def _canonical(known: Released, own: Submitted | None, more: list[Submitted]) -> NotebookNode:
    """The released cell, with what the student wrote where they may write."""
    cell = nbformat.from_dict(known.cell)
    if "outputs" in cell:
        cell.outputs, cell.execution_count = [], None
    edited = False
    if own is not None and known.kind != "check":
        source = without_checks(own.source) if known.kind == "answer" else own.source.strip()
        edited = plain(source) != known.text
        if edited:
            cell.source = source
        if cell.cell_type == "code":
            cell.outputs = nbformat.from_dict(own.cell.get("outputs", []))
    if known.kind == "discussion" and (parts := [c for c in [own, *more] if c is not None]):
        written = [c.source.strip() for c in parts if c.text and c.text != known.text]
        cell.source = "\n\n".join(written) or known.cell.source
        attached = {k: v for c in parts for k, v in c.cell.get("attachments", {}).items()}
        if attached:
            cell["attachments"] = nbformat.from_dict(attached)
    cell.metadata[KEY] = {"kind": known.kind, "edited": edited}
    return cell


def _added(own: Submitted) -> NotebookNode:
    metadata = {KEY: {"kind": "added", "edited": True}}
    if not own.is_code:
        cell = new_markdown_cell(own.source, metadata=metadata)
        if attached := own.cell.get("attachments"):
            cell["attachments"] = nbformat.from_dict(attached)
        return cell
    outputs = nbformat.from_dict(own.cell.get("outputs", []))
    return new_code_cell(own.source, metadata=metadata, outputs=outputs)


def _name_added_cells(notebook: NotebookNode) -> None:
    taken = {cell["id"] for cell in notebook.cells if cell.metadata[KEY]["kind"] != "added"}
    number = 0
    for cell in notebook.cells:
        if cell.metadata[KEY]["kind"] == "added":
            number += 1
            while f"added-{number}" in taken:
                number += 1
            cell["id"] = f"added-{number}"


def _notes(
    notebook: NotebookNode,
    cells: list[Submitted],
    release: list[Released],
    found: dict[int, Submitted],
) -> list[str]:
    """What was found and put right, in sentences that student and instructor can read."""
    notes = []
    graded = [known for known in release if known.kind != "given"]
    named = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
    lost = [known for known in graded if known.claim not in named]
    if lost and len(lost) == len(graded):
        notes.append("Saved without nbgrader's marks; the exercises were found by their code.")
    ids = {cell["id"] for cell in notebook.cells if cell["id"]}
    if ids and not ids & {known.cell["id"] for known in release}:
        notes.append("Saved with other cell ids; the cells were recognised.")
    given = 0
    for number, known in enumerate(release):
        own, name = found.get(number), f"`{known.exercise}`"
        whose = {"answer": "answer cell of", "check": "check of", "discussion": "discussion"}
        what = f"The {whose.get(known.kind, 'given cell')} {name}"
        if own is None:
            if known.kind != "given":
                notes.append(f"{what} was not there; it was put back as released.")
            given += known.kind == "given" and known.cell.cell_type == "code"
            continue
        if known.kind != "given" and known in lost and len(lost) < len(graded):
            notes.append(f"{what} had lost nbgrader's marks; it was recognised.")
        if known.kind != "given" and own.cell.cell_type != known.cell.cell_type:
            was = {"markdown": "Markdown", "raw": "raw text"}.get(own.cell.cell_type, "code")
            notes.append(f"{what} had become {was}; it was turned back.")
        if known.kind == "check" and own.text != known.text:
            notes.append(f"{what} was edited; the course's own was used.")
        again = [c for c in cells if c is not own and c.of is None and known.claim in c.claims]
        again += [c for c in cells if c is not own and c.check_of and known.claim in c.claims]
        if known.kind != "given" and again:
            notes.append(f"{what} was there {len(set(map(id, again))) + 1} times.")
    if given:
        notes.append(f"{given} given code cells were not there; they were put back.")
    return notes
