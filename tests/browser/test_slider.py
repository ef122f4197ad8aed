"""A slider in JupyterLab: arrow keys move it, and the picture and its description follow."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import StartLab

CELL = """
from course.figures import plots
from course.figures.slider import Slider

def drawn(bias):
    return plots.bars(["y"], {"y": [bias]}, title=f"bias {bias:g}", ylabel="y")

Slider(drawn, "gate bias", [-1.0, 0.0, 1.0], 0.0, drawn(0.5))
"""


@pytest.mark.slow
def test_arrow_keys_move_the_slider(tmp_path: Path, jupyterlab: StartLab, page: Page) -> None:
    cell = nbformat.v4.new_code_cell(CELL)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=kernel), tmp_path / "one.ipynb")
    page.goto(jupyterlab(tmp_path).replace("/lab?", "/lab/tree/one.ipynb?"))
    expect(page.get_by_text("| Idle")).to_be_visible()
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").click()
    page.keyboard.press("Shift+Enter")
    picture = page.locator(".jp-OutputArea-output .widget-html img")
    expect(picture).to_have_attribute("alt", "Bar chart, bias 0. Up: y. y: y 0.")
    page.locator(".jp-OutputArea-output .noUi-handle").focus()
    page.keyboard.press("ArrowRight")
    expect(picture).to_have_attribute("alt", "Bar chart, bias 1. Up: y. y: y 1.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(picture).to_have_attribute("alt", "Bar chart, bias -1. Up: y. y: y -1.")
