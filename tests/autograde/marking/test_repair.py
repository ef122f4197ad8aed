"""Notebooks as they really come back: each earns what its answers are worth, and is told of."""

import json
import random
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output

from autograde.marking.rehearsal.hand_in import HandIn
from autograde.marking.rehearsal.strange import STRANGE
from autograde.marking.repair import Unreadable, read_submission, repaired
from tests.autograde.marking.small_lesson import (
    DOUBLE,
    ESSAYS,
    SHARE,
    place,
    released,
    right,
    run,
    saved,
)

ROOT = Path(__file__).resolve().parents[3]
# What the note must say; "" where none is due.
NOTES = {
    "as_it_should_be": "",
    "saved_by_colab": "format 4.0 without cell ids",
    "saved_by_vs_code": "other cell ids",
    "saved_by_an_old_jupyter": "format 3.0 without cell ids",
    "another_kernel": "conda-env-mine",
    "cells_inserted": "",
    "given_cells_moved": "",
    "an_answer_moved_up": "moved up",
    "a_check_moved": "",
    "an_answer_split_between_statements": "answer cell of `share` was there 2 times",
    "an_answer_split_inside_a_function": "",
    "a_check_merged_into_the_answer": "",
    "statement_hints_and_discussion_merged": "",
    "a_check_duplicated": "check of `double` was there 2 times",
    "an_answer_duplicated_and_improved": "answer cell of `double` was there 2 times",
    "a_check_deleted": "check of `double` was not there",
    "a_given_cell_deleted": "1 given code cells",
    "an_answer_changed_to_markdown": "answer cell of `double` had become Markdown",
    "a_check_changed_to_markdown": "check of `double` had become Markdown",
    "a_discussion_changed_to_code": "discussion `why` had become code",
    "metadata_gone_from_one_cell": "answer cell of `share` had lost nbgrader's marks",
    "all_metadata_gone": "without nbgrader's marks",
    "a_check_edited": "check of `double` was edited",
    "grade_ids_exchanged": "",
    "twenty_megabytes_of_outputs": "20 MB of outputs",
    "widget_state": "state of widgets",
    "answer_in_another_cell": "",
    "two_answers_in_the_first_ones_cell": "answer to `share` stood in a cell with others",
    "two_answers_in_a_cell_of_their_own": "stood in a cell with others",
    "answer_below_the_check": "found below its check",
    "a_given_cell_used_for_an_own_constant": "",
    "only_answers_handed_in": "",
    "an_essay_in_a_cell_of_its_own": "",
    "a_self_study_copy_with_offers_of_model_answers": "",
}
# What these hold is not run here, and nothing of it is repaired.
RUN_ELSEWHERE = {
    "magics_shell_commands_and_questions",
    "an_own_cell_that_fails",
    "an_own_cell_that_never_ends",
    "an_own_cell_that_ends_python",
}


def test_every_strange_kind_of_a_rehearsal_is_held_here() -> None:
    assert NOTES.keys() | RUN_ELSEWHERE == STRANGE.keys()


@pytest.mark.parametrize("name", NOTES)
def test_a_strange_but_right_notebook_keeps_its_answers(name: str) -> None:
    note = NOTES[name]
    made = HandIn.of(released(), {"double": DOUBLE, "share": SHARE, **ESSAYS})
    STRANGE[name](made)
    result, notes = repaired(read_submission(made.saved()), released())

    nbformat.validate(result)
    assert run(result) == {"double": "right", "share": "right"}
    graded = [c for c in result.cells if "nbgrader" in c.metadata]
    expected = [c for c in released().cells if "nbgrader" in c.metadata]
    for cell, canonical in zip(graded, expected, strict=True):
        assert (cell["id"], cell.cell_type) == (canonical["id"], canonical.cell_type)
        assert cell.metadata.nbgrader == canonical.metadata.nbgrader
        if cell.metadata.nbgrader.locked:
            assert cell.source == canonical.source
    assert {c["id"]: c.source for c in graded if c["id"] in ESSAYS} == ESSAYS
    assert not any("model_answer" in cell.source for cell in result.cells)
    assert note in " ".join(notes)
    assert bool(notes) or not note


def test_what_was_handed_in_as_released_is_as_released() -> None:
    result, notes = repaired(read_submission(saved(released())), released())
    assert notes == []
    assert [(c["id"], c.source) for c in result.cells] == [
        (c["id"], c.source) for c in released().cells
    ]


def test_every_lesson_comes_through_without_its_metadata() -> None:
    for path in sorted(ROOT.glob("lessons/*/*.ipynb")):
        lesson = nbformat.read(path, as_version=4)
        bare = json.loads(path.read_bytes())
        for cell in bare["cells"]:
            del cell["id"]
            cell["metadata"] = {}
        result, _ = repaired(read_submission(json.dumps(bare).encode()), lesson)
        assert [(c["id"], c.source) for c in result.cells] == [
            (c["id"], c.source) for c in lesson.cells
        ]


def test_an_edited_given_cell_is_named_so_and_keeps_its_id() -> None:
    notebook = right()
    notebook.cells[place(notebook, "training")].source = "training = [1]"
    result, _ = repaired(read_submission(saved(notebook)), released())
    cell = result.cells[place(result, "training")]
    assert cell.metadata.marking == {"kind": "given", "edited": True}
    assert cell.source == "training = [1]"


def test_a_deleted_answer_is_the_stub_and_said() -> None:
    notebook = right()
    del notebook.cells[place(notebook, "double")]
    result, notes = repaired(read_submission(saved(notebook)), released())
    assert run(result) == {"double": "wrong", "share": "right"}
    assert "answer cell of `double` was not there" in " ".join(notes)


def test_pictures_stay_and_scripts_go() -> None:
    notebook = right()
    cell = notebook.cells[place(notebook, "double")]
    cell.outputs = [
        new_output("display_data", {"image/png": "iVBORw0KGgo=\n", "text/html": "<script>"}),
        new_output("display_data", {"image/png": "<script>", "application/javascript": "x"}),
    ]
    notebook.cells[place(notebook, "why")]["attachments"] = {"a.png": {"image/png": "iVBO"}}
    result, _ = repaired(read_submission(saved(notebook)), released())
    (output,) = result.cells[place(result, "double")].outputs
    assert dict(output.data) == {"image/png": "iVBORw0KGgo="}
    assert "script" not in saved(result).decode()
    assert result.cells[place(result, "why")].attachments == {"a.png": {"image/png": "iVBO"}}


RIGHT = saved(right())


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + RIGHT,
        RIGHT.decode().encode("utf-16"),
        RIGHT.decode().encode("utf-16-le"),
        RIGHT.decode().encode("utf-32"),
        RIGHT.replace("·".encode(), b"\xb7"),
        RIGHT + b"\0\0\0\r\n",
    ],
)
def test_a_byte_order_mark_and_other_encodings_are_read(data: bytes) -> None:
    result, _ = repaired(read_submission(data), released())
    assert run(result) == {"double": "right", "share": "right"}


CONFLICT = RIGHT.replace(b'{"', b'{\n<<<<<<< HEAD\n"', 1)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"\0" * 500, "zero bytes"),
        (CONFLICT, "merge conflict, the first in line 2"),
        (RIGHT[:700], "was cut off after"),
        (RIGHT[: RIGHT.index(b'"cell_type"') + 11], "was cut off after"),
        (RIGHT.replace(b":", b";", 1), "is damaged in line 1"),
        (b"<!DOCTYPE html><title>Log in</title>", "is a web page"),
        (b"PK\x03\x04rest", "is a zip archive"),
        (b"def double(x): ...", "is no notebook; it begins with"),
        (b" \n" * 1_000_000 + b"<", "is no notebook; it begins with"),
        (b"[1, 2]", "is JSON, but no notebook"),
        (b'{"a": 1}', "has no cells"),
        (b'{"cells": []}', "without a single cell"),
        (b'{"cells": ' + b"[" * 100_000, "no notebook that can be read"),
        (b'{"cells": [1' + b"0" * 5000 + b"]}", "no notebook that can be read"),
        (b'{"cells": [' + b'{"a":1},' * 3000 + b"{}]}", "3,001 cells"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_submission(data)
    assert reason in caught.value.reason


def test_another_lessons_notebook_is_named_and_not_marked_as_empty() -> None:
    """Lessons share set-up cells, and names such as `nearest`, which 08 gives and 01 asks for."""
    notebooks = {path.parent.name: path for path in ROOT.glob("lessons/*/*.ipynb")}
    here = {name: nbformat.read(path, 4) for name, path in notebooks.items()}
    handed_in = {name: read_submission(path.read_bytes()) for name, path in notebooks.items()}
    here["small"] = released()
    for name, notebook in handed_in.items():
        for other, release in here.items():
            if other != name:
                with pytest.raises(Unreadable, match="nothing of this lesson"):
                    repaired(notebook, release)


def test_another_lessons_notebook_without_nbgraders_marks_is_named_too() -> None:
    path = ROOT / "lessons/08_scalar_mix_and_elmo/scalar_mix_and_elmo.ipynb"
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        cell.metadata = {}
        cell.pop("id")
    release = nbformat.read(ROOT / "lessons/01_word2vec/word2vec.ipynb", 4)
    with pytest.raises(Unreadable, match="nothing of this lesson: it is another one's"):
        repaired(read_submission(saved(notebook)), release)


def test_a_note_holds_nothing_that_a_file_made_up() -> None:
    """It is printed in a terminal, beside the marks of others."""
    notebook = json.loads(RIGHT)
    notebook["nbformat"] = "4\n\x1b[2Jkim: 5 of 5"
    for cell in notebook["cells"]:
        cell.pop("id", None)
    _, notes = repaired(read_submission(json.dumps(notebook).encode()), released())
    assert "Saved in format ?.5 without cell ids; the cells were recognised." in notes


def test_random_damage_is_unreadable_or_repaired_and_nothing_else() -> None:
    draw = random.Random(0)
    for _ in range(300):
        data = bytearray(RIGHT)
        for _ in range(draw.randint(1, 6)):
            place_of = draw.randrange(len(data))
            data[place_of : place_of + draw.randint(0, 4)] = draw.randbytes(draw.randint(0, 4))
        try:
            result, _ = repaired(read_submission(bytes(data)), released())
        except Unreadable:
            continue
        nbformat.validate(result)
        saved(result)
        assert set(run(result)) <= {"double", "share"}


@pytest.mark.parametrize(
    "cell",
    [
        {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": ["double"]}}, "source": [1]},
        {"cell_type": "code", "id": {"x": 1}, "metadata": [], "outputs": "none", "source": None},
        {"cell_type": ["code"], "source": "double = 1"},
        {"cell_type": "code", "outputs": [{"data": {"image/png": "A" + " " * 1_000_000 + "!"}}]},
        {"cell_type": "heading", "level": "two", "source": "x"},
        {"cell_type": "markdown", "attachments": {"a": {"image/png": 3}}, "source": "x\ud800"},
    ],
)
def test_malformed_cells_do_no_harm(cell: dict[str, object]) -> None:
    notebook = right()
    notebook.cells.append(cell)
    data = json.dumps(notebook).encode()
    result, _ = repaired(read_submission(data), released())
    nbformat.validate(result)
    saved(result)
    assert run(result) == {"double": "right", "share": "right"}
