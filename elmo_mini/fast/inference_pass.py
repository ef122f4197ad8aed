"""One layer over a whole batch without gradients: `ProjectedLSTM.forward`, written for speed.

The weights of a large model do not fit into the processor's cache together. Staying in one layer
from the first step to the last keeps at least that layer's weights close. The input's share of
the gates needs no step before it, so it is one product for a block of steps, small enough to
stay in the cache. Inside the loop nothing is allocated.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from elmo_mini.fast.projected_lstm import ProjectedLSTM, State

_BLOCK_ROWS = 128
_NO_CLIP = float("inf")


@torch.no_grad()
def infer_layer(
    layer: ProjectedLSTM,
    inputs: Tensor,
    batch_sizes: Sequence[int],
    state: State,
    words: Tensor | None = None,
) -> tuple[Tensor, State]:
    """As `ProjectedLSTM.forward`; with `words`, the input product is done once per word.

    Parameters
    ----------
    inputs : (2, N, input_size); or, with `words`, (U, input_size) vectors of the distinct words
    batch_sizes : for each step, how many rows still read; falling numbers whose sum is N
    state : h (2, B, hidden_size) and c (2, B, cell_size) to start from
    words : (2, N) which word each direction reads

    Returns
    -------
    outputs (2, N, hidden_size) and the state after every row's last token
    """
    h_end, c = (x.clone() for x in state)
    batch, cells, hidden = c.shape[1], layer.cell_size, layer.hidden_size
    w_h = layer.weight[:, layer.input_size :]
    cell_clip, proj_clip = layer.cell_clip or _NO_CLIP, layer.proj_clip or _NO_CLIP
    outputs = c.new_empty(2, sum(batch_sizes), hidden)
    squashed, projected = c.new_empty(2 * batch * cells), c.new_empty(2 * batch * hidden)

    before, n = h_end, batch + 1  # n: rows of the step before
    gate_blocks = _input_gates(layer, inputs, batch_sizes, words)
    for gates, h in zip(gate_blocks, outputs.split(list(batch_sizes), 1), strict=True):
        if h.shape[1] < n:
            still = h.shape[1]
            h_end[:, still:n] = before[:, still:]
            n, before, c_n = still, before[:, :still], c[:, :still]
            m = squashed[: 2 * n * cells].view(2, n, cells)
            product = projected[: 2 * n * hidden].view(2, n, hidden)
        gates.baddbmm_(before, w_h)
        i, g, f, o = gates.chunk(4, -1)
        i.sigmoid_()
        g.tanh_()
        gates[..., 2 * cells :].sigmoid_()  # f and o
        c_n.mul_(f).addcmul_(i, g).clamp_(-cell_clip, cell_clip)
        torch.tanh(c_n, out=m).mul_(o)
        if layer.projection is None:
            h.copy_(m)
        else:
            torch.bmm(m, layer.projection, out=product)
            torch.clamp(product, -proj_clip, proj_clip, out=h)
        before = h
    h_end[:, :n] = before
    return outputs, (h_end, c)


def _input_gates(
    layer: ProjectedLSTM, inputs: Tensor, batch_sizes: Sequence[int], words: Tensor | None
) -> Iterator[Tensor]:
    """For each step, x W_x + b of the rows that read, (2, n, 4 * cell_size), to be overwritten."""
    w_x, bias, width = layer.weight[:, : layer.input_size], layer.gate_bias(), 4 * layer.cell_size
    if words is not None:
        # Row d * U + u of the table is word u for direction d.
        table = torch.baddbmm(bias, inputs.expand(2, -1, -1), w_x).view(-1, width)
        words = words + len(inputs) * torch.arange(2, device=words.device).unsqueeze(1)
    buffer = inputs.new_empty(2 * max(_BLOCK_ROWS, batch_sizes[0]) * width)
    start = 0
    for block in _blocks(batch_sizes):
        rows = slice(start, start + sum(block))
        start = rows.stop
        gates = buffer[: 2 * sum(block) * width].view(2, -1, width)
        if words is None:
            torch.baddbmm(bias, inputs[:, rows], w_x, out=gates)
        else:
            torch.index_select(table, 0, words[:, rows].flatten(), out=gates.view(-1, width))
        yield from gates.split(block, 1)


def _blocks(batch_sizes: Sequence[int]) -> Iterator[list[int]]:
    """Steps that follow one another, of at most `_BLOCK_ROWS` rows together, or of one step."""
    block: list[int] = []
    for n in batch_sizes:
        if block and sum(block) + n > _BLOCK_ROWS:
            yield block
            block = []
        block.append(n)
    yield block
