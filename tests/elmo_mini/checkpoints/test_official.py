"""The official file format, in and out, and what is said when a file is wrong."""

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch

from elmo_mini.checkpoints.official import load_bilm, read_options, save_bilm
from elmo_mini.errors import ElmoFileError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.text.character_ids import batch_to_ids
from tests.elmo_mini import official_files, published_model

CELL = "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell"


def arrays_of(path: Path) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    with h5py.File(path, "r") as file:
        file.visititems(
            lambda name, item: (
                arrays.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None
            )
        )
    return arrays


def test_what_is_read_is_written_back_unchanged(tmp_path: Path) -> None:
    files = official_files.random_model(tmp_path)
    target = tmp_path / "o.json", tmp_path / "w.hdf5"
    save_bilm(load_bilm(*files[:2]), *target)
    written = arrays_of(target[1])
    assert set(written) == set(files.weights)
    for name, array in files.weights.items():
        assert written[name].dtype == np.float32
        np.testing.assert_array_equal(written[name], array, err_msg=name)
    assert json.loads(target[0].read_text()) == files.options


@published_model.needs_model
def test_the_published_files_are_written_back_unchanged(tmp_path: Path) -> None:
    target = tmp_path / "o.json", tmp_path / "w.hdf5"
    save_bilm(load_bilm(published_model.OPTIONS, published_model.WEIGHTS), *target)
    written, original = arrays_of(target[1]), arrays_of(published_model.WEIGHTS)
    assert set(written) == set(original)
    for name, array in original.items():
        np.testing.assert_array_equal(written[name], array, err_msg=name)
    assert json.loads(target[0].read_text()) == json.loads(published_model.OPTIONS.read_text())


def test_a_new_model_is_read_back_identically(tmp_path: Path) -> None:
    torch.manual_seed(5)
    options = BiLMOptions(projection_dim=6, dim=9, filters=((1, 4), (3, 5)), character_dim=4)
    bilm = FastBiLM(options)
    with torch.no_grad():  # biases that b - 1 + 1 would not give back
        for layer in bilm.layers:
            layer.bias.normal_()
    target = tmp_path / "o.json", tmp_path / "w.hdf5"
    save_bilm(bilm, *target)
    again = load_bilm(*target)
    assert again.options == options
    for (name, ours), theirs in zip(bilm.named_parameters(), again.parameters(), strict=True):
        assert torch.equal(ours, theirs), name
    ids = batch_to_ids([["a", "small", "model"]])
    with torch.no_grad():
        before, after = bilm(ids), again(ids)
    for one, other in zip(before["activations"], after["activations"], strict=True):
        assert torch.equal(one, other)
    assert not list(tmp_path.glob("*.part*"))


def test_folders_are_made_and_a_start_state_is_said_to_be_lost(tmp_path: Path) -> None:
    bilm = FastBiLM(BiLMOptions(projection_dim=2, dim=3, filters=((2, 5),), character_dim=4))
    target = tmp_path / "not" / "yet" / "o.json", tmp_path / "nor" / "this" / "w.hdf5"
    save_bilm(bilm, *target)
    bilm.warm_up([["a", "word"]])
    with pytest.warns(UserWarning, match="cannot hold the start state .* use save_pretrained"):
        save_bilm(bilm, *target)
    assert not load_bilm(*target).carried.has_start


def test_loading_does_not_touch_the_random_state(tmp_path: Path) -> None:
    files = official_files.random_model(tmp_path)
    before = torch.get_rng_state()
    load_bilm(*files[:2])
    assert torch.equal(torch.get_rng_state(), before)


def test_layout_of_the_export(tmp_path: Path) -> None:
    """Names, shapes, gate order and forget bias, on a model where each can be seen."""
    options = BiLMOptions(projection_dim=2, dim=3, filters=((2, 5),), character_dim=4)
    bilm = FastBiLM(options)
    layer = bilm.layers[0]
    with torch.no_grad():
        layer.bias.zero_()
        layer.weight.zero_()
        assert layer.projection is not None
        layer.projection.fill_(1)
        # Only the second block of columns, the candidate, sees the first input.
        layer.weight[0, 0, 3:6] = 0.5
    save_bilm(bilm, tmp_path / "o.json", tmp_path / "w.hdf5")
    arrays = arrays_of(tmp_path / "w.hdf5")
    assert arrays["char_embed"].shape == (261, 4)
    assert arrays["CNN/W_cnn_0"].shape == (1, 2, 4, 5)
    assert arrays["CNN_high_0/W_carry"].shape == (5, 5)
    assert arrays["CNN_proj/W_proj"].shape == (5, 2)
    assert arrays[f"{CELL}/W_0"].shape == (4, 12)
    assert arrays[f"{CELL}/W_P_0"].shape == (3, 2)
    assert (arrays[f"{CELL}/B"] == 0).all()  # the forget gate's 1 is added at run time
    assert arrays[f"{CELL}/W_0"][0].tolist() == [0] * 3 + [0.5] * 3 + [0] * 6
    inputs = torch.zeros(2, 1, 2)
    inputs[0, 0, 0] = 2.0
    h, (_, c) = layer(inputs, [1], (torch.zeros(2, 1, 2), torch.ones(2, 1, 3)))
    forgotten = 1 / (1 + np.exp(-1.0))
    expected = forgotten + 0.5 * np.tanh(1.0)
    np.testing.assert_allclose(c[0, 0].detach(), [expected] * 3, rtol=1e-6)
    np.testing.assert_allclose(h[0, 0].detach(), [1.5 * np.tanh(expected)] * 2, rtol=1e-6)
    np.testing.assert_allclose(c[1, 0].detach(), [forgotten] * 3, rtol=1e-6)


# Files that are wrong


def refused(files: official_files.Files, message: str) -> None:
    with pytest.raises(ElmoFileError, match=message):
        load_bilm(files.options_file, files.weight_file)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CNN_proj/W_proj", "CNN_proj/W_proj .16, 6. is missing"),
        (f"{CELL}/W_P_0", "W_P_0 .10, 6. is missing"),
        ("CNN_high_1/b_carry", "CNN_high_1/b_carry .16,. is missing"),
        ("CNN/W_cnn_2", "CNN/W_cnn_2 .1, 5, 4, 7. is missing"),
    ],
)
def test_missing_weights_are_named(tmp_path: Path, name: str, message: str) -> None:
    options = official_files.options()
    weights = official_files.random_weights(options, 1.0, 0)
    del weights[name]
    refused(official_files.write(tmp_path, options, weights), message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_layers": 1}, "Cell1/LSTMCell/B is no part of this model"),
        ({"n_layers": 3}, "Cell2/LSTMCell/W_0 .12, 40. is missing"),
        ({"n_highway": None}, "CNN_high_0/W_carry is no part"),
        ({"dim": 11}, "W_0 has shape .12, 40., not .12, 44."),
        ({"filters": [[1, 4], [2, 5], [4, 7]]}, "CNN/W_cnn_2 has shape .1, 5, 4, 7.*.1, 4, 4, 7."),
        ({"projection_dim": 16}, "CNN_proj/W_proj is no part"),
    ],
)
def test_options_of_another_model(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    weights = official_files.random_weights(official_files.options(), 1.0, 0)
    refused(official_files.write(tmp_path, official_files.options(**changes), weights), message)


def test_weights_that_are_no_numbers(tmp_path: Path) -> None:
    options = official_files.options()
    weights = official_files.random_weights(options, 1.0, 0)
    weights["CNN_proj/b_proj"][2] = np.nan
    refused(official_files.write(tmp_path, options, weights), "b_proj holds numbers that are not f")
    weights["CNN_proj/b_proj"] = np.zeros(6, dtype=np.int64)
    refused(
        official_files.write(tmp_path, options, weights), "b_proj is int64, no array of floating"
    )


def test_a_model_over_whole_words(tmp_path: Path) -> None:
    options = official_files.options()
    weights = official_files.random_weights(options, 1.0, 0)
    words = {name: array for name, array in weights.items() if name.startswith("RNN")}
    words["embedding"] = np.zeros((9, 6), dtype=np.float32)
    refused(official_files.write(tmp_path, options, words), "over whole words")
    del options["char_cnn"]
    refused(official_files.write(tmp_path, options, words), "options.json.*over whole words")


def test_a_foreign_hdf5_file(tmp_path: Path) -> None:
    files = official_files.write(
        tmp_path, official_files.options(), {"layer/kernel": np.zeros((2, 2))}
    )
    refused(files, "no ELMo model: 'char_embed' is missing; the file has layer/kernel")


@pytest.mark.parametrize("keep", [0.9, 0.5, 0.05])
def test_a_truncated_file(tmp_path: Path, keep: float) -> None:
    files = official_files.random_model(tmp_path)
    content = files.weight_file.read_bytes()
    files.weight_file.write_bytes(content[: int(len(content) * keep)])
    refused(files, "no readable HDF5 file .*cut short or damaged.*fetch it again")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
        (b"\n<!DOCTYPE html><html>404</html>", "a web page"),
        (b"PK\x03\x04 a zip file", "start with b'PK"),
        (b"", "0 bytes"),
    ],
)
def test_a_file_of_another_kind(tmp_path: Path, content: bytes, message: str) -> None:
    files = official_files.random_model(tmp_path)
    files.weight_file.write_bytes(content)
    refused(files, message)


def test_missing_files_and_addresses(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file .*nowhere\.json"):
        read_options(tmp_path / "nowhere.json")
    with pytest.raises(IsADirectoryError, match="is a folder; name one file"):
        read_options(tmp_path)
    with pytest.raises(FileNotFoundError, match="fetch the file"):
        read_options("https://example.org/options.json")
    (tmp_path / "o.json").write_text("{ half")
    with pytest.raises(ElmoFileError, match="not a JSON options file"):
        read_options(tmp_path / "o.json")
