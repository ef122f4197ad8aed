"""ELMo: a character CNN, a bidirectional language model, and a weighted sum of its layers.

Peters et al. 2018 (NAACL), sections 3.1 to 3.4. Taught in lessons 06, 07 and 08. Settings are those
of all published models: relu, clips at 3, a residual connection. Padding is read like all else: it
comes last, and nothing depends on its output. Every class takes its weights by the official names
(`elmo_mini.checkpoints.official.official_weights`). `elmo_mini.fast.bilm` and `elmo_mini.embedding`
compute the same numbers faster; a test holds them to this file, values and gradients.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, takewhile

import torch
from torch import Tensor, nn
from torch.nn import functional

Weights = Mapping[str, Tensor]

TINY = 1e-13  # under a root, so that a layer of equal numbers is not divided by zero


def parameter(weight: Tensor) -> nn.Parameter:
    """A trainable copy of a weight."""
    return nn.Parameter(torch.as_tensor(weight).detach().clone())


def numbered(name: str, weights: Weights) -> list[str]:
    """The names ``name.format(0)``, ``name.format(1)`` and so on, as far as there are weights."""
    return list(takewhile(weights.__contains__, map(name.format, count())))


class Highway(nn.Module):
    """Highway layer: a gate mixes new and old input. Taught in lesson 06, section 4.

    Srivastava, Greff and Schmidhuber 2015:
    g = sigmoid(x W_carry + b_carry)
    y = g * relu(x W_transform + b_transform) + (1 - g) * x

    The files call the gate "carry", although it multiplies the transformed half.
    """

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.W_transform = parameter(weights[f"{name}/W_transform"])  # (F, F)
        self.b_transform = parameter(weights[f"{name}/b_transform"])  # (F,)
        self.W_carry = parameter(weights[f"{name}/W_carry"])
        self.b_carry = parameter(weights[f"{name}/b_carry"])

    def forward(self, x: Tensor) -> Tensor:
        """(N, F) to (N, F)."""
        g = torch.sigmoid(x @ self.W_carry + self.b_carry)
        return g * torch.relu(x @ self.W_transform + self.b_transform) + (1 - g) * x


class CharCNN(nn.Module):
    """Character CNN: convolutions, max over time, highway layers, projection.

    Section 3.4, after Kim et al. 2016. Taught in lesson 06, sections 3 and 5.
    """

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.char_embed = parameter(weights["char_embed"])  # (261, D)
        widths = numbered("CNN/W_cnn_{}", weights)
        # (1, width, D, F) in the files, (F, D, width) for conv1d
        self.W_cnn = nn.ParameterList(parameter(weights[w][0].permute(2, 1, 0)) for w in widths)
        self.b_cnn = nn.ParameterList(parameter(weights[w.replace("W_", "b_")]) for w in widths)
        gates = numbered("CNN_high_{}/W_carry", weights)
        self.highways = nn.ModuleList(Highway(weights, gate.split("/")[0]) for gate in gates)
        self.W_proj = parameter(weights["CNN_proj/W_proj"])  # (F, H)
        self.b_proj = parameter(weights["CNN_proj/b_proj"])  # (H,)

    def forward(self, ids: Tensor) -> Tensor:
        """Character ids (N, 50) to word vectors (N, H)."""
        no_token = self.char_embed.new_zeros(1, self.char_embed.shape[1])
        letters = torch.cat([no_token, self.char_embed])[ids]  # (N, 50, D)
        found = []
        for W, b in zip(self.W_cnn, self.b_cnn, strict=True):
            matches = functional.conv1d(letters.transpose(1, 2), W, b)  # (N, F, 50 - width + 1)
            found.append(matches.amax(-1))  # (N, F)
        x = torch.relu(torch.cat(found, -1))  # (N, all F)
        for highway in self.highways:
            x = highway(x)
        return x @ self.W_proj + self.b_proj  # (N, H)


class LSTM(nn.Module):
    """An LSTM whose hidden state is projected, left to right. Taught in lesson 07, section 2.

    Sak, Senior and Beaufays 2014:
    i, g, f, o = [x ; h] W_0 + B
    c' = clip(sigmoid(f + 1) * c + sigmoid(i) * tanh(g))
    h' = clip((sigmoid(o) * tanh(c')) W_P_0)

    The 1 keeps the forget gate open while the weights are small.
    """

    def __init__(self, weights: Weights, name: str, clip: float = 3.0) -> None:
        super().__init__()
        self.W_0 = parameter(weights[f"{name}/W_0"])  # (H + H, 4 C)
        self.B = parameter(weights[f"{name}/B"])  # (4 C,)
        self.W_P_0 = parameter(weights[f"{name}/W_P_0"])  # (C, H)
        self.clip = clip

    def step(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """One word: x (B, H), h (B, H) and c (B, C) to the next h and c."""
        i, g, f, o = (torch.cat([x, h], -1) @ self.W_0 + self.B).chunk(4, -1)  # each (B, C)
        c = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g)
        c = c.clamp(-self.clip, self.clip)
        h = (torch.sigmoid(o) * torch.tanh(c)) @ self.W_P_0  # (B, C) to (B, H)
        return h.clamp(-self.clip, self.clip), c

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, H) to (B, T, H): at t, what was read up to and including t."""
        cells, hidden = self.W_P_0.shape
        h, c = x.new_zeros(len(x), hidden), x.new_zeros(len(x), cells)
        states = []
        for x_t in x.unbind(1):
            h, c = self.step(x_t, h, c)
            states.append(h)
        return torch.stack(states, 1)  # (B, T, H)


def reverse_each(x: Tensor, lengths: Tensor) -> Tensor:
    """Reverse each sentence within its length, before its padding. Taught in lesson 07, section 3.

    Parameters
    ----------
    x : (B, T, ...)
    lengths : (B,) tokens of each sentence
    """
    t = torch.arange(x.shape[1], device=x.device)  # (T,)
    last = lengths.unsqueeze(1) - 1  # (B, 1)
    order = torch.where(t <= last, last - t, t)  # (B, T)
    return torch.stack([row[positions] for row, positions in zip(x, order, strict=True)])


class BiLM(nn.Module):
    """Bidirectional language model, section 3.1. Taught in lesson 07, sections 3 to 5."""

    def __init__(self, char_cnn: nn.Module, weights: Weights, clip: float = 3.0) -> None:
        super().__init__()
        self.char_cnn = char_cnn
        cells = "RNN_{}/RNN/MultiRNNCell/Cell{{}}/LSTMCell/W_0"
        stacks = [
            nn.ModuleList(
                LSTM(weights, name.removesuffix("/W_0"), clip)
                for name in numbered(cells.format(direction), weights)
            )
            for direction in (0, 1)
        ]
        self.forward_lstms, self.backward_lstms = stacks

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """The 2L + 1 vectors of each token, R_k of section 3.2, in L + 1 tensors.

        Parameters
        ----------
        ids : (B, T, 50), sentence boundaries included; 0 is padding

        Returns
        -------
        [x ; x] of the token layer, then [forward h_j ; backward h_j] of each LSTM layer, each
        (B, T, 2 H), without meaning at padding; and the mask (B, T) bool
        """
        mask = (ids > 0).any(-1)
        lengths = mask.sum(1)
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])  # (B, T, H)
        ahead = self.read(x, self.forward_lstms)
        behind = self.read(reverse_each(x, lengths), self.backward_lstms)
        behind = [reverse_each(h, lengths) for h in behind]
        return [torch.cat(pair, -1) for pair in zip([x, *ahead], [x, *behind], strict=True)], mask

    def read(self, x: Tensor, lstms: Iterable[nn.Module]) -> list[Tensor]:
        """One direction: (B, T, H) to the (B, T, H) of each layer.

        From the second layer on, a layer's input is added to its output.
        """
        layers: list[Tensor] = []
        for lstm in lstms:
            h = lstm(x)
            x = h + x if layers else h
            layers.append(x)
        return layers


def bilm_loss(
    layers: Sequence[Tensor], mask: Tensor, words: Tensor, softmax_W: Tensor, softmax_b: Tensor
) -> Tensor:
    """Minus the objective of section 3.1: cross-entropies. Taught in lesson 07, section 1.

    Parameters
    ----------
    layers, mask : from `BiLM`; only the top layer predicts
    words : (B, T) number of each token in the vocabulary of V words
    softmax_W, softmax_b : (V, H) and (V,), for both directions

    Returns
    -------
    mean over tokens of -log p(t_k | t_1 .. t_k-1) and of -log p(t_k | t_k+1 .. t_N), in nats: (2,)
    """
    ahead, behind = layers[-1].chunk(2, -1)  # each (B, T, H)
    pair = mask[:, 1:]  # where a token and the one before it are both there
    losses = [
        functional.cross_entropy(states[pair] @ softmax_W.T + softmax_b, targets[pair])
        for states, targets in (
            (ahead[:, :-1], words[:, 1:]),
            (behind[:, 1:], words[:, :-1]),
        )
    ]
    return torch.stack(losses)


def scalar_mix(layers: Sequence[Tensor] | Tensor, w: Tensor, gamma: Tensor) -> Tensor:
    """Equation (1): gamma * sum over j of s_j h_j, s = softmax(w). Taught in lesson 08, section 2.

    Parameters
    ----------
    layers : n_layers tensors of one shape (..., 2 H)
    w, gamma : (n_layers,) and ()
    """
    s = torch.softmax(w, 0)
    weighted = [s_j * h_j for s_j, h_j in zip(s, layers, strict=True)]
    return gamma * torch.stack(weighted).sum(0)


def layer_norm(layer: Tensor, mask: Tensor) -> Tensor:
    """(B, T, 2 H) less the mean and over the standard deviation of all its numbers at words.

    One mean and one variance serve the whole batch, as in AllenNLP; nothing is learned. The mask
    is (B, T) bool. Taught in lesson 08, section 4.
    """
    words = layer[mask]  # (N, 2 H)
    return (layer - words.mean()) / torch.sqrt(words.var(unbiased=False) + TINY)


class ScalarMix(nn.Module):
    """`scalar_mix` with learned weights. Taught in lesson 08, sections 2 to 4."""

    def __init__(self, n_layers: int, do_layer_norm: bool = False) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))
        self.do_layer_norm = do_layer_norm

    def forward(self, layers: Sequence[Tensor], mask: Tensor) -> Tensor:
        """n_layers of (B, T, 2 H), and the mask (B, T), to one (B, T, 2 H)."""
        if self.do_layer_norm:
            layers = [layer_norm(layer, mask) for layer in layers]
        return scalar_mix(layers, self.w, self.gamma)


def without_boundaries(vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Leave out both boundaries of every sentence. Taught in lesson 08, section 5.

    (B, T + 2, 2 H) and (B, T + 2) to (B, T, 2 H), zero at padding, and (B, T).
    """
    inner = mask[:, 2:]  # a word stays where two places further on there is a token
    return vectors[:, 1:-1] * inner.unsqueeze(-1), inner
