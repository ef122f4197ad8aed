"""Both layers and both directions of a two-layer biLM in one sweep, for inference.

Layer 1 at step t needs layer 0 at step t, and nothing later. So while layer 0 reads token t,
layer 1 can read token t - 1, and the sweep over T tokens takes T + 1 steps with one set of
element-wise operations for four LSTMs. Nothing is allocated inside the loop, the input product
of layer 0 is done once per word type, and its rows are copied out where they are needed.

The sweep touches all weights at every step. It pays as long as they stay in the processor's
cache; a larger model is faster one layer at a time (`direction_sweep`, `layer_sweep`).
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_mini.bilm.projected_lstm import ProjectedLSTM
from elmo_mini.fast.derived_weights import Derived

# Measured on batches of 32 x 22 and 8 x 102 with two threads: with 2.3 to 4.5 MB of weights the
# sweep takes 20 to 60 % less time than one direction beside the other, with 9 MB about the same,
# with 18 MB 1.4 and 2.4 times as much. With one thread they meet at about 5 MB.
_CACHE_BYTES = 6 * 2**20


def fits(layers: Sequence[ProjectedLSTM]) -> bool:
    """Whether the sweep applies and pays: two layers, both with a projection, small weights."""
    if len(layers) != 2 or any(layer.projection is None for layer in layers):
        return False
    sizes = (p.numel() * p.element_size() for layer in layers for p in layer.parameters())
    return sum(sizes) <= _CACHE_BYTES


def _laid_out(layer: ProjectedLSTM) -> tuple[Tensor, Tensor, Tensor]:
    """`ProjectedLSTM.doubled`, the weight in the order that suits few rows best."""
    weight, bias, projection = layer.doubled()
    assert projection is not None
    return weight.transpose(1, 2).contiguous().transpose(1, 2), bias, projection


_prepared = Derived(_laid_out)


@torch.inference_mode()
def sweep(
    layers: Sequence[ProjectedLSTM],
    types: Tensor,
    tokens: Tensor,
    alive: Sequence[int],
    state: tuple[Tensor, Tensor],
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Run two `ProjectedLSTM` layers over a batch sorted by falling length.

    Parameters
    ----------
    layers : two layers, H values of state and C cells each
    types : (U, H) vectors of the distinct words
    tokens : (T, 2, B) which word each direction reads at each step; any valid one past the end
    alive : for each step, how many rows still have a token; T falling numbers
    state : h (2 layers, 2 directions, B, H), c (2 layers, 2 directions, B, C)

    Returns
    -------
    outputs (2 layers, 2 directions, T, B, H), before the residual connection and undefined past
    a row's end; and the state after every row's last token. Both are inference tensors.
    """
    first, second = layers
    hidden, cells = first.hidden_size, first.cell_size
    steps, _, batch = tokens.shape
    width = 4 * cells
    cell_clip, proj_clip = (limit or float("inf") for limit in (first.cell_clip, first.proj_clip))
    weight, bias, projection = _prepared.of(first)
    w_h = weight[:, hidden:]
    second_weight, second_bias, second_projection = _prepared.of(second)
    projections = torch.cat([projection, second_projection])  # (4, C, H)

    # Input product of layer 0 per word type: row d * U + u is type u for direction d.
    table = torch.matmul(types, weight[:, :hidden]).add_(bias).view(-1, width)
    rows = tokens + len(types) * torch.arange(2, device=tokens.device).view(1, 2, 1)

    # history[s] = [layer 0 after token s - 1 | layer 1 after token s - 2], (2, B, 2H): what
    # both layers read at step s, in one block.
    history = types.new_zeros(steps + 2, 2, batch, 2 * hidden)
    h_start, c_start = state[0], 2 * state[1]
    history[0] = torch.cat([h_start[0], h_start[1]], -1)
    c = c_start.clone()
    first_c = c[0].clone()

    gates_buffer = types.new_empty(4 * batch * width)
    out_buffer = types.new_empty(4 * batch * cells)
    h_buffer = types.new_empty(4 * batch * hidden)

    n = 0
    for s in range(steps + 1):
        rows_now = alive[s - 1] if s else batch
        if s and (s == steps or alive[s] < rows_now):
            # Layer 0 has finished some rows. The coming step overwrites their cells.
            ended = slice(alive[s] if s < steps else 0, rows_now)
            first_c[:, ended] = c[0, :, ended]
        if rows_now != n:
            n = rows_now
            gates = gates_buffer[: 4 * n * width].view(2, 2, n, width)
            layer_0, layer_1 = gates[0], gates[1]
            layer_0_rows = layer_0.view(2 * n, width)
            i, g, f, o = gates.chunk(4, -1)
            out = out_buffer[: 4 * n * cells].view(2, 2, n, cells)
            out_rows = out.view(4, n, cells)
            h = h_buffer[: 4 * n * hidden].view(4, n, hidden)
            h_by_row = h.view(2, 2, n, hidden).permute(1, 2, 0, 3)
            c_now = c[:, :, :n]
        z = history[s, :, :n]
        step_rows = rows[min(s, steps - 1), :, :n].reshape(-1)
        torch.index_select(table, 0, step_rows, out=layer_0_rows)
        layer_0.baddbmm_(z[..., :hidden], w_h)
        torch.baddbmm(second_bias, z, second_weight, out=layer_1)
        gates.sigmoid_()
        c_now.mul_(f).addcmul_(i, g, value=4).sub_(i, alpha=2)
        c_now.clamp_(-2 * cell_clip, 2 * cell_clip)
        torch.sigmoid(c_now, out=out).sub_(0.5).mul_(o)
        torch.bmm(out_rows, projections, out=h)
        h_next = history[s + 1, :, :n].unflatten(-1, (2, hidden))
        torch.clamp(h_by_row, -proj_clip, proj_clip, out=h_next)
        if s == 0:
            # Layer 1 had nothing to read yet: give it back the state it starts from.
            history[1, :, :, hidden:] = history[0, :, :, hidden:]
            c[1] = c_start[1]

    outputs = torch.stack([history[1:-1, ..., :hidden], history[2:, ..., hidden:]])
    outputs = outputs.transpose(1, 2)  # (2 layers, 2 directions, T, B, H)
    last = torch.tensor([sum(count > row for count in alive) - 1 for row in range(batch)])
    h_end = outputs[:, :, last, torch.arange(batch)]
    return outputs, (h_end, torch.stack([first_c, c[1]]) / 2)
