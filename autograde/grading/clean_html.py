"""What a student wrote, as HTML that cannot act: for feedback pages and formgrader.

nbconvert's ``sanitize_html`` drops the tables and figures that lessons show, and nbgrader's
templates do not apply it to Markdown at all: there a student's ``<script>`` stays live, also
on the instructor's screen. These two functions take the place of the filters that the
templates use.
"""

import re

import bleach  # type: ignore[import-untyped]
from bleach.css_sanitizer import CSSSanitizer  # type: ignore[import-untyped]
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

TAG_NAMES = """
    a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4
    h5 h6 hr i img kbd li mark ol p pre s section small span strong sub summary sup table tbody td
    tfoot th thead tr u ul
"""
STYLE_NAMES = """
    background-color border border-bottom border-collapse border-left border-radius border-right
    border-top color display font-family font-size font-style font-weight height line-height
    margin margin-bottom margin-left margin-right margin-top max-width overflow-x padding
    padding-left padding-right text-align vertical-align white-space width
"""
# No ids: formgrader's own script finds its parts by them.
ANYWHERE = {"class", "dir", "lang", "role", "style", "title"}
ONLY_ON = {
    "details": {"open"},
    "img": {"alt", "height", "width"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
STYLE_SHEET = re.compile(r"<style\b.*?</style\s*>", re.IGNORECASE | re.DOTALL)
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
PICTURE = re.compile(r"^data:image/(png|jpeg|gif|webp|svg\+xml);base64,", re.IGNORECASE)
LINK = re.compile(r"^(https?:|mailto:)", re.IGNORECASE)


def _allowed(tag: str, name: str, value: str) -> bool:
    if tag == "img" and name == "src":
        # A picture from elsewhere would tell its server who reads the page, and when.
        return bool(PICTURE.match(value)) or not (SCHEME.match(value) or value.startswith("//"))
    if tag == "a" and name == "href":
        return bool(LINK.match(value)) or not SCHEME.match(value)
    return name in ANYWHERE or name.startswith("aria-") or name in ONLY_ON.get(tag, ())


def clean_html(html: str | bytes) -> str:
    """HTML with text, tables, figures and folded blocks, without scripts, forms and frames.

    Style sheets are dropped; every other unknown tag is shown as the text that it is.
    """
    text = html.decode() if isinstance(html, bytes) else str(html)
    return str(
        bleach.clean(
            STYLE_SHEET.sub("", text),
            tags=TAG_NAMES.split(),
            attributes=_allowed,
            protocols={"http", "https", "mailto", "data"},
            css_sanitizer=CSSSanitizer(allowed_css_properties=STYLE_NAMES.split()),
        )
    )


@pass_context
def clean_markdown(context: Context, source: str) -> str:
    """Markdown of the cell in the template's context as clean HTML."""
    cell = context.get("cell") or {}
    renderer = IPythonRenderer(
        escape=False, attachments=cell.get("attachments", {}), anchor_link_text="¶"
    )
    return clean_html(MarkdownWithMath(renderer=renderer).render(source))
