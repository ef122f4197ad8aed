"""Upstream behaviours 21 to 25."""

import numpy as np
import pytest
import torch

from elmo_mini.embedding.scalar_mix import AllenNLPScalarMix
from elmo_mini.errors import ConfigurationError
from tests.elmo_mini import numpy_elmo


def layers(count: int = 3) -> list[torch.Tensor]:
    torch.manual_seed(3)
    return [torch.randn(3, 4, 5) for _ in range(count)]


def test_is_the_weighted_sum() -> None:  # 21
    mix = AllenNLPScalarMix(3)
    tensors = layers()
    for k, value in enumerate([0.1, 0.2, 0.3]):
        mix.scalar_parameters[k].data[:] = value
    mix.gamma.data[:] = 0.5
    expected = numpy_elmo.mix(np.stack([t.numpy() for t in tensors]), [0.1, 0.2, 0.3], 0.5)
    np.testing.assert_allclose(mix(tensors).detach().numpy(), expected, atol=1e-6)


def test_a_new_mix_is_the_average() -> None:
    tensors = layers()
    torch.testing.assert_close(AllenNLPScalarMix(3)(tensors), torch.stack(tensors).mean(0))


def test_wrong_number_of_tensors() -> None:  # 22
    with pytest.raises(ConfigurationError, match=r"2 tensors .* made for 3"):
        AllenNLPScalarMix(3)(layers(2))
    for odd in (0, 2.5, "3"):
        with pytest.raises(ConfigurationError, match="mixture_size is"):
            AllenNLPScalarMix(odd)  # type: ignore[arg-type]


def test_wrong_number_of_initial_weights() -> None:  # 23
    with pytest.raises(ConfigurationError, match=r"2 initial weights .* 3 layers"):
        AllenNLPScalarMix(3, initial_scalar_parameters=[0.0, 0.0])


def test_frozen_keeps_its_values() -> None:  # 24
    mix = AllenNLPScalarMix(3, initial_scalar_parameters=[1.0, 2.0, 3.0], trainable=False)
    assert not any(p.requires_grad for p in mix.parameters())
    assert [p.item() for p in mix.scalar_parameters] == [1.0, 2.0, 3.0]
    assert not mix(layers()).requires_grad


def test_layer_norm_leaves_padding_out() -> None:  # 25
    mix = AllenNLPScalarMix(3, do_layer_norm=True, initial_scalar_parameters=[0.1, 0.2, 0.3])
    mix.gamma.data[:] = 0.5
    tensors = layers()
    mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]]).bool()
    expected = numpy_elmo.mix(
        np.stack([t.numpy() for t in tensors]), [0.1, 0.2, 0.3], 0.5, mask.numpy()
    )
    np.testing.assert_allclose(mix(tensors, mask).detach().numpy(), expected, atol=1e-6)
    with pytest.raises(ConfigurationError, match="mask"):
        mix(tensors)


def test_every_weight_learns() -> None:
    mix = AllenNLPScalarMix(3)
    mix(layers())[0, 0, 0].backward()
    assert all(p.grad is not None and p.grad.abs() > 0 for p in mix.parameters())


def test_layers_of_different_shapes_are_not_stretched() -> None:
    layers = [torch.ones(2, 3, 4), torch.ones(2, 3, 4), torch.ones(1, 3, 4)]
    with pytest.raises(ConfigurationError, match="the layers have different shapes"):
        AllenNLPScalarMix(3)(layers)


def test_the_mask_of_layer_norm_is_not_stretched() -> None:
    layers = [torch.randn(2, 4, 3) for _ in range(2)]
    mix = AllenNLPScalarMix(2, do_layer_norm=True)
    for shape in ((1, 4), (4,), (4, 2), (2, 4, 1)):
        with pytest.raises(ConfigurationError, match=r"needs the mask, of shape \(2, 4\)"):
            mix(layers, torch.ones(shape, dtype=torch.bool))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_layer_norm_of_many_words_in_half_precision(dtype: torch.dtype) -> None:
    layers = [torch.randn(3, 40, 1024, generator=torch.Generator().manual_seed(n)) for n in (0, 1)]
    layers = [(3 * layer + 1).to(dtype) for layer in layers]
    mask = torch.arange(40) < torch.tensor([[40], [30], [20]])
    mix = AllenNLPScalarMix(2, do_layer_norm=True)
    expected = mix([layer.float() for layer in layers], mask)
    found = mix.to(dtype)(layers, mask)
    assert found.dtype == dtype
    torch.testing.assert_close(found.float(), expected, rtol=0.02, atol=0.02)


def test_layer_norm_of_no_word_is_finite() -> None:
    layers = [torch.randn(2, 3, 4, requires_grad=True) for _ in range(2)]
    mix = AllenNLPScalarMix(2, do_layer_norm=True)
    (mix(layers, torch.zeros(2, 3, dtype=torch.bool)) * 0).sum().backward()
    assert all(layer.grad is not None and layer.grad.isfinite().all() for layer in layers)
