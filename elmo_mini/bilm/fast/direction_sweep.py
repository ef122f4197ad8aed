"""One direction after the other or beside it, layer after layer, with packed weights.

The two directions never mix, so that on a processor with two cores or more each runs in a thread
of its own: no core waits for the other after every small operation, and each keeps its own
direction's weights close. The weights of a large model do not fit into the processor's cache
together; staying in one layer from the first step to the last keeps at least that layer's near.
`wavefront` is the better way where all of them fit.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor

from elmo_mini.bilm.projected_lstm import BACKWARD, FORWARD, ProjectedLSTM
from elmo_mini.fast.derived_weights import Derived
from elmo_mini.fast.packed_product import PackedProduct, can_pack

State = tuple[Tensor, Tensor]


class _Direction:
    """One direction of a layer, H values of state and C cells, with `ProjectedLSTM.doubled`."""

    def __init__(
        self, layer: ProjectedLSTM, weight: Tensor, bias: Tensor, projection: Tensor | None
    ) -> None:
        self.gates = PackedProduct(weight.T, bias.squeeze(0))
        self.projection = projection
        self.cells, self.hidden = layer.cell_size, layer.hidden_size
        self.cell_clip = 2 * (layer.cell_clip or float("inf"))
        self.proj_clip = layer.proj_clip or float("inf")

    def read(
        self, inputs: Tensor, alive: Sequence[int], h: Tensor, c: Tensor
    ) -> tuple[Tensor, ...]:
        """As `ProjectedLSTM.forward`, for one direction; outputs are undefined past a row's end."""
        steps, batch, size = inputs.shape
        # What a step reads: its input beside the state that the step before has left.
        read = inputs.new_empty(steps + 1, batch, size + self.hidden)
        read[:-1, :, :size] = inputs
        history = read[..., size:]
        history[0] = h
        h, c = h.clone(), 2 * c
        out_buffer = c.new_empty(batch, self.cells)
        h_buffer = c.new_empty(batch, self.hidden)
        for t, n in enumerate(alive):
            i, g, f, o = self.gates(read[t, :n], "sigmoid").chunk(4, -1)
            c_now, out = c[:n], out_buffer[:n]
            c_now.mul_(f).addcmul_(i, g, value=4).sub_(i, alpha=2)
            c_now.clamp_(-self.cell_clip, self.cell_clip)
            torch.sigmoid(c_now, out=out).sub_(0.5).mul_(o)
            if self.projection is None:
                torch.mul(out, 2, out=history[t + 1, :n])
            else:
                torch.mm(out, self.projection, out=h_buffer[:n])
                clip = self.proj_clip
                torch.clamp(h_buffer[:n], -clip, clip, out=history[t + 1, :n])
            left = alive[t + 1] if t + 1 < steps else 0
            if left < n:
                h[left:n] = history[t + 1, left:n]
        return history[1:], h, c / 2


def _directions(layer: ProjectedLSTM) -> tuple[_Direction, _Direction]:
    weight, bias, projection = layer.doubled()
    forward, backward = (
        _Direction(layer, weight[d], bias[d], None if projection is None else projection[d])
        for d in (FORWARD, BACKWARD)
    )
    return forward, backward


_prepared = Derived(_directions)


def fits(layers: Sequence[ProjectedLSTM]) -> bool:
    """Whether the sweep applies: weights that oneDNN can pack."""
    return all(can_pack(layer.weight) for layer in layers)


def sweep(
    layers: Sequence[ProjectedLSTM],
    types: Tensor,
    tokens: Tensor,
    alive: Sequence[int],
    state: State,
    skip_connections: bool,
) -> tuple[list[tuple[Tensor, Tensor]], State]:
    """Run all layers over a batch sorted by falling length, without gradients.

    Parameters
    ----------
    types : (U, H) vectors of the distinct words
    tokens : (T, 2, B) which word each direction reads at each step; any valid one past the end
    alive : for each step, how many rows still have a token; T falling numbers
    state : h (layers, 2 directions, B, H), c (layers, 2 directions, B, C)
    skip_connections : whether a layer from the third on reads the sum of the two below it

    Returns
    -------
    for each layer the outputs (T, B, H) of both directions, before the residual connection and
    undefined past a row's end; and the state after every row's last token
    """
    prepared = [_prepared.of(layer) for layer in layers]

    def run(direction: int, threads: int | None = None) -> list[tuple[Tensor, ...]]:
        if threads is not None:
            torch.set_num_threads(threads)
        with torch.inference_mode():
            inputs = types[tokens[:, direction]]
            results = []
            for number, layer in enumerate(prepared):
                h, c = (x[number, direction] for x in state)
                results.append(layer[direction].read(inputs, alive, h, c))
                out = results[-1][0]
                inputs = out + inputs if number and skip_connections else out
            return results

    threads = torch.get_num_threads()
    if threads == 1:
        both = [run(FORWARD), run(BACKWARD)]
    else:
        # Threads that last no longer than the sweep: an idle one with a share in PyTorch's own
        # threads can slow down all that follows.
        try:
            with ThreadPoolExecutor(2) as pool:
                waiting = [pool.submit(run, d, threads // 2) for d in (FORWARD, BACKWARD)]
                both = [future.result() for future in waiting]
        finally:
            torch.set_num_threads(threads)  # theirs became that of all threads to come
    outputs = [(a[0], b[0]) for a, b in zip(*both, strict=True)]
    h_end, c_end = (
        torch.stack([torch.stack([a[k], b[k]]) for a, b in zip(*both, strict=True)]) for k in (1, 2)
    )
    return outputs, (h_end, c_end)
