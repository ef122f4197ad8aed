"""The LSTM with projection and clips; upstream behaviours 26 to 31."""

from collections.abc import Iterator

import pytest
import torch

from elmo_mini.fast.projected_lstm import ProjectedLSTM, clip

BATCH_SIZES = [4, 4, 3, 2, 2]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("projected", [True, False])
def test_forward_equals_row_by_row_steps(projected: bool) -> None:
    layer = ProjectedLSTM(3, 7, 4 if projected else 7, cell_clip=0.3, proj_clip=0.2)
    inputs = 3 * torch.randn(2, 15, 3)
    h0, c0 = torch.randn(2, 4, layer.hidden_size), torch.randn(2, 4, 7)
    outputs, (h_end, c_end) = layer(inputs, BATCH_SIZES, (h0, c0))
    forget = torch.cat([torch.zeros(14), torch.ones(7), torch.zeros(7)])
    for d in range(2):
        for row in range(4):
            h, c = h0[d, row], c0[d, row]
            for t in range(sum(n > row for n in BATCH_SIZES)):
                token = sum(BATCH_SIZES[:t]) + row
                gates = torch.cat([inputs[d, token], h]) @ layer.weight[d] + layer.bias[d] + forget
                i, g, f, o = gates.view(4, 7)
                c = (f.sigmoid() * c + i.sigmoid() * g.tanh()).clamp(-0.3, 0.3)
                h = o.sigmoid() * c.tanh()
                if projected:
                    assert layer.projection is not None
                    h = (h @ layer.projection[d]).clamp(-0.2, 0.2)
                torch.testing.assert_close(outputs[d, token], h)
            torch.testing.assert_close(h_end[d, row], h)
            torch.testing.assert_close(c_end[d, row], c)


def test_clips_bound_output_and_state() -> None:  # 29, 31
    layer = ProjectedLSTM(3, 7, 4, cell_clip=1.5, proj_clip=1.0)
    with torch.no_grad():
        layer.weight.mul_(20)
        assert layer.projection is not None
        layer.projection.mul_(20)
    outputs, (_, c) = layer(5 * torch.randn(2, 15, 3), BATCH_SIZES)
    assert outputs.abs().max() == 1.0
    assert c.abs().max() == 1.5


@pytest.mark.parametrize("none", [None, 0, 0.0])
def test_no_clip(none: float | None) -> None:
    assert clip(torch.tensor(50.0), none) == 50
    assert clip(torch.tensor(-50.0), 3) == -3


def test_forget_gate_starts_open() -> None:
    bias = ProjectedLSTM(3, 7, 4).gate_bias()
    assert bias.shape == (2, 1, 28)
    assert (bias[..., 14:21] == 1).all()
    assert bias.sum() == 14
