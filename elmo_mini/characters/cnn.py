"""The token layer: a convolution over characters, highway layers and a projection.

NAACL ELMo paper, section 3.4: "2048 character n-gram convolutional filters followed by two
highway layers and a linear projection". The vector of a word depends on its spelling alone, so
a batch is encoded one word *type* at a time, and only as far as each word's letters reach.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.characters.ids import N_IDS, PADDING, unique_rows
from elmo_mini.characters.options import CharacterCNNOptions
from elmo_mini.fast.derived_weights import Derived
from elmo_mini.fast.packed_product import PackedProduct


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

    def __init__(self, options: CharacterCNNOptions) -> None:
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
        x = torch.cat(pooled, -1)
        x = torch.relu(x) if self.options.activation == "relu" else torch.tanh(x)
        for highway in self.highways:
            x = highway(x)
        vectors = x if self.projection is None else self.projection(x)
        return vectors.view(*ids.shape[:-1], -1)

    def encode_types(self, ids: Tensor) -> Tensor:
        """Encode (N, characters) distinct words, each only as far as its letters reach.

        Past its last letter a word holds padding only, and every window of pure padding gives
        the same number. One such window is kept, so the maximum over time is unchanged. Under
        autograd the batch is cut after its longest word; without it, word by word, and autocast
        changes nothing.
        """
        reach = _reach(ids)
        if torch.is_grad_enabled() and any(p.requires_grad for p in self.parameters()):
            return self(ids[:, : int(reach.max()) + self.options.widest_filter])
        with torch.autocast(ids.device.type, enabled=False):
            return _packed.of(self).encode(ids, reach)

    def encode_tokens(self, ids: Tensor) -> Tensor:
        """Encode (..., characters), every distinct row once."""
        types, inverse = unique_rows(ids.reshape(-1, ids.shape[-1]))
        return self.encode_types(types)[inverse].view(*ids.shape[:-1], -1)


class _PackedCNN:
    """The weights of a `CharacterCNN` laid out for distinct words without gradients.

    Filters narrower than the widest are filled up with zeros, so that one product serves all.
    """

    def __init__(self, encoder: CharacterCNN) -> None:
        self.options = encoder.options
        counts = torch.tensor([count for _, count in self.options.filters])
        widths = torch.tensor([width for width, _ in self.options.filters])
        self.width = widths.repeat_interleave(counts)  # of each filter
        self.widest = self.options.widest_filter
        kernels = []
        for convolution in encoder.convolutions:
            kernel = convolution.weight.detach()  # (filters, character_dim, width)
            missing = self.widest - kernel.shape[-1]
            kernels.append(functional.pad(kernel, (0, missing)).transpose(1, 2).flatten(1))
        bias = torch.cat([cast(Tensor, c.bias).detach() for c in encoder.convolutions])
        self.letters = encoder.embedding.weight.detach()
        self.filters = PackedProduct(torch.cat(kernels), bias)
        self.highways = [
            [PackedProduct(linear.weight, linear.bias) for linear in (h.transform, h.carry)]
            for h in encoder.highways
        ]
        last = encoder.projection
        self.projection = None if last is None else PackedProduct(last.weight, last.bias)

    def encode(self, ids: Tensor, reach: Tensor) -> Tensor:
        """(N, characters) ids of words whose letters reach so far, to (N, projection_dim)."""
        pooled = self._pool_by_position(ids, reach)
        # The maximum is taken before the activation; both are monotone, so the order is free.
        x = pooled.relu_() if self.options.activation == "relu" else pooled.tanh_()
        for transform, carry in self.highways:
            x = torch.lerp(x, transform(x, "relu"), carry(x, "sigmoid"))
        return x if self.projection is None else self.projection(x)

    def _pool_by_position(self, ids: Tensor, reach: Tensor) -> Tensor:
        """Maximum over time of all filters, (N, n_filters), one product per start position.

        The words are sorted by length. At start position p the letters p, p + 1, ... of every
        word that reaches p lie in one strided block, so a window needs no copy, and the running
        maximum stays in the processor's cache.
        """
        characters, step = ids.shape[1], self.options.character_dim
        reach, order = reach.sort(descending=True)
        # words still read at start position p: those whose letters, or first all-padding
        # window, begin at p or later
        starts = torch.arange(characters, device=ids.device).unsqueeze(1)
        alive = [n for n in (reach >= starts).sum(1).tolist() if n]
        read = ids[order, : len(alive) + self.widest]
        read = functional.pad(read, (0, len(alive) + self.widest - read.shape[1]))
        letters = functional.embedding(read, self.letters).flatten(1)
        pooled = letters.new_full((len(ids), len(self.width)), -torch.inf)
        for start, n in enumerate(alive):
            found = self.filters(letters[:n, start * step : (start + self.widest) * step])
            if start + self.widest > characters:
                found[:, self.width.to(ids.device) > characters - start] = -torch.inf
            torch.maximum(pooled[:n], found, out=pooled[:n])
        unsorted = torch.empty_like(pooled)
        unsorted[order] = pooled
        return unsorted


_packed = Derived(_PackedCNN)


def _reach(ids: Tensor) -> Tensor:
    """Number of positions up to and with the last one that is not padding, (N,)."""
    positions = torch.arange(1, ids.shape[1] + 1, device=ids.device)
    return ((ids != PADDING) * positions).amax(1)
