"""A notebook without a kernel: IPython's own shell runs the cells."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

Notebook = Callable[..., Any]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    """``notebook(*cells, answer="double")``: run the cells, give what the name means then."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)

    def run(*cells: str, answer: str = "double") -> Any:
        for cell in cells:
            shell.run_cell(cell, store_history=True).raise_error()
        return shell.user_ns[answer]

    yield run
    InteractiveShell.clear_instance()
