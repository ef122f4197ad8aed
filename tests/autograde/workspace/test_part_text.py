"""A part's text runs without the notebook, or there is a sentence that says why there is none."""

import math
from pathlib import Path
from typing import Any

import pytest

from autograde.workspace import parts
from autograde.workspace.literals import CannotBeWritten
from autograde.workspace.part_text import part_text
from elmo_mini.text.character_ids import word_to_ids
from tests.autograde.workspace.conftest import Notebook


def alone(text: str, name: str = "double") -> Any:
    """What the text defines, run by itself."""
    namespace: dict[str, Any] = {"__name__": "alone"}
    exec(text, namespace)
    return namespace[name]


ANSWERS = {
    "a plain function": ["def double(x):\n    return 2 * x  # twice\n"],
    "imports of all kinds": [
        "import math as m, xml.etree.ElementTree\nimport numpy as np\nimport torch\n"
        "from torch.nn import functional as F, Module\nfrom numpy import exp as e, log",
        "def double(x):\n    xml.etree.ElementTree.Element('a'), F.relu, Module, torch.exp\n"
        "    return e(log(2)) * x * m.cos(0) * np.ones(1)[0]",
    ],
    "names from compiled modules": [
        "from operator import mul\nfrom torch import exp\nfrom typing import Optional\n"
        "from math import inf",
        "def double(x: Optional[float]):\n    exp\n    return min(mul(2, x), inf)",
    ],
    "constants": [
        "TWO = {'two': [2, (1,), {3}, float('-inf'), None, True, b'x']}",
        "def double(x, by=TWO['two'][0]):\n    return by * x if TWO else None",
    ],
    "helpers, and helpers of helpers": [
        "def twice(f, x):\n    return f(x) + f(x)",
        "def same(x):\n    return ONE * x\nONE = 1",
        "def double(x):\n    return twice(same, x)",
    ],
    "recursion": ["def double(x, n=2):\n    return x + double(x, n - 1) if n else 0 * x"],
    "mutual recursion": [
        "def even(x, n):\n    return x + odd(x, n - 1) if n else 0\n",
        "def odd(x, n):\n    return x + even(x, n - 1) if n else 0\n",
        "def double(x):\n    return even(x, 2)",
    ],
    "a helper in a default value of one it calls back": [
        "def b(x, n):\n    return a(x, n) if n else x",
        "def a(x, n, f=b):\n    return x + f(x, n - 1)",
        "def double(x):\n    return b(x, 1)",
    ],
    "a lambda": ["double = lambda x: 2 * x  # noqa: E731"],
    "two lambdas in a line": ["half, double = (lambda x: x / 2), (lambda x: 2 * x)"],
    "a lambda over two lines": ["double = (lambda x:\n    2 * x)"],
    "a partial": [
        "from functools import partial\ndef times(x, by, more=0):\n    return by * x + more",
        "double = partial(times, by=2, more=0)",
    ],
    "a decorator that wraps": [
        "import functools\ndef said(f):\n    @functools.wraps(f)\n    def inner(x):\n"
        "        return f(x)\n    return inner",
        "@said\ndef double(x):\n    return 2 * x",
    ],
    "a decorator that does not say what it wraps": [
        "def said(f):\n    def inner(x):\n        return f(x)\n    return inner",
        "@said\ndef double(x):\n    return 2 * x",
    ],
    "a cache": ["from functools import lru_cache\n@lru_cache\ndef double(x):\n    return 2 * x"],
    "magic lines around it": [
        "%precision 3\n!true\ndef double(x):\n    return 2 * x\n%precision",
    ],
    "a cell that is timed": ["%%time\nimport math\ndef double(x):\n    return 2 * x * math.cos(0)"],
    "a timed cell with a decorator": [
        "from functools import lru_cache",
        "%%time\n@lru_cache(None)\ndef double(x):\n    return 2 * x",
    ],
    "a global that was bound again": [
        "BY = 3\ndef double(x):\n    return BY * x",
        "BY = 2",
    ],
    "a helper that was defined again": [
        "def by():\n    return 3\ndef double(x):\n    return by() * x",
        "def by():\n    return 2",
    ],
    "a name of a builtin": [
        "def sum(x, y):\n    return x + y\nmax = 0",
        "def double(x):\n    return sum(x, x) + max + min(0, 1)",
    ],
    "letters of other alphabets": [
        "größe = 1  # wie groß\ndef 倍(x):\n    return 2 * x  # 两倍",
        "def double(ξ):\n    '''Verdoppelt ξ, « 两倍 ».'''\n    return 倍(ξ) * größe",
    ],
    "tabs and odd line ends": ["def double(x):\n\tif x is None:\n\t\treturn 0\n\treturn 2 * x\x0c"],
    "annotations that can be written": [
        "from torch import Tensor\nRows = int\ndef double(x: Tensor | Rows) -> 'Unknown':\n"
        "    y: Rows = 2\n    return y * x"
    ],
    "annotations that cannot be written": [
        "import torch\nTable = dict[str, torch.Tensor]\nweights = torch.zeros(2)",
        "def double(x: Table, *, y: weights = None) -> Table:\n    z: Table = 2\n    return z * x",
    ],
    "annotations that were never looked up": [
        "from __future__ import annotations",
        "def double(x: Nowhere) -> Nothing:\n    return 2 * x",
    ],
    "an async helper and a generator": [
        "def each(x):\n    yield x\n    yield x\nasync def nothing():\n    pass",
        "def double(x):\n    nothing\n    return sum(each(x))",
    ],
    "inside an if": ["if True:\n    def double(x):\n        return 2 * x"],
    "another name than the exercise's": ["def twice(x):\n    return 2 * x\ndouble = twice"],
    "the notebook's own open": ["def double(x):\n    return 2 * x if open else display"],
}


@pytest.mark.parametrize("cells", ANSWERS.values(), ids=ANSWERS.keys())
def test_the_text_doubles_without_the_notebook(
    cells: list[str], notebook: Notebook, tmp_path: Path
) -> None:
    text = part_text("double", notebook(*cells), tmp_path)
    assert alone(text)(21) == 42
    assert part_text("double", notebook(*cells), tmp_path) == text


CLASSES = {
    "a module with a base and a constant": [
        "import torch\nfrom torch import nn\nSIZE = 3",
        "class Base(nn.Module):\n    size = SIZE\n    def forward(self, x):\n        return 2 * x",
        "class Double(Base):\n    '''Twice.'''\n    def forward(self, x):\n"
        "        return super().forward(x)",
    ],
    "a class without methods": [
        "class Base:\n    def forward(self, x):\n        return 2 * x",
        "class Double(Base):\n    pass",
    ],
    "a dataclass": [
        "from dataclasses import dataclass, field",
        "@dataclass\nclass Double:\n    by: int = 2\n    more: list = field(default_factory=list)\n"
        "    def forward(self, x):\n        return self.by * x",
    ],
    "static, class and property": [
        "class Double:\n    @property\n    def by(self):\n        return 2\n"
        "    @staticmethod\n    def times(x, y):\n        return x * y\n"
        "    def forward(self, x):\n        return self.times(x, self.by)",
    ],
    "defined twice, the second counts": [
        "class Double:\n    def forward(self, x):\n        return 3 * x\n"
        "class Double:\n    def forward(self, x):\n        return 2 * x",
    ],
    "in a timed cell": ["%%time\nclass Double:\n    def forward(self, x):\n        return 2 * x"],
}


@pytest.mark.parametrize("cells", CLASSES.values(), ids=CLASSES.keys())
def test_classes_are_found_in_their_cells(
    cells: list[str], notebook: Notebook, tmp_path: Path
) -> None:
    text = part_text("Double", notebook(*cells, answer="Double"), tmp_path)
    assert alone(text, "Double")().forward(21) == 42


CANNOT = {
    "`weights` is an object of type Tensor": [
        "import torch\nweights = torch.ones(2)\ndef double(x):\n    return x * weights"
    ],
    "`model` is an object of type Linear": [
        "import torch\nmodel = torch.nn.Linear(1, 1)\ndef helper(x):\n    return model(x)",
        "def double(x):\n    return helper(x)",
    ],
    "`double` was made inside another function and holds values of that call": [
        "def make(by):\n    def inner(x):\n        return by * x\n    return inner",
        "double = make(2)",
    ],
    "`TABLE` is too long to write down": [
        "TABLE = list(range(10_000_000))\ndef double(x):\n    return 2 * x if TABLE else 0"
    ],
    "`HUGE` is too long to write down": [
        "HUGE = 10 ** 100_000\ndef double(x):\n    return 2 * x if HUGE else 0"
    ],
    "`ring` contains itself": [
        "ring = []\nring.append(ring)\ndef double(x):\n    return 2 * x if ring else 0"
    ],
    "`get_ipython` is a command of the notebook, a line with % or !": [
        "def double(x):\n    %precision 3\n    return 2 * x"
    ],
    "`Made` is a class that was made inside a function": [
        "def make():\n    class Made:\n        pass\n    return Made\nMade = make()",
        "def double(x):\n    return Made and 2 * x",
    ],
    "`Point` has no source that could be found": [
        "from collections import namedtuple\nPoint = namedtuple('Point', 'x y')",
        "def double(x):\n    return Point(x, x).x * 2",
    ],
    "`double` is an object of type method": [
        "class Doubler:\n    def double(self, x):\n        return 2 * x\ndouble = Doubler().double"
    ],
    "`typed` has no source that could be found": [
        "exec('def typed(x): return 2 * x')\ndef double(x):\n    return typed(x)"
    ],
}


@pytest.mark.parametrize(("says", "cells"), CANNOT.items(), ids=CANNOT.keys())
def test_what_cannot_be_written_is_named(
    says: str, cells: list[str], notebook: Notebook, tmp_path: Path
) -> None:
    with pytest.raises(CannotBeWritten) as refused:
        part_text("double", notebook(*cells), tmp_path)
    assert f"`{refused.value.name}` {refused.value}" == says


def test_the_text_is_as_one_would_write_it(notebook: Notebook, tmp_path: Path) -> None:
    answer = notebook(
        "import numpy as np\nfrom torch import Tensor\nSCALE = 2",
        "# a remark above\ndef helper(x):\n    return SCALE * x",
        "def double(x: Tensor) -> Tensor:\n    # YOUR CODE HERE\n    return helper(np.asarray(x))",
    )
    assert part_text("double", answer, tmp_path) == (
        "import numpy as np\nfrom torch import Tensor\n\nSCALE = 2\n\n\n"
        "def helper(x):\n    return SCALE * x\n\n\n"
        "def double(x: Tensor) -> Tensor:\n    # YOUR CODE HERE\n"
        "    return helper(np.asarray(x))\n"
    )


def test_a_function_of_another_name_gets_the_parts_own(notebook: Notebook, tmp_path: Path) -> None:
    answer = notebook("def twice(x):\n    return 2 * x  # twice\ndouble = twice")
    text = "def double(x):\n    return 2 * x  # twice\n"
    assert part_text("double", answer, tmp_path) == text
    both = "def twice(x):\n    return 2 * x if x < 50 else twice(x - 1) + 2\n\n\ndouble = twice\n"
    assert part_text("double", notebook(both), tmp_path) == both


def test_a_function_that_stands_in_a_module_of_the_course_still_is_the_learners(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lesson 05 puts an answer into the course's module; that is no place to import it from."""
    from elmo_mini.tagging import taglm

    answer = notebook("def double(x):\n    return 2 * x")
    monkeypatch.setattr(taglm, "double", answer, raising=False)
    assert "def double" in part_text("double", answer, tmp_path)


def test_a_kept_part_is_imported_and_a_changed_one_is_not(
    notebook: Notebook, tmp_path: Path
) -> None:
    cells = ["def base(x):\n    return x", "def double(x):\n    return 2 * base(x)"]
    answer = notebook(*cells)
    parts.write(parts.file_of(tmp_path, "base"), "# head\n\ndef base(x):\n    return x\n")
    assert "from my_parts.base import base\n" in part_text("double", answer, tmp_path)
    assert "def base" in part_text("double", answer, tmp_path, kept_in=("my_elmo",))
    parts.write(parts.file_of(tmp_path, "base"), "# head\n\ndef base(x):\n    return 1 * x\n")
    assert "def base" in part_text("double", answer, tmp_path)


def test_a_script_and_a_module_of_the_learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_words.py").write_text(
        "import math\ndef said(f):\n    def inner(x):\n        return f(x)\n    return inner\n"
        "class Base:\n    by = 2\n"
        "@said\ndef double(x):\n    return int(math.pow(Base.by, 1)) * x\n"
    )
    import own_words  # type: ignore[import-not-found]

    assert alone(part_text("double", own_words.double, tmp_path))(21) == 42

    (tmp_path / "more_words.py").write_text(
        "import own_words\ndef f(x): return own_words.double(x)"
    )
    import more_words  # type: ignore[import-not-found]

    with pytest.raises(CannotBeWritten, match="module of your own"):
        part_text("double", more_words.f, tmp_path)


def test_what_stands_in_a_package_can_be_written_out(tmp_path: Path) -> None:
    imported = part_text("word_to_ids", word_to_ids, tmp_path)
    assert imported.startswith("from elmo_mini")
    text = part_text("word_to_ids", word_to_ids, tmp_path, written_out=("elmo_mini",))
    assert "elmo_mini" not in text
    assert alone(text, "word_to_ids")("cat") == word_to_ids("cat")


def test_something_else_can_be_imported_in_the_place_of_a_function(notebook: Notebook) -> None:
    answer = notebook(
        "import math\nfrom math import sqrt, cos", "def double(x): return sqrt(cos(x))"
    )
    instead = {math.sqrt: ("numpy", "sqrt"), math.cos: ("numpy", "arccos")}
    text = part_text("double", answer, Path(), instead=instead)
    assert text.startswith("from numpy import arccos as cos\nfrom numpy import sqrt\n")
