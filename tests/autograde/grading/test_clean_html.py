"""What a student wrote reaches the reader as text, tables and pictures, and never as a script."""

from html.parser import HTMLParser

import pytest
from jinja2 import Environment
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets.config import Config

from autograde.checking.report import CaseResult, Report
from autograde.grading.clean_html import clean_html, clean_markdown
from autograde.grading.nbgrader_settings import configure

PIXEL = "data:image/png;base64,iVBORw0KGgo="

ATTACKS = [
    "<script>act()</script>",
    "<img src=x onerror=act()>",
    '<a href="javascript:act()">x</a>',
    '<a href=" java\nscript:act()">x</a>',
    '<a href="data:text/html,<script>act()</script>">x</a>',
    '<iframe src="https://example.org"></iframe>',
    '<form action="https://example.org"><button>x</button></form>',
    '<svg onload="act()"><script>act()</script></svg>',
    "<math><mtext><script>act()</script></mtext></math>",
    '<div style="position:fixed;top:0">x</div>',
    '<details ontoggle="act()" open>x</details>',
    '<p id="grade">x</p>',
    "<style>body{display:none}</style>",
    '<img src="https://example.org/seen.png">',
    '<img src="//example.org/seen.png">',
    "<style><style></style><script>act()</script></style>",
]
HARMLESS_TAGS = {"a", "details", "div", "img", "p"}
HARMLESS_ATTRIBUTES = {"alt", "open"}


class _Elements(HTMLParser):
    """Everything in a page that a browser would take for more than text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, str] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update({name: value for name, value in attrs if value})


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("clean", ["clean_html", "clean_markdown"])
def test_nothing_that_acts_is_left(attack: str, clean: str) -> None:
    left = _Elements(clean_html(attack) if clean == "clean_html" else _markdown(attack))
    assert left.tags <= HARMLESS_TAGS
    # An <img src=x> may stay: a file beside the page is no script and no visit elsewhere.
    assert left.attributes.pop("src", "x") == "x"
    assert set(left.attributes) <= HARMLESS_ATTRIBUTES


def _markdown(source: str) -> str:
    environment = Environment()
    environment.filters["markdown2html"] = clean_markdown
    return environment.from_string("{{ source | markdown2html }}").render(source=source, cell={})


def test_what_lessons_show_stays() -> None:
    kept = (
        f'<figure><img src="{PIXEL}" alt="a road" style="color-scheme:light" width="300"></figure>'
        '<details><summary>Hint</summary><table><thead><tr><th scope="row">a</th></tr></thead>'
        '<tbody><tr><td style="text-align:left"><pre>1</pre></td></tr></tbody></table></details>'
    )
    assert clean_html(kept) == kept


def test_of_an_unknown_tag_and_a_style_the_harmless_part_stays() -> None:
    assert clean_html("<blink>now</blink>") == "now"
    assert clean_html('<b style="color:red;position:fixed">x</b>') == '<b style="color:red">x</b>'


def test_markdown_keeps_mathematics_and_code() -> None:
    html = _markdown("## Why\n\nIf $a < b$ then `x<y>`:\n\n```python\nif a < b: pass\n```")
    assert "$a &lt; b$" in html
    assert "<code>x&lt;y&gt;</code>" in html
    assert 'class="highlight"' in html


def test_a_report_keeps_its_words_and_tables() -> None:
    from autograde.checking.catalogue import find

    report = Report(
        find("relative_frequency"),
        0.0,
        (CaseResult("a case", "differs"), CaseResult("another", None)),
        "Use `/`.",
        detail=(("tokens", "[]"),),
        printed="hello",
    )
    html = clean_html(report.html())
    assert "&lt;" not in html
    assert html.count("<table") == report.html().count("<table") == 2
    assert "border-left" in html


@pytest.mark.parametrize("template", ["classic", "lab"])
def test_the_settings_reach_every_place_where_students_write(template: str) -> None:
    attack = "<script>act()</script>"
    notebook = new_notebook(
        cells=[
            new_markdown_cell(f"words {attack}"),
            new_code_cell(
                "x",
                outputs=[
                    new_output("display_data", {"text/html": attack}),
                    new_output("display_data", {"text/markdown": attack}),
                    new_output("display_data", {"application/javascript": "act()"}),
                    new_output("display_data", {"image/svg+xml": f"<svg>{attack}</svg>"}),
                    new_output("stream", name="stdout", text=attack),
                ],
            ),
        ]
    )
    config = Config()
    configure(config)
    config.HTMLExporter.template_name = template
    page, _ = HTMLExporter(config=config).from_notebook_node(notebook)
    assert "words" in page
    assert "<script>act()" not in page
    assert "\nact()\n" not in page
