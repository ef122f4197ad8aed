"""A long cell's seconds stand in the text above it, once, and where everybody reads them."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograde.building.executed_notebook import SLOWEST, slowest
from autograde.building.long_cells import LONG, about, say_seconds
from autograde.building.timed_client import CellTime
from autograde.grading.instructor_notes import TAG, TIMES


def said(*texts: object, **seconds: float) -> list[str]:
    """What the texts say after the builder; code cells are given by their ids."""
    cells = []
    for text in texts:
        if isinstance(text, str) and text in seconds:
            cells.append(new_code_cell("1 + 1", id=text))
        else:
            cells.append(text if not isinstance(text, str) else new_markdown_cell(text))
    notebook = new_notebook(cells=cells, metadata={TIMES: {"slowest cells": seconds}})
    say_seconds(notebook, notebook)
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def test_the_text_above_says_how_long_a_long_cell_takes() -> None:
    assert said("One.", "quick", "Two.", "slow", quick=LONG, slow=32.0) == [
        "One.",
        "Two.\n\n*⏱ About 30 s.*",
    ]


def test_several_cells_below_one_text_are_added_up() -> None:
    assert said("Text.", "a", "b", a=12.0, b=18.0) == ["Text.\n\n*⏱ About 30 s.*"]


def test_a_text_that_says_it_is_left_as_it_is() -> None:
    assert said("It takes about 20 s.", "slow", slow=18.0) == ["It takes about 20 s."]


@pytest.mark.parametrize("metadata", [{"tags": [TAG]}, {"nbgrader": {"solution": True}}])
def test_what_not_everybody_reads_does_not_count(metadata: dict[str, object]) -> None:
    hidden = new_markdown_cell("It takes 20 s.", metadata=metadata)
    assert said("Text.", hidden, "slow", slow=18.0) == [
        "Text.\n\n*⏱ About 20 s.*",
        "It takes 20 s.",
    ]


def test_few_round_numbers_are_said() -> None:
    assert [about(seconds) for seconds in (5.1, 7.5, 12, 13, 27, 500)] == [
        f"about {number} s" for number in (5, 10, 10, 15, 30, 240)
    ]


def test_a_run_keeps_all_long_cells() -> None:
    times = [CellTime(position, LONG + 1, 0) for position in range(SLOWEST + 2)]
    assert len(slowest([*times, CellTime(99, 1, 0)])) == SLOWEST + 2
    assert len(slowest(times[:1] + [CellTime(n, 1, 0) for n in range(9)])) == SLOWEST
