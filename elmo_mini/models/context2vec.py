"""context2vec: a vector of a word's context, from the words left and right of it.

Taught in lesson 03, section 7. Melamud, Goldberger & Dagan 2016 (CoNLL), "context2vec: Learning
Generic Context Embedding with Bidirectional LSTM". One LSTM reads up to the word before the target,
another from the end back to the word after it; an MLP makes one vector of both hidden states.
Negative sampling (`shared_noise_loss`) trains that vector to score the target
word. The target itself is never read. Training: `elmo_mini.tasks.context2vec_use`.

Letters in the shape comments: B sentences, T words, N words of a batch, H hidden size, D
dimensions, K noise words of a position, M noise words of a batch, V words of the vocabulary.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.models.elmo import reverse_each

Beside = Callable[[Tensor, Tensor], Tensor]
"""As `around_target`."""


def around_target(left: Tensor, right: Tensor) -> Tensor:
    """Hidden states of both directions beside each word, the word itself not included.

    Taught in lesson 03, section 7 (exercise 9); section 3 of the paper.

    Parameters
    ----------
    left : (B, T + 2, H) states over ``</s> w1 ... wT </s>``, each after reading its token.
    right : the same of the backward LSTM, in the order of the text

    Returns
    -------
    (B, T, 2H): for word t, the left state after word t - 1 beside the right state after
    word t + 1
    """
    return torch.cat([left[:, :-2], right[:, 2:]], -1)  # (B, T, 2H)


class Context2Vec(nn.Module):
    """Two LSTMs with embeddings of their own, an MLP, and the output vectors of the words.

    Taught in lesson 03, section 7 (context2vec: the view from both sides); section 3.

    Parameters
    ----------
    words : V
    embedding : size of both input tables
    hidden : H
    out : D
    boundary : id of the token that stands before the first and after the last word
    beside : as `around_target`: which states of the two LSTMs belong to each position
    """

    def __init__(
        self,
        words: int,
        embedding: int = 100,
        hidden: int = 100,
        out: int = 100,
        *,
        boundary: int = 1,
        beside: Beside = around_target,
    ) -> None:
        super().__init__()
        self.boundary, self.beside = boundary, beside
        self.left_embedding = nn.Embedding(words, embedding)
        self.right_embedding = nn.Embedding(words, embedding)
        self.left = nn.LSTM(embedding, hidden, batch_first=True)
        self.right = nn.LSTM(embedding, hidden, batch_first=True)
        self.mlp = nn.Sequential(
            nn.Linear(2 * hidden, 2 * hidden), nn.ReLU(), nn.Linear(2 * hidden, out)
        )
        self.targets = nn.Embedding(words, out)
        for table in (self.left_embedding, self.right_embedding, self.targets):
            nn.init.uniform_(table.weight, -0.1, 0.1)

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Context vectors of all positions.

        Parameters
        ----------
        ids : (B, T) without boundaries, padding at the end
        lengths : (B,)

        Returns
        -------
        (B, T, D); what stands at padding means nothing
        """
        read = functional.pad(ids, (1, 1), value=self.boundary)  # (B, T + 2)
        read[torch.arange(len(ids), device=ids.device), lengths + 1] = self.boundary
        left, _ = self.left(self.left_embedding(read))  # (B, T + 2, H)
        backward, _ = self.right(self.right_embedding(reverse_each(read, lengths + 2)))
        right = reverse_each(backward, lengths + 2)  # (B, T + 2, H)
        contexts: Tensor = self.mlp(self.beside(left, right))  # (B, T, 2H) to (B, T, D)
        return contexts


def shared_noise_loss(contexts: Tensor, targets: Tensor, noise: Tensor, negatives: float) -> Tensor:
    """`sgns_loss` with one draw of noise words for the whole batch.

    Each of the M noise words weighs K / M, so the expected loss is that of K words a position. So
    the batch takes one matrix product.

    Parameters
    ----------
    contexts : (N, D) vectors of the positions
    targets : (N, D) output vectors of their words
    noise : (M, D)
    negatives : K
    """
    positive = functional.logsigmoid((contexts * targets).sum(-1))  # (N,)
    negative = functional.logsigmoid(-contexts @ noise.T)  # (N, M)
    return -(positive + negatives * negative.mean(-1)).mean()


def word_log_probabilities(contexts: Tensor, targets: Tensor, noise: Tensor) -> Tensor:
    """log p(w | context) of each word by the trained scores, up to what training missed.

    The loss is smallest where exp(c . w) is proportional to p(w | context) / P_n(w) (as in Levy &
    Goldberg 2014, eq. 7), so p(w | context) is proportional to P_n(w) exp(c . w).

    Parameters
    ----------
    contexts : (N, D)
    targets : (V, D), every word
    noise : (V,) P_n(w)

    Returns
    -------
    (N, V), -inf for words that noise never drew
    """
    return (contexts @ targets.T + noise.log()).log_softmax(-1)  # (N, V)
