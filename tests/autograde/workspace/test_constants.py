"""A constant stays as it was written, as long as that still gives its value."""

from pathlib import Path

import pytest

from autograde.workspace.part_text import part_text
from tests.autograde.workspace.conftest import Notebook
from tests.autograde.workspace.test_part_text import alone

USES_IT = "def double(x):\n    return 2 * x if N else None"
WRITTEN = {
    "a sum of lists": (["N = [259, 257] + 2 * [261]"], "N = [259, 257] + 2 * [261]"),
    "with a remark": (["N = 1 << 3  # bytes: größer"], "N = 1 << 3  # bytes: größer"),
    "one of two": (["M, N = 3 * [1], 4 * [2]"], "N = 4 * [2]"),
    "two names of one value": (["M = N = 3 * [1]"], "N = 3 * [1]"),
    "over several lines": (["N = [\n    1,  # one\n    2,\n]"], "N = [\n    1,  # one\n    2,\n]"),
    "in no brackets": (["N = 1 + \\\n    2"], "N = (1 + \\\n    2)"),
    "with a type": (["N: list[int] = 3 * [1]"], "N = 3 * [1]"),
    "by names": (["SIZE = 3", "N = SIZE * [1] + [SIZE]"], "SIZE = 3\nN = SIZE * [1] + [SIZE]"),
    "by a comprehension": (["N = {i: chr(i) for i in range(3)}"], None),
    "by a module": (["import math", "N = math.pi / 2"], "import math\n\nN = math.pi / 2"),
    "by a method of a string": (['N = "a b c".split()'], None),
    "the latest one": (["N = 2 + 2", "N = 2 * 2"], "N = 2 * 2"),
    "in a timed cell": (["%%time\nN = 2 + 2"], "N = 2 + 2"),
    "changed in place": (["N = [1] * 2", "N.append(3)"], "N = [1, 1, 3]"),
    "of a name that has changed": (["K = 2", "N = 3 * [K]", "K = 5"], "N = [2, 2, 2]"),
    "of a name that is gone": (["K = 2", "N = 3 * [K]", "del K"], "N = [2, 2, 2]"),
    "by a loop": (["N = []\nfor i in range(3):\n    N.append(i)"], "N = [0, 1, 2]"),
    "of something that has no text": (
        ["import torch\nw = torch.ones(3)", "N = len(w)"],
        "N = 3",
    ),
}


@pytest.mark.parametrize(("cells", "statement"), WRITTEN.values(), ids=WRITTEN.keys())
def test_a_constant_as_it_was_written(
    cells: list[str], statement: str | None, notebook: Notebook, tmp_path: Path
) -> None:
    text = part_text("double", notebook(*cells, USES_IT), tmp_path)
    assert text == f"{statement or cells[-1]}\n\n\n{USES_IT}\n"
    assert alone(text)(21) == 42


def test_nothing_that_acts_is_run_again(notebook: Notebook, tmp_path: Path) -> None:
    cells = [
        "made = []",
        "def count():\n    made.append(1)\n    return 3",
        "N = count()",
        "M = made.append(2) or 4",
        "def double(x):\n    return 2 * x if N and M else None",
    ]
    text = part_text("double", notebook(*cells), tmp_path)
    assert text.startswith("N = 3\nM = 4\n")
    assert notebook(answer="made") == [1, 2]


def test_constants_stand_in_the_order_of_their_use(notebook: Notebook, tmp_path: Path) -> None:
    answer = notebook(
        "END = 3 * [2]\nSTART = 2 * [1]", "def double(x):\n    return START + x + END"
    )
    assert part_text("double", answer, tmp_path).startswith("START = 2 * [1]\nEND = 3 * [2]\n")
