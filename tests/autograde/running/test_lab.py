"""`make lab` without a person: what it prepares, what it says, and that JupyterLab answers."""

import argparse
import json
import os
import sys
import urllib.request
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import pytest

from autograde.running import lab
from autograde.running.working_copies import Change
from autograde.workspace import results
from elmo_mini import corpora
from tests.lab_server import copy_of_course, running_lab

NOW = datetime(2026, 11, 21, 9, 0)
FIRST = Path("00_start_here/start_here.ipynb")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / ".course").mkdir()
    return tmp_path


class Shelf:
    """Stands in for the corpora on a machine: which are there, and whether fetching works."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, online: bool) -> None:
        self.there = {"lee": True, "brown": False, "qc": False}
        self.online = online
        self.calls: list[list[str]] = []
        monkeypatch.setattr(corpora, "available", lambda: dict(self.there))
        monkeypatch.setattr(corpora, "download", self.download)

    def download(self, names: list[str], progress: bool = True) -> corpora.Download:
        self.calls.append(names)
        if not self.online:
            return corpora.Download(failed=dict.fromkeys(names, "no route to the server"))
        self.there.update(dict.fromkeys(names, True))
        return corpora.Download(fetched=names)


def test_missing_corpora_are_fetched_once(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(monkeypatch, online=True)
    lab.fetch_corpora(work, NOW)
    lab.fetch_corpora(work, NOW)
    assert shelf.calls == [["brown", "qc"]]


def test_offline_is_one_sentence_and_remembered_for_a_day(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf(monkeypatch, online=False)
    lab.fetch_corpora(work, NOW)
    said = capsys.readouterr().out
    last = said.splitlines()[-1]
    assert last.startswith("    2 corpora were not fetched (no route to the server).")
    assert "-m elmo_mini corpora --download" in said
    lab.fetch_corpora(work, NOW + timedelta(hours=23))
    assert len(shelf.calls) == 1
    assert capsys.readouterr().out == ""
    lab.fetch_corpora(work, NOW + timedelta(hours=25))
    assert len(shelf.calls) == 2


def test_a_damaged_memory_only_costs_a_try(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(monkeypatch, online=False)
    for text in ("", "[]", '{"tried": "soon", "missing": []}'):
        (work / lab.FETCH_RECORD).write_text(text)
        lab.fetch_corpora(work, NOW)
    assert len(shelf.calls) == 3


def test_options_for_a_screenless_machine(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert "--no-browser" in lab.server_options(work, [])
    monkeypatch.setenv("DISPLAY", ":0")
    assert "--no-browser" not in lab.server_options(work, [])
    assert "--no-browser" in lab.server_options(work, [], no_open=True)


def test_options_for_root(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert "--allow-root" in lab.server_options(work, [])
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    assert "--allow-root" not in lab.server_options(work, [])


def test_the_first_start_opens_the_first_lesson(work: Path) -> None:
    url = "--LabApp.default_url=/lab/tree/00_start_here/start_here.ipynb"
    assert url in lab.server_options(work, [Change("copied", FIRST, FIRST)])
    assert url not in lab.server_options(work, [])
    assert url not in lab.server_options(work, [Change("replaced", FIRST, FIRST)])


def test_the_first_lesson_is_opened_until_a_check_was_made(work: Path) -> None:
    url = "--LabApp.default_url=/lab/tree/00_start_here/start_here.ipynb"
    (work / FIRST).parent.mkdir()
    (work / FIRST).write_text("{}")
    assert url in lab.server_options(work, [])
    results.add(work, "relative_frequency", points=0, out_of=1)
    assert url not in lab.server_options(work, [])


def test_copies_without_jupyterlab_are_counted_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lessons" / FIRST).parent.mkdir(parents=True)
    (tmp_path / "lessons" / FIRST).write_text("{}")
    monkeypatch.setattr(lab, "COURSE", tmp_path)
    assert run_command("--prepare-only", "--no-download", "--after", "2") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("3/4 Copying the lessons to ")
    assert said[-1].startswith("4/4 Ready: your copies are in ")


def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lessons" / FIRST).parent.mkdir(parents=True)
    (tmp_path / "lessons" / FIRST).write_text("{}")
    (tmp_path / "work").write_text("a file where the folder should be")
    monkeypatch.setattr(lab, "COURSE", tmp_path)
    assert run_command("--prepare-only", "--no-download") == 1
    said = capsys.readouterr().out
    assert said.splitlines()[1].startswith("The lessons cannot be copied to ")
    assert "Traceback" not in said


def test_without_lessons_the_way_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lab, "COURSE", tmp_path)
    assert run_command("--prepare-only") == 1
    assert "git clone" in capsys.readouterr().out


def run_command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    lab.add_arguments(parser)
    return lab.run(parser.parse_args(words))


SLOW_TO_LISTEN = """
import time
from jupyter_server.serverapp import ServerApp

bind = ServerApp._bind_http_server
ServerApp._bind_http_server = lambda server: (time.sleep(1), bind(server))[1]
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course with one empty lesson, for a server of its own."""
    course = copy_of_course(tmp_path_factory.mktemp("course"))
    (course / "lessons" / FIRST).parent.mkdir(parents=True)
    (course / "lessons" / FIRST).write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    return course


@pytest.mark.skipif(sys.platform == "win32", reason="stops the server with a POSIX signal")
def test_jupyterlab_answers_at_the_printed_address(course: Path, tmp_path: Path) -> None:
    """Who follows the address at once is answered, though the server is slow to open its port."""
    (tmp_path / "jupyter_server_config.py").write_text(SLOW_TO_LISTEN, encoding="utf-8")
    heard: list[str] = []
    with running_lab(course, heard, JUPYTER_CONFIG_PATH=str(tmp_path)) as address:
        text = read_page(address)
        assert "@jupyter/nbgrader:formgrader" in text.split('"disabledExtensions"')[1][:400]
        assert (course / "work" / FIRST).is_file()
        assert "/lab/tree/00_start_here/start_here.ipynb" in address
        kernel = start_kernel(address)
        assert kernel.environ()["OMP_NUM_THREADS"] == "1"
        assert kernel.cmdline()[0] == sys.executable
    stop = next(number for number, line in enumerate(heard) if "received signal" in line)
    assert heard[:stop] == [
        *("1/2 Copying the lessons to work/", "    00_start_here", "2/2 Starting JupyterLab", ""),
        f"    Address    {address}",
        "    Your work  work/; no update touches it",
        *("    To stop    Ctrl-C in this window, then y", ""),
    ]
    assert heard[-1] == "JupyterLab has stopped. Your work is in work/; make lab opens it again."


def read_page(address: str) -> str:
    """The page, at the first try."""
    with urllib.request.urlopen(address, timeout=300) as page:
        return str(page.read().decode())


def start_kernel(address: str) -> psutil.Process:
    """Start the kernel that a notebook would get, and find its process."""
    parts = urlsplit(address)
    token = parse_qs(parts.query)["token"][0]
    request = urllib.request.Request(
        f"http://{parts.netloc}/api/kernels",
        data=json.dumps({"name": "python3"}).encode(),
        headers={"Authorization": f"token {token}", "Content-Type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=600) as answer:
        kernel = json.load(answer)["id"]
    for process in psutil.process_iter(["cmdline"]):
        if any(kernel in word for word in process.info["cmdline"] or []):
            return process
    raise AssertionError(f"no process of kernel {kernel}")
