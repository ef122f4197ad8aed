"""A model as a folder, in the form that people know from elsewhere."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from elmo_mini import BiLM, Elmo, ElmoEmbedder, batch_to_ids, save_bilm
from elmo_mini.checkpoints import pretrained
from elmo_mini.checkpoints.find import load_model
from elmo_mini.checkpoints.model_folder import load_folder, save_folder
from elmo_mini.checkpoints.pretrained import read_record, save_pretrained
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.errors import ConfigurationError, ElmoFileError
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


def test_a_model_stays_where_one_file_of_the_next_cannot_be_written(
    bilm: BiLM, tmp_path: Path
) -> None:
    """New weights beside an older model's mixes, sizes or words would be neither model."""
    words = word_model(tmp_path).load().bilm
    files = [tmp_path / name for name in ("options", "weights", "words")]
    save_folder(bilm, tmp_path)
    save_bilm(words, *files)
    folder, official = (tmp_path / "model.safetensors").read_bytes(), files[1].read_bytes()
    with torch.no_grad():
        bilm.layers[0].weight.mul_(2)
        words.layers[0].weight.mul_(2)
    for blocked in (tmp_path / "config.json", files[0], files[2]):
        blocked.unlink()
        blocked.mkdir()
        with pytest.raises(IsADirectoryError):
            save_folder(bilm, tmp_path) if blocked.suffix else save_bilm(words, *files)
        assert (tmp_path / "model.safetensors").read_bytes() == folder
        assert files[1].read_bytes() == official
        blocked.rmdir()
        blocked.touch()


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


def test_a_trained_elmo_comes_back_with_its_mixes_and_settings(bilm: BiLM, tmp_path: Path) -> None:
    elmo = Elmo(None, None, 2, module=bilm, dropout=0.25, do_layer_norm=True)
    with torch.no_grad():
        for number, parameter in enumerate(elmo.scalar_mixes.parameters()):
            parameter.fill_(0.1 + 0.7 * number)
    elmo.save_pretrained(tmp_path)
    again = Elmo.from_pretrained(tmp_path)
    assert (again.dropout.p, len(again.scalar_mixes)) == (0.25, 2)
    assert all(p.requires_grad for p in again.scalar_mixes.parameters())
    assert not any(p.requires_grad for p in again.bilm.parameters())
    ids = batch_to_ids([SENTENCE, ["a"]])
    with torch.no_grad():  # with gradients, weights that learn take another path than frozen ones
        pairs = [model.eval()(ids)["elmo_representations"] for model in (elmo, again)]
    for first, second in zip(*pairs, strict=True):
        torch.testing.assert_close(second, first, rtol=0, atol=1e-6)
    frozen = Elmo(None, None, 1, module=bilm, scalar_mix_parameters=[0.0] * bilm.num_layers)
    frozen.save_pretrained(tmp_path)
    again = Elmo.from_pretrained(tmp_path, 1, requires_grad=True, dropout=0.0)
    assert not any(p.requires_grad for p in again.scalar_mixes.parameters())
    assert all(p.requires_grad for p in again.bilm.parameters())
    with pytest.raises(ValueError, match=r"is 3, but .* holds mixes for 1; leave it out"):
        Elmo.from_pretrained(tmp_path, 3)
    other = ElmoEmbedder.from_pretrained(tmp_path)  # reads the biLM of it
    assert fingerprint(other.bilm) == fingerprint(bilm)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "lacks the entry 'scalar_mixes'"),
        ({"scalar_mixes": [[0.0, 1.0]]}, "must have 3 weights and gamma"),
        ({"scalar_mixes": [[0.0, 0.0, float("nan"), 1.0]]}, "must be a finite number"),
        ({"scalar_mixes": [[0.0, 0.0, 1e308, 1.0]]}, "must be a finite number"),
        ({"scalar_mixes": 3}, "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_mixes_that_cannot_be_read_are_named(
    bilm: BiLM, tmp_path: Path, entry: object, said: str
) -> None:
    Elmo(None, None, 1, module=bilm).save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    config["elmo"] = entry
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ElmoFileError, match=rf"config\.json: its part 'elmo' .*{said}"):
        Elmo.from_pretrained(tmp_path)


def test_a_mix_that_is_no_mix_or_no_number_is_not_written(bilm: BiLM, tmp_path: Path) -> None:
    elmo = Elmo(None, None, 1, module=bilm)
    elmo.scalar_mixes[0].gamma.data.fill_(float("nan"))
    with pytest.raises(ValueError, match="a weight of scalar mix 0 is nan"):
        elmo.save_pretrained(tmp_path / "nan")
    two = Elmo(None, None, 2, module=bilm)
    two.scalar_mixes[1].do_layer_norm = True
    with pytest.raises(ValueError, match="do_layer_norm of scalar mix 1 is not that of mix 0"):
        two.save_pretrained(tmp_path / "norm")
    elmo.scalar_mixes[0] = torch.nn.Identity()
    with pytest.raises(ValueError, match="scalar mix 0 is a Identity"):
        elmo.save_pretrained(tmp_path / "other")


def test_which_mixes_learn_and_whether_states_are_carried_comes_back(
    bilm: BiLM, tmp_path: Path
) -> None:
    elmo = Elmo(None, None, 2, module=bilm, stateful=True)
    elmo.scalar_mixes[0].requires_grad_(False)
    elmo.save_pretrained(tmp_path / "model")
    again = Elmo.from_pretrained(tmp_path / "model")
    assert again.bilm.stateful
    learn = [[p.requires_grad for p in mix.parameters()] for mix in again.scalar_mixes]
    assert learn == [[False] * len(learn[0]), [True] * len(learn[0])]
    config = json.loads((tmp_path / "model" / "config.json").read_text("utf-8"))
    config["elmo"]["trainable_mixes"] = True  # as an earlier release wrote it
    del config["elmo"]["stateful"]
    (tmp_path / "model" / "config.json").write_text(json.dumps(config), "utf-8")
    older = Elmo.from_pretrained(tmp_path / "model")
    assert not older.bilm.stateful
    assert all(p.requires_grad for p in older.scalar_mixes.parameters())


def test_what_a_model_is_saved_and_opened_with_is_named(bilm: BiLM, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="record is 'mine'; pass a mapping"):
        save_folder(bilm, tmp_path / "model", "mine")  # type: ignore[arg-type]
    save_folder(bilm, tmp_path / "model")
    with pytest.raises(ConfigurationError, match="module names another model than that of"):
        Elmo.from_pretrained(tmp_path / "model", module=bilm)


def test_a_vocabulary_to_cache_has_an_order(bilm: BiLM) -> None:
    with pytest.raises(TypeError, match=r"vocab_to_cache\) is .*, not a list of words"):
        Elmo(None, None, 1, module=bilm, vocab_to_cache={"a": 0})


def mixed(bilm: BiLM, gamma: float) -> Elmo:
    elmo = Elmo(None, None, 1, module=bilm)
    elmo.scalar_mixes[0].gamma.data.fill_(gamma)
    return elmo


@pytest.mark.parametrize("before", ["a folder", "of an earlier release"])
def test_weights_are_not_read_with_the_mixes_of_another_save(
    bilm: BiLM, tmp_path: Path, before: str
) -> None:
    """Killed between the two files, or read between them, a folder is neither model."""
    mixed(bilm, 10.0).save_pretrained(tmp_path)
    config = tmp_path / "config.json"
    if before == "of an earlier release":
        content = json.loads(config.read_text(encoding="utf-8"))
        content.pop("folder_save", None)
        config.write_text(json.dumps(content), encoding="utf-8")
        save_pretrained(bilm, tmp_path / "model.safetensors")
        assert float(Elmo.from_pretrained(tmp_path).scalar_mixes[0].gamma) == 10.0
    old = config.read_bytes()
    with torch.no_grad():
        bilm.layers[0].weight.mul_(2)
    mixed(bilm, 1.0).save_pretrained(tmp_path)
    config.write_bytes(old)
    for read in (load_folder, Elmo.from_pretrained, ElmoEmbedder.from_pretrained):
        with pytest.raises(ElmoFileError, match="are of two saves; save it again"):
            read(tmp_path)
    mixed(bilm, 1.0).save_pretrained(tmp_path, read_record(tmp_path / "model.safetensors"))
    assert float(Elmo.from_pretrained(tmp_path).scalar_mixes[0].gamma) == 1.0


def test_a_folder_is_read_once(bilm: BiLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is saved while it is read does not lend its mixes to the weights of before."""
    mixed(bilm, 10.0).save_pretrained(tmp_path)
    real = pretrained.with_weights

    def meanwhile(*given: Any, **settings: Any) -> BiLM:
        found = real(*given, **settings)
        mixed(bilm, 1.0).save_pretrained(tmp_path)
        return found

    monkeypatch.setattr(pretrained, "with_weights", meanwhile)
    assert float(Elmo.from_pretrained(tmp_path).scalar_mixes[0].gamma) == 10.0


def test_weights_may_be_stored_anew(bilm: BiLM, tmp_path: Path) -> None:
    mixed(bilm, 10.0).save_pretrained(tmp_path)
    save_pretrained(bilm, tmp_path / "model.safetensors", dtype=torch.float16)
    assert float(Elmo.from_pretrained(tmp_path).scalar_mixes[0].gamma) == 10.0


def test_a_model_of_another_kind_is_not_lost(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "bert"}')
    (tmp_path / "model.safetensors").write_text("its weights")
    with pytest.raises(ConfigurationError, match="another kind, 'bert'"):
        save_folder(BiLM(OPTIONS), tmp_path)
    assert json.loads(config.read_text()) == {"model_type": "bert"}
    assert (tmp_path / "model.safetensors").read_text() == "its weights"
    config.write_text("{")
    save_folder(BiLM(OPTIONS), tmp_path)
    save_folder(BiLM(OPTIONS), tmp_path)
    assert load_folder(tmp_path).options == OPTIONS
