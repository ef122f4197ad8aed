"""The one-sweep run of both layers equals the layers run one after another."""

import pytest
import torch

from elmo_mini.bilm.fast.wavefront import fits, sweep
from elmo_mini.bilm.projected_lstm import ProjectedLSTM
from elmo_mini.bilm.reading_order import ReadingOrder


@pytest.mark.parametrize("clips", [(0.3, 0.2), (None, None), (3.0, 0)])
@pytest.mark.parametrize("lengths", [[2], [3, 3], [7, 2, 5, 5, 3], [2, 9]])
@pytest.mark.parametrize("with_state", [True, False])
def test_equals_layer_by_layer(
    clips: tuple[float | None, float | None], lengths: list[int], with_state: bool
) -> None:
    torch.manual_seed(2)
    layers = [ProjectedLSTM(4, 6, 4, *clips).double() for _ in range(2)]
    types = torch.randn(11, 4, dtype=torch.float64)
    reading = ReadingOrder(torch.tensor(lengths))
    batch = len(lengths)
    tokens = reading.read(torch.randint(0, 11, (batch, max(lengths))))
    h = torch.randn(2, 2, batch, 4, dtype=torch.float64) * with_state
    c = torch.randn(2, 2, batch, 6, dtype=torch.float64) * with_state
    with torch.no_grad():
        inputs = types[tokens].transpose(0, 1)
        below, below_end = layers[0](inputs, reading.alive, (h[0], c[0]))
        above, above_end = layers[1](below, reading.alive, (h[1], c[1]))
    outputs, (h_end, c_end) = sweep(layers, types, tokens, reading.alive, (h, c))
    for t, n in enumerate(reading.alive):
        for ours, expected in zip(outputs, (below, above), strict=True):
            torch.testing.assert_close(ours[:, t, :n], expected[:, t, :n], rtol=0, atol=1e-13)
    for k, end in enumerate((below_end, above_end)):
        torch.testing.assert_close(h_end[k], end[0], rtol=0, atol=1e-13)
        torch.testing.assert_close(c_end[k], end[1], rtol=0, atol=1e-13)


def test_fits_two_small_projected_layers_only() -> None:
    projected, plain = ProjectedLSTM(4, 6, 4), ProjectedLSTM(4, 4, 4)
    assert fits([projected, projected])
    assert not fits([projected])
    assert not fits([projected] * 3)
    assert not fits([projected, plain])
    large = ProjectedLSTM(128, 1024, 128)
    assert not fits([large, large])
