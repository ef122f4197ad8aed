"""The token layer: a convolution over characters, highway layers and a projection.

As `elmo_mini.models.elmo.CharCNN`, the page to read first, but for speed. The vector of a word
depends on its spelling alone, so a batch is encoded one word *type* at a time;
`elmo_mini.fast.char_cnn_types` does that.
"""

from collections.abc import Iterator, Sequence
from typing import cast

import torch
from torch import Tensor, nn

from elmo_mini.fast.character_options import CharacterCNNOptions
from elmo_mini.text.character_ids import N_IDS


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

    def weights(self) -> Iterator[Tensor]:
        """Every tensor that `forward` reads, while each part is of the class it was built with."""
        yield self.embedding.weight
        parts: list[nn.Conv1d | nn.Linear] = [*self.convolutions]
        for highway in self.highways:
            parts += [highway.transform, highway.carry]
        if self.projection is not None:
            parts.append(self.projection)
        for part in parts:
            yield part.weight
            if part.bias is not None:
                yield part.bias

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
