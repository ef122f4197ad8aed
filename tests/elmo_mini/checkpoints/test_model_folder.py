"""A model as a folder, in the form that people know from elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from elmo_mini import BiLM, ElmoEmbedder
from elmo_mini.checkpoints.find import load_model
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.errors import ElmoFileError
from tests.elmo_mini.checkpoints.test_word_models import word_model
from tests.elmo_mini.training.pretraining.pretraining_run import OPTIONS

SENTENCE = ["She", "plays", "."]


@pytest.fixture
def bilm() -> BiLM:
    torch.manual_seed(0)
    return BiLM(OPTIONS)


def test_a_model_is_read_back_with_its_start_state(bilm: BiLM, tmp_path: Path) -> None:
    embedder = ElmoEmbedder(module=bilm, warm_up=[["a", "start"]])
    embedder.save_pretrained(tmp_path / "new" / "model", {"licence": "CC BY 4.0"})
    folder = tmp_path / "new" / "model"
    assert sorted(item.name for item in folder.iterdir()) == [
        "README.md",
        "config.json",
        "model.safetensors",
    ]
    again = ElmoEmbedder.from_pretrained(str(folder), cache_tokens=0)
    np.testing.assert_array_equal(again.embed_sentence(SENTENCE), embedder.embed_sentence(SENTENCE))
    assert fingerprint(load_model(folder)) == fingerprint(BiLM.from_pretrained(folder))
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "licence" in card
    assert f"{sum(p.numel() for p in bilm.parameters()):,} weights" in card
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["model_type"] == "elmo"


def test_a_model_over_whole_words_brings_its_vocabulary(tmp_path: Path) -> None:
    model = word_model(tmp_path).load().bilm
    model.save_pretrained(tmp_path / "folder")
    again = BiLM.from_pretrained(tmp_path / "folder")
    assert fingerprint(again) == fingerprint(model)
    assert "vocabulary of 10" in (tmp_path / "folder" / "README.md").read_text(encoding="utf-8")


def test_a_card_that_is_there_stays(bilm: BiLM, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    bilm.save_pretrained(tmp_path)
    bilm.save_pretrained(tmp_path)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine"


def test_a_home_folder_by_its_tilde(
    bilm: BiLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    bilm.save_pretrained("~/model")
    assert (tmp_path / "model" / "config.json").is_file()
    BiLM.from_pretrained("~/model")


def test_what_is_no_such_folder_is_named(bilm: BiLM, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no folder .*nothing is fetched from a hub"):
        BiLM.from_pretrained(tmp_path / "allenai" / "elmo")
    (tmp_path / "notes.txt").touch()
    with pytest.raises(FileNotFoundError, match=r"has no config\.json; it holds notes\.txt"):
        BiLM.from_pretrained(tmp_path)
    bilm.save_pretrained(tmp_path)
    config = tmp_path / "config.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    content["lstm"]["dim"] += 1
    config.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ElmoFileError, match="describes another model than"):
        BiLM.from_pretrained(tmp_path)
    config.write_text("{", encoding="utf-8")
    with pytest.raises(ElmoFileError, match=r"config\.json cannot be read"):
        BiLM.from_pretrained(tmp_path)
