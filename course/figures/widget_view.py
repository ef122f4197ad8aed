"""The output that shows a widget, from ipywidgets 8 and from 7, which Colab has."""

from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"


def widget_view(widget: Any, **options: Any) -> dict[str, Any]:
    """The data of the output; ipywidgets 7 has no method that gives it."""
    own = getattr(widget, "_repr_mimebundle_", None)
    if own is not None:
        return dict(own(**options) or {})
    return {VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}
