"""nbgrader's ``generate_feedback`` gives the short page for what ``grade`` has marked."""

from typing import Any

from nbconvert.exporters import Exporter
from nbformat.notebooknode import NotebookNode

from autograde.grading.feedback_names import FeedbackExporter
from autograde.marking.feedback import feedback_page
from autograde.marking.graded_page import KEY


class ShortFeedback(FeedbackExporter):
    """The short page; nbgrader's own for a notebook that plain ``nbgrader autograde`` marked."""

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Return the page and the resources."""
        if KEY not in nb.metadata:
            return super().from_notebook_node(nb, resources, **options)
        marked, resources = Exporter.from_notebook_node(self, nb, resources, **options)
        return feedback_page(marked), resources
