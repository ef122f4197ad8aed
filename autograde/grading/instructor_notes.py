"""An nbgrader preprocessor: instructor notes never reach the student version."""

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

TAG = "instructor"


class RemoveInstructorNotes(NbGraderPreprocessor):
    """Drop every cell that is tagged ``instructor``."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook without its instructor notes."""
        nb.cells = [cell for cell in nb.cells if TAG not in cell.metadata.get("tags", [])]
        return nb, resources
