"""Masked language model, as BERT's: corrupt some tokens of a text and predict what they were.

Of the real words about 15 in 100 are chosen. Of these, 80 in 100 become ``[MASK]``, 10 in 100
become a random word, and 10 in 100 stay. Only the chosen ones are targets. Each token enters as
the sum of three vectors: word, position, and segment (the sentence of a pair that it belongs to).
Encoder blocks follow, in which every position attends to all others. The state at a target gives
the logits of the words, through a softmax that is tied to the word embedding.
Devlin et al. 2019 (arXiv:1810.04805), section 3 and appendix A.1. Taught in lesson 12.

Letters in the shape comments: B sentences or pairs, T tokens, D numbers of a state, V words,
N targets of a batch.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

PADDING, UNKNOWN, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The first words of every vocabulary of a masked language model; ``[PAD]`` is word 0."""

CHOSEN, MASKED, REPLACED = 0.15, 0.8, 0.1
IGNORED = -1
"""In place of a target, where there is none."""
SMALL = 0.1
"""Start of the tables; BERT has 0.02, which the larger steps of small runs would shake too hard."""
LONGEST_WAVE = 20

MOST = {"words": 1 << 24, "dim": 1 << 16, "heads": 1 << 16, "layers": 128, "longest": 1 << 16}
"""The largest sizes, far beyond BERT's; a typing error is then told, and not built."""
MOST_WEIGHTS = 1 << 32

MakeBlock = Callable[[int, int], nn.Module]
"""(D, heads) to a module that maps states (B, T, D) and the mask (B, T) of tokens to (B, T, D)."""


def corrupt(
    ids: Tensor,
    words: int,
    generator: torch.Generator | None = None,
    *,
    chosen: float = CHOSEN,
    masked: float = MASKED,
    replaced: float = REPLACED,
) -> tuple[Tensor, Tensor]:
    """Corrupted inputs for a masked language model, and its targets.

    Section 3.1, "Task #1". Taught in lesson 12, section 2.

    Parameters
    ----------
    ids : (B, T) word numbers; those below ``len(SPECIALS)`` are never chosen
    words : V; a random word is any of those that are not special, each as likely
    generator : of the random numbers
    chosen : share of the ordinary words that become targets
    masked, replaced : shares of the chosen that become ``[MASK]`` and a random word

    Returns
    -------
    The inputs (B, T), and the targets (B, T): the word where one was chosen, `IGNORED` elsewhere

    Raises
    ------
    ValueError
        If a share is not from 0 to 1, `masked` and `replaced` sum to more, or the ids are unsigned.
    """
    if not (0 <= chosen <= 1 and min(masked, replaced) >= 0 and masked + replaced <= 1 + 1e-9):
        raise ValueError(
            f"chosen={chosen}, masked={masked}, replaced={replaced} are shares, each from 0 to 1; "
            "the last two are parts of one whole"
        )
    if not ids.dtype.is_signed or ids.is_floating_point():
        raise ValueError(f"the ids are {ids.dtype}; they must be signed whole numbers, as int64")
    ordinary = ids >= len(SPECIALS)  # (B, T) bool
    is_target = ordinary & (torch.rand(ids.shape, generator=generator) < chosen)
    lot = torch.rand(ids.shape, generator=generator)
    others = torch.randint(len(SPECIALS), words, ids.shape, generator=generator)
    inputs = torch.where(is_target & (lot < masked), SPECIALS.index(MASK), ids)
    swapped = is_target & (lot >= masked) & (lot < masked + replaced)
    inputs = torch.where(swapped, others, inputs)
    return inputs, torch.where(is_target, ids, IGNORED)


@dataclass(frozen=True)
class MaskedLMOptions:
    """Sizes of a masked language model.

    Attributes
    ----------
    words : V, the special ones among them
    dim : D, a multiple of `heads`
    heads : of attention, in each block
    layers : how many blocks
    longest : tokens of the longest text, the number of position embeddings

    Raises
    ------
    ValueError
        If one of them is below 1 or too large, or `dim` cannot be shared out among the heads.
    """

    words: int
    dim: int = 64
    heads: int = 4
    layers: int = 2
    longest: int = 64

    def __post_init__(self) -> None:
        for name, most in MOST.items():
            size = getattr(self, name)
            if type(size) is not int or not 1 <= size <= most:
                raise ValueError(
                    f"{name} is {size!r:.40}; it must be a whole number of at least 1 "
                    f"and at most {most:,}"
                )
        weights = (self.words + self.longest + 12 * self.layers * self.dim) * self.dim
        if weights > MOST_WEIGHTS:
            raise ValueError(f"a model of {weights:,} weights; lower dim: at most {MOST_WEIGHTS:,}")
        if self.dim % self.heads:
            raise ValueError(
                f"dim is {self.dim}, which {self.heads} heads cannot share evenly; "
                "take a multiple of the number of heads"
            )


class TorchBlock(nn.Module):
    """PyTorch's encoder layer, without dropout: attention, then two layers of 4 D, as in BERT.

    Used in lesson 12; lesson 13 puts `elmo_mini.models.attention.Block` in its place.
    """

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
    """Word, position and segment embeddings, encoder blocks, and a softmax tied to the words.

    Section 3 and figure 2. Taught in lesson 12, section 2, "The model"; the pairs in section 4.

    Parameters
    ----------
    options : the sizes
    block : makes a block from (D, heads); by default PyTorch's own
    """

    def __init__(self, options: MaskedLMOptions, block: MakeBlock = TorchBlock) -> None:
        super().__init__()
        self.options = options
        dim = options.dim
        self.word = nn.Embedding(options.words, dim)
        self.position_embedding = nn.Embedding(options.longest, dim)
        self.segment = nn.Embedding(2, dim)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(block(dim, options.heads) for _ in range(options.layers))
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.LayerNorm(dim))
        self.bias = nn.Parameter(torch.zeros(options.words))
        self.next = nn.Linear(dim, 1)
        for table in (self.word, self.segment):
            nn.init.normal_(table.weight, std=SMALL)
        with torch.no_grad():
            waves = sinusoidal_positions(options.longest, dim)  # (longest, D)
            self.position_embedding.weight.copy_(SMALL * 2**0.5 * waves)

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
            If a text is longer than the model has positions.
        """
        length, mask = ids.shape[1], mask.bool()
        if length > self.options.longest:
            raise ValueError(
                f"a text of {length} tokens, but the model has {self.options.longest} positions: "
                "cut it, or train a model with more"
            )
        positions = torch.arange(length, device=ids.device)  # (T,)
        x = self.word(ids) + self.position_embedding(positions)  # (B, T, D)
        x = x + self.segment(torch.zeros_like(ids) if segments is None else segments)
        states = [self.norm(x)]
        for block in self.blocks:
            states.append(block(states[-1], mask))  # (B, T, D)
        return states

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor | None = None) -> Tensor:
        """The states at the top (B, T, D); parameters as in `layers`."""
        return self.layers(ids, mask, segments)[-1]

    def scores(self, states: Tensor) -> Tensor:
        """States (..., D) to the logits of the words (..., V)."""
        return functional.linear(self.transform(states), self.word.weight, self.bias)

    def next_score(self, states: Tensor) -> Tensor:
        """Next-sentence prediction: top states (B, T, D) to the log odds that it follows, (B,)."""
        score: Tensor = self.next(states[:, 0]).squeeze(-1)  # (B, D) at [CLS], then (B,)
        return score


def sinusoidal_positions(positions: int, dim: int) -> Tensor:
    """Sinusoidal position encodings, (positions, dim), with waves of at most 2π · 20 positions.

    arXiv:1706.03762, section 3.5. Neighbours have like vectors, and a step to the right turns all
    of them in the same way. BERT's tables begin with random numbers and must find that out for
    each position by itself, which takes longer than a small run lasts. Ours begin so, and learn.
    """
    pairs = torch.arange((dim + 1) // 2) * 2 / dim  # (dim / 2,)
    angles = torch.arange(positions)[:, None] / LONGEST_WAVE**pairs  # (positions, dim / 2)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :dim]  # (positions, dim)


def masked_lm_loss(
    model: MaskedLM, ids: Tensor, targets: Tensor, mask: Tensor, segments: Tensor | None = None
) -> Tensor:
    """Cross-entropy at the targets alone: the mean of -log p(word), in nats.

    Section 3.1, "Task #1". Taught in lesson 12, section 2.

    Parameters
    ----------
    ids : (B, T) corrupted word numbers
    targets : (B, T) the number of the word to find, `IGNORED` everywhere else
    mask, segments : as in `MaskedLM.layers`

    Raises
    ------
    ValueError
        If there is no target.
    """
    chosen = targets != IGNORED  # (B, T)
    if not chosen.any():
        raise ValueError("no position is asked for, so there is no mean loss")
    states = model(ids, mask, segments)[chosen]  # (N, D)
    return functional.cross_entropy(model.scores(states), targets[chosen])
