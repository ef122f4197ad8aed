"""An LSTM whose state is projected to fewer dimensions and clipped, in both directions at once.

Sak, Senior and Beaufays 2014 introduced the projection; the clips and their places are those of
the published ELMo models. The forward and the backward LSTM share no weights and never see each
other. They are kept in one module with a leading dimension of two, since two products of equal
shape run faster as one batch of two.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.bilm.fast.training_pass import ReadSequence

FORWARD, BACKWARD = 0, 1


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

    def doubled(self) -> tuple[Tensor, Tensor, Tensor | None]:
        """Weights, gate bias and projection with which sigmoid alone makes a step.

        tanh(x) = 2 sigmoid(2x) - 1. With the part of g in `weight` and `gate_bias` doubled, one
        call squashes all four gates to i, s, f, o. With the cells kept doubled, c2 = 2 c,

        c2' = clip(f * c2 + 4 i * s - 2 i);  h' = clip((o * (sigmoid(c2') - 1/2)) (2 W_P))

        is the step of `step`, its cell clip doubled. Twice a floating-point number is exact.
        """
        candidate = slice(self.cell_size, 2 * self.cell_size)
        weight, bias = self.weight.detach().clone(), self.gate_bias().detach()
        weight[..., candidate] *= 2
        bias[..., candidate] *= 2
        return weight, bias, None if self.projection is None else 2 * self.projection.detach()

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
        self, inputs: Tensor, alive: Sequence[int], state: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Read a batch whose rows are sorted by falling length.

        Parameters
        ----------
        inputs : (2, T, B, input_size), each direction in its own reading order
        alive : for each step, how many rows still have a token; T falling numbers
        state : h (2, B, hidden_size) and c (2, B, cell_size) to start from; zeros if None

        Returns
        -------
        outputs (2, T, B, hidden_size), zero past a row's end, and the state after every row's
        last token

        Under autocast the products are taken in its precision and nothing else is.
        """
        h, c = self._start(inputs, state)
        device = inputs.device.type
        mixed = torch.is_autocast_enabled(device)
        products = torch.get_autocast_dtype(device) if mixed else self.weight.dtype
        with torch.autocast(device, enabled=False):
            outputs, h, c = ReadSequence.apply(
                inputs.to(self.weight.dtype),
                h,
                c,
                self.weight,
                self.gate_bias(),
                self.projection,
                alive,
                self.cell_clip,
                self.proj_clip,
                products,
            )
        return outputs, (h, c)

    def read_step_by_step(
        self, inputs: Tensor, alive: Sequence[int], state: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The definition of `forward`, one `step` after another, differentiated by autograd."""
        batch = inputs.shape[2]
        h, c = self._start(inputs, state)
        w_x, w_h = self.weight.split([self.input_size, self.hidden_size], 1)
        outputs = []
        for t, n in enumerate(alive):
            gates = inputs[:, t, :n] @ w_x + h[:, :n] @ w_h + self.gate_bias()
            h_n, c_n = self.step(gates, c[:, :n])
            outputs.append(functional.pad(h_n, (0, 0, 0, batch - n)))
            h = torch.cat([h_n, h[:, n:]], 1)
            c = torch.cat([c_n, c[:, n:]], 1)
        return torch.stack(outputs, 1), (h, c)

    def _start(self, inputs: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor]:
        if state is not None:
            return state
        batch = inputs.shape[2]
        h = inputs.new_zeros(2, batch, self.hidden_size)
        return h, inputs.new_zeros(2, batch, self.cell_size)
