"""An LSTM from its gates: one layer, one step after the other.

Hochreiter & Schmidhuber 1997 (Neural Computation 9(8)), with the forget gate of Gers, Schmidhuber
& Cummins 2000 (Neural Computation 12(10)). The numbers are those of `torch.nn.LSTM`, which is
faster: one matrix and one bias here are two of each there.

Letters in the shape comments: B sequences, T steps, E numbers of an input, H of a state.
"""

import torch
from torch import Tensor, nn

LSTMState = tuple[Tensor, Tensor]


class LSTM(nn.Module):
    """One layer.

    Parameters
    ----------
    inputs : E
    hidden : H

    Attributes
    ----------
    gates : (E + H) to 4H: input gate, forget gate, candidate, output gate
    """

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.gates = nn.Linear(inputs + hidden, 4 * hidden)

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Inputs (B, T, E) and (h, c), (B, H) each, to all states (B, T, H) and the last (h, c)."""
        if state is None:
            state = x.new_zeros(len(x), self.hidden), x.new_zeros(len(x), self.hidden)
        h, c = state
        states = []
        for x_t in x.unbind(1):
            i, f, g, o = self.gates(torch.cat([x_t, h], -1)).chunk(4, -1)  # (B, H) each
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            states.append(h)
        return torch.stack(states, 1), (h, c)
