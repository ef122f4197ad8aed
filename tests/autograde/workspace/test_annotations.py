"""No annotation of a kept part names what is not there."""

from pathlib import Path

import pytest

from autograde.workspace.annotations import without_annotations
from autograde.workspace.part_text import part_text
from tests.autograde.workspace.conftest import Notebook
from tests.autograde.workspace.test_part_text import alone

CUT = {
    "def f(x: A, *y: A, z: B = 1, **k: A) -> B: pass": "def f(x, *y, z: B = 1, **k) -> B: pass",
    "def f(x: (A | B)) -> (\n    A | B\n): pass": "def f(x): pass",
    "def f(größe: A) -> list[A]:\n    '''-> A:'''\n    y: A = 1": (
        "def f(größe):\n    '''-> A:'''\n    y: object = 1"
    ),
    "async def f(x: 'A') -> 'list[A]':\n    return A": "async def f(x):\n    return A",
    "class F:\n    a: A\n    b: B = 1": "class F:\n    a: object\n    b: B = 1",
    "def f(x: Literal['A']) -> 'any words': pass": "def f(x: Literal['A']) -> 'any words': pass",
    "def f(x: B = {'a': A}): pass": "def f(x: B = {'a': A}): pass",
}


@pytest.mark.parametrize(("text", "expected"), CUT.items(), ids=CUT.keys())
def test_annotations_that_name_something_are_cut(text: str, expected: str) -> None:
    assert without_annotations(text, ["A"]) == expected
    assert without_annotations(text, []) == text


WHOLE = {
    "an alias": (
        "import torch\nRows = list[torch.Tensor] | None",
        "def double(x: Rows) -> 'Rows':\n    return 2 * x",
        "import torch\n\nRows = list[torch.Tensor] | None\n\n\n"
        "def double(x: Rows) -> 'Rows':\n    return 2 * x\n",
    ),
    "nothing": (
        "from __future__ import annotations",
        "def double(x: Nowhere, y: int = 2) -> 'Nothing':\n    return y * x",
        "from __future__ import annotations\n\n\ndef double(x, y: int = 2):\n    return y * x\n",
    ),
    "a type variable": (
        "from typing import TypeVar\nT = TypeVar('T')",
        "def double(x: T) -> T:\n    return 2 * x",
        "def double(x):\n    return 2 * x\n",
    ),
    "a tensor": (
        "import torch\nw = torch.ones(1)",
        "def double(x: w, y: torch.Tensor = None):\n    return 2 * x",
        "import torch\n\n\ndef double(x, y: torch.Tensor = None):\n    return 2 * x\n",
    ),
    "an own class": (
        "class Base:\n    pass",
        "def double(x: Base):\n    return 2 * x",
        "from __future__ import annotations\n\n\nclass Base:\n    pass\n\n\n"
        "def double(x: Base):\n    return 2 * x\n",
    ),
}


@pytest.mark.parametrize(("before", "answer", "expected"), WHOLE.values(), ids=WHOLE.keys())
def test_what_annotations_name_comes_along_or_they_go(
    before: str, answer: str, expected: str, notebook: Notebook, tmp_path: Path
) -> None:
    text = part_text("double", notebook(before, answer), tmp_path)
    assert alone(text)(21) == 42
    assert {*text.split("\n\n\n")} == {*expected.split("\n\n\n")}


def test_a_class_may_name_itself(notebook: Notebook, tmp_path: Path) -> None:
    cell = "class Double:\n    def forward(self, x) -> {}:\n        return 2 * x"
    answer = notebook(cell.format("None"), cell.format("Double"), answer="Double")
    text = part_text("Double", answer, tmp_path)
    assert alone(text, "Double")().forward(21) == 42
