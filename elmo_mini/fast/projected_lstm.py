"""An LSTM whose state is projected to fewer dimensions and clipped, in both directions at once.

As `elmo_mini.models.elmo.LSTM`, the page to read first, but for speed. The forward and the backward
LSTM share no weights and never see each other. They are kept in one module with a leading dimension
of two, since two products of equal shape run faster as one batch of two.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

FORWARD, BACKWARD = 0, 1

State = tuple[Tensor, Tensor]


def clip(x: Tensor, limit: float | None) -> Tensor:
    """x held within plus or minus `limit`; no limit when it is 0 or None."""
    return x.clamp(-limit, limit) if limit else x


class ProjectedLSTM(nn.Module):
    """One layer: a forward and a backward LSTM with projection, side by side.

    Parameters (all with the direction first; gates in the files' order i, g, f, o)

    weight : (2, input_size + hidden_size, 4 * cell_size), input rows first, then recurrent rows
    bias : (2, 4 * cell_size), as the official files keep it: the forget gate's part is used plus 1
    projection : (2, cell_size, hidden_size), or None when `hidden_size` equals `cell_size`
    """

    def __init__(
        self,
        input_size: int,
        cell_size: int,
        hidden_size: int,
        cell_clip: float | None = 3.0,
        proj_clip: float | None = 3.0,
    ) -> None:
        super().__init__()
        self.input_size, self.cell_size, self.hidden_size = input_size, cell_size, hidden_size
        self.cell_clip, self.proj_clip = cell_clip, proj_clip
        self.weight = nn.Parameter(torch.empty(2, input_size + hidden_size, 4 * cell_size))
        self.bias = nn.Parameter(torch.zeros(2, 4 * cell_size))
        self.projection: nn.Parameter | None = None
        if hidden_size != cell_size:
            self.projection = nn.Parameter(torch.empty(2, cell_size, hidden_size))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Glorot weights and zero bias."""
        for direction in (FORWARD, BACKWARD):
            nn.init.xavier_uniform_(self.weight[direction])
            if self.projection is not None:
                nn.init.xavier_uniform_(self.projection[direction])
        nn.init.zeros_(self.bias)

    def gate_bias(self) -> Tensor:
        """The bias that is added to the gates, (2, 1, 4 * cell_size): 1 more at the forget gate.

        The 1 is added here and not when a file is read, since b - 1 + 1 is not b in floating
        point and an export must be read back unchanged.
        """
        offset = torch.zeros_like(self.bias)
        offset[:, 2 * self.cell_size : 3 * self.cell_size] = 1.0
        return (self.bias + offset).unsqueeze(1)

    def weights(self) -> list[Tensor]:
        """Every tensor that `forward` reads."""
        projection = [] if self.projection is None else [self.projection]
        return [self.weight, self.bias, *projection]

    def step(self, gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """One time step, from summed gate inputs to the new state.

        c' = clip(sigmoid(f) * c + sigmoid(i) * tanh(g));  h' = clip((sigmoid(o) * tanh(c')) W_P)

        Parameters
        ----------
        gates : (2, B, 4 * cell_size), x W_x + h W_h + b
        c : (2, B, cell_size)

        Returns
        -------
        h' (2, B, hidden_size), which is both the output and the next recurrent input, and c'
        """
        i, g, f, o = gates.chunk(4, -1)
        c = clip(torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g), self.cell_clip)
        h = torch.sigmoid(o) * torch.tanh(c)
        if self.projection is not None:
            h = clip(h @ self.projection, self.proj_clip)
        return h, c

    def forward(
        self, inputs: Tensor, batch_sizes: Sequence[int], state: State | None = None
    ) -> tuple[Tensor, State]:
        """Read a batch whose B rows are sorted by falling length, packed as by `PackedOrder`.

        This is the definition. `elmo_mini.fast.read_layer` computes the same, faster.

        Parameters
        ----------
        inputs : (2, N, input_size), step after step, each direction in its own order
        batch_sizes : for each step, how many rows still read; falling numbers whose sum is N
        state : h (2, B, hidden_size) and c (2, B, cell_size) to start from; zeros if None

        Returns
        -------
        outputs (2, N, hidden_size) and the state after every row's last token
        """
        h, c = self.zero_state(batch_sizes[0]) if state is None else state
        w_x, w_h = self.weight.split([self.input_size, self.hidden_size], 1)
        bias = self.gate_bias()
        outputs = []
        for x in inputs.split(list(batch_sizes), 1):  # (2, n, input_size)
            n = x.shape[1]
            gates = x @ w_x + h[:, :n] @ w_h + bias  # (2, n, 4 * cell_size)
            h_n, c_n = self.step(gates, c[:, :n])
            outputs.append(h_n)
            h = torch.cat([h_n, h[:, n:]], 1)
            c = torch.cat([c_n, c[:, n:]], 1)
        return torch.cat(outputs, 1), (h, c)

    def zero_state(self, batch: int) -> State:
        """h (2, batch, hidden_size) and c (2, batch, cell_size), zeros."""
        h = self.weight.new_zeros(2, batch, self.hidden_size)
        return h, self.weight.new_zeros(2, batch, self.cell_size)
