"""Damaged notebooks of the course's own end in one sentence, whichever command reads them."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from autograde.__main__ import main
from autograde.marking.course_folder import Refused, notebook_at

CELL: dict[str, Any] = {
    "cell_type": "code",
    "id": "a",
    "metadata": {},
    "outputs": [],
    "execution_count": None,
}
WHOLE: dict[str, Any] = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [{**CELL, "source": "x = 1"}],
}
DAMAGED = {
    "empty": b"",
    "text": b"hello",
    "list": b"[]",
    "no cells": json.dumps({**WHOLE, "cells": 3}).encode(),
    "a cell of none": json.dumps({**WHOLE, "cells": [None]}).encode(),
    "a source of numbers": json.dumps({**WHOLE, "cells": [{**CELL, "source": 5}]}).encode(),
    "cut off": json.dumps(WHOLE).encode()[:-9],
    "deep": b"[" * 100_000,
    "UTF-16": json.dumps(WHOLE).encode("utf-16"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_one_is_named(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "lesson.ipynb"
    file.write_bytes(DAMAGED[kind])
    with pytest.raises(Refused, match=r"lesson\.ipynb is no notebook, or a damaged one"):
        notebook_at(file)


def test_a_whole_one_is_read_and_a_missing_one_named(tmp_path: Path) -> None:
    (tmp_path / "whole.ipynb").write_text(json.dumps(WHOLE), encoding="utf-8")
    assert notebook_at(tmp_path / "whole.ipynb").cells[0].source == "x = 1"
    with pytest.raises(Refused, match=r"gone\.ipynb cannot be read: no such file"):
        notebook_at(tmp_path / "gone.ipynb")


@pytest.mark.parametrize(
    ("released", "secret", "said"),
    [(b"[]", "00ff", "is no notebook"), (json.dumps(WHOLE).encode(), "zz", "the course's secret")],
)
def test_grade_one_says_it_in_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    released: bytes,
    secret: str,
    said: str,
) -> None:
    (tmp_path / "released.ipynb").write_bytes(released)
    (tmp_path / "secret").write_text(secret, encoding="ascii")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(WHOLE).encode())))
    given = ["--released", str(tmp_path / "released.ipynb"), "--secret", str(tmp_path / "secret")]
    assert main(["grade-one", "01_word2vec", *given]) != 0
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
