"""Notebooks as they really come back: each earns what its answers are worth, and is told of."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograde.marking.repair import Unreadable, read_submission, repaired
from tests.autograde.marking.small_lesson import (
    DOUBLE,
    ESSAYS,
    SHARE,
    STUBS,
    copy,
    place,
    released,
    right,
    run,
    saved,
)

ROOT = Path(__file__).resolve().parents[3]
Change = Callable[[NotebookNode], None]
KINDS: dict[str, tuple[Change, str]] = {}


def kind(note: str) -> Callable[[Change], Change]:
    """A strange but right hand-in, and what its note must say ("" where none is due)."""

    def register(change: Change) -> Change:
        KINDS[change.__name__] = (change, note)
        return change

    return register


@kind("")
def as_it_should_be(notebook: NotebookNode) -> None:
    pass


@kind("format 4.0 without cell ids")
def saved_by_colab(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 0
    notebook.metadata["colab"] = {"provenance": []}
    for cell in notebook.cells:
        del cell["id"]
        cell.metadata["id"] = "x7"


@kind("other cell ids")
def saved_by_vs_code(notebook: NotebookNode) -> None:
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{number:08x}"


@kind("format 3.0 without cell ids")
def saved_by_an_old_jupyter(notebook: NotebookNode) -> None:
    cells = []
    for cell in notebook.cells:
        old = {"cell_type": cell.cell_type, "metadata": cell.metadata}
        old["input" if cell.cell_type == "code" else "source"] = cell.source.splitlines(True)
        cells.append(old)
    notebook.clear()
    notebook.update({"nbformat": 3, "nbformat_minor": 0, "metadata": {}})
    notebook["worksheets"] = [{"cells": cells}]


@kind("conda-env-mine")
def another_kernel(notebook: NotebookNode) -> None:
    notebook.metadata.kernelspec = {"name": "conda-env-mine-py", "display_name": "Mine"}


@kind("")
def cells_inserted(notebook: NotebookNode) -> None:
    for position in range(len(notebook.cells), 0, -1):
        notebook.cells.insert(position, new_code_cell(f"mine_{position} = {position}"))
        notebook.cells.insert(position, new_markdown_cell(f"note to self {position}"))


@kind("")
def given_cells_moved(notebook: NotebookNode) -> None:
    notebook.cells.append(notebook.cells.pop(place(notebook, "imports")))


@kind("moved up")
def an_answer_moved_up(notebook: NotebookNode) -> None:
    notebook.cells.insert(0, notebook.cells.pop(place(notebook, "share")))


@kind("")
def a_check_moved(notebook: NotebookNode) -> None:
    notebook.cells.insert(0, notebook.cells.pop(place(notebook, "check_double")))


@kind("answer cell of `share` was there 2 times")
def an_answer_split_between_functions(notebook: NotebookNode) -> None:
    here = place(notebook, "share")
    cell = notebook.cells[here]
    helper = copy(cell, source="def total_of(words):\n    return len(words)", id="abc")
    cell.source = SHARE.replace("len(words)", "total_of(words)")
    notebook.cells.insert(here, helper)


@kind("")
def an_answer_split_inside_a_function(notebook: NotebookNode) -> None:
    here = place(notebook, "share")
    cell = notebook.cells[here]
    first, second = SHARE.split("\n", 2)[:2], SHARE.split("\n", 2)[2]
    cell.source = "\n".join(first)
    notebook.cells.insert(here + 1, copy(cell, source=second, id="half"))


@kind("")
def a_check_merged_into_the_answer(notebook: NotebookNode) -> None:
    check = notebook.cells.pop(place(notebook, "check_double"))
    notebook.cells[place(notebook, "double")].source += "\n" + check.source


@kind("")
def statement_hints_and_discussion_merged(notebook: NotebookNode) -> None:
    essay = notebook.cells.pop(place(notebook, "why"))
    notebook.cells[place(notebook, "why-question")].source += "\n\n" + essay.source


@kind("check of `double` was there 2 times")
def a_check_duplicated(notebook: NotebookNode) -> None:
    here = place(notebook, "check_double")
    notebook.cells.insert(here + 1, copy(notebook.cells[here], id="again"))


@kind("answer cell of `double` was there 2 times")
def an_answer_duplicated_and_improved(notebook: NotebookNode) -> None:
    here = place(notebook, "double")
    notebook.cells.insert(here + 1, copy(notebook.cells[here], id="again"))
    notebook.cells[here].source = "def double(x):\n    return 0"


@kind("check of `double` was not there")
def a_check_deleted(notebook: NotebookNode) -> None:
    del notebook.cells[place(notebook, "check_double")]


@kind("1 given code cells")
def a_given_cell_deleted(notebook: NotebookNode) -> None:
    del notebook.cells[place(notebook, "imports")]


@kind("answer cell of `double` had become Markdown")
def an_answer_changed_to_markdown(notebook: NotebookNode) -> None:
    here = place(notebook, "double")
    notebook.cells[here] = copy(notebook.cells[here], cell_type="markdown")


@kind("check of `double` had become Markdown")
def a_check_changed_to_markdown(notebook: NotebookNode) -> None:
    here = place(notebook, "check_double")
    notebook.cells[here] = copy(notebook.cells[here], cell_type="markdown")


@kind("discussion `why` had become code")
def a_discussion_changed_to_code(notebook: NotebookNode) -> None:
    here = place(notebook, "why")
    notebook.cells[here] = copy(notebook.cells[here], cell_type="code", outputs=[])


@kind("answer cell of `share` had lost nbgrader's marks")
def metadata_gone_from_one_cell(notebook: NotebookNode) -> None:
    notebook.cells[place(notebook, "share")].metadata = {}


@kind("without nbgrader's marks")
def all_metadata_gone(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = {}
        del cell["id"]


@kind("check of `double` was edited")
def a_check_edited(notebook: NotebookNode) -> None:
    notebook.cells[place(notebook, "check_double")].source = "4.0"


@kind("")
def grade_ids_exchanged(notebook: NotebookNode) -> None:
    one, two = (notebook.cells[place(notebook, name)] for name in ("double", "share"))
    one.metadata, two.metadata = two.metadata, one.metadata
    one["id"], two["id"] = two["id"], one["id"]


@kind("20 MB of outputs")
def twenty_megabytes_of_outputs(notebook: NotebookNode) -> None:
    notebook.cells[place(notebook, "training")].outputs = [
        new_output("stream", name="stdout", text="x" * 20 * 2**20)
    ]


@kind("state of widgets")
def widget_state(notebook: NotebookNode) -> None:
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}


@kind("")
def answer_in_another_cell(notebook: NotebookNode) -> None:
    here = place(notebook, "double")
    notebook.cells[here].source = STUBS["double"]
    notebook.cells.insert(here + 1, new_code_cell(DOUBLE))


@kind("found below its check")
def answer_below_the_check(notebook: NotebookNode) -> None:
    notebook.cells[place(notebook, "double")].source = STUBS["double"]
    here = place(notebook, "double-hints")
    notebook.cells.insert(here + 1, new_code_cell(DOUBLE))


@kind("")
def a_given_cell_used_for_an_own_import(notebook: NotebookNode) -> None:
    notebook.cells[place(notebook, "imports")].source += "\nTWO = 2"
    notebook.cells[place(notebook, "double")].source = "def double(x):\n    return TWO * x"


@kind("")
def only_answers_handed_in(notebook: NotebookNode) -> None:
    keep = {"double", "share", "why", "what"}
    notebook.cells = [cell for cell in notebook.cells if cell["id"] in keep]


@kind("")
def an_essay_in_a_cell_of_its_own(notebook: NotebookNode) -> None:
    notebook.cells[place(notebook, "why")].source = "YOUR ANSWER HERE"
    notebook.cells.insert(place(notebook, "why") + 1, new_markdown_cell(ESSAYS["why"]))


@kind("")
def a_self_study_copy_with_offers_of_model_answers(notebook: NotebookNode) -> None:
    offer = "# Model answer: run this cell after a pass\nmodel_answer('double')"
    notebook.cells.insert(place(notebook, "double-hints") + 1, new_code_cell(offer))


@pytest.mark.parametrize("name", KINDS)
def test_a_strange_but_right_notebook_keeps_its_answers(name: str) -> None:
    change, note = KINDS[name]
    notebook = right()
    change(notebook)
    result, notes = repaired(read_submission(saved(notebook)), released())

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
    path = ROOT / "lessons/01_word2vec/word2vec.ipynb"
    with pytest.raises(Unreadable, match="nothing of this lesson"):
        repaired(read_submission(path.read_bytes()), released())


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
