"""Every way in which a file can be broken ends in one sentence that names it and the way out."""

import zipfile
from pathlib import Path

import nltk.data
import pytest

from elmo_mini import corpora

MEMBERS = {
    "train.txt": "".join(f"NUM:count How many are {n} ?\n" for n in range(400)).encode(),
    "test.txt": b"HUM:ind Who was first ?\n",
}


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    (tmp_path / "corpora").mkdir()
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr(nltk.data, "path", [])
    return tmp_path / "corpora"


def pack(path: Path, members: dict[str, bytes], corpus: str = "qc") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{corpus}/{name}", content)
    return path


def test_a_whole_zip_is_read_and_so_is_a_folder(data: Path) -> None:
    pack(data / "qc.zip", MEMBERS)
    questions = list(corpora.load("qc").labelled())
    assert len(questions) == 401
    assert questions[0] == (["How", "many", "are", "0", "?"], "NUM")
    (data / "qc.zip").unlink()
    (data / "qc").mkdir()
    for name, content in MEMBERS.items():
        (data / "qc" / name).write_bytes(content.replace(b"\n", b"\r\n"))
    assert list(corpora.load("qc").labelled()) == questions


def test_a_truncated_zip_is_named_with_the_way_out(data: Path) -> None:
    archive = pack(data / "qc.zip", MEMBERS)
    archive.write_bytes(archive.read_bytes()[:-200])
    with pytest.raises(corpora.CorpusDamaged) as caught:
        list(corpora.load("qc").sentences())
    message = str(caught.value)
    assert str(archive) in message
    assert "the zip is cut off or altered" in message
    assert "delete it and run `python -m elmo_mini corpora --download qc`" in message


def test_a_truncated_zip_gives_way_to_the_unpacked_folder(data: Path) -> None:
    archive = pack(data / "qc.zip", MEMBERS)
    archive.write_bytes(archive.read_bytes()[:-200])
    (data / "qc").mkdir()
    for name, content in MEMBERS.items():
        (data / "qc" / name).write_bytes(content)
    assert len(list(corpora.load("qc").sentences())) == 401


def test_an_altered_byte_is_found_by_the_checksum(data: Path) -> None:
    archive = pack(data / "qc.zip", MEMBERS)
    content = bytearray(archive.read_bytes())
    content[300] ^= 0xFF
    archive.write_bytes(bytes(content))
    with pytest.raises(corpora.CorpusDamaged, match=r"file train\.txt: the zip is cut off or alt"):
        list(corpora.load("qc").sentences())


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"train.txt": MEMBERS["train.txt"]}, r"file test\.txt: it is not there"),
        ({**MEMBERS, "test.txt": b" \n"}, r"file test\.txt: it is empty"),
        ({**MEMBERS, "test.txt": b"no label\n"}, r"test\.txt: its contents are not in the exp"),
    ],
)
def test_a_member_that_is_missing_empty_or_strange_is_named(
    data: Path, members: dict[str, bytes], message: str
) -> None:
    pack(data / "qc.zip", members)
    with pytest.raises(corpora.CorpusDamaged, match=message):
        list(corpora.load("qc").sentences())


def test_latin_1_bytes_in_a_utf_8_corpus_are_named_with_their_place(data: Path) -> None:
    reviews = {"rt-polarity.neg": "a naïve film\n".encode("latin-1"), "rt-polarity.pos": b"good\n"}
    pack(data / "sentence_polarity.zip", reviews, "sentence_polarity")
    with pytest.raises(corpora.CorpusDamaged, match=r"rt-polarity\.neg: byte 4 is not UTF-8 text"):
        list(corpora.load("sentence_polarity").sentences())


def test_a_repaired_file_is_read_again_without_a_restart(data: Path) -> None:
    archive = pack(data / "qc.zip", {**MEMBERS, "test.txt": b""})
    with pytest.raises(corpora.CorpusDamaged):
        list(corpora.load("qc").sentences())
    archive.unlink()
    pack(archive, MEMBERS)
    assert len(list(corpora.load("qc").sentences())) == 401


def test_a_file_that_is_no_zip_and_an_empty_zip_are_damaged_too(data: Path) -> None:
    (data / "qc.zip").write_bytes(b"")
    with pytest.raises(corpora.CorpusDamaged, match="cut off"):
        list(corpora.load("qc").sentences())
    pack(data / "brown.zip", {}, "brown")
    with pytest.raises(corpora.CorpusDamaged, match=r"cats\.txt: it is not there"):
        list(corpora.load("brown").sentences())
    pack(data / "gutenberg.zip", {"README": b"hello"}, "gutenberg")
    with pytest.raises(corpora.CorpusDamaged, match="holds no text"):
        list(corpora.load("gutenberg").sentences())


def test_windows_line_ends_do_not_glue_sentences_together(data: Path) -> None:
    text = b"He PRP B-NP\r\nran VBD B-VP\r\n\r\nStop VB B-VP\r\n"
    pack(data / "conll2000.zip", {"train.txt": text, "test.txt": text}, "conll2000")
    assert len(list(corpora.load("conll2000").chunked_sentences())) == 4


def test_underscores_that_mark_italics_are_taken_out(data: Path) -> None:
    pack(data / "gutenberg.zip", {"emma.txt": b"It was _them_, not _her own_."}, "gutenberg")
    assert [" ".join(s) for s in corpora.load("gutenberg").sentences()] == [
        "It was them , not her own ."
    ]


def test_an_entity_that_begins_inside_a_token_still_opens_with_b(data: Path) -> None:
    story = (
        '<DOC><TEXT>anti-<b_enamex type="PERSON">Tony Blair<e_enamex> in '
        '<b_enamex type="LOCATION">New York<e_enamex></TEXT></DOC>'
    )
    pack(data / "ieer.zip", {"APW": story.encode()}, "ieer")
    assert list(corpora.load("ieer").entity_sentences()) == [
        [
            ("anti-Tony", "O"),
            ("Blair", "B-PERSON"),
            ("in", "O"),
            ("New", "B-LOCATION"),
            ("York", "I-LOCATION"),
        ]
    ]
