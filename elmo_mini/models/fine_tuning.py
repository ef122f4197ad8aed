"""A language model of blocks that look back only: the direction of GPT.

Radford et al. 2018, "Improving language understanding by generative pre-training", section 3.1.

Letters in the shape comments: B sentences, T tokens, D numbers of a state, V words.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.transformer.attention import only_back
from elmo_mini.transformer.block import Block

SMALL = 0.02
Draw = Callable[[Tensor], int]


def causal_block(dim: int, heads: int) -> Block:
    """A block that looks back only."""
    return Block(dim, heads, only_back)


class CausalLM(nn.Module):
    """Word and place vectors, blocks, and a softmax tied to the word vectors.

    Parameters
    ----------
    words : V
    dim : D
    heads, layers : of how many heads each block, and how many blocks
    longest : tokens of the longest text that has places
    block : makes a block from (D, heads)
    """

    def __init__(
        self,
        words: int,
        dim: int = 64,
        heads: int = 4,
        layers: int = 2,
        longest: int = 64,
        block: Callable[[int, int], nn.Module] = causal_block,
    ) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(words, dim), nn.Embedding(longest, dim)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(block(dim, heads) for _ in range(layers))
        self.bias = nn.Parameter(torch.zeros(words))
        for table in (self.word, self.place):
            nn.init.normal_(table.weight, std=SMALL)

    def states(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, T) word numbers, and the mask (B, T) of tokens, to the states at the top (B, T, D).

        Raises
        ------
        ValueError
            If a text is longer than the model has places.
        """
        length, longest = ids.shape[1], self.place.num_embeddings
        if length > longest:
            raise ValueError(f"a text of {length} tokens, but the model has {longest} places")
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        x = self.norm(self.word(ids) + self.place(torch.arange(length, device=ids.device)))
        for block in self.blocks:
            x = block(x, mask)
        return x

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """As `states`, to scores of the next word (B, T, V)."""
        return functional.linear(self.states(ids, mask), self.word.weight, self.bias)

    def loss(self, ids: Tensor, mask: Tensor) -> Tensor:
        """As `next_word_loss`."""
        return next_word_loss(self, ids, mask)


def next_word_loss(model: nn.Module, ids: Tensor, mask: Tensor) -> Tensor:
    """Mean of -log p(next word), in nats, over the tokens that have one.

    Parameters
    ----------
    model : maps ids (B, T) and the mask (B, T) to scores (B, T, V)
    """
    scores = model(ids, mask)[:, :-1]
    there = mask[:, 1:]
    return functional.cross_entropy(scores[there], ids[:, 1:][there])


@torch.no_grad()
def continue_text(
    model: Callable[[Tensor], Tensor],
    ids: list[int],
    most: int,
    stop: int,
    longest: int,
    temperature: float,
    draw: Draw,
) -> list[int]:
    """A beginning, and the words that a model draws after it, one after the other.

    Parameters
    ----------
    model : maps ids (1, T), T up to `longest`, to scores of the next word (1, T, V)
    ids : the beginning
    most : words to draw
    stop : the word that ends the text; it is the last one then
    longest : of a longer text, the model reads the last so many words
    temperature : divides the scores
    draw : chooses a word from the chances (V,)
    """
    text = list(ids)
    for _ in range(most):
        scores = model(torch.tensor([text[-longest:]]))[0, -1]
        text.append(draw((scores / temperature).softmax(-1)))
        if text[-1] == stop:
            break
    return text


class RecurrentLM(nn.Module):
    """The control: `CausalLM` with LSTMs in place of its blocks, and no places.

    Parameters
    ----------
    words, dim, layers : as for `CausalLM`
    cells : of each LSTM; 1.25 D gives about the weights of as many blocks
    """

    def __init__(self, words: int, dim: int = 64, cells: int = 80, layers: int = 2) -> None:
        super().__init__()
        self.word, self.norm = nn.Embedding(words, dim), nn.LayerNorm(dim)
        self.lstm = nn.LSTM(dim, cells, layers, batch_first=True)
        self.down = nn.Linear(cells, dim)
        self.bias = nn.Parameter(torch.zeros(words))
        nn.init.normal_(self.word.weight, std=SMALL)

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, T) word numbers to scores of the next word (B, T, V); no mask is needed."""
        states = self.down(self.lstm(self.norm(self.word(ids)))[0])
        return functional.linear(states, self.word.weight, self.bias)

    def loss(self, ids: Tensor, mask: Tensor) -> Tensor:
        """As `next_word_loss`."""
        return next_word_loss(self, ids, mask)
