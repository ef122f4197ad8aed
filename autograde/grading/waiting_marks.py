"""An nbgrader preprocessor: the graded notebook says which marks wait for a person."""

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import GetGrades


class GetGradesAndWaiting(GetGrades):
    """nbgrader's own, which gives an essay that nobody has read the score 0."""

    def _get_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        super()._get_score(cell, resources)
        name = cell.metadata.nbgrader.grade_id
        found = (self.notebook_id, self.assignment_id, self.student_id)
        grade = self.gradebook.find_grade(name, *found)
        cell.metadata.nbgrader["needs_manual_grade"] = bool(grade.needs_manual_grade)
