"""Every answer of every lesson can be kept, and each kept file is taken up by itself."""

import ast
from pathlib import Path

import pytest

from autograde.building.cell_code import tree
from autograde.building.lesson_source import read_lesson
from autograde.checking.check import check
from autograde.checking.mine import mine

SOURCES = sorted((Path(__file__).parents[3] / "solutions").glob("*/*.py"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_answers_of_a_lesson_travel(
    source: Path, desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in its notebook: the imports of all cells, and the answers one after the other."""
    cells = [cell for cell in read_lesson(source).cells if cell.kind == "code"]
    namespace: dict[str, object] = {}
    imports = [
        node
        for cell in cells
        for node in tree(cell.source).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    exec(compile(ast.Module(imports, []), "<imports>", "exec"), namespace)
    answers = {cell.name: cell.source for cell in cells if cell.role == "exercise"}
    for name, text in answers.items():
        file = tmp_path / f"{name}_cell.py"
        file.write_text(text, encoding="utf-8")
        exec(compile(text, str(file), "exec"), namespace)
        note = check(name, namespace[name]).report.note  # type: ignore[arg-type]
        assert note == f"Kept for later lessons: `work/my_elmo/{name}.py`."
    capsys.readouterr()
    for name in answers:
        assert mine(name) is not namespace[name]
        assert f"`{name}` is yours, kept on " in capsys.readouterr().out
