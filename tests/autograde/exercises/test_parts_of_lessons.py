"""Every answer of every lesson can be kept, and each kept file is taken up by itself."""

from pathlib import Path

import pytest

from autograde.checking.check import check
from autograde.checking.mine import mine
from autograde.desk.place import ELMO_PARTS
from tests.autograde.learners_desk import answers

SOURCES = sorted((Path(__file__).parents[3] / "solutions").glob("*/*.py"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_answers_of_a_lesson_travel(
    source: Path, desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = {}
    for name, answer in answers(source, tmp_path):
        note = check(name, answer).report.note
        package = "my_elmo" if name in ELMO_PARTS else "my_parts"
        assert note == f"Kept for later lessons: `work/{package}/{name}.py`."
        checked[name] = answer
    capsys.readouterr()
    for name, answer in checked.items():
        assert mine(name) is not answer
        assert f"`{name}` is yours, kept on " in capsys.readouterr().out
