"""What a command refuses: a number out of its range, a file that cannot be read or written."""

import argparse
import dataclasses
import importlib
import os
from pathlib import Path

import pytest

from course.starting_from_a_language_model import experiments as context
from course.static_limits import experiments as static
from course.taglm import experiments as taglm
from course.what_the_layers_know import experiments as layers
from elmo_mini.__main__ import COMMANDS, main
from elmo_mini.arguments import path, typed
from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.models.masked_lm import MaskedLMOptions
from elmo_mini.probing.probing_tasks import TASKS
from tests.elmo_mini import official_files

WHOLE = ("0", "-3", "2.5", "many", "", "nan")
FROM_0 = ("-1", "2.5", "many")
ABOVE_0 = ("0", "-0.5", "many", "nan", "inf", "1e300")

NUMBERS = {
    "pretrain": {
        "--cells": WHOLE,
        "--projection": WHOLE,
        "--epochs": (*ABOVE_0, "1e9"),
        "--steps": WHOLE,
        "--minutes": ("-1", "soon", "inf"),
        "--batch-size": WHOLE,
        "--bptt": WHOLE,
        "--vocabulary": (*WHOLE, "3"),
        "--sampled": WHOLE,
        "--learning-rate": ABOVE_0,
        "--warm-up": FROM_0,
        "--weight-decay": ("-0.1", "nan", "inf"),
        "--clip": ABOVE_0,
        "--dropout": ("-0.1", "1", "nan"),
        "--validation": (*ABOVE_0, "0.6"),
        "--validate-steps": WHOLE,
        "--checkpoint-minutes": ("-1", "soon", "inf"),
        "--checkpoint-steps": WHOLE,
        "--seed": (*FROM_0, str(2**32)),
        "--threads": (*WHOLE, "100000"),
    },
    "pretrain-awd": {
        "--vocabulary": (*WHOLE, "2"),
        "--dim": WHOLE,
        "--hidden": WHOLE,
        "--layers": WHOLE,
        "--dropout": ("-0.1", "1", "nan"),
        "--epochs": WHOLE,
        "--batch-size": WHOLE,
        "--bptt": WHOLE,
        "--minutes": ("-1", "soon", "inf"),
        "--checkpoint-minutes": ("-1", "soon", "inf"),
        "--checkpoint-steps": WHOLE,
        "--learning-rate": ABOVE_0,
        "--weight-decay": ("-0.1", "nan", "inf"),
        "--alpha": ("-0.1", "nan", "inf"),
        "--beta": ("-0.1", "nan", "inf"),
        "--sampled": FROM_0,
        "--validation": (*ABOVE_0, "0.6"),
        "--seed": (*FROM_0, str(2**32)),
        "--threads": (*WHOLE, "100000"),
    },
    "pretrain-masked": {
        "--steps": WHOLE,
        "--minutes": ("-1", "soon", "inf"),
        "--checkpoint-minutes": ("-1", "soon", "inf"),
        "--checkpoint-steps": WHOLE,
        "--batch-size": WHOLE,
        "--vocabulary": WHOLE,
        "--dim": WHOLE,
        "--heads": WHOLE,
        "--layers": WHOLE,
        "--longest": (*WHOLE, "1", "2"),
        "--learning-rate": ABOVE_0,
        "--chosen": (*ABOVE_0, "1"),
        "--validate-steps": WHOLE,
        "--seed": (*FROM_0, str(2**32)),
        "--threads": (*WHOLE, "100000"),
    },
    "embed": {"--batch-size": WHOLE},
    "neighbours": {"--occurrence": WHOLE, "--layers": FROM_0, "--top": WHOLE},
    "probe": {
        "--layers": FROM_0,
        "--neighbours": WHOLE,
        "--c": ABOVE_0,
        "--train-size": WHOLE,
        "--draws": WHOLE,
        "--seed": (*FROM_0, str(2**32)),
    },
    "corpora": {},
}
POSITIONAL = {
    "pretrain": ["lee"],
    "pretrain-awd": ["lee"],
    "pretrain-masked": ["lee"],
    "embed": ["in.txt", "out.hdf5"],
    "neighbours": ["A play.", "play"],
    "probe": ["senses"],
}


@pytest.mark.parametrize(
    ("command", "option"), [(c, option) for c, options in NUMBERS.items() for option in options]
)
def test_a_number_out_of_its_range_is_one_sentence(
    command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for value in NUMBERS[command][option]:
        with pytest.raises(SystemExit) as left:
            main([command, *POSITIONAL[command], f"{option}={value}"])
        assert left.value.code == 2
        *_, said = capsys.readouterr().err.splitlines()
        assert said.startswith(f"python -m elmo_mini {command}: error: argument {option}: ")
        assert f"{value!r} is not a " in said


@pytest.mark.parametrize("command", COMMANDS)
def test_no_number_option_is_without_a_range(command: str) -> None:
    parser = argparse.ArgumentParser()
    importlib.import_module(COMMANDS[command][0]).add_arguments(parser)
    found = {
        max(action.option_strings, key=len)
        for action in parser._actions
        if action.type not in (None, path, typed)
    }
    assert found == NUMBERS[command].keys()
    assert not any(action.type in (int, float) for action in parser._actions)


@pytest.mark.parametrize(
    ("experiments", "name"),
    [(context, "forgetting"), (static, "senseval"), (taglm, "ten-percent")],
)
def test_seeds_out_of_range_are_one_sentence(
    experiments: object, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for seeds in (*WHOLE, "1001"):
        with pytest.raises(SystemExit) as left:
            experiments.main([name, f"--seeds={seeds}"])  # type: ignore[attr-defined]
        assert left.value.code == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert f"argument --seeds: {seeds!r} is not a whole number from 1 to 1000" in said


# Files


@pytest.fixture
def model(tmp_path: Path) -> list[str]:
    folder = tmp_path / "model"
    folder.mkdir()
    files = official_files.random_model(folder)
    return ["--model", str(files.options_file), "--weights", str(files.weight_file)]


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "text.txt"
    path.write_text("They play outside .\n" * 30)
    return str(path)


def complaint(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"python -m elmo_mini {arguments[0]}: ")
    assert said.count("\n") == 1
    assert "[Errno" not in said
    return said


def test_an_output_folder_that_cannot_be_made(
    model: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--cells=6", "--projection=4", "--batch-size=2", "--steps=1", "--device=cpu"]
    for out in (text, f"{text}/deeper"):
        said = complaint(["pretrain", f"--text={text}", f"--output={out}", *small], capsys)
        assert f"the folder {out} cannot be made: a file is in its way" in said
    for command in (
        ["embed", text, f"{text}/out.hdf5", *model],
        ["embed", text, f"{text}/cache.vectors", *model],
        ["probe", "senses", "--output", f"{text}/out.json", *model],
    ):
        assert "cannot be made: a file is in its way" in complaint(command, capsys)
    assert layers.main(["layers_senses", "--results", f"{text}/results"]) == 2
    assert "results cannot be made: a file is in its way" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["pretrain", "pretrain-awd", "pretrain-masked"])
def test_a_folder_for_no_model_is_refused_before_the_training(
    command: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / os.fsdecode(b"no utf-8 \xff")
    said = complaint([command, f"--text={text}", f"--output={out}"], capsys)
    assert "is no UTF-8, which safetensors asks for" in said
    assert not out.exists()
    for option in ("--output=", "--text="):
        with pytest.raises(SystemExit):
            main([command, f"--text={text}", option])
        said = capsys.readouterr().err
        assert f"argument {option[:-1]}: a path is needed here, and this one is empty" in said


def test_a_folder_given_as_a_file(
    model: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = str(tmp_path / "model"), str(tmp_path / "out.hdf5")
    for arguments, words in (
        (["embed", folder, out, *model], "is a folder; name one text file"),
        (["embed", text, out, *model, "--warm-up", folder], "is a folder; name one text file"),
        (["embed", text, folder, *model, "--format=hdf5", "--overwrite"], "is a folder; name a"),
        (["embed", text, out, *model[:3], folder], "is a folder; name one file"),
        (["neighbours", "A play.", "play", "--text", folder, *model], "is a folder"),
        (["neighbours", "A play.", "play", "--cache", text, *model], "is no vector cache"),
        (["probe", "senses", "--output", folder, *model], "is a folder; name a file"),
        (["pretrain", "--text", folder], "is a folder"),
        (["pretrain", "--text", text, "--output", text], "a file is in its way"),
    ):
        assert words in complaint(arguments, capsys)
    assert not Path(out).exists()
    assert layers.main(["layers_senses", "--model", folder, "--results", str(tmp_path)]) == 2
    assert "is a folder; name one checkpoint" in capsys.readouterr().err


def test_a_file_that_cannot_be_read(
    model: list[str],
    text: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opens = Path.open

    def forbidden(self: Path, *given: str, **named: str) -> object:
        if str(self) == text:
            raise PermissionError(13, "Permission denied", str(self))
        return opens(self, *given, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", forbidden)
    said = complaint(["embed", text, str(tmp_path / "out.hdf5"), *model], capsys)
    assert f"{text} cannot be used: permission denied" in said
    for arguments in (
        ["neighbours", "A play.", "play", "--text", text, *model],
        ["pretrain", "--text", text],
    ):
        assert f"{text} cannot be read (Permission denied)" in complaint(arguments, capsys)
    long = str(tmp_path / ("x" * 300))
    for arguments in (
        ["embed", long, str(tmp_path / "out.hdf5"), *model],
        ["pretrain", "--text", long],
        ["pretrain", "lee", "--output", long],
    ):
        assert "file name too long" in complaint(arguments, capsys)


@pytest.mark.parametrize("command", ["embed", "neighbours", "probe", "pretrain", "pretrain-masked"])
def test_a_device_that_cannot_be_used(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    for device, words in (("abacus", "no kind of device"), ("cuda:1", "no GPU"), ("meta", "on me")):
        said = complaint([command, *POSITIONAL[command], f"--device={device}"], capsys)
        assert words in said


@pytest.mark.parametrize(
    "asked",
    [
        *(["neighbours", "A play .", "play", f"--{name}="] for name in ("text", "cache", "corpus")),
        *(["probe", "senses", f"--{name}="] for name in ("static", "cache", "output")),
        *(["probe", f"{task}:"] for task in TASKS),
        ["embed", "t.txt", "v.hdf5", "--warm-up="],
        *(["embed", "t.txt", "v.hdf5", f"--{name}="] for name in ("model", "weights")),
    ],
)
def test_an_unset_variable_is_not_taken_for_nothing(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text("A play .")
    monkeypatch.setattr("elmo_mini.commands.neighbours.context_neighbours", pytest.fail)
    monkeypatch.setattr("elmo_mini.commands.probe.probe", pytest.fail)
    assert main(asked) == 2


@pytest.mark.parametrize(
    "sizes",
    [
        {"layers": 99_999_999_999},
        {"dim": 99_999_999_999},
        {"dim": 65_536, "layers": 100},
        {"vocabulary": 99_999_999_999},
        {"longest": 99_999_999_999},
        {"hidden_dim": 65_536, "layers": 100},
    ],
)
def test_a_model_that_no_machine_holds_is_not_begun(sizes: dict[str, int]) -> None:
    masked = {"words": sizes.get("vocabulary", 9), "heads": 1, **sizes}
    awd = {"vocabulary_size": sizes.get("vocabulary", 9), **sizes}
    for options, given in ((MaskedLMOptions, masked), (AWDLSTMOptions, awd)):
        known = {field.name for field in dataclasses.fields(options)}
        if "vocabulary" in sizes or known >= sizes.keys():
            with pytest.raises(ValueError, match="at most"):
                options(**{name: size for name, size in given.items() if name in known})
