"""The toys of lesson 08 in JupyterLab, by keyboard alone: sliders of a mix, a typed sentence."""

import re
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import StartLab

CELLS = (
    """
import numpy as np
from course.scalar_mix_and_elmo.mix_sliders import mix_sliders

layers = np.random.default_rng(0).standard_normal((6, 3, 5))
mix_sliders(layers, ["river", "money"] * 3, word="bank")
""",
    """
from course.scalar_mix_and_elmo.word_explorer import word_explorer

def embed(sentences):
    return [np.array([[[len(w), 1.0] for w in words]] * 3) for words in sentences]

word_explorer(embed, [["the", "bank", "lends"], ["a", "bank"]], start="my *bank*")
""",
)


@pytest.mark.slow
def test_the_toys_follow_the_keyboard(tmp_path: Path, jupyterlab: StartLab, page: Page) -> None:
    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), tmp_path / "two.ipynb")
    page.goto(jupyterlab(tmp_path).replace("/lab?", "/lab/tree/two.ipynb?"))
    expect(page.get_by_text("| Idle")).to_be_visible()
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    picture = page.locator(".jp-OutputArea-output .widget-html img")
    expect(picture).to_have_attribute("alt", re.compile(r"s = 0\.33, 0\.33, 0\.33 and gamma = 1,"))
    page.locator(".jp-OutputArea-output .noUi-handle").nth(2).focus()
    page.keyboard.press("End")
    expect(picture).to_have_attribute("alt", re.compile(r"s = 0\.00, 0\.00, 1\.00 and gamma = 1,"))
    page.keyboard.press("Tab")  # its number
    page.keyboard.press("Tab")  # the next slider
    page.keyboard.press("ArrowLeft")
    expect(picture).to_have_attribute("alt", re.compile(r"1\.00 and gamma = 0\.75,"))

    page.locator(".jp-Notebook .jp-CodeCell .cm-content").nth(1).click()
    page.keyboard.press("Shift+Enter")
    field = page.get_by_label("sentence")
    field.fill("my bank")
    field.press("Enter")
    expect(page.get_by_text("Put two stars around one word")).to_be_visible()
    field.fill("her *bank*")
    field.press("Enter")
    expect(page.get_by_text("Nearest to: her *bank*")).to_be_visible()
    found = page.locator(".jp-OutputArea-output .widget-html li")
    expect(found).to_have_count(3 * 2)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # compare with every word
    expect(found).to_have_count(3 * 4)
