"""LSTM language model with the interface of `CausalLM`: the control of lesson 13's myth."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.models.fine_tuning import SMALL, next_word_loss


class RecurrentLM(nn.Module):
    """`CausalLM` with LSTMs in place of its blocks, and no position embedding.

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
        """(B, T) word numbers to logits of the next word (B, T, V); no mask is needed."""
        states = self.down(self.lstm(self.norm(self.word(ids)))[0])  # (B, T, D)
        return functional.linear(states, self.word.weight, self.bias)

    def loss(self, ids: Tensor, mask: Tensor) -> Tensor:
        """As `next_word_loss`."""
        return next_word_loss(self, ids, mask)
