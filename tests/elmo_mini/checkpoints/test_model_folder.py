"""A model as a folder, in the form that people know from elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from elmo_mini import BiLM, Elmo, ElmoEmbedder, batch_to_ids
from elmo_mini.checkpoints.find import load_model
from elmo_mini.checkpoints.model_folder import load_folder, save_folder
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
    assert fingerprint(load_model(folder)) == fingerprint(load_folder(folder))
    elmo = Elmo.from_pretrained(folder, dropout=0.0, scalar_mix_parameters=[0.0] * bilm.num_layers)
    mixed = elmo(batch_to_ids([SENTENCE]))["elmo_representations"][0][0]
    np.testing.assert_allclose(mixed, again.embed_sentence(SENTENCE).mean(0), atol=1e-5)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "licence" in card
    assert f"{sum(p.numel() for p in bilm.parameters()):,} weights" in card
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["model_type"] == "elmo"


def test_a_model_over_whole_words_brings_its_vocabulary(tmp_path: Path) -> None:
    model = word_model(tmp_path).load().bilm
    save_folder(model, tmp_path / "folder")
    again = load_folder(tmp_path / "folder")
    assert fingerprint(again) == fingerprint(model)
    assert "vocabulary of 10" in (tmp_path / "folder" / "README.md").read_text(encoding="utf-8")


def test_a_card_that_is_there_stays(bilm: BiLM, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    save_folder(bilm, tmp_path)
    save_folder(bilm, tmp_path)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine"


def test_a_home_folder_by_its_tilde(
    bilm: BiLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    save_folder(bilm, "~/model")
    assert (tmp_path / "model" / "config.json").is_file()
    load_folder("~/model")


def test_what_is_no_such_folder_is_named(bilm: BiLM, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no folder .*nothing is fetched from a hub"):
        load_folder(tmp_path / "allenai" / "elmo")
    (tmp_path / "notes.txt").touch()
    with pytest.raises(FileNotFoundError, match=r"has no config\.json; it holds notes\.txt"):
        load_folder(tmp_path)
    save_folder(bilm, tmp_path)
    config = tmp_path / "config.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    content["lstm"]["dim"] += 1
    config.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ElmoFileError, match="describes another model than"):
        load_folder(tmp_path)
    config.write_text("{", encoding="utf-8")
    with pytest.raises(ElmoFileError, match=r"config\.json cannot be read"):
        load_folder(tmp_path)
