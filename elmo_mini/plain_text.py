"""Text files as other programs write them: encodings, byte order marks, line ends, zero bytes.

Whatever reads a text file of a user's reads it through here, so that one file is the same text,
or the same refusal, everywhere. A line ends with ``\\n``, ``\\r\\n`` or ``\\r``, as in Python's
own text files; U+2028 and U+0085 are characters of a line.
"""

import codecs
import io
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path

# The longer mark first: that of UTF-32 starts with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_PACKED = {
    b"\x1f\x8b": "gzip file",
    b"BZh9": "bzip2 file",
    b"\xfd7zXZ\x00": "xz file",
    b"\x28\xb5\x2f\xfd": "Zstandard file",
    b"PK\x03\x04": "zip file (as a .docx is)",
    b"%PDF-": "PDF",
    b"\x89HDF\r\n": "HDF5 file",
    b"{\\rtf": "rich text file",
}
_BLOCK = 1 << 16


class NotPlainText(ValueError):
    """A file that is no text, or none in the encoding asked for; `likely` is one to try."""

    def __init__(self, message: str, likely: str = "latin-1") -> None:
        super().__init__(message)
        self.likely = likely


def chunks_of(
    path: Path | Traversable, encoding: str = "utf-8", block: int = _BLOCK
) -> Iterator[str]:
    """The text of a file, piece by piece, without a byte order mark, every line end a ``\\n``.

    Parameters
    ----------
    block : bytes that are read at once

    Raises
    ------
    NotPlainText
        If it holds zero bytes or is not in this encoding; the message names the file, the line and
        the way out. Raised when the reading gets there.
    ValueError
        If Python knows no such encoding.
    OSError
        If it cannot be read.
    """
    try:
        known = codecs.lookup(encoding)
    except (LookupError, TypeError):
        known = None
    if known is None or not known._is_text_encoding:
        raise ValueError(f"Python knows no encoding {encoding!r}; try 'utf-8'")
    wide = known.name.startswith(("utf-16", "utf-32"))
    name = "utf-8-sig" if known.name == "utf-8" else known.name
    decode = codecs.getincrementaldecoder(name)().decode
    ends = io.IncrementalNewlineDecoder(None, translate=True)
    line, of_line = 1, 0  # and the bytes of that line that were read already
    with path.open("rb") as file:
        content = file.read(max(block, 4))
        packed = next((kind for mark, kind in _PACKED.items() if content.startswith(mark)), "")
        if packed:
            raise NotPlainText(f"{path} is a {packed}, not a text file; take its text out of it")
        marked = next((name for mark, name in _MARKS.items() if content.startswith(mark)), "")
        if marked and not wide:
            raise NotPlainText(f"{path} is {marked.upper()} text; save it as UTF-8", marked)
        while True:
            try:
                text = ends.decode(decode(content, not content), not content)
            except UnicodeError as wrong:
                where = "" if wide else _place(wrong, len(content), line, of_line)
                raise NotPlainText(
                    f"{path}{where} is not {encoding.upper()} text; save it as UTF-8"
                ) from wrong
            if "\0" in text:
                line += text[: text.index("\0")].count("\n")
                raise NotPlainText(
                    f"{path} is not a text file: it holds zero bytes in line {line:,}; "
                    "save it as UTF-8 text",
                    "utf-16",
                )
            line += text.count("\n")
            last = max(content.rfind(b"\n"), content.rfind(b"\r"))
            of_line = len(content) - last - 1 + (of_line if last < 0 else 0)
            if text:
                yield text
            if not content:
                return
            content = file.read(max(block, 4))


def lines_of(path: Path | Traversable, encoding: str = "utf-8") -> Iterator[str]:
    """The lines of a text file, without their ends; raises as `chunks_of`."""
    rest: list[str] = []
    for chunk in chunks_of(path, encoding):
        first, *others = chunk.split("\n")
        rest.append(first)
        if others:
            yield "".join(rest)
            yield from others[:-1]
            rest = others[-1:]
    if any(rest):
        yield "".join(rest)


def text_of(path: Path | Traversable, encoding: str = "utf-8") -> str:
    """The whole text of a file; raises as `chunks_of`."""
    return "".join(chunks_of(path, encoding))


def _place(wrong: UnicodeError, read: int, line: int, of_line: int) -> str:
    """Line and byte of what could not be decoded, for encodings whose line end is one byte."""
    if not isinstance(wrong, UnicodeDecodeError):
        return ""
    before = wrong.object[: wrong.start]
    lines = before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    if not lines:  # the decoder had held back bytes of the block before
        start = len(wrong.object) - read - of_line
    byte = wrong.start - start + 1
    return f", line {line + lines:,}, byte {byte:,} ({wrong.object[wrong.start]:#04x}),"
