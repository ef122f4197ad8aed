"""What the text of a lesson says of its live runs, held against what its cells print.

The tests that run a solved lesson, once with the corpora and once without, ask here. A file for
each lesson, so that a claim that changes makes that lesson run again and no other.
"""

import re
from importlib import import_module
from pathlib import Path

from nbformat.notebooknode import NotebookNode

MEASURED = " · measured: "  # of a prediction
STEMS = sorted(file.stem for file in Path(__file__).parent.glob("[!_]*.py"))


def claims_hold(stem: str, notebook: NotebookNode, *, corpora: bool) -> None:
    """Assert what the text claims; most lessons have tests of their own for that.

    Parameters
    ----------
    stem : of the lesson's source, ``ulmfit``
    """
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output.get("data", {}).get("text/plain", "") for output in outputs]
    printed = "".join(
        output.text
        for output in outputs
        if output.output_type == "stream" and output.name == "stdout"
    ) + "".join(f"{text}\n" for text in shown if MEASURED in text)
    if stem in STEMS:
        import_module(f"{__name__}.{stem}").hold(printed, corpora)


def numbers(pattern: str, printed: str) -> list[float]:
    found = re.search(pattern, printed)
    assert found is not None, pattern
    return [float(number.replace(",", "")) for number in found.groups()]
