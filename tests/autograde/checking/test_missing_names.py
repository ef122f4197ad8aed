"""A check after a restart says what to run; other missing names look as Python shows them."""

import pytest
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograde.checking.missing_names import handed_over


@pytest.fixture(scope="module")
def errors() -> list[NotebookNode]:
    """What a fresh kernel shows for a check, for the line after it, and for any other cell."""
    cells = [
        'from autograde import check\n\ncheck("perplexity", perplexity)',
        'from autograde import or_reference\n\nperplexity = or_reference("perplexity", perplexity)',
        "vocabulary.words",
        "def perplexity(losses):\n    return (losses\n    + 1",
        'check("perplexity", perplexity)',
        "import numpy as np\n1 / 0\ndef embed(x):\n    return x",
        'check("embed", embed)',
    ]
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, allow_errors=True, kernel_name="python3").execute()
    return [next(o for o in c.outputs if o.output_type == "error") for c in notebook.cells]


def test_a_check_without_its_answer_says_what_to_run(errors: list[NotebookNode]) -> None:
    for error in errors[:2]:
        assert error.ename == "NameError"  # for nbgrader, too
        (sentence,) = error.traceback
        assert sentence.startswith("`perplexity` is not defined in this kernel")
        assert "Run All Above Selected Cell" in sentence


def test_an_answers_cell_that_did_not_run_is_named_with_its_line(
    errors: list[NotebookNode],
) -> None:
    (sentence,) = errors[4].traceback
    assert "`perplexity` is not defined: the cell with your answer did not run" in sentence
    assert "cannot read its line 2 (`return (losses`)" in sentence
    assert errors[4].ename == "NameError"
    (sentence,) = errors[6].traceback
    assert "the cell with your answer stopped with an error" in sentence


def test_another_missing_name_is_shown_as_ever(errors: list[NotebookNode]) -> None:
    assert len(errors[2].traceback) > 1
    assert "Run All Above" not in "\n".join(errors[2].traceback)


def test_names_handed_to_checks() -> None:
    cell = 'check("a", b)\nx = or_reference("c", d)\ncheck("e", lambda: 1)'
    assert handed_over(cell) == {"b", "d"}
    assert handed_over("%matplotlib inline") == set()
