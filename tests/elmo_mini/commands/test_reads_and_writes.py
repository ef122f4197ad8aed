"""No command writes a file that it reads, whatever the two names are."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from course.what_the_layers_know import experiments as layers
from elmo_mini.__main__ import main
from elmo_mini.checkpoints.official import load_bilm, save_bilm
from elmo_mini.checkpoints.pretrained import save_pretrained
from elmo_mini.commands.pretrain import WRITTEN
from elmo_mini.embedding.embed_file import embed_file
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.files import check_not_read
from elmo_mini.records import is_record, write_record
from tests.elmo_mini import official_files

REFUSED = "{} is to be written, but it is the file {}, which is read; name another file to write"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with a text and a model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.txt").write_text("They play outside .\n" * 30)
    (tmp_path / "model").mkdir()
    official_files.random_model(tmp_path / "model")
    return tmp_path


def itself(source: Path) -> Path:
    return source


def symlink(source: Path) -> Path:
    link = Path("elsewhere")
    link.symlink_to(source.resolve())
    return link


def hard_link(source: Path) -> Path:
    link = Path("elsewhere")
    os.link(source, link)
    return link


def absolute(source: Path) -> Path:
    return source.resolve()


def roundabout(source: Path) -> Path:
    return Path("model", "..", source)


NAMES = pytest.mark.parametrize("name", [itself, symlink, hard_link, absolute, roundabout])
Name = Callable[[Path], Path]


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@NAMES
def test_one_file_under_two_names(name: Name) -> None:
    source = Path("t.txt")
    target = name(source)
    with pytest.raises(ConfigurationError) as refused:
        check_not_read(target, [None, "nowhere", source])
    assert str(refused.value) == REFUSED.format(target, source)
    check_not_read("new.txt", [source])
    shutil.copy(source, "copy.txt")
    check_not_read("copy.txt", [source])


@NAMES
@pytest.mark.parametrize("format", ["hdf5", "safetensors", "cache"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_embed_file(name: Name, format: str, overwrite: bool, here: Path) -> None:
    bilm = load_bilm(*sorted(Path("model").glob("*"))[:2])
    target = name(Path("t.txt"))
    before = contents(here)
    with pytest.raises(ConfigurationError, match="which is read"):
        embed_file(bilm, "t.txt", target, format=format, overwrite=overwrite)  # type: ignore[arg-type]
    assert contents(here) == before


def refused(
    command: list[str], target: Path, source: Path | str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(Path.cwd())
    assert main(command) == 2
    said = capsys.readouterr().err
    assert said == f"python -m elmo_mini {command[0]}: {REFUSED.format(target, source)}\n"
    assert contents(Path.cwd()) == before


@NAMES
@pytest.mark.parametrize("read", ["t.txt", "warm.txt", "model/options.json", "model/weights.hdf5"])
def test_embed(name: Name, read: str, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("t.txt", "warm.txt")
    target = name(Path(read))
    command = ["embed", "t.txt", str(target), "--format=hdf5", "--overwrite"]
    refused([*command, "--model=model", "--warm-up=warm.txt"], target, read, capsys)
    command += ["--model=model/options.json", "--weights=model/weights.hdf5"]
    refused([*command, "--warm-up=warm.txt"], target, read, capsys)


@NAMES
@pytest.mark.parametrize(
    "read", ["static.safetensors", "cache/a.vectors", "model/options.json", "model/weights.hdf5"]
)
def test_probe(name: Name, read: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("cache").mkdir()
    for other in ("static.safetensors", "cache/a.vectors"):
        Path(other).write_text("of value")
    target = name(Path(read))
    command = ["probe", "senses", f"--output={target}", "--model=model", "--cache=cache"]
    refused([*command, "--static=static.safetensors"], target, read, capsys)


def test_a_file_that_is_no_probe_result_is_not_replaced(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("notes.json").write_text('{"title": "mine"}')
    assert main(["probe", "senses", "--output=notes.json", "--model=model"]) == 2
    assert "notes.json is there already" in capsys.readouterr().err
    assert Path("notes.json").read_text() == '{"title": "mine"}'
    write_record(Path("notes.json"), "senses", {}, command="probe")
    assert is_record(Path("notes.json"))


@NAMES
@pytest.mark.parametrize("written", WRITTEN)
def test_pretrain(name: Name, written: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("run").mkdir()
    target = Path("run", written)
    shutil.copy("t.txt", target)
    text = name(target)
    command = ["pretrain", "--text=t.txt", f"--text={text}", "--output=run", "--steps=1"]
    refused([*command, "--device=cpu"], target, text, capsys)


@NAMES
def test_an_experiment(name: Name, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("results").mkdir()
    stored = Path("results", "layers_senses.json")
    save_pretrained(FastBiLM(BiLMOptions(projection_dim=4, dim=6, filters=((1, 5),))), stored)
    read = name(stored)
    before = contents(here)
    assert layers.main(["layers_senses", f"--model={read}", "--results=results"]) == 2
    assert REFUSED.format(stored, read) in capsys.readouterr().err
    assert contents(here) == before


def test_official_files_are_two(here: Path) -> None:
    bilm = FastBiLM(BiLMOptions(projection_dim=4, dim=6, filters=((1, 5),)))
    with pytest.raises(ConfigurationError, match=r"t\.txt is named twice"):
        save_bilm(bilm, "model/../t.txt", here / "t.txt")
    assert Path("t.txt").read_text().startswith("They play")
    save_bilm(bilm, "o.json", "w.hdf5")
    assert torch.equal(load_bilm("o.json", "w.hdf5").layers[0].weight, bilm.layers[0].weight)
