"""What a student wrote, as HTML that cannot act: for feedback pages and formgrader.

nbconvert's ``sanitize_html`` drops the tables and figures that lessons show, and nbgrader's
templates do not apply it to Markdown at all: there a student's ``<script>`` stays live, also
on the instructor's screen. These two functions take the place of the filters that the
templates use.
"""

import re

import nh3
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
    border-top color color-scheme display font-family font-size font-style font-weight height
    line-height margin margin-bottom margin-left margin-right margin-top max-width overflow-x
    padding padding-left padding-right text-align vertical-align white-space width
"""
ATTRIBUTES = {
    # No ids: formgrader's own script finds its parts by them.
    "*": {"class", "dir", "lang", "role", "style", "title"},
    "a": {"href"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
PICTURE = re.compile(r"^data:image/(png|jpeg|gif|webp|svg\+xml);base64,", re.IGNORECASE)
LINK = re.compile(r"^(https?:|mailto:)", re.IGNORECASE)


def clean_html(html: str | bytes) -> str:
    """HTML with text, tables, figures and folded blocks, without scripts, forms and frames.

    Scripts and style sheets are dropped; of every other unknown tag, its text stays.
    """
    return nh3.clean(
        html.decode() if isinstance(html, bytes) else str(html),
        tags=set(TAG_NAMES.split()),
        attributes=ATTRIBUTES,
        generic_attribute_prefixes={"aria-"},
        attribute_filter=_address,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel=None,
        filter_style_properties=set(STYLE_NAMES.split()),
    )


def _address(tag: str, name: str, value: str) -> str | None:
    """The value of an attribute, or None where it would lead somewhere that it should not."""
    if (tag, name) == ("img", "src"):
        # A picture from elsewhere would tell its server who reads the page, and when.
        allowed = PICTURE.match(value) or not (SCHEME.match(value) or value.startswith("//"))
    elif (tag, name) == ("a", "href"):
        allowed = LINK.match(value) or not SCHEME.match(value)
    else:
        return value
    return value if allowed else None


@pass_context
def clean_markdown(context: Context, source: str) -> str:
    """Markdown of the cell in the template's context as clean HTML."""
    cell = context.get("cell") or {}
    renderer = IPythonRenderer(
        escape=False, attachments=cell.get("attachments", {}), anchor_link_text="¶"
    )
    return clean_html(MarkdownWithMath(renderer=renderer).render(source))
