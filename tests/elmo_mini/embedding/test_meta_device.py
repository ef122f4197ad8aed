"""A model made without memory for its weights gives, once they are loaded, the usual vectors."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch import Tensor, nn

from elmo_mini.embedding.elmo import Elmo
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.tagging.sentences import TaggedSentence
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.tagging.taglm import TaggerOptions
from elmo_mini.text.character_ids import batch_to_ids

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
