"""A packed product is the product."""

import pytest
import torch
from torch.nn import functional

from elmo_mini.fast.packed_product import Activation, PackedProduct, can_pack

SQUASHED = {"none": lambda x: x, "relu": torch.relu, "sigmoid": torch.sigmoid}


@pytest.mark.parametrize("activation", ["none", "relu", "sigmoid"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("with_bias", [True, False])
def test_equals_linear(activation: Activation, dtype: torch.dtype, with_bias: bool) -> None:
    torch.manual_seed(3)
    weight = torch.randn(70, 33, dtype=dtype)
    bias = torch.randn(70, dtype=dtype) if with_bias else None
    product = PackedProduct(weight.T.contiguous().T, bias)
    for rows in (1, 8, 300):
        x = torch.randn(rows, 50, dtype=dtype)[:, 5:38]  # rows that do not follow one another
        expected = SQUASHED[activation](functional.linear(x, weight, bias))
        tolerance = 1e-5 if dtype == torch.float32 else 1e-13
        torch.testing.assert_close(product(x, activation), expected, rtol=0, atol=tolerance)


def test_what_cannot_be_packed_is_multiplied_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    weight, x = torch.randn(5, 4), torch.randn(3, 4)
    assert not can_pack(weight.double())
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert not can_pack(weight)
    torch.testing.assert_close(PackedProduct(weight)(x), x @ weight.T)


def test_a_build_that_refuses_to_pack_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NotImplementedError("no such kernel")

    monkeypatch.setattr(PackedProduct, "_multiply", refuse)
    weight, x = torch.randn(5, 4), torch.randn(3, 4)
    assert can_pack(weight)
    torch.testing.assert_close(PackedProduct(weight)(x), x @ weight.T)
