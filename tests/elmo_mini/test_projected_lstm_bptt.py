import pytest
import torch
from torch import Tensor

from elmo_mini.projected_lstm import ProjectedLSTM
from elmo_mini.projected_lstm_bptt import run_layer

STEPS, ROWS = 6, 3


def layer_and_input(
    clip: float | None, hidden: int = 4
) -> tuple[ProjectedLSTM, Tensor, tuple[Tensor, Tensor]]:
    torch.manual_seed(0)
    layer = ProjectedLSTM(5, 7, hidden, clip, clip and clip / 2).double()
    with torch.no_grad():
        layer.weight.mul_(2)
        layer.bias.normal_()
    inputs = torch.randn(2, STEPS, ROWS, 5, dtype=torch.double, requires_grad=True)
    h = torch.randn(2, ROWS, hidden, dtype=torch.double) / 20
    c = torch.randn(2, ROWS, 7, dtype=torch.double) / 20
    return layer, inputs, (h, c)


def layer_by_autograd(
    layer: ProjectedLSTM, inputs: Tensor, state: tuple[Tensor, Tensor]
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    outputs, end = layer(inputs, [ROWS] * STEPS, state)
    return outputs, end


@pytest.mark.parametrize("clip", [3.0, 0.2, None])
def test_outputs_and_gradients_are_those_of_autograd(clip: float | None) -> None:
    layer, inputs, state = layer_and_input(clip)
    results = []
    for run in (layer_by_autograd, run_layer):
        layer.zero_grad()
        inputs.grad = None
        outputs, (h, c) = run(layer, inputs, state)
        torch.manual_seed(1)
        (outputs * torch.randn(outputs.shape, dtype=torch.double)).sum().backward()
        gradients = [inputs.grad, *(p.grad for p in layer.parameters())]
        results.append([outputs.detach(), h.detach(), c.detach(), *gradients])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def test_the_clipped_case_does_clip() -> None:
    layer, inputs, state = layer_and_input(0.2)
    outputs, (_, c) = run_layer(layer, inputs, state)
    assert outputs.abs().max() == 0.1
    assert c.abs().max() == 0.2


def test_gradients_agree_with_finite_differences() -> None:
    layer, inputs, state = layer_and_input(0.6)
    torch.autograd.gradcheck(lambda x: run_layer(layer, x, state)[0], (inputs,))


def test_no_gradient_flows_through_the_state() -> None:
    layer, inputs, (h, c) = layer_and_input(3.0)
    h.requires_grad_()
    outputs, (h_end, c_end) = run_layer(layer, inputs, (h, c))
    assert not h_end.requires_grad
    assert not c_end.requires_grad
    outputs.sum().backward()
    assert h.grad is None


def test_windows_with_carried_state_give_the_outputs_of_one_long_run() -> None:
    layer, inputs, state = layer_and_input(3.0)
    whole, end = run_layer(layer, inputs, state)
    first, state = run_layer(layer, inputs[:, :2], state)
    second, state = run_layer(layer, inputs[:, 2:], state)
    torch.testing.assert_close(torch.cat([first, second], 1), whole, rtol=0, atol=1e-13)
    torch.testing.assert_close(state, end, rtol=0, atol=1e-13)


def test_a_layer_without_projection_goes_the_plain_way() -> None:
    layer, inputs, state = layer_and_input(3.0, hidden=7)
    outputs, (h, _) = run_layer(layer, inputs, state)
    torch.testing.assert_close(outputs, layer(inputs, [ROWS] * STEPS, state)[0])
    assert not h.requires_grad
