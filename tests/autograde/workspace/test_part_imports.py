"""Every package that a part needs is seen, and the part that needs it."""

from pathlib import Path

import pytest

from autograde.workspace.part_imports import foreign_imports

IMPORTS = {
    "import torch, h5py\nimport numpy as np\nfrom torch.nn import functional": {},
    "from __future__ import annotations\nimport math, os.path": {},
    "import scipy.special": {"scipy.special": "part"},
    "def f():\n    from elmo_mini.bilm import plain": {"elmo_mini.bilm": "part"},
    "from my_elmo.helper import g": {"scipy": "helper"},
    "import my_elmo.helper": {"scipy": "helper"},
    "from my_elmo import helper": {"scipy": "helper"},
    "from .helper import g": {"scipy": "helper"},
    "from . import helper": {"scipy": "helper"},
    "from my_elmo.part import itself": {},
    "from my_elmo.damaged import x": {},
    "from my_elmo.missing import x": {},
    "from my_parts.missing import x": {"my_parts.missing": "part"},
}


@pytest.mark.parametrize(("text", "expected"), IMPORTS.items(), ids=IMPORTS.keys())
def test_what_a_part_imports(text: str, expected: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "my_elmo").mkdir()
    (tmp_path / "my_elmo/part.py").write_text(text)
    (tmp_path / "my_elmo/helper.py").write_text("from my_elmo.part import f\nfrom scipy import g\n")
    (tmp_path / "my_elmo/damaged.py").write_text("import (\n")
    assert foreign_imports(tmp_path, "part") == expected
