import json
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_mini.__main__ import COMMANDS, main
from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained, read_record
from elmo_mini.checkpoints.safetensors_file import read_checkpoint
from elmo_mini.commands import pretrain
from elmo_mini.commands.pretrain import WRITTEN
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.options import prepared
from elmo_mini.training.pretraining.objective import BiLMWithSoftmax
from elmo_mini.training.pretraining.recipes import COURSE, DEFAULTS, SIZES
from tests.elmo_mini.training.pretraining.pretraining_run import sentences

SMALL = [
    "--cells=12",
    "--projection=8",
    "--batch-size=4",
    "--bptt=7",
    "--device=cpu",
    "--validation=0.1",
]


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.txt"
    path.write_text("\n\n".join(" ".join(s).capitalize() + "." for s in sentences()))
    return path


def test_one_command_pretrains_from_a_text_file(
    text_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output = tmp_path / "run"
    command = ["pretrain", f"--text={text_file}", f"--output={output}", *SMALL]
    command += ["--steps=30", "--validate-steps=15", "--official"]
    monkeypatch.setattr("sys.argv", ["elmo_mini", *command])
    assert main() == 0
    said = capsys.readouterr().out
    assert "validation perplexity" in said
    assert "30/30" in said

    history = json.loads((output / "history.json").read_text())
    assert [entry["step"] for entry in history["validation"]] == [15, 30]
    assert history["training"][-1]["step"] == 30
    assert history["settings"]["batch_size"] == 4
    bilm = load_pretrained(output / "model.safetensors")
    official = load_bilm(output / "options.json", output / "weights.hdf5")
    for name, tensor in bilm.state_dict().items():
        assert torch.equal(official.state_dict()[name], tensor), name
    record = read_record(output / "model.safetensors")
    assert record["sources"][0]["name"] == "mine.txt"
    assert record["sources"][0]["tokens"] == 120 * 5
    assert record["validation"]["both"] == min(e["both"] for e in history["validation"])
    card = (output / "README.md").read_text()
    for part in ("mine.txt", "yours to know", "--steps=30", record["commit"]):
        assert part in card
    assert f"{record['validation']['forward']:.1f}" in card
    assert len(Vocabulary.load(output / "vocabulary.json")) == record["softmax_words"]
    assert {path.name for path in output.iterdir()} == set(WRITTEN)


def test_the_same_command_goes_on_where_the_time_ended_it(
    text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run"
    command = ["pretrain", f"--text={text_file}", f"--output={output}", *SMALL, "--steps=12"]
    assert main([*command, "--minutes=0"]) == 0
    assert "Stopped after step 1;" in capsys.readouterr().out
    assert not (output / "model.safetensors").exists()
    assert main(command) == 0
    assert "Going on after step 1 of 12" in capsys.readouterr().out
    straight = [*command[:2], f"--output={tmp_path / 'straight'}", *command[3:]]
    assert main(straight) == 0
    first, second = (
        load_pretrained(p / "model.safetensors") for p in (output, tmp_path / "straight")
    )
    for name, tensor in first.state_dict().items():
        assert torch.equal(second.state_dict()[name], tensor), name


def test_a_finished_model_becomes_one_of_half_precision(text_file: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.safetensors"
    command = ["pretrain", f"--text={text_file}", f"--output={tmp_path}", *SMALL, "--steps=3"]
    assert main(command) == 0
    whole = load_pretrained(model).state_dict()
    assert main([*command, "--half"]) == 0
    assert read_record(model)["stored_as"] == "float16"
    assert "in float16" in (tmp_path / "README.md").read_text()
    for name, stored in read_checkpoint(model)[0].items():
        assert torch.equal(stored, whole[name].half()), name


def test_requests_that_cannot_be_met_are_answered_in_a_sentence(
    text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = f"--output={tmp_path / 'run'}"
    wrong = {
        "name a corpus": [],
        "leave out corpora": ["--course", "lee"],
        "there is no corpus 'leee'": ["leee"],
        "There is no file": ["--text", str(tmp_path / "none.txt")],
        "smaller batch_size or bptt": [f"--text={text_file}", "--batch-size=5000", "--device=cpu"],
    }
    for message, request in wrong.items():
        assert main(["pretrain", output, *request]) == 2
        assert message in capsys.readouterr().err


def test_a_loss_that_is_no_number_ends_the_run_and_the_last_checkpoint_stays(
    text_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = ["pretrain", f"--text={text_file}", f"--output={tmp_path / 'run'}", *SMALL]
    command += ["--steps=12", "--checkpoint-steps=4"]
    loss = BiLMWithSoftmax.forward
    calls = 0

    def not_a_number_at_step_6(self, *given):  # type: ignore[no-untyped-def]
        nonlocal calls
        calls += 1
        losses, state = loss(self, *given)
        return losses * (torch.nan if calls == 6 else 1), state

    with monkeypatch.context() as patch:
        patch.setattr(BiLMWithSoftmax, "forward", not_a_number_at_step_6)
        assert main(command) == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m elmo_mini pretrain: at step 6 the losses are nan")
    tensors, record = read_checkpoint(tmp_path / "run" / "checkpoint.safetensors")
    assert record["step"] == 4
    assert all(tensor.isfinite().all() for tensor in tensors.values())
    assert main(command) == 0
    assert "Going on after step 4 of 12" in capsys.readouterr().out


def test_a_run_with_other_settings_does_not_go_on(
    text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["pretrain", f"--text={text_file}", f"--output={tmp_path / 'run'}", *SMALL]
    assert main([*command, "--steps=2"]) == 0
    assert main([*command, "--steps=3"]) == 2
    assert "steps is 2 there and 3 here" in capsys.readouterr().err


LINES = "\n".join(f"the {noun} sees number {n}" for n in range(60) for noun in ("dog", "cat"))


@pytest.mark.parametrize("command", ["pretrain", "pretrain-awd", "pretrain-masked"])
def test_every_line_is_a_sentence_where_that_is_said(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "titles.txt"
    text.write_text(LINES, "utf-8")
    found: list[list[list[str]]] = []

    def read_all(args: Any, *given: Any, **named: Any) -> Any:
        found.append([list(s) for source in prepared(args, *given, **named) for s in source.read()])
        raise ValueError("read enough")

    monkeypatch.setattr(f"{COMMANDS[command][0]}.prepared", read_all)
    ask = [command, f"--text={text}", f"--output={tmp_path / 'run'}", "--device=cpu"]
    assert main(ask) == main([*ask, "--one-sentence-per-line"]) == 2
    assert len(found[0]) == 1  # no stop ends a sentence
    assert found[1] == [line.split() for line in LINES.split("\n")]


@pytest.mark.parametrize("command", ["pretrain", "pretrain-awd", "pretrain-masked"])
def test_lines_of_no_text_file_are_refused(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = [command, "lee", f"--output={tmp_path}", "--device=cpu", "--one-sentence-per-line"]
    assert main(ask) == 2
    assert "name one with --text FILE" in capsys.readouterr().err


def test_the_course_model_fits_into_ten_megabytes() -> None:
    from elmo_mini.fast.bilm import FastBiLM

    weights = sum(p.numel() for p in FastBiLM(SIZES[str(COURSE["size"])]).parameters())
    assert COURSE["half"]
    assert 9e6 < 2 * weights < 9.9e6
    assert COURSE.keys() == DEFAULTS.keys()


def test_a_foreign_file_is_not_replaced(
    text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("my project")
    command = ["pretrain", f"--text={text_file}", f"--output={tmp_path}", *SMALL, "--steps=3"]
    assert main(command) == 2
    assert "holds README.md" in capsys.readouterr().err
    assert (tmp_path / "README.md").read_text() == "my project"


def test_a_model_that_is_gone_is_not_said_to_be_there(
    text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run"
    command = ["pretrain", f"--text={text_file}", f"--output={output}", *SMALL, "--steps=3"]
    assert main(command) == 0
    (output / "model.safetensors").unlink()
    capsys.readouterr()
    assert main(command) == 2
    said = capsys.readouterr()
    assert f"its best model, {output / 'model.safetensors'}, is gone" in said.err
    assert "The model is" not in said.out


@pytest.mark.parametrize("command", ["pretrain", "pretrain-awd", "pretrain-masked"])
def test_a_tilde_in_output_is_the_home_folder_and_the_run_there_goes_on(
    command: str,
    text_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sizes = {
        "pretrain": [*SMALL, "--steps=20"],
        "pretrain-awd": ["--dim=4", "--hidden=4", "--layers=1", "--epochs=1", "--batch-size=4"],
        "pretrain-masked": ["--dim=8", "--heads=1", "--layers=1", "--steps=20"],
    }[command]
    asked = [command, f"--text=~/{text_file.name}", "--output=~/run", *sizes]
    assert main([*asked, "--minutes=0"]) == 0
    assert main(asked) == 0
    assert "Going on after step 1 of" in capsys.readouterr().out
    assert list(Path("run").glob("*.safetensors"))
    assert not Path("~").exists()


@pytest.mark.parametrize("command", ["pretrain", "pretrain-masked", "pretrain-awd"])
def test_nothing_but_a_checkpoint_makes_a_folder_a_runs_own(
    command: str, text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = [*WRITTEN, "forward.safetensors", "forward.md"]
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in (name for name in written if "checkpoint" not in name):
        (folder / name).write_text('{"loss": [1, 2, 3]}')
    assert main([command, f"--text={text_file}", f"--output={folder}", "--minutes=0"]) == 2
    assert "and no checkpoint of a run" in capsys.readouterr().err
    assert {file.read_text() for file in folder.iterdir()} == {'{"loss": [1, 2, 3]}'}


def test_the_checkpoint_of_another_command_is_refused_before_anything_is_written(
    text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [f"--text={text_file}", f"--output={tmp_path / 'run'}"]
    masked = ["pretrain-masked", *asked, "--dim=8", "--heads=1", "--layers=1", "--steps=3"]
    assert main(masked) == 0
    before = {file: file.read_bytes() for file in (tmp_path / "run").iterdir()}
    assert main(["pretrain", *asked, *SMALL, "--steps=3"]) == 2
    assert "checkpoint.safetensors" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in (tmp_path / "run").iterdir()} == before


@pytest.mark.parametrize("model_written", [True, False])
def test_a_run_that_is_killed_after_its_first_validation_goes_on(
    model_written: bool, text_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "run"
    command = ["pretrain", f"--text={text_file}", f"--output={output}", *SMALL]
    command += ["--steps=6", "--validate-steps=2"]
    written = pretrain.write_model

    def killed(*what: Any, **how: Any) -> None:
        if model_written:
            written(*what, **how)
        raise Killed

    monkeypatch.setattr(pretrain, "write_model", killed)
    with pytest.raises(Killed):
        main(command)
    monkeypatch.setattr(pretrain, "write_model", written)
    assert main(command) == 0
    history = json.loads((output / "history.json").read_text())
    assert [entry["step"] for entry in history["validation"]] == [2, 4, 6]


class Killed(BaseException):
    """As if the process were gone."""
