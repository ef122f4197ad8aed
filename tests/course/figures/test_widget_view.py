"""A widget is shown alike whether ipywidgets gives its view itself or, as version 7, does not."""

from types import SimpleNamespace

from course.figures.widget_view import VIEW, widget_view


def test_the_view_names_the_widget_with_ipywidgets_8_and_with_7() -> None:
    import ipywidgets

    new = ipywidgets.Label("words")
    old = SimpleNamespace(model_id=new.model_id)
    views = [widget_view(widget)[VIEW] for widget in (new, old)]
    assert views[0]["model_id"] == views[1]["model_id"] == new.model_id
    assert views[0]["version_major"] == views[1]["version_major"] == 2
