"""Where the mixed layers join a tagger, and that they are frozen."""

import pytest
import torch
from torch import nn

from elmo_mini.tagging.elmo_tagger import with_elmo


@pytest.mark.parametrize(
    ("where", "read", "given"), [("none", 2, 3), ("input", 6, 3), ("output", 2, 7), ("both", 6, 7)]
)
def test_the_layers_join_where_they_should(where: str, read: int, given: int) -> None:
    x, layers = torch.ones(1, 2, 2), [torch.ones(1, 2, 4)]
    widths = []

    def rnn(vectors: torch.Tensor) -> torch.Tensor:
        widths.append(vectors.shape[-1])
        return torch.zeros(1, 2, 3)

    joined = with_elmo(x, layers, lambda h: 2 * h[0], lambda h: 5 * h[0], rnn, where)
    assert widths == [read]
    assert joined.shape[-1] == given
    assert (joined[..., 3:] == 5).all()


def test_no_gradient_reaches_the_layers_and_all_else_learns() -> None:
    x = torch.ones(1, 2, 2, requires_grad=True)
    layer = torch.ones(1, 2, 4, requires_grad=True)
    weight = torch.ones((), requires_grad=True)
    with_elmo(
        x, [layer], lambda h: weight * h[0], lambda h: h[0], nn.Identity(), "both"
    ).sum().backward()  # type: ignore[no-untyped-call]
    assert layer.grad is None
    assert x.grad is not None
    assert weight.grad is not None


def test_an_unknown_place_is_told() -> None:
    with pytest.raises(ValueError, match="where is 'above'"):
        with_elmo(torch.ones(1, 1, 1), [], lambda h: h[0], lambda h: h[0], nn.Identity(), "above")
