"""The token layer: a convolution over characters, highway layers and a projection.

NAACL ELMo paper, section 3.4: "2048 character n-gram convolutional filters followed by two
highway layers and a linear projection". The vector of a word depends on its spelling alone, so
a batch is encoded one word *type* at a time, and only as far as each word's letters reach.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from elmo_mini.characters import N_IDS, PADDING, unique_rows
from elmo_mini.options import BiLMOptions


class Highway(nn.Module):
    """One highway layer (Srivastava et al. 2015): a gate chooses between new and old.

    y = g * relu(W_transform x + b_transform) + (1 - g) * x with g = sigmoid(W_carry x + b_carry).
    The official files call the gate "carry", although it multiplies the transformed half.
    The gate's bias starts at -2, which lets the input through.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.carry = nn.Linear(size, size)
        for linear in (self.transform, self.carry):
            nn.init.normal_(linear.weight, std=size**-0.5)
        nn.init.zeros_(self.transform.bias)
        nn.init.constant_(self.carry.bias, -2.0)

    def forward(self, x: Tensor) -> Tensor:
        """(..., size) to (..., size)."""
        gate = torch.sigmoid(self.carry(x))
        # Under autocast the two products may be of lower precision than x.
        return torch.lerp(x, torch.relu(self.transform(x)).to(x), gate.to(x))


class CharacterCNN(nn.Module):
    """Words as character ids to vectors: (..., characters) to (..., projection_dim).

    Without a projection (filters sum up to `projection_dim` in the official files) the highway
    output is the word vector. Row 0 of the embedding stands for "no token" and stays zero; row
    261, the padding inside a word, is trained like any letter.
    """

    def __init__(self, options: BiLMOptions) -> None:
        super().__init__()
        self.options = options
        self.embedding = nn.Embedding(N_IDS, options.character_dim, padding_idx=0)
        nn.init.uniform_(self.embedding.weight[1:].detach(), -1.0, 1.0)
        convolutions = [
            nn.Conv1d(options.character_dim, count, width) for width, count in options.filters
        ]
        for convolution in convolutions:
            nn.init.uniform_(convolution.weight, -0.05, 0.05)
            nn.init.zeros_(cast(Tensor, convolution.bias))
        highways = [Highway(options.n_filters) for _ in range(options.n_highway)]
        self.convolutions = cast(Sequence[nn.Conv1d], nn.ModuleList(convolutions))
        self.highways = cast(Sequence[Highway], nn.ModuleList(highways))
        self.projection: nn.Linear | None = None
        if options.n_filters != options.projection_dim:
            self.projection = nn.Linear(options.n_filters, options.projection_dim)
            nn.init.normal_(self.projection.weight, std=options.n_filters**-0.5)
            nn.init.zeros_(self.projection.bias)

    def forward(self, ids: Tensor) -> Tensor:
        """Encode every row of `ids` over all its positions: the definition, with no short cut."""
        rows = ids.reshape(-1, ids.shape[-1])
        letters = self.embedding(rows).transpose(1, 2)  # (N, character_dim, characters)
        pooled = [convolution(letters).amax(-1) for convolution in self.convolutions]
        vectors = self._after_pooling(torch.cat(pooled, -1))
        return vectors.view(*ids.shape[:-1], -1)

    def encode_types(self, ids: Tensor) -> Tensor:
        """Encode (N, characters) distinct words, each only as far as its letters reach.

        Past its last letter a word holds padding only, and every window of pure padding gives
        the same number. One such window is kept, so the maximum over time is unchanged. Under
        autograd the batch is cut after its longest word; without it, word by word.
        """
        reach = _reach(ids)
        if torch.is_grad_enabled() and any(p.requires_grad for p in self.parameters()):
            widest = max(width for width, _ in self.options.filters)
            return self(ids[:, : int(reach.max()) + widest])
        return self._after_pooling(self._pool_by_position(ids, reach))

    def encode_tokens(self, ids: Tensor) -> Tensor:
        """Encode (..., characters), every distinct row once."""
        types, inverse = unique_rows(ids.reshape(-1, ids.shape[-1]))
        return self.encode_types(types)[inverse].view(*ids.shape[:-1], -1)

    def _after_pooling(self, pooled: Tensor) -> Tensor:
        # The maximum is taken before the activation; both are monotone, so the order is free.
        x = torch.relu(pooled) if self.options.activation == "relu" else torch.tanh(pooled)
        for highway in self.highways:
            x = highway(x)
        return x if self.projection is None else self.projection(x)

    def _pool_by_position(self, ids: Tensor, reach: Tensor) -> Tensor:
        """Maximum over time of all filters, (N, n_filters), one product per start position.

        The words are sorted by length. At start position p the letters p, p + 1, ... of every
        word that reaches p lie in one strided block, so a window needs no copy, and the running
        maximum stays in the processor's cache.
        """
        characters = ids.shape[1]
        reach, order = reach.sort(descending=True)
        letters = self.embedding(ids[order]).flatten(1)  # (N, characters * character_dim)
        # words still read at start position p: those whose letters, or first all-padding
        # window, begin at p or later
        alive = (reach.unsqueeze(0) >= torch.arange(characters).to(reach).unsqueeze(1)).sum(1)
        pooled = letters.new_empty(len(ids), self.options.n_filters)
        scratch = torch.empty_like(pooled)
        step = self.options.character_dim
        for first, last, width, weight, bias in self._windows():
            out = pooled[:, first:last]
            for start, n in enumerate(alive[: characters - width + 1].tolist()):
                if n == 0:
                    break
                window = letters[:n, start * step : (start + width) * step]
                if start == 0:
                    torch.addmm(bias, window, weight, out=out)
                else:
                    torch.addmm(bias, window, weight, out=scratch[:n, first:last])
                    torch.maximum(out[:n], scratch[:n, first:last], out=out[:n])
        unsorted = torch.empty_like(pooled)
        unsorted[order] = pooled
        return unsorted

    def _windows(self) -> list[tuple[int, int, int, Tensor, Tensor]]:
        """(first filter, last filter, width, weight (width * dim, filters), bias) per width."""
        windows, first = [], 0
        for convolution in self.convolutions:
            count, _, width = convolution.weight.shape
            weight = convolution.weight.detach().permute(2, 1, 0).reshape(-1, count)
            bias = cast(Tensor, convolution.bias).detach()
            windows.append((first, first + count, width, weight, bias))
            first += count
        return windows


def _reach(ids: Tensor) -> Tensor:
    """Number of positions up to and with the last one that is not padding, (N,)."""
    positions = torch.arange(1, ids.shape[1] + 1, device=ids.device)
    return ((ids != PADDING) * positions).amax(1)
