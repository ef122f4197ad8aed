"""The inference loop of one layer equals the definition."""

import pytest
import torch

from elmo_mini.fast import inference_pass
from elmo_mini.fast.inference_pass import infer_layer
from elmo_mini.fast.packed_order import PackedOrder
from elmo_mini.fast.projected_lstm import ProjectedLSTM


@pytest.mark.parametrize("clips", [(0.3, 0.2), (None, None)])
@pytest.mark.parametrize("hidden", [4, 6])
@pytest.mark.parametrize("lengths", [[2], [3, 3], [7, 2, 5, 5, 3]])
@pytest.mark.parametrize("block", [1, 6, 128])
def test_equals_the_definition(
    clips: tuple[float | None, float | None],
    hidden: int,
    lengths: list[int],
    block: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inference_pass, "_BLOCK_ROWS", block)
    torch.manual_seed(7)
    layer = ProjectedLSTM(3, 6, hidden, *clips).double()
    batch = len(lengths)
    order = PackedOrder(torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1))
    types = 2 * torch.randn(11, 3, dtype=torch.float64)
    words = order.read(torch.randint(0, 11, (batch, max(lengths))))
    state = (
        torch.randn(2, batch, hidden, dtype=torch.float64),
        torch.randn(2, batch, 6, dtype=torch.float64),
    )
    kept = [x.clone() for x in state]
    with torch.no_grad():
        expected = layer(types[words], order.batch_sizes, state)
    for ours in (
        infer_layer(layer, types[words], order.batch_sizes, state),
        infer_layer(layer, types, order.batch_sizes, state, words),
    ):
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-13)
    assert all(torch.equal(x, y) for x, y in zip(state, kept, strict=True)), "state was changed"


def test_the_end_state_can_be_used_with_gradients() -> None:
    layer = ProjectedLSTM(3, 6, 4)
    outputs, end = infer_layer(layer, torch.randn(2, 2, 3), [1, 1], layer.zero_state(1))
    weight = torch.ones(4, requires_grad=True)
    ((outputs * weight).sum() + (end[0] * weight).sum()).backward()
    assert weight.grad is not None
