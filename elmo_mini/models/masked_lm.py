"""A masked language model: fill the blanks of a text that is read from both sides at once.

Each token enters as the sum of three vectors: its word, its place, and the sentence of a pair that
it belongs to. Blocks follow, in which every token reads all others. At a hidden word the state at
the top is asked for the word, by a softmax that shares the table of word vectors.
Devlin et al. 2019 (arXiv:1810.04805), section 3.

Letters in the shape comments: B sentences or pairs, T tokens, D numbers of a state, V words,
N hidden words of a batch.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.errors import ConfigurationError

NOT_ASKED = -1
SMALL = 0.1
"""Start of the tables; BERT has 0.02, which the larger steps of small runs would shake too hard."""
LONGEST_WAVE = 20

Block = Callable[[int, int], nn.Module]
"""(D, heads) to a module that maps states (B, T, D) and the mask (B, T) of tokens to (B, T, D)."""


@dataclass(frozen=True)
class MaskedLMOptions:
    """Sizes of a masked language model.

    Attributes
    ----------
    words : V, the special ones among them
    dim : D, a multiple of `heads`
    heads : of attention, in each block
    layers : how many blocks
    longest : tokens of the longest text that has places

    Raises
    ------
    ConfigurationError
        If one of them is below 1, or `dim` cannot be shared out among the heads.
    """

    words: int
    dim: int = 64
    heads: int = 4
    layers: int = 2
    longest: int = 64

    def __post_init__(self) -> None:
        for name in ("words", "dim", "heads", "layers", "longest"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.dim % self.heads:
            raise ConfigurationError(
                f"dim is {self.dim}, which {self.heads} heads cannot share evenly; "
                "take a multiple of the number of heads"
            )


class TorchBlock(nn.Module):
    """PyTorch's encoder layer, without dropout: attention, then two layers of 4 D, as in BERT."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            dim, heads, 4 * dim, dropout=0.0, activation="gelu", batch_first=True
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """States (B, T, D), and the mask (B, T), True at tokens, to (B, T, D)."""
        out: Tensor = self.layer(x, src_key_padding_mask=~mask)
        return out


class MaskedLM(nn.Module):
    """Word, place and segment vectors, blocks, and a softmax tied to the word vectors.

    Parameters
    ----------
    options : the sizes
    block : makes a block from (D, heads); by default PyTorch's own
    """

    def __init__(self, options: MaskedLMOptions, block: Block = TorchBlock) -> None:
        super().__init__()
        self.options = options
        dim = options.dim
        self.word = nn.Embedding(options.words, dim)
        self.place = nn.Embedding(options.longest, dim)
        self.segment = nn.Embedding(2, dim)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(block(dim, options.heads) for _ in range(options.layers))
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.LayerNorm(dim))
        self.bias = nn.Parameter(torch.zeros(options.words))
        self.next = nn.Linear(dim, 1)
        for table in (self.word, self.segment):
            nn.init.normal_(table.weight, std=SMALL)
        with torch.no_grad():
            self.place.weight.copy_(SMALL * 2**0.5 * waves(options.longest, dim))

    def layers(self, ids: Tensor, mask: Tensor, segments: Tensor | None = None) -> list[Tensor]:
        """What enters the first block, and what leaves each block.

        Parameters
        ----------
        ids : (B, T) word numbers
        mask : (B, T) bool, True at tokens, False at padding
        segments : (B, T), 0 in the first sentence of a pair, 1 in the second; by default all 0

        Returns
        -------
        `layers` + 1 tensors (B, T, D); what stands at padding means nothing

        Raises
        ------
        ValueError
            If a text is longer than the model has places.
        """
        length = ids.shape[1]
        if length > self.options.longest:
            raise ValueError(
                f"a text of {length} tokens, but the model has {self.options.longest} places: "
                "cut it, or train a model with more"
            )
        places = torch.arange(length, device=ids.device)  # (T,)
        x = self.word(ids) + self.place(places)  # (B, T, D)
        x = x + self.segment(torch.zeros_like(ids) if segments is None else segments)
        states = [self.norm(x)]
        for block in self.blocks:
            states.append(block(states[-1], mask))
        return states

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor | None = None) -> Tensor:
        """The states at the top (B, T, D); parameters as in `layers`."""
        return self.layers(ids, mask, segments)[-1]

    def scores(self, states: Tensor) -> Tensor:
        """States (..., D) to a score for each word (..., V), before the softmax."""
        return functional.linear(self.transform(states), self.word.weight, self.bias)

    def next_score(self, states: Tensor) -> Tensor:
        """Top states (B, T, D) to the log odds that the second sentence follows the first, (B,)."""
        score: Tensor = self.next(states[:, 0]).squeeze(-1)
        return score


def waves(places: int, dim: int) -> Tensor:
    """Sines and cosines of the place, slower and slower, (places, dim).

    Neighbours have like vectors, and a step to the right turns all of them in the same way
    (arXiv:1706.03762, section 3.5). BERT's tables begin with random numbers and must find that out
    for each place by itself, which takes longer than a small run lasts. Ours begin with waves, and
    learn.
    """
    pairs = torch.arange((dim + 1) // 2) * 2 / dim
    angles = torch.arange(places)[:, None] / LONGEST_WAVE**pairs  # (places, dim / 2)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :dim]


def masked_lm_loss(
    model: MaskedLM, ids: Tensor, asked: Tensor, mask: Tensor, segments: Tensor | None = None
) -> Tensor:
    """Mean of -log p(word) over the places that are asked for, in nats.

    Parameters
    ----------
    ids : (B, T) corrupted word numbers
    asked : (B, T) the number of the word to find, `NOT_ASKED` everywhere else
    mask, segments : as in `MaskedLM.layers`

    Raises
    ------
    ValueError
        If no place is asked for.
    """
    chosen = asked != NOT_ASKED
    if not chosen.any():
        raise ValueError("no place is asked for, so there is no mean loss")
    states = model(ids, mask, segments)[chosen]  # (N, D)
    return functional.cross_entropy(model.scores(states), asked[chosen])
