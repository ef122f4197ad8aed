"""One layer, both directions, over a whole batch, for inference.

The weights of a large model do not fit into the processor's cache together. Staying in one layer
from the first step to the last keeps at least that layer's weights close; `wavefront` is the
better way where all of them fit. Nothing is allocated inside the loop.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_mini.bilm.projected_lstm import ProjectedLSTM


@torch.no_grad()
def sweep_layer(
    layer: ProjectedLSTM,
    inputs: Tensor,
    alive: Sequence[int],
    state: tuple[Tensor, Tensor],
    tokens: Tensor | None = None,
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """As `ProjectedLSTM.forward`, with outputs undefined past a row's end.

    Parameters
    ----------
    inputs : (2, T, B, input_size); or, with `tokens`, (U, input_size) vectors of the distinct
        words, whose input product is then done once per word
    alive : for each step, how many rows still have a token; T falling numbers
    state : h (2, B, hidden_size) and c (2, B, cell_size) to start from
    tokens : (T, 2, B) which word each direction reads at each step

    Returns
    -------
    outputs (2, T, B, hidden_size) and the state after every row's last token
    """
    h_end, c = (x.clone() for x in state)
    steps, batch = len(alive), c.shape[1]
    cells, hidden = layer.cell_size, layer.hidden_size
    width = 4 * cells
    w_x, w_h = layer.weight.split([layer.input_size, hidden], 1)
    proj_clip = (layer.projection is not None and layer.proj_clip) or float("inf")
    cell_clip = layer.cell_clip or float("inf")

    if tokens is None:
        table = torch.baddbmm(layer.gate_bias(), inputs.flatten(1, 2), w_x)
        all_gates = table.view(2, steps, batch, width)
    else:
        # Row d * U + u of the table is word u for direction d.
        table = torch.matmul(inputs, w_x).add_(layer.gate_bias()).view(-1, width)
        rows = tokens + len(inputs) * torch.arange(2, device=tokens.device).view(1, 2, 1)
        gates_buffer = table.new_empty(2 * batch * width)
    history = table.new_empty(2, steps + 1, batch, hidden)
    history[:, 0] = h_end
    out_buffer = table.new_empty(2 * batch * cells)
    h_buffer = table.new_empty(2 * batch * hidden)

    for t, n in enumerate(alive):
        if tokens is None:
            gates = all_gates[:, t, :n]
        else:
            gates = gates_buffer[: 2 * n * width].view(2, n, width)
            torch.index_select(table, 0, rows[t, :, :n].reshape(-1), out=gates.view(-1, width))
        gates.baddbmm_(history[:, t, :n], w_h)
        i, g, f, o = gates.chunk(4, -1)
        # tanh(x) = 2 sigmoid(2x) - 1, so that one call serves all four gates.
        g.mul_(2)
        gates.sigmoid_()
        g.sub_(0.5)
        c_now = c[:, :n]
        c_now.mul_(f).addcmul_(i, g, value=2).clamp_(-cell_clip, cell_clip)
        out = out_buffer[: 2 * n * cells].view(2, n, cells)
        torch.mul(c_now, 2, out=out)
        out.sigmoid_().sub_(0.5).mul_(o)
        if layer.projection is None:
            h = out.mul_(2)
        else:
            h = h_buffer[: 2 * n * hidden].view(2, n, hidden)
            torch.baddbmm(h, out, layer.projection, beta=0, alpha=2, out=h)
        torch.clamp(h, -proj_clip, proj_clip, out=history[:, t + 1, :n])
        ended = slice(alive[t + 1] if t + 1 < steps else 0, n)
        h_end[:, ended] = history[:, t + 1, ended]
    return history[:, 1:], (h_end, c)
