from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from elmo_mini.awd_lstm.awd_lstm_file import load_awd_lstm
from elmo_mini.checkpoints.pretrained import load_pretrained, read_record, save_pretrained
from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    write_checkpoint,
)
from elmo_mini.embedding.elmo import Elmo, batch_to_ids
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.files import load_masked_lm
from elmo_mini.word_vectors.word2vec_files import FORMAT, read_word2vec
from tests.elmo_mini.training.pretraining.pretraining_run import OPTIONS, small_run


@pytest.fixture
def bilm() -> FastBiLM:
    torch.manual_seed(0)
    return FastBiLM(OPTIONS)


def test_a_model_is_read_back_identically_and_embeds(bilm: FastBiLM, tmp_path: Path) -> None:
    save_pretrained(bilm, tmp_path / "model.safetensors", {"corpora": ["lee"]})
    again = load_pretrained(tmp_path / "model.safetensors")
    for name, tensor in bilm.state_dict().items():
        assert torch.equal(again.state_dict()[name], tensor), name
    assert not any(p.requires_grad for p in again.parameters())
    assert again.options == OPTIONS
    ids = batch_to_ids([["one", "sentence"]])
    vectors = Elmo(None, None, 1, dropout=0, module=again)(ids)["elmo_representations"][0]
    expected = Elmo(None, None, 1, dropout=0, module=bilm)(ids)["elmo_representations"][0]
    torch.testing.assert_close(vectors, expected)
    assert read_record(tmp_path / "model.safetensors")["corpora"] == ["lee"]


def test_a_record_that_is_no_json_is_named_and_nothing_is_written(
    bilm: FastBiLM, tmp_path: Path
) -> None:
    for odd in (torch.ones(1), {1, 2}, Path("a")):
        with pytest.raises(ConfigurationError, match=r"is no JSON: .*; make its values"):
            save_pretrained(bilm, tmp_path / "model.safetensors", {"perplexity": odd})
    assert not list(tmp_path.iterdir())


def test_half_precision_halves_the_file_and_rounds(bilm: FastBiLM, tmp_path: Path) -> None:
    save_pretrained(bilm, tmp_path / "full.safetensors")
    save_pretrained(bilm, tmp_path / "half.safetensors", dtype=torch.float16)
    weights = sum(p.numel() for p in bilm.parameters())
    saved = [(tmp_path / f"{n}.safetensors").stat().st_size for n in ("full", "half")]
    assert saved[0] - saved[1] == pytest.approx(2 * weights, abs=64)
    again = load_pretrained(tmp_path / "half.safetensors")
    for name, tensor in bilm.state_dict().items():
        found = again.state_dict()[name]
        assert found.dtype == torch.float32
        assert torch.equal(found, tensor.half().float()), name


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_a_model_of_another_type_comes_back_as_it_was(
    bilm: FastBiLM, tmp_path: Path, dtype: torch.dtype
) -> None:
    elmo = Elmo(None, None, 2, dropout=0, module=bilm.to(dtype)).to(dtype)
    with torch.no_grad():
        for number, weight in enumerate(elmo.parameters()):
            weight.add_(1 / (3 + number))  # more digits than a narrower type has
    bilm.carried.set_start(*(torch.full_like(x, 1 / 3) for x in bilm.carried.start(1)))
    elmo.bilm.carried.set_start(*bilm.carried.start(1))
    elmo.save_pretrained(tmp_path / "folder")
    again = Elmo.from_pretrained(tmp_path / "folder")
    found = again.state_dict()
    for name, tensor in elmo.state_dict().items():
        assert (name, found[name].dtype) == (name, dtype)
        assert torch.equal(found[name], tensor), name
    assert torch.equal(again.bilm.carried.start_h, bilm.carried.start_h)
    assert str(dtype) in (tmp_path / "folder" / "README.md").read_text()
    if dtype == torch.float64:
        ids = batch_to_ids([["one", "sentence"]])
        vectors = [m(ids)["elmo_representations"][0] for m in (elmo, again)]
        torch.testing.assert_close(*vectors, rtol=1e-10, atol=1e-10)
        save_pretrained(bilm, tmp_path / "narrow", dtype=torch.float16)
        narrow = load_pretrained(tmp_path / "narrow").state_dict()
        assert {tensor.dtype for tensor in narrow.values()} == {dtype}
        assert torch.equal(narrow["layers.0.bias"], bilm.layers[0].bias.half().double())


def test_loading_does_not_touch_the_random_state(bilm: FastBiLM, tmp_path: Path) -> None:
    save_pretrained(bilm, tmp_path / "model.safetensors")
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_pretrained(tmp_path / "model.safetensors")
    assert torch.equal(torch.rand(3), expected)


def test_files_that_hold_no_model_are_named(bilm: FastBiLM, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        load_pretrained(path)
    with pytest.raises(IsADirectoryError, match="is a folder; name one checkpoint"):
        load_pretrained(tmp_path)
    path.write_bytes(b"<html>")
    with pytest.raises(CheckpointDamaged, match="no whole safetensors file"):
        load_pretrained(path)
    save_file({"x": torch.zeros(2)}, path)
    with pytest.raises(CheckpointDamaged, match="not one written by elmo_mini"):
        load_pretrained(path)
    small_run(softmax="full").save(path)
    with pytest.raises(CheckpointDamaged, match="no pretrained model alone"):
        load_pretrained(path)
    other = BiLMOptions(projection_dim=9, dim=12, filters=OPTIONS.filters, character_dim=4)
    write_checkpoint(path, bilm.state_dict(), {"options": other.to_dict()})
    with pytest.raises(CheckpointDamaged, match="does not fit the model"):
        load_pretrained(path)


@pytest.mark.parametrize("record", ["null", "1", '"x"', "NaN", "[1]", "[" * 100_000])
def test_a_strangers_record_is_refused_by_all_that_read_one(tmp_path: Path, record: str) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"x": torch.ones(3)}, path, metadata={"record": record})
    for load in (load_pretrained, Tagger.load, load_awd_lstm, load_masked_lm):
        with pytest.raises(CheckpointDamaged, match="its record is missing"):
            load(path)


def test_deep_json_is_refused(tmp_path: Path) -> None:
    deep, path = "[" * 100_000, tmp_path / "stored"
    path.write_text(deep)
    with pytest.raises(ValueError, match="does not hold a saved vocabulary"):
        Vocabulary.load(path)
    content = {"format": FORMAT, "vocabulary": deep}
    save_file({"input": torch.ones(1)}, path, metadata=content)
    with pytest.raises(ValueError, match="does not hold a saved Word2Vec model"):
        read_word2vec(path)


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoint.safetensors"
    write_checkpoint(path, {"x": torch.ones(3)}, {"step": 1})

    def dies(_: object, file: Path, **__: object) -> None:
        file.write_bytes(b"half a file")
        raise KeyboardInterrupt

    monkeypatch.setattr("elmo_mini.checkpoints.safetensors_file.save_file", dies)
    with pytest.raises(KeyboardInterrupt):
        write_checkpoint(path, {"x": torch.zeros(3)}, {"step": 2})
    tensors, record = read_checkpoint(path)
    assert record == {"step": 1}
    assert tensors["x"].tolist() == [1, 1, 1]
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint.safetensors"]


def test_a_full_disk_is_an_error_of_the_system(
    bilm: FastBiLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("elmo_mini.checkpoints.safetensors_file.save_file", full)
    with pytest.raises(OSError, match=r"model.safetensors cannot be written: .*No space left"):
        save_pretrained(bilm, tmp_path / "model.safetensors")
    assert not list(tmp_path.iterdir())


def test_the_folder_is_made(bilm: FastBiLM, tmp_path: Path) -> None:
    path = tmp_path / "not" / "yet" / "model.safetensors"
    save_pretrained(bilm, path)
    assert [p.name for p in path.parent.iterdir()] == ["model.safetensors"]
    load_pretrained(path)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_the_start_state_of_a_warm_up_survives(
    bilm: FastBiLM, tmp_path: Path, dtype: torch.dtype
) -> None:
    path = tmp_path / "model.safetensors"
    save_pretrained(bilm, path, dtype=dtype)
    cold = read_checkpoint(path)[0].keys()
    assert cold == bilm.state_dict().keys()
    bilm.warm_up([["a", "few", "words"]])
    save_pretrained(bilm, path, dtype=dtype)
    assert len(read_checkpoint(path)[0]) == len(cold) + 2
    again = load_pretrained(path)
    assert again.carried.has_start
    assert torch.equal(again.carried.start_h, bilm.carried.start_h)
    assert torch.equal(again.carried.start_c, bilm.carried.start_c)
    if dtype == torch.float32:
        ids = batch_to_ids([["one", "sentence"]])
        torch.testing.assert_close(again(ids)["activations"], bilm.eval()(ids)["activations"])


def test_a_start_state_of_another_model_is_refused(bilm: FastBiLM, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    bilm.warm_up([["a"]])
    save_pretrained(bilm, path)
    tensors, record = read_checkpoint(path)
    for wrong in ({"start.c": torch.ones(1)}, {"start.h": torch.ones(2, 2, 1, 5)}):
        write_checkpoint(path, tensors | wrong, record)
        with pytest.raises(CheckpointDamaged, match="does not fit the model"):
            load_pretrained(path)
    for lost in ("start.h", "start.c"):
        write_checkpoint(path, {k: t for k, t in tensors.items() if k != lost}, record)
        with pytest.raises(CheckpointDamaged, match="does not fit the model"):
            load_pretrained(path)


@pytest.mark.parametrize("given", ["float16", "fp32", None, ["float16"]])
def test_no_record_says_in_which_type_a_model_is_read_back(
    bilm: FastBiLM, tmp_path: Path, given: object
) -> None:
    file = tmp_path / "model.safetensors"
    record = {"model_dtype": given, "options": 1, "corpus": "brown"}
    save_pretrained(bilm, file, record)
    save_pretrained(bilm, file, read_record(file))
    assert fingerprint(load_pretrained(file)) == fingerprint(bilm)
    assert read_record(file)["corpus"] == "brown"
    half = FastBiLM(OPTIONS).half()
    save_pretrained(half, tmp_path / "half.safetensors", record)
    save_pretrained(bilm, file, read_record(tmp_path / "half.safetensors"))
    assert fingerprint(load_pretrained(file)) == fingerprint(bilm)
    tensors, record = read_checkpoint(file)
    write_checkpoint(file, tensors, {**record, "model_dtype": given})
    if given != "float16":
        with pytest.raises(CheckpointDamaged, match=r"safetensors: its model_dtype is .*, no type"):
            load_pretrained(file)
