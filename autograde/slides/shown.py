"""What a slide takes from the cell that it shows: its figure, code, table, formulas or poll."""

import ast
import base64
import html
import re
from dataclasses import dataclass

from nbformat.notebooknode import NotebookNode

from autograde.building.cell_code import tree
from course.figures.stored import drawn

VIEW_BOX = re.compile(r'viewBox="([^"]+)"')
TEXT = re.compile(r'<text class="(?P<style>\w+)"(?P<place>[^>]*)>(?P<words>.*?)</text>')
HEIGHT = re.compile(r' y="([\d.]+)"|translate\([\d.]+ ([\d.]+)\)')
SIZE = re.compile(r"\.(\w+)\{[^}]*?font-size:([\d.]+)px")
DISPLAYED = re.compile(r"\$\$.+?\$\$", re.DOTALL)
MARKDOWN_TABLE = re.compile(r"(?:^\|.*\n?)+", re.MULTILINE)
HTML_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
MEASURED = re.compile(r"measured: (.+)$", re.MULTILINE)
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")
RIGHT = "[x] "
# What `mine` says of a part: no business of a wall.
WHOSE = re.compile(r"^`\w+` is (the course's|yours)")
TITLE_POINTS = 11.0
# Room for a drawing on a slide, below a heading of one line or of two or other text, and what its
# text has there at least, in px.
WIDTH, HEIGHTS = 1184, (565, 520)
SMALLEST = 18.1
ONE_LINE = 50  # letters of a heading
GROWTH = 1.45  # of small text; with more, words would run into each other


class NotThere(ValueError):
    """A cell has not what a slide wants to show of it."""


@dataclass(frozen=True)
class Figure:
    """A drawing as SVG without its title, the title, and what it shows in words."""

    svg: str
    title: str
    alt: str

    @property
    def source(self) -> str:
        """The drawing as the address of an ``<img>``."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode("ascii")


@dataclass(frozen=True)
class Poll:
    """A prediction's question, the options that it names, the right one, and what was measured."""

    question: str
    options: list[str]
    right: str
    measured: str


def figure(cell: NotebookNode, heading: str, text: bool) -> Figure:
    """The figure that a cell has drawn. Its title goes: where there is no heading, it is that."""
    found = next(filter(None, map(drawn, cell.get("outputs", []))), None)
    if found is None:
        raise NotThere("it has drawn no figure")
    svg, title = _without_title(found[0])
    height = HEIGHTS[text or len(heading or title) > ONE_LINE]
    return Figure(_legible(svg, height), title, found[1])


def _legible(svg: str, room: int) -> str:
    """The drawing with its smallest text as large as a wall asks for."""
    *_, width, height = map(float, VIEW_BOX.search(svg)[1].split())  # type: ignore[index]
    least = SMALLEST / min(WIDTH / width, room / height)

    def enlarged(size: re.Match[str]) -> str:
        return f"font-size:{max(float(size[1]), min(least, GROWTH * float(size[1]))):g}px"

    return re.sub(r"font-size: ?([\d.]+)px", enlarged, svg)


def _without_title(svg: str) -> tuple[str, str]:
    """The drawing cut off below its title, and the title."""
    sizes = {name: float(size) for name, size in SIZE.findall(svg)}
    left, _, width, height = map(float, VIEW_BOX.search(svg)[1].split())  # type: ignore[index]
    lines = []
    for text in TEXT.finditer(svg):
        y = next(filter(None, HEIGHT.search(text["place"]).groups()))  # type: ignore[union-attr]
        if sizes.get(text["style"]) == TITLE_POINTS and float(y) < height / 4:
            lines.append((float(y), text))
    if not lines:
        return svg, ""
    cut = max(y for y, _ in lines) + TITLE_POINTS / 4
    for _, text in lines:
        svg = svg.replace(text[0], "")
    svg = VIEW_BOX.sub(f'viewBox="{left:g} {cut:.2f} {width:g} {height - cut:.2f}"', svg, count=1)
    svg = re.sub(r'(?<=<svg) width="\d+" height="\d+"', "", svg)
    ground = f'<rect class="ground" y="{cut:.2f}" width="100%" height="100%"/>'
    svg = re.sub(r'<rect class="ground"[^>]*/>', ground, svg, count=1)
    return svg, html.unescape(" ".join(text["words"] for _, text in sorted(lines, key=_place)))


def _place(line: tuple[float, re.Match[str]]) -> float:
    return line[0]


def printed(cell: NotebookNode, lines: str = "") -> str:
    """What a cell has printed, or the lines of it that are chosen, such as ``"1-5,8"``."""
    text = "".join(o.text for o in cell.get("outputs", []) if o.output_type == "stream")
    if not text.strip():
        raise NotThere("it has printed nothing")
    said = [line for line in text.strip("\n").splitlines() if not WHOSE.search(line)]
    return "\n".join(chosen(said, lines))


def chosen(parts: list[str], numbers: str) -> list[str]:
    """The parts with these numbers, counted from 1, such as ``"1-5,8"``; all of them by default."""
    if not numbers:
        return parts
    found: list[str] = []
    for piece in numbers.split(","):
        first, _, last = piece.partition("-")
        found += parts[int(first) - 1 : int(last or first)]
    if not found:
        raise NotThere(f"it has {len(parts)} parts, and none of them is {numbers}")
    return found


def table(cell: NotebookNode) -> str:
    """The first table of a cell: of its Markdown as it is, of its outputs as HTML."""
    pattern, text = (
        (MARKDOWN_TABLE, cell.source) if cell.cell_type == "markdown" else (HTML_TABLE, _rich(cell))
    )
    found = pattern.search(text)
    if found is None:
        raise NotThere("it has no table")
    return found[0]


def formulas(cell: NotebookNode, numbers: str = "") -> list[str]:
    """The displayed formulas of a Markdown cell, or some of them, without the paper's numbers.

    What stands side by side on the page, with a `\\qquad` between, stands in lines on the wall.
    """
    shown = [re.sub(r"\\tag\{.*?\}", "", formula) for formula in DISPLAYED.findall(cell.source)]
    found = [
        "\n\n".join(f"$${part.strip(' ,$')}$$" for part in re.split(r"(?:\\q?quad ?)+", formula))
        for formula in shown
    ]
    if not found:
        raise NotThere("it has no displayed formula")
    return chosen(found, numbers)


def poll(cells: list[NotebookNode], position: int, listed: list[str]) -> Poll:
    """The prediction that a cell asks for, answered by the ``outcome`` of the same name.

    Options that are ``listed`` on the slide take the place of the call's. The right one is what was
    measured, or has the number that is nearest to it, or is marked as in ``- [x] a tenth``.
    """
    code = [cell for cell in cells[: position + 1] if cell.cell_type == "code"]
    asked = _call(cells[position], "predict") if cells[position].cell_type == "code" else None
    if asked is None:
        raise NotThere("it asks for no prediction")
    name, question = (str(ast.literal_eval(value)) for value in asked.args[:2])
    given = next((word.value for word in asked.keywords if word.arg == "options"), None)
    for cell in cells[position:]:
        answer = _call(cell, "outcome") if cell.cell_type == "code" else None
        if answer is None or ast.literal_eval(answer.args[0]) != name:
            continue
        found = MEASURED.search(
            "\n".join(o.get("data", {}).get("text/plain", "") for o in cell.outputs)
        )
        if found:
            options = listed or _literal(given, code)
            return Poll(
                question,
                [option.removeprefix(RIGHT) for option in options],
                _right(options, found[1]),
                found[1] if found[1] in options else _rounded(found[1]),
            )
    raise NotThere(f"no outcome({name!r}, ...) has been measured")


def _right(options: list[str], measured: str) -> str:
    marked = [option.removeprefix(RIGHT) for option in options if option.startswith(RIGHT)]
    if len(marked) == 1 or measured in options or not options:
        return (marked or [measured])[0]
    value, *values = (NUMBER.search(text) for text in (measured, *options))
    if value is None or None in values:
        raise NotThere(f"which option is {measured!r}? Mark it on the slide, `- {RIGHT}about half`")
    distances = [abs(_number(found[0]) - _number(value[0])) for found in values if found]
    return options[distances.index(min(distances))]


def _rounded(measured: str) -> str:
    """What was measured, its first number with three digits that count and a true minus."""

    def short(found: re.Match[str]) -> str:
        value = _number(found[0])
        text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
        return (text if "." in found[0] else found[0]).replace("-", "−")

    return NUMBER.sub(short, measured, count=1)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _call(cell: NotebookNode, function: str) -> ast.Call | None:
    """The call of a function, such as ``predict``, in a cell of code."""
    if function not in cell.source:
        return None
    return next(
        (
            node
            for node in ast.walk(tree(cell.source))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == function
        ),
        None,
    )


def _literal(node: ast.expr | None, code: list[NotebookNode]) -> list[str]:
    """A list of options that is written out, or the one that the name was last given."""
    if node is None:
        return []
    if isinstance(node, ast.Name):
        for cell in reversed(code):
            if node.id in cell.source:
                for line in tree(cell.source).body:
                    if isinstance(line, ast.Assign) and any(
                        isinstance(target, ast.Name) and target.id == node.id
                        for target in line.targets
                    ):
                        node = line.value
                        return [str(option) for option in ast.literal_eval(node)]
    try:
        return [str(option) for option in ast.literal_eval(node)]
    except ValueError as error:
        raise NotThere("its options are computed: list them on the slide") from error


def _rich(cell: NotebookNode) -> str:
    return "\n".join(
        "".join(output.get("data", {}).get("text/html", "")) for output in cell.get("outputs", [])
    )
