"""Backpropagation through time for `ProjectedLSTM`, written out.

Autograd would record a dozen small operations a step and add to every weight's gradient at
every step. Here the forward pass keeps what the derivatives need, the backward pass walks the
steps once with two products each, and each weight gradient is a single product over all steps.
The clips pass a gradient where the number was inside or on the limit.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from elmo_mini.fast.projected_lstm import ProjectedLSTM, State
from elmo_mini.fast.refused_transforms import DifferentiatedOnce


def train_layer(
    layer: ProjectedLSTM, inputs: Tensor, batch_sizes: Sequence[int], state: State
) -> tuple[Tensor, State]:
    """As `ProjectedLSTM.forward`, with gradients.

    Under autocast the products are taken in its precision; states, gates and sums over time stay
    in that of the weights.
    """
    device = inputs.device.type
    mixed = torch.is_autocast_enabled(device)
    products = torch.get_autocast_dtype(device) if mixed else layer.weight.dtype
    with torch.autocast(device, enabled=False):
        outputs, h, c = ProjectedLSTMFunction.apply(
            inputs.to(layer.weight.dtype),
            *state,
            layer.weight,
            layer.gate_bias(),
            layer.projection,
            list(batch_sizes),
            layer.cell_clip,
            layer.proj_clip,
            products,
        )
    return outputs, (h, c)


class ProjectedLSTMFunction(torch.autograd.Function):
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
        batch_sizes: list[int],
        cell_clip: float | None,
        proj_clip: float | None,
        products: torch.dtype,
    ) -> tuple[Tensor, Tensor, Tensor]:
        _, tokens, size = inputs.shape
        batch, cells, hidden = c.shape[1], c.shape[-1], h.shape[-1]
        w_x, w_h = weight.to(products).split([size, hidden], 1)
        w_p = None if projection is None else projection.to(products)
        gates = bias.repeat(1, tokens, 1)
        _add_product(gates, inputs, w_x)
        # The state before the first step, then that after every token: (2, B + N, ...).
        hs = torch.cat([h, inputs.new_empty(2, tokens, hidden)], 1)
        cs = torch.cat([c, inputs.new_empty(2, tokens, cells)], 1)
        tanh_c = inputs.new_empty(2, tokens, cells)
        h_end, c_end = h.clone(), c.clone()
        later = [*batch_sizes[1:], 0]  # rows that read in the next step
        for (before, now), still in zip(_steps(batch, batch_sizes), later, strict=True):
            rows = slice(now.start - batch, now.stop - batch)  # of what has no state in front
            gates_now = gates[:, rows]
            _add_product(gates_now, hs[:, before], w_h)
            i, g, f, o = gates_now.chunk(4, -1)
            i.sigmoid_()
            g.tanh_()
            gates_now[..., 2 * cells :].sigmoid_()  # f and o
            c_now, squashed = cs[:, now], tanh_c[:, rows]
            torch.mul(f, cs[:, before], out=c_now)
            c_now.addcmul_(i, g)
            if cell_clip:
                c_now.clamp_(-cell_clip, cell_clip)
            torch.tanh(c_now, out=squashed)
            h_now = o * squashed
            if w_p is not None:
                h_now = _product(h_now, w_p)
                if proj_clip:
                    h_now.clamp_(-proj_clip, proj_clip)
            hs[:, now] = h_now
            n = now.stop - now.start
            if still < n:
                h_end[:, still:n] = h_now[:, still:]
                c_end[:, still:n] = c_now[:, still:]
        ctx.batch_sizes, ctx.products = batch_sizes, products
        ctx.cell_clip, ctx.proj_clip = cell_clip, proj_clip
        ctx.save_for_backward(inputs, weight, projection, gates, hs, cs, tanh_c)
        return hs[:, batch:], h_end, c_end

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        with torch.no_grad():
            found = ProjectedLSTMFunction._gradients(ctx, *grads)
        if torch.is_grad_enabled():  # with create_graph=True
            # PyTorch's once_differentiable passes a second derivative by where `grads` are numbers.
            sources = (*grads, *ctx.saved_tensors[:3])
            found = DifferentiatedOnce.apply(len(sources), *sources, *found)
        return found

    @staticmethod
    def _gradients(
        ctx: Any, grad_outputs: Tensor, grad_h_end: Tensor, grad_c_end: Tensor
    ) -> tuple[Tensor | None, ...]:
        inputs, weight, projection, gates, hs, cs, tanh_c = ctx.saved_tensors
        size = inputs.shape[-1]
        batch, cells = grad_c_end.shape[1:]
        steps = _steps(batch, ctx.batch_sizes)
        before = torch.cat([torch.arange(b.start, b.stop, device=hs.device) for b, _ in steps])
        h_before, c_before = hs[:, before], cs[:, before]  # (2, N, ...)
        i, g, f, o = gates.chunk(4, -1)

        # Everything that does not depend on later steps, for all steps at once: what the
        # gradient of the cell, or for o that of the projected product, is multiplied by.
        d_gates = torch.empty_like(gates)
        for gate, factor in zip(
            d_gates.chunk(4, -1),
            (g * i * (1 - i), i * (1 - g * g), c_before * f * (1 - f), tanh_c * o * (1 - o)),
            strict=True,
        ):
            gate.copy_(factor)
        to_cell = o * (1 - tanh_c * tanh_c)
        m = o * tanh_c
        c_inside = _inside(cs[:, batch:], ctx.cell_clip, lambda: (f * c_before).addcmul_(i, g))
        h_inside = None
        if projection is not None:
            h_inside = _inside(
                hs[:, batch:], ctx.proj_clip, lambda: _product(m, projection.to(ctx.products))
            )

        back_x, back_h = (
            w.contiguous()
            for w in weight.to(ctx.products).transpose(1, 2).split([size, hs.shape[-1]], 2)
        )
        back_p = None if projection is None else projection.to(ctx.products).transpose(1, 2)
        d_h_raw = torch.empty_like(grad_outputs)
        d_h, d_c = grad_h_end.clone(), grad_c_end.clone()
        for _, now in reversed(steps):
            n, rows = now.stop - now.start, slice(now.start - batch, now.stop - batch)
            raw = d_h_raw[:, rows]
            torch.add(grad_outputs[:, rows], d_h[:, :n], out=raw)
            if h_inside is not None:
                raw.mul_(h_inside[:, rows])
            d_m = raw if back_p is None else _product(raw, back_p)
            d_c_now = d_c[:, :n]
            d_c_now.addcmul_(d_m, to_cell[:, rows])
            if c_inside is not None:
                d_c_now.mul_(c_inside[:, rows])
            d_now = d_gates[:, rows]
            d_now[..., : 3 * cells].unflatten(-1, (3, cells)).mul_(d_c_now.unsqueeze(2))
            d_now[..., 3 * cells :].mul_(d_m)
            d_c_now.mul_(f[:, rows])
            d_h[:, :n] = _product(d_now, back_h)

        d_bias = d_gates.sum(1, keepdim=True)
        flat = d_gates.to(ctx.products)
        d_inputs = torch.bmm(flat, back_x).to(inputs.dtype)
        d_weight = torch.cat(
            [_product(inputs.transpose(1, 2), flat), _product(h_before.transpose(1, 2), flat)], 1
        )
        d_projection = None
        if projection is not None:
            d_projection = _product(m.transpose(1, 2), d_h_raw.to(ctx.products))
        return d_inputs, d_h, d_c, d_weight, d_bias, d_projection, None, None, None, None


def _steps(batch: int, batch_sizes: Sequence[int]) -> list[tuple[slice, slice]]:
    """For each step, the rows of the state before it and of that after it, in (B + N)."""
    steps, before, stop = [], 0, batch
    for n in batch_sizes:
        steps.append((slice(before, before + n), slice(stop, stop + n)))
        before, stop = stop, stop + n
    return steps


def _inside(clipped: Tensor, limit: float | None, unclipped: Callable[[], Tensor]) -> Tensor | None:
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
