"""Two biLMs on one task: the same words, each row under the name of its network."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from course.what_the_layers_know import larger_bilm
from elmo_mini.checkpoints.pretrained import save_pretrained
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.probing.probe import probe
from elmo_mini.probing.tasks import Occurrence, Task
from elmo_mini.text.senses import sense_sentences

PLACES = [
    Occurrence(s.tokens, s.position, s.sense, s.word) for s in sense_sentences() if s.word == "play"
]
TASK = Task("senses", "a small task", tuple(PLACES[::2]), tuple(PLACES[1::2]))


def network(cells: int) -> FastBiLM:
    torch.manual_seed(cells)
    filters = ((1, 4), (2, 4))
    return FastBiLM(BiLMOptions(projection_dim=4, dim=cells, filters=filters, character_dim=3))


@pytest.fixture(autouse=True)
def small_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(larger_bilm, "load_task", lambda name: TASK)


def test_each_network_is_asked_as_if_alone_and_the_differences_are_those_of_the_rows() -> None:
    small, large = network(6), network(12)
    _, result = larger_bilm.compare("senses", small, large)
    rows = result["rows"]
    for called, bilm in (("course", small), ("larger", large)):
        alone = probe(bilm, TASK, progress=False)
        for layer in range(3):
            row = rows[f"{called}, layer {layer}"]["accuracy"]
            assert row == pytest.approx(alone[f"layer {layer}"].accuracy, abs=1e-4)
    for pair, gain in result["differences"].items():
        first, second = (rows[name]["accuracy"] for name in pair.split(" less "))
        assert gain["mean"] == pytest.approx(first - second, abs=2e-4)
        assert gain["low"] <= gain["mean"] <= gain["high"]
    assert "larger, layer 1 less course, layer 1" in result["differences"]
    assert "course, layer 2 less course, layer 1" in result["differences"]


def test_the_untrained_network_has_the_larger_ones_sizes_and_none_of_its_weights() -> None:
    large = network(12)
    for weight in large.parameters():
        weight.data.zero_()
    rows = larger_bilm.compare("senses", network(6), large)[1]["rows"]
    names = [f"{called}, layer 1" for called in ("larger", "larger, untrained")]
    assert rows[names[0]]["by_word"] != rows[names[1]]["by_word"]
    assert larger_bilm.untrained_like(large).options == large.options


def test_a_network_against_itself_differs_by_nothing() -> None:
    gains = larger_bilm.compare("senses", network(6), network(6))[1]["differences"]
    for layer in range(3):
        gain = gains[f"larger, layer {layer} less course, layer {layer}"]
        assert gain == {"mean": 0, "low": 0, "high": 0}


def test_what_is_stored_names_both_networks_and_no_folder_of_the_machine(tmp_path: Path) -> None:
    bilm = network(12)
    record = {
        "weights": 1,
        "step": 2,
        "tokens_read": 3,
        "validation": {"both": 4.0},
        "command": f"python -m elmo_mini pretrain --output {tmp_path}/net --cells 12",
    }
    model = tmp_path / "model.safetensors"
    save_pretrained(bilm, model, record)
    command = ["senses", "--model", str(model), "--results", str(tmp_path / "results")]
    assert larger_bilm.main(command) == 0
    (stored,) = (tmp_path / "results").iterdir()
    assert stored.name == "larger_senses.json"
    content = json.loads(stored.read_text("utf-8"))
    assert str(tmp_path) not in json.dumps(content)
    assert content["bilms"]["course"]["cells"] == 448
    assert content["bilms"]["larger"]["cells"] == 12
    told = content["bilms"]["larger"]["pretrained_with"]
    assert told == "python -m elmo_mini pretrain --output FOLDER --cells 12"
    assert np.isclose(content["bilms"]["course"]["validation_perplexity"], 84.7, atol=0.1)


def test_without_a_model_the_command_asks_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        larger_bilm.main(["senses"])
    assert "--model" in capsys.readouterr().err
