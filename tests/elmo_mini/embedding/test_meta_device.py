"""A model made without memory for its weights gives, once they are loaded, the usual vectors."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from elmo_mini.checkpoints.model_folder import save_folder
from elmo_mini.checkpoints.official import load_bilm, save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained, save_pretrained
from elmo_mini.embedding.elmo import Elmo
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.embedding.stream import embed_stream, fingerprint
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

OPTIONS = BiLMOptions(projection_dim=6, dim=9, filters=((1, 3), (2, 4)), n_highway=1)
SENTENCES = [["The", "sentence", "."], ["ELMo", "helps"]]
IDS = batch_to_ids(SENTENCES)
TAGGED = [
    TaggedSentence(("The", "bank"), ("O", "S-X")),
    TaggedSentence(("Old", "banks", "lend"), ("B-X", "E-X", "O")),
]


def without_chance(tensor: Tensor, **where: Any) -> Tensor:
    """`torch.empty_like`, with what memory may hold by chance."""
    return torch.full_like(tensor, 77, **where)


def emptied(build: Callable[[], Any], weights: dict[str, Tensor]) -> Any:
    with torch.device("meta"):
        model: nn.Module = build()
    with patch("torch.empty_like", without_chance):
        model.to_empty(device="cpu")
    model.load_state_dict(weights)
    return model.eval()


def assigned(build: Callable[[], Any], weights: dict[str, Tensor]) -> Any:
    with torch.device("meta"):
        model: nn.Module = build()
    model.load_state_dict(weights, assign=True)
    return model.eval()


def emptied_later(build: Callable[[], Any], weights: dict[str, Tensor]) -> Any:
    model: nn.Module = build()
    with patch("torch.empty_like", without_chance):
        model.to("meta").to_empty(device="cpu")
    model.load_state_dict(weights)
    return model.eval()


WAYS = pytest.mark.parametrize("way", [emptied, assigned, emptied_later])
Way = Callable[[Callable[[], Any], dict[str, Tensor]], Any]


@pytest.fixture
def bilm() -> FastBiLM:
    torch.manual_seed(3)
    return FastBiLM(OPTIONS).requires_grad_(False).eval()


def layers_of(bilm: FastBiLM) -> Tensor:
    output: Any = bilm(IDS)
    return torch.stack(output["activations"])


@WAYS
@pytest.mark.parametrize("gradients", [False, True])
def test_a_bilm(bilm: FastBiLM, way: Way, gradients: bool) -> None:
    made = way(lambda: FastBiLM(OPTIONS), bilm.state_dict()).requires_grad_(gradients)
    assert fingerprint(made) == fingerprint(bilm)
    assert torch.equal(layers_of(made), layers_of(bilm.requires_grad_(gradients)))


@WAYS
def test_a_bilm_that_is_stateful_warmed_up_or_has_a_vocabulary(bilm: FastBiLM, way: Way) -> None:
    made = way(lambda: FastBiLM(OPTIONS, stateful=True), bilm.state_dict()).requires_grad_(False)
    bilm.stateful = True
    for _ in range(2):
        assert torch.equal(layers_of(made), layers_of(bilm))
    made = way(lambda: FastBiLM(OPTIONS), bilm.state_dict()).requires_grad_(False)
    bilm.stateful = False
    numbers = torch.tensor([[2, 1, 2]])
    seen = []
    for model in (bilm, made):
        model.warm_up(SENTENCES)
        model.cache_vocabulary(["", "a", "cat"])
        seen.append(torch.stack(model(IDS[:1], numbers)["activations"]))
    assert torch.equal(*seen)


@WAYS
@pytest.mark.parametrize("cache_tokens", [0, 9])
def test_an_elmo(bilm: FastBiLM, way: Way, cache_tokens: int) -> None:
    right = Elmo(None, None, 2, module=bilm).eval()
    nn.init.normal_(right.scalar_mixes[1].gamma)  # type: ignore[arg-type]

    def build() -> Elmo:
        return Elmo(None, None, 2, module=FastBiLM(OPTIONS), cache_tokens=cache_tokens)

    made = way(build, right.state_dict())
    made.bilm.requires_grad_(False)
    for seen, wanted in zip(
        made(IDS)["elmo_representations"], right(IDS)["elmo_representations"], strict=True
    ):
        assert torch.equal(seen, wanted)
    embedded = ElmoEmbedder(module=made.bilm).embed_batch(SENTENCES)
    for array, expected in zip(
        embedded, ElmoEmbedder(module=bilm).embed_batch(SENTENCES), strict=True
    ):
        assert (array == expected).all()


@WAYS
def test_a_tagger(way: Way) -> None:
    torch.manual_seed(1)
    right = Tagger.for_sentences(TAGGED, TaggerOptions(lm_position="none", dropout=0.0)).eval()
    made = way(lambda: Tagger(right.words, right.labels, right.options), right.state_dict())
    assert torch.equal(made.loss(TAGGED), right.loss(TAGGED))
    assert made.predict(TAGGED) == right.predict(TAGGED)


def test_a_start_state_outlives_the_numbers_of_the_weights(bilm: FastBiLM) -> None:
    weights = {name: tensor.clone() for name, tensor in bilm.state_dict().items()}
    bilm.warm_up(SENTENCES)
    right = layers_of(bilm)
    with patch("torch.empty_like", without_chance):
        bilm.to_empty(device="cpu")
    bilm.load_state_dict(weights)
    assert torch.equal(layers_of(bilm), right)


def test_no_buffer_is_left_out_of_the_weights_but_states() -> None:
    """A constant kept so is unset by `to_empty`; one that has to be kept needs a test above."""
    labels = ["O", "S-X", "B-X", "E-X"]
    for model in (FastBiLM(OPTIONS), Tagger([], labels, TaggerOptions(lm_position="none"))):
        left_out = dict(model.named_buffers()).keys() - model.state_dict().keys()
        assert left_out <= {f"carried.{name}" for name in ("h", "c", "start_h", "start_c")}


ACTS: dict[str, Callable[[FastBiLM, Path], object]] = {
    "ElmoEmbedder": lambda bilm, _: ElmoEmbedder(module=bilm, cuda_device=-1),
    "FastBiLM": lambda bilm, _: bilm(batch_to_ids([["a"]])),
    "Elmo": lambda bilm, _: Elmo(None, None, 1, module=bilm)(batch_to_ids([["a"]])),
    "warm_up": lambda bilm, _: bilm.warm_up([["a"]]),
    "embed_stream": lambda bilm, _: list(embed_stream(bilm, [["a"]])),
    "save_bilm": lambda bilm, to: save_bilm(bilm, to / "o.json", to / "w.hdf5"),
    "save_pretrained": lambda bilm, to: save_pretrained(bilm, to / "m.safetensors"),
    "save_folder": lambda bilm, to: save_folder(bilm, to / "folder"),
    "fingerprint": lambda bilm, _: fingerprint(bilm),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_model_without_numbers_says_so(act: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="the model is on the meta device, which holds"):
        ACTS[act](FastBiLM(OPTIONS).to("meta"), tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_no_model_is_loaded_without_numbers(tmp_path: Path) -> None:
    save_bilm(FastBiLM(OPTIONS), tmp_path / "o.json", tmp_path / "w.hdf5")
    for load in (load_pretrained, lambda: load_bilm(tmp_path / "o.json", tmp_path / "w.hdf5")):
        with torch.device("meta"), pytest.raises(ConfigurationError, match="holds no numbers"):
            load()


def test_new_tensors_may_be_made_elsewhere_than_the_model_is() -> None:
    """As after torch.set_default_device("cuda"), played by the device that holds no numbers."""
    bilm = FastBiLM(OPTIONS).eval()
    batch, text = [["She", "plays"], ["a"]], [["a", "b"] * 5] * 10
    wanted = ElmoEmbedder(module=bilm).embed_batch(batch)
    with torch.device("meta"):
        got = ElmoEmbedder(module=FastBiLM.sharing_weights(bilm)).embed_batch(batch)
        elmo = Elmo(None, None, 1, module=bilm)(batch_to_ids(batch))["elmo_representations"][0]
        warm = ElmoEmbedder(module=bilm, stateful=True, warm_up=batch).embed_batch(batch)
        for sg in (0, 1):
            assert np.isfinite(Word2Vec(text, min_count=1, vector_size=4, sg=sg).vectors).all()
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert all(np.isfinite(array).all() for array in (*warm, elmo.detach().numpy()))
