"""Backpropagation through time for `ProjectedLSTM`, written out.

Autograd would record a dozen small operations a step and add to every weight's gradient at
every step. Here the forward pass keeps what the derivatives need, the backward pass walks the
steps once with two products each, and each weight gradient is a single product over all steps.
The clips pass a gradient where the number was inside or on the limit. The products may be taken
in bfloat16; states, gates and sums over time stay in the precision of the inputs.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class ReadSequence(torch.autograd.Function):
    """One layer over a whole batch; the recurrence is that of `ProjectedLSTM.step`.

    Shapes as in `ProjectedLSTM.forward`; `bias` is (2, 1, 4 * cell_size). The steps are taken
    with sigmoid alone, as `ProjectedLSTM.doubled` tells.
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
        w_x, w_h = _with_double_candidate(weight).to(products).split([size, hidden], 1)
        w_h = w_h.transpose(1, 2).contiguous().transpose(1, 2)  # faster for few rows
        w_p = None if projection is None else (2 * projection).to(products)
        gates = _with_double_candidate(bias).repeat(1, steps * batch, 1)
        _add_product(gates, inputs.flatten(1, 2), w_x)
        gates = gates.view(2, steps, batch, 4 * cells)
        # hs[:, t] is the state before step t, and double_cs[:, t] twice the cells
        hs = inputs.new_zeros(2, steps + 1, batch, hidden)
        double_cs = inputs.new_zeros(2, steps + 1, batch, cells)
        hs[:, 0], double_cs[:, 0] = h, 2 * c
        h_end, c_end = h.clone(), c.clone()
        half_tanh = torch.zeros_like(double_cs[:, 1:])
        for t, n in enumerate(alive):
            now = gates[:, t, :n]
            _add_product(now, hs[:, t, :n], w_h)
            now.sigmoid_()
            i, squashed, f, o = now.chunk(4, -1)
            c_now = double_cs[:, t + 1, :n]
            torch.mul(f, double_cs[:, t, :n], out=c_now)
            c_now.addcmul_(i, squashed, value=4).sub_(i, alpha=2)
            if cell_clip:
                c_now.clamp_(-2 * cell_clip, 2 * cell_clip)
            half = half_tanh[:, t, :n]
            torch.sigmoid(c_now, out=half).sub_(0.5)
            h_now = o * half
            h_now = h_now.mul_(2) if w_p is None else _product(h_now, w_p)
            if w_p is not None and proj_clip:
                torch.clamp(h_now, -proj_clip, proj_clip, out=hs[:, t + 1, :n])
            else:
                hs[:, t + 1, :n] = h_now
            left = alive[t + 1] if t + 1 < steps else 0
            if left < n:
                h_end[:, left:n] = hs[:, t + 1, left:n]
                c_end[:, left:n] = double_cs[:, t + 1, left:n] / 2
        ctx.alive, ctx.products = alive, products
        ctx.cell_clip, ctx.proj_clip = cell_clip, proj_clip
        ctx.save_for_backward(inputs, weight, projection, gates, hs, double_cs, half_tanh)
        return hs[:, 1:], h_end, c_end

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(
        ctx: Any, grad_outputs: Tensor, grad_h_end: Tensor, grad_c_end: Tensor
    ) -> tuple[Tensor | None, ...]:
        inputs, weight, projection, gates, hs, double_cs, half_tanh = ctx.saved_tensors
        _, steps, batch, size = inputs.shape
        cells = double_cs.shape[-1]
        i, squashed, f, o = gates.chunk(4, -1)
        g, tanh_c = 2 * squashed - 1, 2 * half_tanh

        # Everything that does not depend on later steps, for all steps at once: what the
        # gradient of the cell, or for o that of the projected product, is multiplied by.
        d_gates = torch.empty_like(gates)
        for gate, factor in zip(
            d_gates.chunk(4, -1),
            (
                g * i * (1 - i),
                i * (1 - g * g),
                double_cs[:, :-1] * f * (1 - f) / 2,
                tanh_c * o * (1 - o),
            ),
            strict=True,
        ):
            gate.copy_(factor)
        to_cell = o * (1 - tanh_c * tanh_c)
        c_inside = _inside(
            double_cs[:, 1:],
            2 * (ctx.cell_clip or 0),
            lambda: (f * double_cs[:, :-1]).addcmul_(i, squashed, value=4).sub_(i, alpha=2),
        )
        h_inside = None
        if projection is not None:
            h_inside = _inside(
                hs[:, 1:],
                ctx.proj_clip or 0,
                lambda: _product((o * tanh_c).flatten(1, 2), projection.to(ctx.products)).view(
                    2, steps, batch, -1
                ),
            )

        back_x, back_h = (
            w.contiguous()
            for w in weight.to(ctx.products).transpose(1, 2).split([size, hs.shape[-1]], 2)
        )
        back_p = None
        if projection is not None:
            back_p = projection.to(ctx.products).transpose(1, 2)
        d_h_raw = torch.zeros_like(hs[:, 1:])
        d_h, d_c = grad_h_end.clone(), grad_c_end.clone()
        for t in reversed(range(steps)):
            n = ctx.alive[t]
            raw = d_h_raw[:, t, :n]
            torch.add(grad_outputs[:, t, :n], d_h[:, :n], out=raw)
            if h_inside is not None:
                raw.mul_(h_inside[:, t, :n])
            d_m = raw if back_p is None else _product(raw, back_p)
            d_c_now = d_c[:, :n]
            d_c_now.addcmul_(d_m, to_cell[:, t, :n])
            if c_inside is not None:
                d_c_now.mul_(c_inside[:, t, :n])
            now = d_gates[:, t, :n]
            now[..., : 3 * cells].unflatten(-1, (3, cells)).mul_(d_c_now.unsqueeze(2))
            now[..., 3 * cells :].mul_(d_m)
            if n < batch:
                d_gates[:, t, n:] = 0
            d_c_now.mul_(f[:, t, :n])
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


def _with_double_candidate(x: Tensor) -> Tensor:
    """x (..., 4 * cell_size) with the part of g doubled."""
    x = x.clone()
    x.chunk(4, -1)[1].mul_(2)
    return x


def _inside(clipped: Tensor, limit: float, unclipped: Callable[[], Tensor]) -> Tensor | None:
    """Where a clip did nothing; None if that is everywhere, which one look at the result tells."""
    if not limit or bool((clipped.abs() < limit).all()):
        return None
    return unclipped().abs() <= limit


def _product(a: Tensor, b: Tensor) -> Tensor:
    """a b, taken in b's precision, given in a's."""
    return torch.bmm(a.to(b.dtype), b).to(a.dtype)


def _add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    """total += a b in place, the product taken in b's precision."""
    if b.dtype == total.dtype:
        total.baddbmm_(a, b)
    else:
        total.add_(torch.bmm(a.to(b.dtype), b))
