import os
from collections.abc import Callable
from pathlib import Path

import pytest

from elmo_mini import corpora
from elmo_mini.corpora import text_file
from elmo_mini.embedding.embed_file import read_sentences
from elmo_mini.errors import ConfigurationError

Write = Callable[[bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(content: bytes) -> Path:
        path = tmp_path / "mine.txt"
        path.write_bytes(content)
        return path

    return _write


def test_sentences_and_paragraphs_of_a_file(write: Write) -> None:
    path = write(b"\xef\xbb\xbfMr. Lee sat\r\ndown. He ate.\r\n\r\nA heading\r\n\r\nThe end")
    sentences = list(corpora.from_text_file(path).sentences())
    assert [" ".join(words) for words in sentences] == [
        "Mr. Lee sat down .",
        "He ate .",
        "A heading",
        "The end",
    ]


def test_one_sentence_per_line(write: Write) -> None:
    corpus = corpora.from_text_file(write(b"One. Two.\n\nThree"), one_sentence_per_line=True)
    assert list(corpus.sentences()) == [["One", ".", "Two", "."], ["Three"]]


@pytest.mark.parametrize("block", [7, 50, 20_000])
@pytest.mark.parametrize("by_line", [True, False])
def test_the_size_of_a_block_does_not_show(
    write: Write, monkeypatch: pytest.MonkeyPatch, block: int, by_line: bool
) -> None:
    ends = ["\n\n" if n % 7 == 0 else "\n" for n in range(99)]
    text = "".join(f"He had {n} cats. They\nsaw him!{end}" for n, end in enumerate(ends))
    path = write(text.encode())
    whole = list(corpora.from_text_file(path, one_sentence_per_line=by_line).sentences())
    monkeypatch.setattr(text_file, "BLOCK", block)
    cut = list(corpora.from_text_file(path, one_sentence_per_line=by_line).sentences())
    assert [w for words in cut for w in words] == [w for words in whole for w in words]
    if by_line or block > 40:
        assert cut == whole
    assert len(whole) == 198


def test_a_line_without_end_is_streamed(write: Write) -> None:
    path = write(b"word " * 50_000)
    sentences = list(corpora.from_text_file(path).sentences())
    assert sum(map(len, sentences)) == 50_000
    assert max(map(len, sentences)) <= 2 * text_file.BLOCK / 5


def test_a_file_can_be_split_like_any_corpus(write: Write) -> None:
    corpus = corpora.from_text_file(write("".join(f"Line {n}.\n" for n in range(500)).encode()))
    parts = [list(corpus.split(p).sentences()) for p in ("train", "dev", "test")]  # type: ignore[arg-type]
    assert [len(part) for part in parts] == [400, 50, 50]


def test_what_is_no_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(corpora.CorpusMissing, match=r"no file .*nowhere\.txt; check the name"):
        corpora.from_text_file(tmp_path / "nowhere.txt")
    with pytest.raises(corpora.CorpusMissing, match="is a folder; name one text file"):
        corpora.from_text_file(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; fetch or save it again"),
        (b" \n\n\t", "holds no text, only white space"),
        ("caf\n\nca é".encode("latin-1"), r"line 3, byte 4 \(0xe9\), is not UTF-8 text; save it"),
        ("cut off: é".encode()[:-1], r"line 1, byte 10 \(0xc3\), is not UTF-8 text"),
        ("Hello".encode("utf-16"), "is UTF-16 text; save it as UTF-8, or .* encoding='utf-16'"),
        (b"a word\x00\x00", "is not a text file: it holds zero bytes"),
        (b"PK\x03\x04\x00\x00", "is a zip file .* not a text file; take its text out of it"),
    ],
)
def test_a_file_that_is_no_text_is_named(write: Write, content: bytes, message: str) -> None:
    path = write(content)
    with pytest.raises(corpora.CorpusDamaged, match=message) as caught:
        list(corpora.from_text_file(path).sentences())
    assert str(path) in str(caught.value)


def test_another_encoding_can_be_named(write: Write) -> None:
    path = write("Café.".encode("latin-1"))
    assert list(corpora.from_text_file(path, encoding="latin-1").sentences()) == [["Café", "."]]
    path = write("Café.".encode("utf-16"))
    assert list(corpora.from_text_file(path, encoding="utf-16").sentences()) == [["Café", "."]]
    with pytest.raises(ValueError, match="knows no encoding 'utf-9'"):
        corpora.from_text_file(path, encoding="utf-9")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_is_refused_since_its_beginning_would_be_lost(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused = pytest.raises(OSError, match=r"no ordinary file, .* store its content in a file")
    with refused:
        corpora.from_text_file(pipe)
    with refused:
        next(read_sentences(pipe))


def test_a_switch_that_is_no_truth_value_and_no_encoding_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A cat.", "utf-8")
    with pytest.raises(ConfigurationError, match="one_sentence_per_line is 'no'"):
        text_file.from_text_file(tmp_path / "a.txt", one_sentence_per_line="no")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no encoding None"):
        text_file.from_text_file(tmp_path / "a.txt", encoding=None)  # type: ignore[arg-type]
