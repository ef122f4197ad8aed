"""Student Markdown as HTML that cannot act, with formulas as MathML: legible without a script."""

import re
from html import escape
from typing import Any

import nh3
from latex2mathml.converter import convert
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograde.grading.clean_html import clean_html

TAGS = """
    math mi mn mo ms mtext mspace mrow mfrac msqrt mroot mstyle merror mpadded mphantom menclose
    msub msup msubsup munder mover munderover mmultiscripts mtable mtr mtd
"""
ATTRIBUTES = {
    "*": {"mathvariant", "stretchy", "fence", "form", "accent", "lspace", "rspace", "minsize"}
    | {"maxsize", "columnalign", "displaystyle", "scriptlevel", "linethickness", "width"},
    "math": {"display", "xmlns"},
}
LONGEST_FORMULA = 4_000
# What is longer is shown as it is: there are texts on which a parser of Markdown stands still.
LONGEST = 20_000
# latex2mathml gives a norm's bars no partner, so they would grow with all that stands in the row.
NORM_BAR = re.compile(r"<mo>(&#x02016;|‖)</mo>")
# It also leaves no space between "log" and what follows without a bracket.
FUNCTION = re.compile(r"(<mi>(?:log|exp|max|min|arg max|sin|cos|tanh)</mi>)(?=<m[a-np-z])")


def mathml(latex: str, *, block: bool) -> str:
    """A formula as MathML; as code where it cannot be read."""
    source = latex.strip()
    if len(source) <= LONGEST_FORMULA:
        try:
            made = convert(source, display="block" if block else "inline")
        except Exception:  # it raises what its parser stumbles over: IndexError, KeyError ...
            made = ""
        made = NORM_BAR.sub(r'<mo stretchy="false">\1</mo>', made)
        made = FUNCTION.sub(r'\1<mspace width="0.17em"/>', made)
        clean = nh3.clean(made, tags=set(TAGS.split()), attributes=ATTRIBUTES)
        if clean.startswith("<math"):
            return clean
    return f"<code>{nh3.clean_text(latex)}</code>"


class _Renderer(IPythonRenderer):
    """Leaves a mark for each formula; what is between the marks is cleaned as HTML."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.formulas: list[str] = []

    def _kept(self, latex: str, *, block: bool) -> str:
        self.formulas.append(mathml(latex, block=block))
        return f"\ue000{len(self.formulas) - 1}\ue001"

    def block_math(self, body: str) -> str:
        return f"<p>{self._kept(body, block=True)}</p>"

    def inline_math(self, body: str) -> str:
        return self._kept(body, block=False)

    def latex_environment(self, name: str, body: str) -> str:
        return self._kept(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)


def html_of(markdown: str, attachments: dict[str, Any] | None = None) -> str:
    """Markdown as clean HTML with MathML; as plain text where it is very long."""
    if len(markdown) > LONGEST:
        return f"<pre>{escape(markdown)}</pre>"
    text = markdown.replace("\ue000", "").replace("\ue001", "")
    renderer = _Renderer(escape=False, attachments=attachments or {}, anchor_link_text="")
    page = clean_html(MarkdownWithMath(renderer=renderer).render(text))
    return re.sub("\ue000(\\d+)\ue001", lambda mark: renderer.formulas[int(mark[1])], page)
