"""An nbgrader preprocessor: the model answers go into a hidden file, never into the notebook."""

import json
import re
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from autograde.checking.model_answer import FILE

# In the metadata of the solution's cell: the exercise or discussion whose answer it is.
OF = "model_answer"
# JupyterLab shows the first line of a folded cell.
WHEN = {
    "exercise": "after a pass, or after a try and all three hints",
    "discussion": "when you have written and saved your own",
}
MARK = re.compile(r"^[ \t]*### (?:BEGIN|END) SOLUTION[^\n]*\n?", re.MULTILINE)


class ReleaseModelAnswers(NbGraderPreprocessor):
    """Release the answers of exercises and discussions, and a cell below each that unfolds it.

    It must run while the solutions are still in the notebook.
    """

    enabled = Bool(True, help="Set it to False for a graded course.").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook with a cell for each answer; the file goes with the resources."""
        answers = model_answers(nb)
        if not answers:
            return nb, resources
        text = json.dumps(answers, ensure_ascii=False, indent=1) + "\n"
        resources["outputs"] = {**(resources.get("outputs") or {}), str(FILE): text.encode()}
        cells = []
        for cell in nb.cells:
            cells.append(cell)
            key = _last_cell_of(cell)
            if key in answers:
                cells.append(offer(key, answers[key]["of"]))
        nb.cells = cells
        return nb, resources


def model_answers(notebook: NotebookNode) -> dict[str, dict[str, str]]:
    """By id: whether it is an exercise's or a discussion's, and the answer as Markdown."""
    written = {cell.metadata[OF]: cell.source for cell in notebook.cells if OF in cell.metadata}
    answers = {}
    for cell in notebook.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if not nbgrader.get("solution"):
            continue
        key = nbgrader.grade_id
        if cell.cell_type == "code":
            code = f"```python\n{MARK.sub('', cell.source).strip()}\n```"
            why = f"\n\n{written[key]}" if key in written else ""
            answers[key] = {"of": "exercise", "answer": code + why}
        elif key in written:
            answers[key] = {"of": "discussion", "answer": written[key]}
    return answers


def _last_cell_of(cell: NotebookNode) -> str:
    """The exercise whose hints these are, or the discussion whose cell this is; else ''."""
    if cell.cell_type != "markdown":
        return ""
    discussion = cell.metadata.get("nbgrader", {}).get("grade_id")
    return discussion or cell["id"].removesuffix("-hints")


def offer(key: str, of: str) -> NotebookNode:
    """The cell below hints or discussion that unfolds the model answer; its code is folded."""
    cell = new_code_cell(
        f"# Model answer: run this cell {WHEN[of]}\n"
        f'from autograde import model_answer\n\nmodel_answer("{key}")',
        metadata={"jupyter": {"source_hidden": True}},
    )
    cell["id"] = f"model_answer_{key}"[:64]
    return cell
