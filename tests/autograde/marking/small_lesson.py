"""A lesson of two exercises and two discussions, and right hand-ins of it, made without files."""

import json
from collections.abc import Callable
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

LESSON = "00_small"
DOUBLE = "def double(x):\n    return SCALE * x"
SHARE = "def share(words, word):\n    total = len(words)\n    return words.count(word) / total"
ESSAYS = {"why": "Because it rains.", "what": "A word and its neighbours."}
STUBS = {
    "double": "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()",
    "share": "def share(words, word):\n    # YOUR CODE HERE\n    raise NotImplementedError()",
}


def _graded(name: str, points: float | None = None, **flags: bool) -> dict[str, Any]:
    nbgrader = {"grade": False, "locked": False, "solution": False, "task": False, **flags}
    nbgrader |= {"grade_id": name, "schema_version": 3, "checksum": "0"}
    return {"nbgrader": nbgrader | ({} if points is None else {"points": points})}


def _answer(name: str) -> NotebookNode:
    return _cell(new_code_cell(STUBS[name], metadata=_graded(name, solution=True)), name)


def _check(name: str, points: float) -> NotebookNode:
    metadata = _graded(f"check_{name}", points, grade=True, locked=True)
    source = f'from autograde import check\n\ncheck("{name}", {name})'
    return _cell(new_code_cell(source, metadata=metadata), f"check_{name}")


def _discussion(name: str) -> NotebookNode:
    metadata = _graded(name, 2, grade=True, solution=True)
    return _cell(new_markdown_cell("YOUR ANSWER HERE", metadata=metadata), name)


def _cell(cell: NotebookNode, name: str) -> NotebookNode:
    cell["id"] = name
    return cell


def released() -> NotebookNode:
    """The student version."""
    cells = [
        _cell(new_markdown_cell("# 00 · A small lesson\n\nTwo exercises."), "title"),
        _cell(new_code_cell("import math\n\nSCALE = 2  # a given constant"), "imports"),
        _cell(new_markdown_cell("### Exercise 1. Twice a number"), "double-statement"),
        _answer("double"),
        _check("double", 4),
        _cell(new_markdown_cell("<details>Hint 1: a nudge</details>"), "double-hints"),
        _cell(new_code_cell('double = or_reference("double", double)\nprint(double(3))'), "use"),
        _cell(new_markdown_cell("### Exercise 2. A share"), "share-statement"),
        _answer("share"),
        _check("share", 1),
        _cell(new_code_cell("training = [math.sqrt(step) for step in range(3)]"), "training"),
        _cell(new_markdown_cell("## Discuss 1\n\nWhy is it so?"), "why-question"),
        _discussion("why"),
        _cell(new_markdown_cell("## Discuss 2\n\nWhat is it about?"), "what-question"),
        _discussion("what"),
        _cell(new_markdown_cell("## Further reading\n\n- a paper"), "further"),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=cells, metadata=metadata)


def right() -> NotebookNode:
    """A hand-in with every answer right and both discussions written."""
    notebook = released()
    for cell in notebook.cells:
        cell.source = {"double": DOUBLE, "share": SHARE, **ESSAYS}.get(cell["id"], cell.source)
    return notebook


def place(notebook: NotebookNode, name: str) -> int:
    """Where the cell of this id stands."""
    return [cell["id"] for cell in notebook.cells].index(name)


def saved(notebook: NotebookNode) -> bytes:
    """The notebook as a file, also where it is not valid."""
    return json.dumps(notebook, ensure_ascii=False).encode()


def run(notebook: NotebookNode) -> dict[str, str]:
    """What each check saw when the code cells ran in order: right, wrong, or nothing.

    A cell that fails costs itself only, as in marking.
    """
    seen: dict[str, str] = {}
    tests: dict[str, Callable[[Any], bool]] = {
        "double": lambda answer: answer(3) == 6,
        "share": lambda answer: answer(["a", "b"], "a") == 0.5,
    }

    def check(name: str, answer: Any) -> None:
        assert name not in seen, "a check stands there once"
        seen[name] = "wrong"
        if tests[name](answer):
            seen[name] = "right"

    names: dict[str, Any] = {"check": check, "or_reference": lambda name, answer: answer}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            source = cell.source.replace("from autograde import check", "")
            try:
                exec(compile(source, cell["id"], "exec"), names)
            except AssertionError:
                raise
            except Exception:
                continue
    return seen


def copy(cell: NotebookNode, **changes: Any) -> NotebookNode:
    """A deep copy of a cell with other fields."""
    return nbformat.from_dict({**json.loads(json.dumps(cell)), **changes})
