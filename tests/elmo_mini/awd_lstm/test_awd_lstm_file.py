from pathlib import Path

import pytest
import torch

from elmo_mini.awd_lstm.awd_lstm_file import (
    STORED_AS,
    course_file,
    load_awd_lstm,
    read_awd_lstm_record,
    save_awd_lstm,
)
from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.checkpoints.safetensors_file import CheckpointDamaged, write_checkpoint
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.text.vocabulary import Vocabulary

WORDS = Vocabulary(["<unk>", "</s>", "the", "of"], [4, 3, 2, 1], unknown="<unk>")


def small(*, tied: bool = True) -> AWDLSTM:
    torch.manual_seed(0)
    return AWDLSTM(AWDLSTMOptions(vocabulary_size=4, dim=6, hidden_dim=5, tied=tied)).eval()


@pytest.mark.parametrize("stored_as", STORED_AS)
@pytest.mark.parametrize("tied", [True, False])
def test_what_is_saved_can_be_loaded(tmp_path: Path, stored_as: str, tied: bool) -> None:
    model, file = small(tied=tied), tmp_path / "model.safetensors"
    save_awd_lstm(model, file, WORDS, {"seconds": 3}, stored_as=stored_as)
    loaded, words = load_awd_lstm(file)
    ids = torch.tensor([[1, 2, 3, 0]])
    exact = stored_as == "float32"
    close = {"rtol": 0.0, "atol": 0.0 if exact else 0.01}
    torch.testing.assert_close(loaded(ids).logits, model(ids).logits, **close)
    assert (loaded.decoder.weight is loaded.embedding.weight) == tied
    assert words == WORDS
    assert loaded.options == model.options
    assert not loaded.training
    assert read_awd_lstm_record(file)["seconds"] == 3


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    with pytest.raises(ConfigurationError, match="2 words, but the model's table 4"):
        save_awd_lstm(small(), file, Vocabulary(["a", "b"]))
    with pytest.raises(ConfigurationError, match="stored_as is 'int4'"):
        save_awd_lstm(small(), file, WORDS, stored_as="int4")
    with pytest.raises(FileNotFoundError):
        load_awd_lstm(file)
    write_checkpoint(file, {"a": torch.zeros(1)}, {})
    with pytest.raises(CheckpointDamaged, match="holds no AWD-LSTM"):
        load_awd_lstm(file)
    untied = small()
    untied.decoder.weight = torch.nn.Parameter(untied.decoder.weight + 1)
    with pytest.raises(ConfigurationError, match="options say tied"):
        save_awd_lstm(untied, file, WORDS)
    save_awd_lstm(small(), file, WORDS)
    record = read_awd_lstm_record(file)
    write_checkpoint(file, {"embedding.weight": torch.zeros(4, 6)}, record)
    with pytest.raises(CheckpointDamaged, match="does not fit the model"):
        load_awd_lstm(file)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_course_s_own(direction: str) -> None:
    model, words = load_awd_lstm(direction=direction)
    assert model.options.direction == direction
    assert len(words) == model.options.vocabulary_size == 12_000
    record = read_awd_lstm_record(course_file(direction))
    assert record["perplexity"] < 100
    assert abs(record["perplexity_as_stored"] / record["perplexity"] - 1) < 0.01
    ids = torch.tensor([words.encode(["</s>", "the", "president", "of", "the", "united"])])
    if direction == "forward":
        assert words.word(int(model(ids).logits[0, -1].argmax())) == "states"


def test_the_course_has_two_directions() -> None:
    with pytest.raises(ConfigurationError, match="direction is 'sideways'"):
        load_awd_lstm(direction="sideways")


@pytest.mark.parametrize("tied", [True, False])
def test_a_model_that_has_diverged_is_not_written(tmp_path: Path, tied: bool) -> None:
    model = AWDLSTM(AWDLSTMOptions(vocabulary_size=2, dim=4, hidden_dim=4, tied=tied))
    torch.nn.init.constant_(model.embedding.weight, torch.nan)
    with pytest.raises(ConfigurationError, match="not finite"):
        save_awd_lstm(model, tmp_path / "m.safetensors", Vocabulary(["a", "b"]))
    assert not list(tmp_path.iterdir())
