from pathlib import Path

import pytest
import torch

from elmo_mini.__main__ import main
from elmo_mini.awd_lstm.awd_lstm_file import load_awd_lstm, read_awd_lstm_record

SMALL = "--vocabulary 12 --dim 6 --hidden 6 --epochs 1 --batch-size 2 --bptt 10 --validation 0.2"


def written(folder: Path) -> Path:
    text = folder / "text.txt"
    lines = (f"The cat sat on the {thing} number {n} .\n" for n in range(40) for thing in "ab")
    text.write_text("".join(lines), "utf-8")
    return text


def test_it_writes_a_model_and_its_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = written(tmp_path)
    options = [*SMALL.split(), "--stored-as", "int8", "--output", str(tmp_path / "model")]
    command = ["pretrain-awd", "--text", str(text), "--direction", "backward", *options]
    before = torch.get_rng_state()
    assert main(command) == 0
    assert torch.equal(torch.get_rng_state(), before)
    assert "validation perplexity" in capsys.readouterr().out
    file = tmp_path / "model" / "backward.safetensors"
    model, words = load_awd_lstm(file)
    assert model.options.direction == "backward"
    assert "the" in words
    assert "The" not in words
    record = read_awd_lstm_record(file)
    assert record["history"]["validation"]
    card = (tmp_path / "model" / "backward.md").read_text("utf-8")
    assert "reads backward" in card
    assert "text.txt" in card
    assert f"torch {record['torch']}, elmo_mini {record['elmo_mini']}" in card
    assert record["device"] in card


def test_what_is_missing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pretrain-awd"]) == 2
    assert "name a corpus" in capsys.readouterr().err
    assert main(["pretrain-awd", "--course", "brown"]) == 2
    assert "names its texts itself" in capsys.readouterr().err
