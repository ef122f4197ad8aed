"""After a restart a check meets a name that no cell has defined yet: say what to run."""

import ast
import re
from collections.abc import Callable
from types import TracebackType
from typing import Any

from IPython import get_ipython

HOLDERS = ("check", "or_reference")


def explain_missing_names() -> None:
    """In a notebook, say it in a sentence where Python would show a NameError."""
    shell = get_ipython()
    if shell is not None and not shell.custom_exceptions:  # a handler of somebody else's stays
        shell.set_custom_exc((NameError,), _show)


def _show(
    shell: Any,
    kind: type[NameError],
    error: NameError,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    *before, cell = shell.history_manager.input_hist_raw
    if error.name in handed_over(cell):
        said = did_not_run(error.name, before, shell.transform_cell) or (
            f"`{error.name}` is not defined in this kernel: since its start, no cell has defined "
            "it. Run the cells above first (menu Run, Run All Above Selected Cell), then this one."
        )
        error._render_traceback_ = lambda: [said]  # type: ignore[attr-defined]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def did_not_run(name: str, cells: list[str], transformed: Callable[[str], str]) -> str:
    """Why the last cell that should have defined a name did not; "" where there was none."""
    defines = re.compile(rf"^\s*(?:(?:async\s+)?def|class)\s+{name}\b|^{name}\s*=", re.MULTILINE)
    cell = next((cell for cell in reversed(cells) if defines.search(cell)), None)
    if cell is None:
        return ""
    what = "stopped with an error before the name was there. Mend what that error says"
    try:
        ast.parse(transformed(cell))
    except SyntaxError as error:
        line = f" (`{error.text.strip()}`)" if error.text and error.text.strip() else ""
        what = f"did not run: Python cannot read its line {error.lineno}{line}. Mend that line"
    return (
        f"`{name}` is not defined: the cell with your answer {what}, run the cell, then this one."
    )


def handed_over(cell: str) -> set[str]:
    """The names that a cell hands to a check, as in ``check("perplexity", perplexity)``."""
    try:
        body = ast.parse(cell)
    except SyntaxError:  # a magic
        return set()
    return {
        answer.id
        for call in ast.walk(body)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in HOLDERS
        for answer in call.args[1:2]
        if isinstance(answer, ast.Name)
    }
