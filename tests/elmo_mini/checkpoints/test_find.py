"""A model by path: what is understood, and what is said about the rest."""

import argparse
import shutil
from pathlib import Path

import pytest

from elmo_mini.checkpoints import pretrained
from elmo_mini.checkpoints.find import add_model_arguments, load_model, model_of
from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.errors import ConfigurationError
from tests.elmo_mini import official_files


@pytest.fixture
def files(tmp_path: Path) -> official_files.Files:
    return official_files.random_model(tmp_path)


def test_pair_options_and_folder(files: official_files.Files, tmp_path: Path) -> None:
    right = fingerprint(load_bilm(files.options_file, files.weight_file))
    assert fingerprint(load_model(files.options_file, files.weight_file)) == right
    assert fingerprint(load_model(files.options_file)) == right
    assert fingerprint(load_model(tmp_path)) == right


def test_checkpoint(files: official_files.Files, tmp_path: Path) -> None:
    bilm = load_bilm(files.options_file, files.weight_file)
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    pretrained.save_pretrained(bilm, folder / "model.safetensors")
    for path in (folder / "model.safetensors", folder):
        loaded = load_model(path)
        assert fingerprint(loaded) == fingerprint(bilm)
        assert not any(p.requires_grad for p in loaded.parameters())


def test_what_is_not_clear(files: official_files.Files, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no model"):
        load_model(tmp_path / "nowhere.json")
    (tmp_path / "model.bin").write_bytes(b"x")
    with pytest.raises(ConfigurationError, match=r"is no model: name an options file"):
        load_model(tmp_path / "model.bin")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ConfigurationError, match="0 options files, 0 weight files"):
        load_model(empty)
    shutil.copy(files.weight_file, tmp_path / "vectors.hdf5")
    assert load_model(tmp_path).num_layers == 3
    shutil.copy(files.weight_file, tmp_path / "more_weights.hdf5")
    with pytest.raises(ConfigurationError, match="2 weight files lie beside it"):
        load_model(files.options_file)
    with pytest.raises(ConfigurationError, match="2 weight files"):
        load_model(tmp_path)
    with pytest.raises(ConfigurationError, match="need the options file"):
        load_model(None, files.weight_file)


def test_the_courses_own_model_where_it_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretrained, "COURSE_CHECKPOINT", tmp_path / "nowhere.safetensors")
    with pytest.raises(FileNotFoundError, match="the course's own model is not here"):
        load_model()


def test_devices(files: official_files.Files, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = argparse.ArgumentParser()
    add_model_arguments(parser)
    named = ["--model", str(files.options_file), "--device"]
    assert model_of(parser.parse_args([*named, "cpu"])).num_layers == 3
    with pytest.raises(ConfigurationError, match="no kind of device 'abacus'"):
        model_of(parser.parse_args([*named, "abacus"]))
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigurationError, match="sees no GPU"):
        model_of(parser.parse_args([*named, "cuda"]))
