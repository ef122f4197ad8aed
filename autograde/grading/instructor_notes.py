"""An nbgrader preprocessor: what is for instructors never reaches the student version."""

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

TAG = "instructor"
# In the solution's metadata: the processor seconds of its last run, and of the slowest cells.
TIMES = "processor_seconds"


class RemoveInstructorNotes(NbGraderPreprocessor):
    """Drop every cell that is tagged ``instructor``, and the times of the last run."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook without its instructor notes and times."""
        nb.cells = [cell for cell in nb.cells if TAG not in cell.metadata.get("tags", [])]
        nb.metadata.pop(TIMES, None)
        return nb, resources
