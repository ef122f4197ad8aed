"""Read a submitted file as a notebook (any encoding, any nbformat), or say why it is none.

Nothing that a submission says about itself is kept as the truth: of its metadata only claims
remain (cell ids, nbgrader's ``grade_id``), which `autograde.marking.matching` weighs; of its
outputs only pictures, for the person who reads it.
"""

import codecs
import json
import re
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook, new_output

from autograde.marking.asking.wire import whole

MAX_BYTES = 200 * 2**20
MAX_CELLS = 2_000
MAX_CHARACTERS = 2**20
PICTURE_BYTES = 2 * 2**20
PICTURES_BYTES = 4 * 2**20
NOTES = "reading_notes"

_MARKS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
_FILES = [
    (b"PK\x03\x04", "a zip archive"),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a picture"),
    (b"{\\rtf", "a word processor's file"),
]
_CONFLICT = re.compile(r"^[ \t]*(<<<<<<<|>>>>>>>)[ \n\r]", re.MULTILINE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+=*")
_LARGE_OUTPUTS = 2**20


class Unreadable(Exception):
    """A submission that no mark can be computed for; a person must look at it.

    Attributes
    ----------
    reason : a clause that fits behind "The file": "is empty", "was cut off after 912 characters"
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_submission(data: bytes) -> NotebookNode:
    """The notebook in a submitted file, in nbformat 4.5 and without anything that acts.

    Parameters
    ----------
    data : the file's bytes

    Returns
    -------
    Cells with their type, source, claimed id and ``grade_id``, attached and printed pictures. The
    metadata key ``reading_notes`` lists in sentences what was strange and did no harm.

    Raises
    ------
    Unreadable
        The file is empty, cut off, in conflict, or no notebook.
    """
    if len(data) > MAX_BYTES:
        raise Unreadable(f"is larger than {MAX_BYTES // 2**20} MB")
    if not data.strip(b"\0 \t\r\n"):
        raise Unreadable("is empty" if not data.strip() else "holds nothing but zero bytes")
    for magic, what in _FILES:
        if data.startswith(magic):
            raise Unreadable(f"is {what}, not a notebook")
    text, notes = _decoded(data)
    document = _parsed(text)
    cells = _cells_of(document)
    notebook = new_notebook()
    room = PICTURES_BYTES
    for raw in cells:
        cell, taken = _cell(raw, room)
        room -= taken
        notebook.cells.append(cell)
    if (size := sum(len(cell.source) for cell in notebook.cells)) > MAX_CHARACTERS:
        raise Unreadable(f"holds {size:,} characters of text and code, far more than a lesson")
    notebook.metadata[NOTES] = notes + _strange(document, cells)
    return notebook


def _decoded(data: bytes) -> tuple[str, list[str]]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, errors="replace")
            return text, ["The file begins with a byte-order mark; it was read all the same."]
    if b"\0" in data[:2]:
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
        note = "The file is in UTF-16 without a byte-order mark; it was read all the same."
        return data.decode(encoding, errors="replace"), [note]
    try:
        return data.decode(), []
    except UnicodeDecodeError:
        patched = data.decode(errors="replace")
        # Few bad bytes in a text with other UTF-8 letters: damaged UTF-8, not another encoding.
        damaged = patched.count("\N{REPLACEMENT CHARACTER}") * 4 < sum(c > "\x7f" for c in patched)
        text = patched if damaged else data.decode("cp1252", errors="replace")
        return text, ["The file is not in UTF-8; letters outside English may be wrong."]


def _parsed(text: str) -> dict[str, Any]:
    try:
        stripped = text.lstrip()
        document, end = json.JSONDecoder().raw_decode(stripped)
        if stripped[end:].strip("\0 \t\r\n"):
            raise json.JSONDecodeError("something stands behind the notebook's end", stripped, end)
    except json.JSONDecodeError as error:
        raise Unreadable(_why_no_json(text, error)) from None
    except (RecursionError, ValueError) as error:
        raise Unreadable(f"is no notebook that can be read: {error}") from None
    if not isinstance(document, dict):
        raise Unreadable("is JSON, but no notebook")
    return document


def _why_no_json(text: str, error: json.JSONDecodeError) -> str:
    if found := _CONFLICT.search(text):
        line = text.count("\n", 0, found.start(1)) + 1
        return f"holds the markers of a merge conflict, the first in line {line}"
    begin = text.lstrip()[:200].lower()
    if begin.startswith(("<!doctype", "<html", "<?xml")):
        return "is a web page, not a notebook"
    if not begin.startswith("{"):
        return f"is no notebook; it begins with {text.lstrip()[:30]!r}"
    cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    if cut:
        return f"was cut off after {len(text):,} characters"
    return f"is damaged in line {error.lineno}, column {error.colno}: {error.msg}"


def _cells_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    cells = document.get("cells")
    if cells is None and isinstance(document.get("worksheets"), list):
        sheets = [s for s in document["worksheets"] if isinstance(s, dict)]
        cells = [cell for sheet in sheets for cell in sheet.get("cells") or []]
    if not isinstance(cells, list):
        raise Unreadable("is JSON, but no notebook: it has no cells")
    cells = [cell for cell in cells if isinstance(cell, dict)]
    if not cells:
        raise Unreadable("is a notebook without a single cell")
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"has {len(cells):,} cells; {MAX_CELLS:,} are the most that is read")
    return cells


def _cell(raw: dict[str, Any], room: int) -> tuple[NotebookNode, int]:
    """A clean cell, and how many bytes of pictures it holds, at most `room`."""
    kind, source = raw.get("cell_type"), _text(raw.get("source", raw.get("input")))
    metadata = _claims(raw.get("metadata"))
    name = raw.get("id")
    taken = 0
    if kind == "code":
        cell = _made(kind, source, metadata, outputs=[], execution_count=None)
        outputs = raw.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            pictures = _pictures(output.get("data", output) if isinstance(output, dict) else {})
            for mime, picture in pictures.items():
                if len(picture) <= min(PICTURE_BYTES, room - taken):
                    taken += len(picture)
                    cell.outputs.append(new_output("display_data", {mime: picture}))
    elif kind in ("markdown", "heading"):
        level = raw.get("level")
        hashes = f"{'#' * level} " if isinstance(level, int) and 0 < level < 7 else ""
        cell = _made("markdown", hashes + source, metadata)
        attached = raw.get("attachments")
        for file, data in attached.items() if isinstance(attached, dict) else ():
            pictures = _pictures(data)
            size = sum(map(len, pictures.values()))
            if pictures and size <= min(PICTURE_BYTES, room - taken):
                taken += size
                cell.setdefault("attachments", NotebookNode())[whole(str(file))] = pictures
    else:
        cell = _made("raw", source, metadata)
    cell["id"] = name if isinstance(name, str) and re.fullmatch(r"[\w-]{1,64}", name) else ""
    return cell, taken


def _made(kind: str, source: str, metadata: dict[str, Any], **more: Any) -> NotebookNode:
    """A cell of text: nbformat's own functions hold each to their schema, which takes long."""
    return NotebookNode(
        cell_type=kind, metadata=nbformat.from_dict(metadata), source=source, **more
    )


def _claims(metadata: Any) -> dict[str, Any]:
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    claim = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return {"nbgrader": {"grade_id": claim}} if isinstance(claim, str) else {}


def _pictures(data: Any) -> dict[str, str]:
    if not isinstance(data, dict):
        return {}
    found = {}
    for mime in ("image/png", "image/jpeg"):
        value = _text(data.get(mime, data.get(mime.removeprefix("image/"))))
        value = "".join(value.split())
        if _BASE64.fullmatch(value):
            found[mime] = value
    return found


def _text(value: Any) -> str:
    """A source as nbformat allows it, as one string that can be written and compiled."""
    parts = value if isinstance(value, list) else [value]
    text = "".join(part for part in parts if isinstance(part, str))
    return whole(text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _strange(document: dict[str, Any], cells: list[dict[str, Any]]) -> list[str]:
    """Notes on what the program that saved the notebook left out or put in."""
    notes = []
    numbers = [document.get("nbformat"), document.get("nbformat_minor", 0)]
    version = ".".join(str(n) if type(n) is int and 0 <= n < 100 else "?" for n in numbers)
    if not any(isinstance(cell.get("id"), str) for cell in cells):
        notes.append(f"Saved in format {version} without cell ids; the cells were recognised.")
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kernel = metadata.get("kernelspec")
    kernel = kernel.get("name") if isinstance(kernel, dict) else None
    if kernel not in (None, "python3"):
        notes.append(f"Saved with the kernel {whole(str(kernel))[:60]!r}; the course's was used.")
    if "widgets" in metadata:
        notes.append("The saved state of widgets was left out.")
    outputs = [cell.get("outputs") for cell in cells]
    if (size := len(json.dumps(outputs))) > _LARGE_OUTPUTS:
        notes.append(f"{size / 2**20:.0f} MB of outputs were left out, apart from pictures.")
    return notes
