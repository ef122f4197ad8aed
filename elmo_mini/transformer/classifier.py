"""A classifier on a model of the next word: one linear layer at the state of the last token.

Radford et al. 2018, section 3.2, equation 3. By then the last token has read the whole text.
"""

import torch
from torch import Tensor, nn

from elmo_mini.transformer.causal_lm import CausalLM


class Classifier(nn.Module):
    """The body, which may have been pretrained, and the head, which never is.

    Parameters
    ----------
    body : gives states (B, T, D)
    classes : K
    """

    def __init__(self, body: CausalLM, classes: int) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.word.embedding_dim, classes)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Word numbers (B, T), and the mask of tokens, which stand first, to scores (B, K)."""
        last = mask.sum(1) - 1  # (B,)
        states = self.body.states(ids, mask)[torch.arange(len(ids)), last]
        scores: Tensor = self.head(states)
        return scores
