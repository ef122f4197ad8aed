"""The cell for Colab and Kaggle, the links to them, and the pages that say the address."""

import builtins
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest

from autograde.building import elsewhere as building
from autograde.building.build import Builder
from autograde.checking.model_answer import FILE as MODEL_ANSWERS
from autograde.marking.plan import plan
from autograde.running import elsewhere as running
from autograde.running.working_copies import fingerprint
from autograde.workspace.place import HEAD_CELL

ROOT = Path(__file__).resolve().parents[3]
RELEASED = sorted(ROOT.glob("lessons/*/*.ipynb"))
LESSON = "01_word2vec"
ADDRESS = "https://github.com/someone/before-bert"


def head_cell(address: str = "") -> str:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("pass")])
    made = building.with_head_cell(nbformat.writes(notebook).encode(), LESSON, address)
    return str(nbformat.reads(made.decode(), as_version=4).cells[0].source)


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_a_released_lesson_has_the_cell_before_its_other_code_and_marking_leaves_it_out(
    path: Path,
) -> None:
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    (head,) = [cell for cell in code if HEAD_CELL in cell.metadata.get("tags", [])]
    assert code[0] is head
    assert "nbgrader" not in head.metadata
    assert head.metadata.slideshow.slide_type == "skip"
    assert f'bring_the_course("{path.parent.name}", ' in head.source
    assert not [step for step in plan(notebook, notebook) if "bring_the_course" in step.source]


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_at_home_the_cell_does_nothing(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KAGGLE_KERNEL_RUN_TYPE", raising=False)
    shutil.copy(__file__, tmp_path / "before_bert-9-py3-none-any.whl")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a command was run"))
    brought: list[str] = []
    usual = builtins.__import__

    def noted(name: str, *rest: Any, **more: Any) -> ModuleType:
        brought.append(name.split(".")[0])
        return usual(name, *rest, **more)

    names: dict[str, object] = {}
    source = head_cell(address)
    monkeypatch.setattr(builtins, "__import__", noted)
    exec(source, names)
    monkeypatch.undo()
    assert set(brought) <= sys.stdlib_module_names
    assert names.keys() - {"__builtins__"} == {"bring_the_course"}
    assert [path.suffix for path in tmp_path.iterdir()] == [".whl"]
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Kaggle without the course; what is run there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr(running, "settle", lambda lesson, clone: ran.append([lesson, str(clone)]))
    ran: list[list[str]] = []
    monkeypatch.setattr(
        subprocess, "run", lambda words, check: ran.append([str(word) for word in words])
    )
    return ran


def test_the_cell_takes_the_repository(away: list[list[str]]) -> None:
    exec(head_cell(ADDRESS), {})
    clone, install, settled = away
    assert clone == ["git", "clone", "-q", "--depth=1", ADDRESS, "before_bert_course"]
    assert install[3:] == ["install", "-q", "--no-deps", str(Path("before_bert_course").resolve())]
    assert settled == [LESSON, "before_bert_course"]


def test_a_wheel_beside_the_notebook_goes_first(away: list[list[str]]) -> None:
    wheel = Path("before_bert-0.1.0-py3-none-any.whl")
    wheel.touch()
    exec(head_cell(ADDRESS), {})
    assert [words[-1] for words in away] == [wheel.name, "before_bert_course"]


def test_without_both_one_sentence_says_what_to_do(away: list[list[str]]) -> None:
    with pytest.raises(FileNotFoundError, match="Put the course's wheel, before_bert-"):
        exec(head_cell(), {})
    assert away == []


def test_settling_makes_a_folder_once_and_installs_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(running, "KEPT_IN", {})
    monkeypatch.setattr("autograde.running.lab.fetch_corpora", lambda work: None)
    monkeypatch.setattr(running, "lacking", lambda extras: ["gensim>=4.4,<5"])
    ran: list[list[str]] = []
    monkeypatch.setattr(running.subprocess, "run", lambda words, check: ran.append(words))
    answers = tmp_path / "clone/lessons" / LESSON / MODEL_ANSWERS
    answers.parent.mkdir(parents=True)
    answers.write_text("{}")

    running.settle(LESSON, Path("clone"))
    folder = tmp_path / "before_bert" / LESSON
    assert Path.cwd() == folder
    assert (folder / MODEL_ANSWERS).read_text() == "{}"
    assert ran[0][-1] == "gensim>=4.4,<5"
    running.settle("02_static_limits", Path("clone"))
    assert Path.cwd() == tmp_path / "before_bert/02_static_limits"
    assert str(tmp_path / "before_bert") in capsys.readouterr().out
    os.chdir(tmp_path)


def test_a_mounted_drive_is_where_work_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    drive = tmp_path / "drive"
    drive.mkdir()
    monkeypatch.setattr(running, "DRIVE", drive)
    monkeypatch.setattr(running, "KEPT_IN", {drive: "stays", tmp_path: "goes"})
    monkeypatch.setattr(running, "lacking", lambda extras: [])
    monkeypatch.setattr("autograde.running.lab.fetch_corpora", lambda work: None)
    running.settle(LESSON)
    assert Path.cwd() == drive / "before_bert" / LESSON
    os.chdir(tmp_path)


def test_a_release_with_another_such_cell_is_no_news_to_a_learner() -> None:
    plain = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]))
    several = [building.with_head_cell(plain.encode(), LESSON, a) for a in ("", ADDRESS)]
    assert len({fingerprint(Path("x.ipynb"), made) for made in (plain.encode(), *several)}) == 1


@pytest.mark.parametrize("end", ["", "/", ".git"])
def test_the_links_name_the_learners_copy(end: str) -> None:
    links = building.links(ADDRESS + end, "01_word2vec/word2vec.ipynb")
    file = "someone/before-bert/blob/main/lessons/01_word2vec/word2vec.ipynb"
    assert links == {
        "Colab": f"https://colab.research.google.com/github/{file}",
        "Kaggle": f"https://kaggle.com/kernels/welcome?src=https://github.com/{file}",
        "Binder": "https://mybinder.org/v2/gh/someone/before-bert/main"
        "?labpath=work%2F01_word2vec%2Fword2vec.ipynb",
    }
    assert building.links("https://example.org/course", "x.ipynb") == {}


def test_the_address_is_one_setting_that_a_build_writes_into_notebooks_and_pages(
    tmp_path: Path,
) -> None:
    for page in (building.PAGE, building.FRONT):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    shutil.copytree(ROOT / "solutions/00_start_here", tmp_path / "solutions/00_start_here")
    builder = Builder(tmp_path, lambda name: pytest.fail(name))
    builder.pages(check=True)
    assert builder.problems == []
    assert building.UNKNOWN in (tmp_path / building.PAGE).read_text()

    settings = f'[project.urls]\nRepository = "{ADDRESS}"\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    builder.pages(check=True)
    assert len(builder.problems) == 5  # two pages, three badges
    builder.pages(check=False)
    for page in (building.PAGE, building.FRONT):
        text = (tmp_path / page).read_text()
        assert building.UNKNOWN not in text
        for place in ("colab", "kaggle", "binder"):
            badge = next(p for p in text.replace(")", "(").split("(") if f"in_{place}.svg" in p)
            assert (tmp_path / page).parent.joinpath(badge).is_file()
    builder.problems.clear()
    builder.pages(check=True)
    assert builder.problems == []
    assert building.in_words(ADDRESS, "x/y.ipynb").startswith("Open your copy in [Colab](")
    assert building.in_words("", "x/y.ipynb") == ""


def test_binder_makes_the_pinned_pytorch() -> None:
    both = [(ROOT / name).read_text() for name in ("environment.yml", ".binder/environment.yml")]
    pinned = [{line.strip() for line in text.splitlines() if "pytorch=" in line} for text in both]
    assert pinned[0] == pinned[1] != set()
    assert os.access(ROOT / ".binder/postBuild", os.X_OK)


def test_the_stored_cell_is_json_of_plain_python() -> None:
    called = head_cell(ADDRESS).splitlines()[-1]
    assert called == f"bring_the_course({json.dumps(LESSON)}, {json.dumps(ADDRESS)})"
    compile(head_cell(), "head", "exec")
