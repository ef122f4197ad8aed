"""One file is one text, or one refusal, whichever reader of the package it is given to."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from elmo_mini import corpora
from elmo_mini.embedding.embed_file import read_sentences
from elmo_mini.plain_text import NotPlainText, chunks_of, lines_of, text_of
from elmo_mini.text.senses import read_sense_sentences


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("block", [1, 5, 6, 1 << 16])
def test_line_ends_and_marks_are_no_part_of_a_line(
    tmp_path: Path, end: str, mark: str, block: int
) -> None:
    path = tmp_path / "t.txt"
    wanted = ["The bank\u2028closed .", "", "银行 \u0085 é", "Rain"]
    path.write_bytes((mark + end.join(wanted)).encode())
    assert "".join(chunks_of(path, block=block)).split("\n") == wanted
    assert list(lines_of(path)) == wanted
    path.write_bytes((end.join(wanted) + end).encode("utf-16"))
    assert list(lines_of(path, "utf-16")) == wanted


def test_an_empty_file_has_no_line(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"")
    assert list(lines_of(tmp_path / "t.txt")) == []
    (tmp_path / "t.txt").write_bytes(b"\n")
    assert list(lines_of(tmp_path / "t.txt")) == [""]


@pytest.mark.parametrize("block", [4, 5, 7, 1 << 16])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_no_text_is_named_with_its_place(tmp_path: Path, block: int, end: str) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(f"one{end}two{end}né été ".encode() + b"\xff\xfe")
    with pytest.raises(NotPlainText, match=r"t.txt, line 3, byte 11 \(0xff\), is not UTF-8 text"):
        list(chunks_of(path, block=block))
    path.write_bytes(f"one{end}two{end}\0".encode())
    with pytest.raises(NotPlainText, match="it holds zero bytes in line 3"):
        list(chunks_of(path, block=block))


READERS: dict[str, Callable[[Path], object]] = {
    "text_of": text_of,
    "embed_file": lambda path: list(read_sentences(path)),
    "from_text_file": lambda path: list(corpora.from_text_file(path).sentences()),
    "read_sense_sentences": read_sense_sentences,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("She plays .\n".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        ("She plays .\n".encode("utf-32"), "is UTF-32 text; save it as UTF-8"),
        ("She plays .\n".encode("utf-16-le"), "holds zero bytes in line 1"),
        (b"fine\nSh\0e plays .\n", "holds zero bytes in line 2"),
        ("fine\nCafé\n".encode("latin-1"), r"line 2, byte 4 \(0xe9\), is not UTF-8 text"),
        (b"fine\n\xed\xa0\x80\n", "line 2, byte 1 .* is not UTF-8 text"),
    ],
)
def test_all_readers_refuse_alike(
    tmp_path: Path, reader: Callable[[Path], object], content: bytes, message: str
) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(content)
    if reader is read_sense_sentences:  # which asks each line for more than text
        path.write_bytes(content.replace(b"fine\n", b"\n"))
    with pytest.raises(ValueError, match=message) as refused:
        reader(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_line_by_line_all_readers_find_the_same(tmp_path: Path, end: str) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(f"\ufeffShe plays .{end}Rain\u2028again{end}Third".encode())
    by_line = corpora.from_text_file(path, one_sentence_per_line=True)
    assert list(by_line.sentences()) == list(read_sentences(path))


def test_a_codec_that_makes_no_text_is_no_encoding(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"abc")
    for encoding in ("hex", "rot13", "utf-9"):
        with pytest.raises(ValueError, match=f"Python knows no encoding '{encoding}'"):
            text_of(tmp_path / "t.txt", encoding)


@pytest.mark.parametrize(
    ("pack", "kind"),
    [
        (gzip.compress, "gzip file"),
        (bz2.compress, "bzip2 file"),
        (lzma.compress, "xz file"),
        (lambda content: b"PK\x03\x04" + content, "zip file"),
        (lambda content: b"%PDF-1.7\n" + content, "PDF"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_packed_file_is_no_text(
    tmp_path: Path, pack: Callable[[bytes], bytes], kind: str, encoding: str
) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(pack(b"The bank closed .\n"))
    with pytest.raises(NotPlainText, match=f"is a {kind}.*, not a text file; take its text out"):
        text_of(path, encoding)
