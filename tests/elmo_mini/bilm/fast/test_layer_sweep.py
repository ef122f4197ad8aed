"""The inference loop of one layer equals the definition."""

import pytest
import torch

from elmo_mini.bilm.fast.layer_sweep import sweep_layer
from elmo_mini.bilm.projected_lstm import ProjectedLSTM
from elmo_mini.bilm.reading_order import ReadingOrder


@pytest.mark.parametrize("clips", [(0.3, 0.2), (None, None)])
@pytest.mark.parametrize("hidden", [4, 6])
@pytest.mark.parametrize("lengths", [[2], [3, 3], [7, 2, 5, 5, 3]])
def test_equals_step_by_step(
    clips: tuple[float | None, float | None], hidden: int, lengths: list[int]
) -> None:
    torch.manual_seed(7)
    layer = ProjectedLSTM(3, 6, hidden, *clips).double()
    reading = ReadingOrder(torch.tensor(lengths))
    batch = len(lengths)
    types = 2 * torch.randn(11, 3, dtype=torch.float64)
    tokens = reading.read(torch.randint(0, 11, (batch, max(lengths))))
    state = (
        torch.randn(2, batch, hidden, dtype=torch.float64),
        torch.randn(2, batch, 6, dtype=torch.float64),
    )
    kept = [x.clone() for x in state]
    inputs = types[tokens].transpose(0, 1)
    with torch.no_grad():
        expected, end = layer.read_step_by_step(inputs, reading.alive, state)
    for outputs, ours in (
        sweep_layer(layer, inputs, reading.alive, state),
        sweep_layer(layer, types, reading.alive, state, tokens),
    ):
        for t, n in enumerate(reading.alive):
            torch.testing.assert_close(outputs[:, t, :n], expected[:, t, :n], rtol=0, atol=1e-13)
        torch.testing.assert_close(ours, end, rtol=0, atol=1e-13)
    assert all(torch.equal(x, y) for x, y in zip(state, kept, strict=True)), "state was changed"
