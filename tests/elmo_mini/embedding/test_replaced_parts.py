"""A part that somebody replaced or changed is called as it is, with and without gradients."""

import copy
import warnings
from collections.abc import Callable
from pathlib import Path
from types import MethodType
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook
from torch.nn.utils import prune

from elmo_mini.checkpoints.official import save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained, save_pretrained
from elmo_mini.embedding.cache import write_cache
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.embedding.stream import embed_batch, embed_stream, fingerprint
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.char_cnn import CharacterCNN
from elmo_mini.fast.projected_lstm import ProjectedLSTM
from elmo_mini.text.character_ids import batch_to_ids

SENTENCES = [["The", "sentence", "."], ["ELMo", "helps", "ELMo", "from", "Elmo", "."]]
IDS = batch_to_ids(SENTENCES)


@pytest.fixture
def bilm() -> FastBiLM:
    torch.manual_seed(3)
    options = BiLMOptions(projection_dim=6, dim=9, filters=((1, 3), (2, 4)), n_highway=1)
    return FastBiLM(options).requires_grad_(False)


def layers_of(bilm: FastBiLM) -> Tensor:
    output: Any = bilm(IDS)
    return torch.stack(output["activations"])


def with_gradients(bilm: FastBiLM) -> Tensor:
    """The layers, computed by autograd in every part."""
    trained = copy.deepcopy(bilm).requires_grad_(True)
    layers = layers_of(trained)
    assert layers.requires_grad
    return layers.detach()


class LoRA(nn.Linear):
    """A linear layer with an adapter of rank 2 beside its weights."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__(base.in_features, base.out_features)
        self.load_state_dict(base.state_dict())
        self.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(2, base.in_features))
        self.up = nn.Parameter(torch.randn(base.out_features, 2))
        self.scale = 1.0

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + self.scale * (x @ self.down.T @ self.up.T)


class Zeros(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * 0


class Halving(ProjectedLSTM):
    def step(self, gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        h, c = super().step(gates / 2, c)
        return h / 2, c


def quantised_copy(bilm: FastBiLM) -> FastBiLM:
    """Its linear layers in whole numbers, by PyTorch's own function while there is one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            quantised: FastBiLM = torch.ao.quantization.quantize_dynamic(bilm, {nn.Linear})
        except (AttributeError, RuntimeError) as refused:
            pytest.skip(f"torch does not quantise here: {refused}")
    assert type(quantised.token_encoder.projection) is not nn.Linear
    return quantised


def adapted(bilm: FastBiLM) -> LoRA:
    assert bilm.token_encoder.projection is not None
    bilm.token_encoder.projection = LoRA(bilm.token_encoder.projection)
    return bilm.token_encoder.projection


def zero_projection(bilm: FastBiLM) -> None:
    projection = bilm.token_encoder.projection
    assert projection is not None
    projection.__class__ = Zeros


def step_overridden(bilm: FastBiLM) -> None:
    bilm.layers[1].__class__ = Halving


def forward_patched(bilm: FastBiLM) -> None:
    projection = bilm.token_encoder.projection
    assert projection is not None
    projection.forward = MethodType(lambda self, x: nn.Linear.forward(self, x) * 2, projection)


def step_patched(bilm: FastBiLM) -> None:
    bilm.layers[0].step = lambda gates, c: (c[..., :6] + 1, c)


def encoder_patched(bilm: FastBiLM) -> None:
    encoder = bilm.token_encoder
    encoder.forward = MethodType(lambda self, ids: CharacterCNN.forward(self, ids) * 2, encoder)


def highway_of_another_class(bilm: FastBiLM) -> None:
    bilm.token_encoder.highways[0] = nn.Linear(7, 7)  # type: ignore[index]


def projection_without_bias(bilm: FastBiLM) -> None:
    bilm.token_encoder.projection = nn.Linear(7, 6, bias=False)


def dilated_convolution(bilm: FastBiLM) -> None:
    bilm.token_encoder.convolutions[1].dilation = (3,)


def bounded_embedding(bilm: FastBiLM) -> None:
    bilm.token_encoder.embedding.max_norm = 0.1


CHANGES = [
    adapted,
    zero_projection,
    step_overridden,
    forward_patched,
    step_patched,
    encoder_patched,
    highway_of_another_class,
    projection_without_bias,
    dilated_convolution,
    bounded_embedding,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_replaced_part_gives_the_same_with_and_without_gradients(
    bilm: FastBiLM, change: Callable[[FastBiLM], object]
) -> None:
    before = layers_of(bilm)
    change(bilm)
    seen = with_gradients(bilm)
    assert (seen - before).abs().max() > 1e-3
    with torch.no_grad():
        torch.testing.assert_close(layers_of(bilm), seen, rtol=0, atol=1e-5)


def test_a_projection_of_zeros_gives_zeros(bilm: FastBiLM) -> None:
    zero_projection(bilm)
    with torch.no_grad():
        assert not layers_of(bilm)[0].any()


@pytest.mark.parametrize("cached", [False, True])
def test_the_adapters_of_a_frozen_model_are_trained(bilm: FastBiLM, cached: bool) -> None:
    if cached:
        bilm.cache_tokens(50)
        layers_of(bilm)
    adapter = adapted(bilm)
    layers_of(bilm).sum().backward()
    assert adapter.up.grad is not None
    assert adapter.down.grad is not None
    assert adapter.up.grad.any()
    assert adapter.down.grad.any()
    assert adapter.weight.grad is None


def test_a_token_cache_keeps_nothing_of_a_replaced_part(bilm: FastBiLM) -> None:
    """What an adapter reads may change without a trace in the weights, as a setting does."""
    adapter = adapted(bilm)
    bilm.cache_tokens(50)
    with torch.no_grad():
        first = layers_of(bilm)
        adapter.scale = 2.0
        second = layers_of(bilm)
    assert (first - second).abs().max() > 1e-3
    torch.testing.assert_close(second, with_gradients(bilm), rtol=0, atol=1e-5)


def test_a_layer_without_weights_of_its_own_can_stand_in(bilm: FastBiLM) -> None:
    class Wrapped(nn.Module):
        def __init__(self, base: nn.Module) -> None:
            super().__init__()
            self.base = base

        def forward(self, *given: Any) -> Any:
            outputs, end = self.base(*given)
            return outputs * 2, end

    before = layers_of(bilm)
    bilm.layers[0] = Wrapped(bilm.layers[0])  # type: ignore[index]
    torch.testing.assert_close(layers_of(bilm)[1], before[1] * 2)


def test_a_quantised_model_embeds(bilm: FastBiLM) -> None:
    before = layers_of(bilm)
    quantised = quantised_copy(bilm)
    for cached in (0, 50):
        quantised.cache_tokens(cached)
        seen = layers_of(quantised)
        assert not torch.equal(seen, before)
        torch.testing.assert_close(seen, before, rtol=0, atol=0.1)
    embedded = ElmoEmbedder(module=quantised).embed_sentence(SENTENCES[0])
    assert embedded.shape == (3, 3, 12)
    assert len(list(embed_stream(quantised, SENTENCES))) == 2


def test_backward_and_global_hooks_are_called(bilm: FastBiLM) -> None:
    called: list[str] = []
    for name, part in (("encoder", bilm.token_encoder), ("layer", bilm.layers[0])):
        part.register_full_backward_hook(lambda *_, name=name: called.append(name))
    bilm.requires_grad_(True)
    layers_of(bilm).sum().backward()
    assert sorted(called) == ["encoder", "layer"]
    seen: list[nn.Module] = []
    handle = register_module_forward_hook(lambda module, *_: seen.append(module))
    try:
        with torch.no_grad():
            layers_of(bilm)
    finally:
        handle.remove()
    assert set(bilm.layers) <= set(seen)
    assert bilm.token_encoder.projection in seen


def test_an_untouched_model_is_read_and_not_called(bilm: FastBiLM) -> None:
    def called(*_: Any) -> Any:
        raise AssertionError("the definition was called")

    with (
        patch.object(CharacterCNN, "forward", called),
        patch.object(ProjectedLSTM, "forward", called),
    ):
        for cached in (0, 50):
            bilm.cache_tokens(cached)
            layers_of(bilm)
        assert bilm.token_cache is not None
        assert len(bilm.token_cache) == 9
    with patch.object(ProjectedLSTM, "forward", called):
        layers_of(bilm.requires_grad_(True)).sum().backward()


# Files hold weights alone


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (adapted, "token_encoder.projection LoRA"),
        (zero_projection, "token_encoder.projection Zeros"),
        (step_overridden, "layers.1 Halving"),
        (step_patched, "layers.0 ProjectedLSTM with its own step"),
        (
            lambda bilm: prune.random_unstructured(bilm.layers[0], "weight", amount=0.5),
            "layers.0.weight_orig",
        ),
    ],
)
def test_a_model_that_is_more_than_its_weights_is_not_written_as_weights(
    bilm: FastBiLM, change: Callable[[FastBiLM], object], named: str, tmp_path: Path
) -> None:
    change(bilm)
    for save in (
        lambda: save_pretrained(bilm, tmp_path / "m.safetensors"),
        lambda: save_bilm(bilm, tmp_path / "o.json", tmp_path / "w.hdf5"),
    ):
        with pytest.raises(ConfigurationError, match=rf"\({named}\).* Fold the change"):
            save()
    assert not list(tmp_path.iterdir())


def test_a_hook_that_looks_on_keeps_no_model_from_being_saved(
    bilm: FastBiLM, tmp_path: Path
) -> None:
    bilm.layers[0].register_forward_hook(lambda *_: None)
    save_pretrained(bilm, tmp_path / "m.safetensors")
    read = layers_of(load_pretrained(tmp_path / "m.safetensors"))
    torch.testing.assert_close(read, layers_of(bilm), rtol=0, atol=1e-5)


def test_the_cache_of_a_changed_model_is_not_that_of_its_weights(
    bilm: FastBiLM, tmp_path: Path
) -> None:
    changed = [quantised_copy(bilm)]
    for change in (zero_projection, step_overridden, step_patched):
        changed.append(copy.deepcopy(bilm))
        change(changed[-1])
    assert len({fingerprint(other) for other in (bilm, *changed)}) == 5
    for number, other in enumerate(changed):
        cache = write_cache(other, SENTENCES, tmp_path / str(number), progress=False)
        cache.check_model(other)
        right = embed_batch(other, SENTENCES[:1])[0].every_layer()
        torch.testing.assert_close(torch.from_numpy(cache[0]), torch.from_numpy(right))
