"""Sphinx's settings for the book, which `python -m autograde book` makes."""

from typing import Any

from docutils.nodes import Element, SkipNode

from autograde.marking.formulas import mathml

project = "Before BERT"
author = "The authors of Before BERT"
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
exclude_patterns = ["notebooks", "files"]
nb_execution_mode = "off"
nb_code_prompt_show = "Show one answer"
nb_code_prompt_hide = "Hide the answer"
nb_merge_streams = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_use_ivar = True
# Names that several classes have, and references in docstrings that PyTorch's classes hand down.
suppress_warnings = ["ref.python", "ref.ref"]

html_theme = "furo"
html_title = "Before BERT"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_math_renderer = "mathml"


def _inline(writer: Any, node: Element) -> None:
    writer.body.append(mathml(node.astext(), block=False))
    raise SkipNode


def _block(writer: Any, node: Element) -> None:
    writer.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>')
    raise SkipNode


def setup(app: Any) -> None:
    """Formulas are MathML, which browsers draw without a script or a font from elsewhere."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(_inline, None), block_renderers=(_block, None)
    )
