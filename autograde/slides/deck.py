"""Compose a lesson's deck: one HTML page that holds its slides, figures, scripts and letters."""

import html
import re
import textwrap
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from nbformat.notebooknode import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograde.building.deck_source import Slide, deck_refusals, slides_of
from autograde.building.lesson_source import Lesson, Refusal
from autograde.building.long_cells import about, long_cells
from autograde.grading.model_answers import MARK
from autograde.marking.course_folder import notebook_at
from autograde.marking.formulas import html_of
from autograde.slides import assets, shown
from autograde.slides.shown import NotThere

HERE = Path(__file__).parent
LINES, LETTERS = 12, 94  # of code on a slide, at 20 px or more
EASY, WRAPPED = 86, 78  # letters of a line that a room reads with ease, and of one that is broken
LARGEST_CODE, SMALLEST_CODE = 36, 20
CODE_WIDTH, CODE_HEIGHT = 1130, 504  # px
LETTER, LINE = 0.602, 1.4  # width of a letter of code and height of its line, of its size
FORMATTER = HtmlFormatter(style="xcode", nowrap=True)
BLOCK = re.compile(r"<pre>(?P<inside>.*?)</pre>", re.DOTALL)
LAST_MARK = re.compile(r" +(?=[^\w\s]+$)")


class CannotShow(Exception):
    """A slide cannot be made; the refusals say where and why."""

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__("\n".join(map(str, refusals)))
        self.refusals = refusals


@dataclass(frozen=True)
class Made:
    """One slide as HTML."""

    kind: str
    seconds: int
    content: str
    note: str


def deck(lesson: Lesson, notebook: NotebookNode) -> str:
    """The page.

    Parameters
    ----------
    lesson : its source, with slides
    notebook : its solved notebook, where the outputs are

    Raises
    ------
    CannotShow
        A slide is not as it must be, or the notebook does not hold what it shows.
    """
    refusals = list(deck_refusals(lesson))
    if refusals:
        raise CannotShow(refusals)
    if [_plain(cell) for cell in notebook.cells] != [_plain(cell) for cell in lesson.cells]:
        raise CannotShow(
            [
                Refusal(
                    lesson.path,
                    None,
                    "its solved notebook is another one. "
                    f"Run `python -m autograde build --execute {lesson.name}`.",
                )
            ]
        )
    slides, made, minutes = slides_of(lesson), [], 0.0
    total, long = sum(slide.minutes for slide in slides), long_cells(notebook)
    for slide in slides:
        try:
            content = _content(slide, notebook.cells)
        except NotThere as error:
            refusals.append(lesson.refusal(slide.cell, f"the slide cannot show its cell: {error}."))
            continue
        kind = "title" if slide is slides[0] else slide.kind
        seconds = long.get(notebook.cells[slide.position]["id"]) if slide.kind != "words" else None
        note = _note(slide, minutes, total, seconds)
        made.append(Made(kind, round(60 * slide.minutes), content, note))
        minutes += slide.minutes
    if refusals:
        raise CannotShow(refusals)
    return _page(made)


def solved_notebook(lesson: Lesson) -> NotebookNode:
    """The solved notebook that lies beside the source."""
    return notebook_at(lesson.path.with_suffix(".ipynb"))


def _plain(cell: object) -> str | None:
    """A cell of code that the builder leaves as it is; of others, only that they are there."""
    kind = getattr(cell, "kind", None) or cell.cell_type  # type: ignore[attr-defined]
    source = cell.source  # type: ignore[attr-defined]
    return source if kind == "code" and "check(" not in source else None


def _content(slide: Slide, cells: list[NotebookNode]) -> str:
    text = [BLOCK.sub(_sized, html_of(step)) for step in slide.steps if step]
    heading, lines = slide.heading, str(slide.cell.keys.get("lines", ""))
    if slide.kind == "poll":
        listed = re.findall(r"^[-*] (.+)$", "\n".join(slide.steps), re.MULTILINE)
        return _poll(slide, shown.poll(cells, slide.position, listed))
    below = ""
    if slide.kind != "words":
        cell = cells[slide.position]
        if slide.kind == "figure":
            figure = shown.figure(cell, heading, bool(text))
            heading = heading or figure.title
            alt = html.escape(figure.alt, quote=True)
            below = f'<figure class="drawing"><img src="{figure.source}" alt="{alt}"></figure>'
        elif slide.kind == "formula":
            formulas = "\n\n".join(shown.formulas(cell, lines))
            below = f'<div class="formulas">{html_of(formulas)}</div>'
        elif slide.kind == "table":
            below = html_of(shown.table(cell))
        elif slide.kind == "code":
            below = _code(cell)
        else:
            said = _wrapped(textwrap.dedent(shown.printed(cell, lines)))
            below = _block(html.escape(said), said)
    return f"<h2>{_inline(heading)}</h2>{_steps(text)}{below}"


def _steps(parts: list[str]) -> str:
    if not parts:
        return ""
    held = "".join(f'<div class="fragment">{part}</div>' for part in parts[1:])
    return f'<div class="text">{parts[0]}{held}</div>'


def _poll(slide: Slide, poll: shown.Poll) -> str:
    if len(poll.options) < 2:
        raise NotThere("it names no options: list two or more on the slide, `- about a half`")
    items = "".join(
        f'<li class="fragment is" data-fragment-index="2">{_inline(option)}</li>'
        if option == poll.right
        else f"<li>{_inline(option)}</li>"
        for option in poll.options
    )
    return (
        f'<p class="kicker">Hands up before we look</p>'
        f'<p class="question">{_inline(slide.heading or poll.question)}</p>'
        f'<ol class="fragment" data-fragment-index="1">{items}</ol>'
        f'<p class="fragment measured" data-fragment-index="2">Measured: '
        f"<b>{html.escape(poll.measured)}</b></p>"
    )


def _code(cell: NotebookNode) -> str:
    source = _without_wide_docstring(cell.source.strip("\n"))
    parts = MARK.split(source)
    coloured = []
    for number, part in enumerate(parts):
        shown_part = highlight(part, PythonLexer(stripnl=False, ensurenl=False), FORMATTER)
        coloured.append(f'<span class="fragment">{shown_part}</span>' if number % 2 else shown_part)
    return _block("".join(coloured), "".join(parts))


def _without_wide_docstring(source: str) -> str:
    """Without a docstring whose line is the longest: for it alone, all would be smaller."""
    longest = max(source.splitlines(), key=len)
    return source.replace(f"{longest}\n", "") if longest.lstrip().startswith('"""') else source


def _wrapped(said: str) -> str:
    """What is printed, its lines broken between words where they are long and no table."""
    lines = said.splitlines()
    longest = max(map(len, lines))
    if longest <= EASY:
        return said
    broken = []
    for line in lines:
        line = LAST_MARK.sub("\u00a0", line)  # no line of its own for a full stop
        indent = line[: len(line) - len(line.lstrip())] + "    "
        broken += textwrap.wrap(line, WRAPPED, subsequent_indent=indent, break_long_words=False)
    if longest <= LETTERS and (len(broken) > LINES or re.search(r"\S {2,}\S", said)):
        return said
    return "\n".join(broken)


def _block(content: str, text: str) -> str:
    """A block of fixed-width text, as large as its longest line allows."""
    return f'<pre style="font-size:{_size(text)}px"><code>{content}</code></pre>'


def _sized(block: re.Match[str]) -> str:
    """A ``` block of a slide's own text, as large as its longest line allows."""
    text = html.unescape(re.sub(r"<[^>]*>", "", block["inside"]))
    return f'<pre style="font-size:{_size(text)}px">{block["inside"]}</pre>'


def _width(line: str) -> int:
    """The letters of a line; a Chinese one is as wide as two."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in line)


def _size(text: str) -> int:
    """The px in which lines of code fill a slide."""
    lines = text.rstrip().splitlines()
    longest = max(map(_width, lines))
    if len(lines) > LINES or longest > LETTERS:
        raise NotThere(
            f"it has {len(lines)} lines of up to {longest} letters; a wall holds {LINES} of "
            f"{LETTERS}. Write what matters into a ``` block of a words slide"
        )
    fits = min(CODE_WIDTH / (LETTER * longest), CODE_HEIGHT / (LINE * len(lines)))
    return max(SMALLEST_CODE, min(LARGEST_CODE, int(fits)))


def _note(slide: Slide, begun: float, total: float, seconds: float | None) -> str:
    """The speaker's note; ``seconds`` are those of the slide's cell, if it is long."""
    ends = begun + slide.minutes
    note = slide.note
    parts = [
        f"**Minutes {begun:g} to {ends:g}** of {total:g}",
        note["say"],
        f"**Ask:** {note['ask']}",
        f"**Expect:** {note['expect']}",
        f"**Short of time:** {note['skip']}",
    ]
    if seconds is not None:
        parts.append(f"**Its cell:** {about(seconds)} of one core, if you run it live.")
    return html_of("\n\n".join(parts))


def _inline(text: str) -> str:
    """One line of Markdown without the paragraph around it."""
    unbroken = re.sub(r"(?<=\d) (?=%)", "\u00a0", text)
    return re.sub(r"^<p>(.*)</p>$", r"\1", html_of(unbroken).strip(), flags=re.DOTALL)


def _page(slides: list[Made]) -> str:
    text = "".join(slide.content + slide.note for slide in slides)
    spoken = html.unescape(re.sub(r"<[^>]*>", "", text))
    first = re.search(r"<h2>(.*?)</h2>", slides[0].content)
    template = Environment(loader=FileSystemLoader(HERE), autoescape=False).get_template(
        "deck.html.j2"
    )
    return template.render(
        title=re.sub(r"<[^>]*>", "", first[1]) if first else "",
        slides=slides,
        reveal_css=assets.reveal("dist/reset.css") + assets.reveal("dist/reveal.css"),
        reveal_js=assets.reveal("dist/reveal.js"),
        notes_js=assets.reveal("plugin/notes/notes.js").replace("</script", "<\\/script"),
        fonts=assets.fonts(spoken),
        css=(HERE / "deck.css").read_text(encoding="utf-8"),
        code_css=FORMATTER.get_style_defs(".reveal pre"),
    )
