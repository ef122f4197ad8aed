"""formgrader asks no other host: MathJax comes from the server that shows the page."""

import importlib.metadata
from pathlib import Path

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from autograde.grading.nbgrader_settings import configure


def test_formgraders_page_loads_mathjax_from_its_own_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin")
    config = Config()
    configure(config)
    # As nbgrader's FormgradeExtension makes it.
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("$x^2$")])
    resources = {"base_url": "/user/ada", "index": 0, "total": 1, "notebook_id": "small"}
    page, _ = HTMLExporter(config=config).from_notebook_node(notebook, resources=resources)
    assert "static/jupyter_server_mathjax/MathJax.js?config=TeX-AMS-MML_HTMLorMML-full,Safe" in page
    assert "https://" not in page.replace("https://www.w3.org", "")


def test_the_server_has_the_file_that_the_page_asks_for() -> None:
    files = importlib.metadata.files("jupyter-server-mathjax") or []
    names = {str(file) for file in files}
    assert "jupyter_server_mathjax/static/MathJax.js" in names
    assert "jupyter_server_mathjax/static/config/TeX-AMS-MML_HTMLorMML-full.js" in names
    assert any(
        name.endswith("jupyter_server_config.d/jupyter_server_mathjax.json") for name in names
    )
