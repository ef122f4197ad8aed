"""Backpropagation through time for `ProjectedLSTM`, written out.

Autograd would record a dozen small operations a step and add to every weight's gradient at
every step. Here the forward pass keeps what the derivatives need, the backward pass walks the
steps once with two products each, and each weight gradient is a single product over all steps.
The clips pass a gradient where the number was inside or on the limit. The products may be taken
in bfloat16; states, gates and sums over time stay in the precision of the inputs.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


class ReadSequence(torch.autograd.Function):
    """One layer over a whole batch; the recurrence is that of `ProjectedLSTM.step`.

    Shapes as in `ProjectedLSTM.forward`; `bias` is (2, 1, 4 * cell_size).
    """

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        h: Tensor,
        c: Tensor,
        weight: Tensor,
        bias: Tensor,
        projection: Tensor | None,
        alive: Sequence[int],
        cell_clip: float | None,
        proj_clip: float | None,
        products: torch.dtype,
    ) -> tuple[Tensor, Tensor, Tensor]:
        _, steps, batch, size = inputs.shape
        cells, hidden = c.shape[-1], h.shape[-1]
        w_x, w_h = weight.to(products).split([size, hidden], 1)
        w_p = None if projection is None else projection.to(products)
        gates = bias.repeat(1, steps * batch, 1)
        _add_product(gates, inputs.flatten(1, 2), w_x)
        gates = gates.view(2, steps, batch, 4 * cells)
        # hs[:, t] and cs[:, t] are the state before step t
        hs = inputs.new_zeros(2, steps + 1, batch, hidden)
        cs = inputs.new_zeros(2, steps + 1, batch, cells)
        hs[:, 0], cs[:, 0] = h, c
        h_end, c_end = h.clone(), c.clone()
        tanh_c = torch.zeros_like(cs[:, 1:])
        c_inside = torch.ones_like(tanh_c, dtype=torch.bool) if cell_clip else None
        h_inside = None
        if proj_clip and projection is not None:
            h_inside = torch.ones_like(hs[:, 1:], dtype=torch.bool)
        for t, n in enumerate(alive):
            now = gates[:, t, :n]
            _add_product(now, hs[:, t, :n], w_h)
            i, g, f, o = now.chunk(4, -1)
            g.mul_(2)
            now.sigmoid_()
            g.mul_(2).sub_(1)  # tanh(x) = 2 sigmoid(2x) - 1
            c_now = cs[:, t + 1, :n]
            torch.mul(f, cs[:, t, :n], out=c_now)
            c_now.addcmul_(i, g)
            if cell_clip:
                assert c_inside is not None
                torch.le(c_now.abs(), cell_clip, out=c_inside[:, t, :n])
                c_now.clamp_(-cell_clip, cell_clip)
            squashed = tanh_c[:, t, :n]
            torch.mul(c_now, 2, out=squashed)
            squashed.sigmoid_().mul_(2).sub_(1)
            h_now = o * squashed
            if w_p is not None:
                h_now = _product(h_now, w_p)
                if proj_clip:
                    assert h_inside is not None
                    torch.le(h_now.abs(), proj_clip, out=h_inside[:, t, :n])
                    h_now.clamp_(-proj_clip, proj_clip)
            hs[:, t + 1, :n] = h_now
            h_end[:, :n], c_end[:, :n] = h_now, c_now
        ctx.alive, ctx.products = alive, products
        ctx.save_for_backward(inputs, weight, projection, gates, hs, cs, tanh_c, c_inside, h_inside)
        return hs[:, 1:], h_end, c_end

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(
        ctx: Any, grad_outputs: Tensor, grad_h_end: Tensor, grad_c_end: Tensor
    ) -> tuple[Tensor | None, ...]:
        inputs, weight, projection, gates, hs, cs, tanh_c, c_inside, h_inside = ctx.saved_tensors
        _, steps, batch, size = inputs.shape
        cells = cs.shape[-1]
        i, g, f, o = gates.chunk(4, -1)

        # Everything that does not depend on later steps, for all steps at once.
        to_cell = o * (1 - tanh_c**2)
        to_output_gate = tanh_c * o * (1 - o)
        to_other_gates = torch.cat(
            [g * i * (1 - i), i * (1 - g**2), cs[:, :-1] * f * (1 - f)], -1
        ).view(2, steps, batch, 3, cells)
        to_earlier_cell = f
        if c_inside is not None:
            to_other_gates *= c_inside.unsqueeze(3)
            to_earlier_cell = f * c_inside

        back_x, back_h = weight.to(ctx.products).transpose(1, 2).split([size, hs.shape[-1]], 2)
        back_p = None if projection is None else projection.to(ctx.products).transpose(1, 2)
        d_gates = torch.zeros_like(gates)
        d_h_raw = torch.zeros_like(hs[:, 1:])
        d_h, d_c = grad_h_end.clone(), grad_c_end.clone()
        for t in reversed(range(len(ctx.alive))):
            n = ctx.alive[t]
            raw = d_h_raw[:, t, :n]
            torch.add(grad_outputs[:, t, :n], d_h[:, :n], out=raw)
            if h_inside is not None:
                raw.mul_(h_inside[:, t, :n])
            d_m = raw if back_p is None else _product(raw, back_p)
            now = d_gates[:, t, :n]
            torch.mul(d_m, to_output_gate[:, t, :n], out=now[..., 3 * cells :])
            d_c_now = d_c[:, :n]
            d_c_now.addcmul_(d_m, to_cell[:, t, :n])
            others = now[..., : 3 * cells].unflatten(-1, (3, cells))
            torch.mul(d_c_now.unsqueeze(2), to_other_gates[:, t, :n], out=others)
            d_c_now.mul_(to_earlier_cell[:, t, :n])
            d_h[:, :n] = _product(now, back_h)

        bias_gradient = d_gates.flatten(1, 2).sum(1, keepdim=True)
        flat = d_gates.flatten(1, 2).to(ctx.products)
        d_inputs = torch.bmm(flat, back_x).to(inputs.dtype).view_as(inputs)
        d_weight = torch.cat(
            [
                _product(inputs.flatten(1, 2).transpose(1, 2), flat),
                _product(hs[:, :-1].flatten(1, 2).transpose(1, 2), flat),
            ],
            1,
        )
        d_projection = None
        if projection is not None:
            m = (o * tanh_c).flatten(1, 2)
            raw = d_h_raw.flatten(1, 2).to(ctx.products)
            d_projection = _product(m.transpose(1, 2), raw)
        return d_inputs, d_h, d_c, d_weight, bias_gradient, d_projection, None, None, None, None


def _product(a: Tensor, b: Tensor) -> Tensor:
    """a b, taken in b's precision, given in a's."""
    return torch.bmm(a.to(b.dtype), b).to(a.dtype)


def _add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    """total += a b in place, the product taken in b's precision."""
    if b.dtype == total.dtype:
        total.baddbmm_(a, b)
    else:
        total.add_(torch.bmm(a.to(b.dtype), b))
