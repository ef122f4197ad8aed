"""Training a projected LSTM layer with its gradients written by hand.

Autograd records a dozen operations per time step and adds up the weight gradients step by step.
Here backpropagation through time keeps only what each step must wait for, the recurrence itself.
Everything else is done for all steps at once: the derivatives of the gates before the walk
back, and every weight gradient after it, as one product over T * B rows.

The equations are those of `ProjectedLSTM.step`. Rows are full: no padding, as in text streams.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from elmo_mini.projected_lstm import ProjectedLSTM

State = tuple[Tensor, Tensor]


def run_layer(layer: ProjectedLSTM, inputs: Tensor, state: State) -> tuple[Tensor, State]:
    """Both directions of `layer` over full rows, as ``layer(inputs, [B] * T, state)``.

    Parameters
    ----------
    inputs : (2, T, B, input_size), each direction in its own reading order
    state : h (2, B, hidden_size), c (2, B, cell_size) to start from

    Returns
    -------
    outputs (2, T, B, hidden_size) and the state after the last step. No gradient flows out of
    the state or back into it: truncated backpropagation through time ends at a window's edge.
    """
    if layer.projection is None:
        outputs, (h, c) = layer(inputs, [inputs.shape[2]] * inputs.shape[1], state)
        return outputs, (h.detach(), c.detach())
    outputs, h, c = _LayerBPTT.apply(
        inputs,
        layer.weight,
        layer.gate_bias(),
        layer.projection,
        state[0].detach(),
        state[1].detach(),
        layer.cell_clip or float("inf"),
        layer.proj_clip or float("inf"),
    )
    return outputs, (h, c)


class _LayerBPTT(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(
        ctx: Any,
        inputs: Tensor,  # (2, T, B, I)
        weight: Tensor,  # (2, I + H, 4C), gates in the order i, g, f, o
        bias: Tensor,  # (2, 1, 4C)
        projection: Tensor,  # (2, C, H)
        h: Tensor,  # (2, B, H)
        c: Tensor,  # (2, B, C)
        cell_clip: float,
        proj_clip: float,
    ) -> tuple[Tensor, Tensor, Tensor]:
        _, steps, batch, size = inputs.shape
        _, cells, hidden = projection.shape
        w_x, w_h = weight.split([size, hidden], 1)
        gates = torch.baddbmm(bias, inputs.reshape(2, steps * batch, size), w_x)
        gates = gates.view(2, steps, batch, 4 * cells)
        # cell_states[:, t] is the clipped cell before step t; so is h_states[:, t] for the state.
        cell_states = inputs.new_empty(2, steps + 1, batch, cells)
        h_states = inputs.new_empty(2, steps + 1, batch, hidden)
        tanh_c = inputs.new_empty(2, steps, batch, cells)
        projected = inputs.new_empty(2, steps, batch, cells)  # o * tanh(c), what is projected
        cell_states[:, 0], h_states[:, 0] = c, h
        parts = gates.view(2, steps, batch, 4, cells)
        for t in range(steps):
            now = gates[:, t]
            torch.baddbmm(now, h_states[:, t], w_h, out=now)
            i, g, f, o = parts[:, t].unbind(2)
            # tanh(x) = 2 sigmoid(2x) - 1, so that one call serves all four gates
            g.mul_(2)
            now.sigmoid_()
            g.mul_(2).sub_(1)
            c = torch.mul(f, cell_states[:, t], out=cell_states[:, t + 1])
            c.addcmul_(i, g).clamp_(-cell_clip, cell_clip)
            torch.tanh(c, out=tanh_c[:, t])
            out = torch.mul(o, tanh_c[:, t], out=projected[:, t])
            torch.bmm(out, projection, out=h_states[:, t + 1]).clamp_(-proj_clip, proj_clip)
        ctx.save_for_backward(
            inputs, weight, projection, gates, cell_states, h_states, tanh_c, projected
        )
        ctx.clips = (cell_clip, proj_clip)
        h_end, c_end = h_states[:, -1].clone(), cell_states[:, -1].clone()
        ctx.mark_non_differentiable(h_end, c_end)
        return h_states[:, 1:], h_end, c_end

    @staticmethod
    @once_differentiable
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(  # type: ignore[override]
        ctx: Any, grad_outputs: Tensor, *_: Tensor
    ) -> tuple[Tensor | None, ...]:
        inputs, weight, projection, gates, cell_states, h_states, tanh_c, projected = (
            ctx.saved_tensors
        )
        cell_clip, proj_clip = ctx.clips
        _, steps, batch, size = inputs.shape
        _, cells, hidden = projection.shape
        w_x, w_h = weight.split([size, hidden], 1)
        w_h_transposed = w_h.transpose(1, 2).contiguous()
        projection_transposed = projection.transpose(1, 2).contiguous()
        i, g, f, o = gates.view(2, steps, batch, 4, cells).unbind(3)

        # For all steps at once: what the gradient of the cell (for i, g, f) or of the projected
        # product (for o) is to be multiplied by to become the gradient of the gate inputs.
        to_gates = torch.empty_like(gates).view(2, steps, batch, 4, cells)
        to_i, to_g, to_f, to_o = to_gates.unbind(3)
        torch.mul(i - i * i, g, out=to_i)
        torch.mul(1 - g * g, i, out=to_g)
        torch.mul(f - f * f, cell_states[:, :-1], out=to_f)
        torch.mul(o - o * o, tanh_c, out=to_o)
        to_cell = (1 - tanh_c * tanh_c).mul_(o)
        # A clipped number passes no gradient on. Clips are rare, so most windows have no mask.
        cell_inside = _inside(cell_states[:, 1:], cell_clip)
        h_inside = _inside(h_states[:, 1:], proj_clip)

        grad_gates = to_gates.view(2, steps, batch, 4 * cells)
        grad_h_all = torch.empty_like(grad_outputs, memory_format=torch.contiguous_format)
        grad_c = torch.zeros_like(cell_states[:, 0])
        grad_h = grad_outputs[:, -1]
        for t in range(steps - 1, -1, -1):
            if h_inside is not None:
                grad_h = grad_h * h_inside[:, t]
            grad_h_all[:, t] = grad_h
            grad_projected = torch.bmm(grad_h, projection_transposed)
            grad_c.addcmul_(grad_projected, to_cell[:, t])
            if cell_inside is not None:
                grad_c.mul_(cell_inside[:, t])
            to_gates[:, t, :, :3].mul_(grad_c.unsqueeze(2))
            to_gates[:, t, :, 3].mul_(grad_projected)
            grad_c.mul_(f[:, t])
            if t:
                grad_h = torch.baddbmm(grad_outputs[:, t - 1], grad_gates[:, t], w_h_transposed)

        rows = steps * batch
        flat_gates = grad_gates.view(2, rows, 4 * cells)
        grad_inputs = grad_weight = grad_bias = grad_projection = None
        if ctx.needs_input_grad[0]:
            grad_inputs = torch.bmm(flat_gates, w_x.transpose(1, 2)).view(inputs.shape)
        if ctx.needs_input_grad[1]:
            grad_weight = torch.empty_like(weight)
            before = h_states[:, :-1].reshape(2, rows, hidden)
            torch.bmm(
                inputs.reshape(2, rows, size).transpose(1, 2), flat_gates, out=grad_weight[:, :size]
            )
            torch.bmm(before.transpose(1, 2), flat_gates, out=grad_weight[:, size:])
        if ctx.needs_input_grad[2]:
            grad_bias = flat_gates.sum(1, keepdim=True)
        if ctx.needs_input_grad[3]:
            grad_projection = torch.bmm(
                projected.view(2, rows, cells).transpose(1, 2), grad_h_all.view(2, rows, hidden)
            )
        return grad_inputs, grad_weight, grad_bias, grad_projection, None, None, None, None


def _inside(x: Tensor, limit: float) -> Tensor | None:
    """Where clipped numbers lie strictly within their limit; None if they all do."""
    if limit == float("inf"):
        return None
    inside = x.abs() < limit
    return None if inside.all() else inside
