"""Downloads from a server on this machine: whole, damaged, absent and silent."""

import hashlib
import http.server
import socket
import threading
import urllib.request
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import nltk.data
import nltk.downloader
import pytest

from elmo_mini import corpora
from elmo_mini.__main__ import main

QUESTIONS = {
    "train.txt": "NUM:count How many are there ?\n" * 40,
    "test.txt": "HUM:ind Who was first ?\n",
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty NLTK folder, the only one that is searched, and a downloader free to go anywhere."""
    target = tmp_path / "nltk_data"
    target.mkdir()
    monkeypatch.setenv("NLTK_DATA", str(target))
    monkeypatch.setattr(nltk.data, "path", [str(target)])
    monkeypatch.setattr(nltk.downloader, "urlopen", urllib.request.urlopen)
    return target


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of an index that offers ``qc``, and the zip that it serves."""
    root = tmp_path / "server"
    root.mkdir()
    archive = root / "qc.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, text in QUESTIONS.items():
            whole.writestr(f"qc/{name}", text)
    content, unzipped = archive.read_bytes(), sum(map(len, QUESTIONS.values()))
    handler = partial(Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{httpd.server_port}"
        (root / "index.xml").write_text(
            f'<nltk_data><packages><package id="qc" name="qc" subdir="corpora" unzip="0" '
            f'url="{address}/qc.zip" size="{len(content)}" unzipped_size="{unzipped}" '
            f'checksum="{hashlib.md5(content).hexdigest()}" '
            f'sha256_checksum="{hashlib.sha256(content).hexdigest()}"/></packages>'
            "<collections/></nltk_data>"
        )
        yield f"{address}/index.xml", archive
        httpd.shutdown()


def test_a_corpus_is_fetched_verified_and_found(
    folder: Path, server: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = corpora.download(["qc", "lee"], index=server[0])
    assert (outcome.fetched, outcome.already_here, outcome.failed) == (["qc"], ["lee"], {})
    assert outcome
    assert str(outcome) == "Already here: lee.\nFetched: qc."
    assert len(list(corpora.load("qc").sentences())) == 41
    output = capsys.readouterr()
    assert "100 %" in output.out
    assert output.err == "", "nbgrader takes what is on stderr for an error"


def test_what_is_here_is_not_fetched_again(folder: Path, server: tuple[str, Path]) -> None:
    corpora.download("qc", progress=False, index=server[0])
    again = corpora.download("qc", progress=False, index="http://127.0.0.1:9/index.xml")
    assert (again.already_here, again.fetched, again.failed) == (["qc"], [], {})


def test_a_truncated_zip_is_replaced(folder: Path, server: tuple[str, Path]) -> None:
    corpora.download("qc", progress=False, index=server[0])
    (archive,) = folder.rglob("qc.zip")
    archive.write_bytes(archive.read_bytes()[:-50])
    for path in (folder / "corpora" / "qc").glob("*"):
        path.unlink()
    assert corpora.download("qc", progress=False, index=server[0]).fetched == ["qc"]
    assert len(list(corpora.load("qc").sentences())) == 41


def test_a_zip_that_arrives_damaged_is_not_kept(folder: Path, server: tuple[str, Path]) -> None:
    content = bytearray(server[1].read_bytes())
    content[60] ^= 0xFF
    server[1].write_bytes(bytes(content))
    outcome = corpora.download("qc", progress=False, index=server[0])
    assert not outcome
    assert list(outcome.failed) == ["qc"]
    assert not corpora.available()["qc"]


def test_a_corpus_that_the_server_has_not_fails_alone(
    folder: Path, server: tuple[str, Path]
) -> None:
    outcome = corpora.download(["brown", "qc"], progress=False, index=server[0])
    assert outcome.fetched == ["qc"]
    assert list(outcome.failed) == ["brown"]
    assert "not found in index" in outcome.failed["brown"]


def test_offline_nothing_is_raised_and_one_sentence_says_it(folder: Path) -> None:
    outcome = corpora.download(["qc", "brown"], progress=False, index="http://127.0.0.1:9/i.xml")
    assert not outcome
    assert str(outcome).startswith(
        "Not fetched: qc, brown (the NLTK server cannot be reached, is this machine online? "
    )
    assert len(str(outcome).splitlines()) == 1


def test_a_silent_server_costs_only_the_patience(folder: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        index = f"http://127.0.0.1:{silent.getsockname()[1]}/index.xml"
        outcome = corpora.download(["qc", "brown"], progress=False, index=index, patience=0.5)
        # NLTK by itself waits for minutes: it still does, and we do not.
        assert "corpora-download" in {thread.name for thread in threading.enumerate()}
    assert list(outcome.failed) == ["qc", "brown"]
    assert "no answer from the NLTK server within 0.5 seconds" in str(outcome)


def test_a_damaged_file_elsewhere_that_hides_the_new_one_is_named(
    folder: Path, server: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hiding = tmp_path / "first" / "corpora" / "qc.zip"
    hiding.parent.mkdir(parents=True)
    hiding.write_bytes(b"PK")
    monkeypatch.setenv("NLTK_DATA", str(hiding.parents[1]))
    outcome = corpora.download("qc", progress=False, folder=folder, index=server[0])
    assert str(hiding) in outcome.failed["qc"]


def test_a_name_that_is_no_corpus_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no corpus 'browm'"):
        corpora.download("browm")
    assert main(["corpora", "--download", "browm"]) == 2
    assert "no corpus 'browm'" in capsys.readouterr().err


def test_the_command_prints_the_outcome_and_tells_the_shell(
    folder: Path,
    server: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "elmo_mini.commands.corpora.download", partial(corpora.download, index=server[0])
    )
    assert main(["corpora", "--download", "qc"]) == 0
    assert "Fetched: qc." in capsys.readouterr().out
    assert main(["corpora", "--download", "qc", "brown"]) == 1
    assert "Not fetched: brown" in capsys.readouterr().out


def test_a_proxy_is_tried_and_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nltk import pathsec

    monkeypatch.delenv("NLTK_ALLOW_PROXIED_URLOPEN", raising=False)
    monkeypatch.setattr(urllib.request, "_opener", None)  # one that was made without a proxy
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://ada:secret@127.0.0.1:9")
    outcome = corpora.download("qc", progress=False, folder=folder)
    said = repr(outcome)
    assert "through the proxy 127.0.0.1:9" in said
    assert "Behind a proxy" in said
    assert "refused" in said.lower()
    assert "secret" not in said
    assert "Security Violation" not in said
    assert not pathsec.ALLOW_PROXIED_FETCH
    monkeypatch.setenv("NLTK_ALLOW_PROXIED_URLOPEN", "0")
    monkeypatch.setattr(nltk.downloader, "urlopen", pathsec.urlopen)
    assert "Security Violation" in repr(corpora.download("qc", progress=False, folder=folder))
