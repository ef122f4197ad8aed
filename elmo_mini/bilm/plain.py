"""The biLM as one writes it on a blackboard. Read this first.

One direction is one LSTM, one LSTM is one cell in a loop, and padding is read like everything
else, since it comes last and nothing looks at what it gives. `elmo_mini.bilm.model` computes the
same numbers faster; a test holds the two together, values and gradients.

NAACL ELMo paper, sections 3.1 and 3.4. The token layer is `elmo_mini.characters.cnn`, the mix of
the layers is `elmo_mini.elmo.scalar_mix`.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.bilm import model
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.bilm.projected_lstm import BACKWARD, FORWARD, clip
from elmo_mini.characters.cnn import CharacterCNN


class LSTMCell(nn.Module):
    """One step of an LSTM with a projected state (Sak, Senior and Beaufays 2014).

    i, g, f, o = W [x ; h] + b
    c' = clip(sigmoid(f + 1) * c + sigmoid(i) * tanh(g))
    h' = clip(W_P (sigmoid(o) * tanh(c')))

    The 1 keeps the forget gate open while the weights are still small. Without a projection
    (`hidden_size` equals `cell_size`) the state is not clipped.
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
        self.cell_size, self.hidden_size = cell_size, hidden_size
        self.cell_clip, self.proj_clip = cell_clip, proj_clip
        self.gates = nn.Linear(input_size + hidden_size, 4 * cell_size)
        self.projection: nn.Linear | None = None
        if hidden_size != cell_size:
            self.projection = nn.Linear(cell_size, hidden_size, bias=False)

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, input_size), h (B, hidden_size), c (B, cell_size) to the next h and c."""
        i, g, f, o = self.gates(torch.cat([x, h], -1)).chunk(4, -1)  # each (B, cell_size)
        kept = torch.sigmoid(f + 1) * c
        c = clip(kept + torch.sigmoid(i) * torch.tanh(g), self.cell_clip)
        h = torch.sigmoid(o) * torch.tanh(c)
        if self.projection is not None:
            h = clip(self.projection(h), self.proj_clip)
        return h, c


class LSTM(nn.Module):
    """Reads sentences from left to right, from a state of zeros."""

    def __init__(self, cell: LSTMCell) -> None:
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, input_size) to (B, T, hidden_size): at t, what was read up to and including t."""
        h = x.new_zeros(len(x), self.cell.hidden_size)
        c = x.new_zeros(len(x), self.cell.cell_size)
        states = []
        for x_t in x.unbind(1):
            h, c = self.cell(x_t, h, c)
            states.append(h)
        return torch.stack(states, 1)


def reverse_each(x: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence around within its own length; its padding stays at the end.

    Parameters
    ----------
    x : (B, T, ...)
    lengths : (B,) tokens of each sentence
    """
    t = torch.arange(x.shape[1], device=x.device)
    lengths = lengths.unsqueeze(1)  # (B, 1)
    order = torch.where(t < lengths, lengths - 1 - t, t)  # (B, T)
    return torch.stack([row[places] for row, places in zip(x, order, strict=True)])


class BiLM(nn.Module):
    """A token layer, and two stacks of LSTMs that never see each other."""

    def __init__(self, options: BiLMOptions) -> None:
        super().__init__()
        self.use_skip_connections = options.use_skip_connections
        self.token_layer = CharacterCNN(options)
        self.forward_lstms = nn.ModuleList(_lstms(options))
        self.backward_lstms = nn.ModuleList(_lstms(options))

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """The 2L + 1 representations of each token, R_k (section 3.2), in L + 1 tensors.

        Parameters
        ----------
        ids : (B, T, characters) from `batch_to_ids` and `add_boundaries`; 0 is padding

        Returns
        -------
        L + 1 tensors (B, T, 2H), which hold nothing of meaning at padding: [x ; x] of the token
        layer, then [forward h_j ; backward h_j] of each LSTM layer; and the mask (B, T) bool
        """
        mask = (ids > 0).any(-1)  # (B, T)
        lengths = mask.sum(1)
        x = self.token_layer(ids)  # (B, T, H)
        ahead = self.read(x, self.forward_lstms)
        behind = self.read(reverse_each(x, lengths), self.backward_lstms)
        behind = [reverse_each(h, lengths) for h in behind]
        return [torch.cat(pair, -1) for pair in zip([x, *ahead], [x, *behind], strict=True)], mask

    def read(self, x: Tensor, lstms: Iterable[nn.Module]) -> list[Tensor]:
        """One direction: (B, T, H) to the (B, T, H) of each layer.

        From the second layer on, a layer adds its input to its output (section 3.4).
        """
        layers: list[Tensor] = []
        for lstm in lstms:
            h = lstm(x)
            if layers and self.use_skip_connections:
                h = h + x
            layers.append(h)
            x = h
        return layers


class BiLMLoss(nn.Module):
    """What pretraining minimises: both directions predict their next word with one softmax.

    Ahead, the mean over tokens of -log p(t_k | t_1 .. t_k-1); back, of -log p(t_k | t_k+1 .. t_N)
    (section 3.1). Pretraining minimises the mean of the two. Token layer and softmax are shared.
    """

    def __init__(self, bilm: BiLM, hidden_size: int, words: int) -> None:
        super().__init__()
        self.bilm = bilm
        self.softmax = nn.Linear(hidden_size, words)

    def forward(self, ids: Tensor, words: Tensor) -> Tensor:
        """Loss in nats, (2,): forward and backward.

        Parameters
        ----------
        ids : (B, T, characters), boundaries included
        words : (B, T) number of each token in the vocabulary of the softmax
        """
        layers, mask = self.bilm(ids)
        ahead, behind = layers[-1].chunk(2, -1)  # each (B, T, H)
        both = mask[:, 1:]  # a sentence's tokens 2 to N, and as many in front of them
        forward = self._cross_entropy(ahead[:, :-1][both], words[:, 1:][both])
        backward = self._cross_entropy(behind[:, 1:][both], words[:, :-1][both])
        return torch.stack([forward, backward])

    def _cross_entropy(self, states: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(self.softmax(states), targets)


@torch.no_grad()
def plain_copy(bilm: model.BiLM) -> BiLM:
    """The plain biLM with a copy of the weights of the one that runs fast."""
    plain = BiLM(bilm.options).to(bilm.device, bilm.token_encoder.embedding.weight.dtype)
    plain.token_layer.load_state_dict(bilm.token_encoder.state_dict())
    for direction, lstms in ((FORWARD, plain.forward_lstms), (BACKWARD, plain.backward_lstms)):
        for lstm, layer in zip(lstms, bilm.layers, strict=True):
            assert isinstance(lstm, LSTM)
            lstm.cell.gates.weight.copy_(layer.weight[direction].T)
            lstm.cell.gates.bias.copy_(layer.bias[direction])
            if lstm.cell.projection is not None and layer.projection is not None:
                lstm.cell.projection.weight.copy_(layer.projection[direction].T)
    return plain


def _lstms(options: BiLMOptions) -> list[LSTM]:
    sizes = (options.projection_dim, options.dim, options.projection_dim)
    clips = (options.cell_clip, options.proj_clip)
    return [LSTM(LSTMCell(*sizes, *clips)) for _ in range(options.n_layers)]
