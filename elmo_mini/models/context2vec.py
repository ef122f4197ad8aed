"""context2vec: a vector of the place that a word fills, from the words left and right of it.

Melamud, Goldberger & Dagan 2016 (CoNLL), "context2vec: Learning Generic Context Embedding with
Bidirectional LSTM". One LSTM reads up to the word before the target, another from the end back
to the word after it; an MLP makes one vector of both states. Word2vec's negative sampling trains
that vector to score the target word. The target itself is never read.

Letters in the shape comments: B sentences, T words, H hidden size, D dimensions, K noise words.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_mini.recurrent.language_model import Floats
from elmo_mini.recurrent.training import (
    TrainingOptions,
    device_of,
    evaluating,
    train_on_sentences,
)
from elmo_mini.text.batches import pad
from elmo_mini.text.running_text import BOUNDARY, UNKNOWN
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.word2vec import noise_distribution

Beside = Callable[[Tensor, Tensor], Tensor]
"""As `around_target`."""
Loss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""As `word_vectors.word2vec.sgns_loss`: places (N, D), their words (N, D), noise (N, K, D)."""

NOISE_WORDS = 512  # with fewer, rare words jump each time they are drawn, and nothing is learned


def reverse_real(rows: Tensor, lengths: Tensor) -> Tensor:
    """Reverse the first ``lengths[b]`` steps of row b; padding stays where it is, at the end.

    Doing it twice gives the rows back.

    Parameters
    ----------
    rows : (B, T) or (B, T, ...)
    lengths : (B,), each at most T
    """
    steps = torch.arange(rows.shape[1], device=rows.device).expand(rows.shape[:2])  # (B, T)
    last = lengths.unsqueeze(1) - 1
    source = torch.where(steps <= last, last - steps, steps)
    return rows[torch.arange(len(rows), device=rows.device).unsqueeze(1), source]


def around_target(left: Tensor, right: Tensor) -> Tensor:
    """What the two readers know beside each word, the word itself not included.

    Parameters
    ----------
    left : (B, T + 2, H) states over ``</s> w1 ... wT </s>``, each after reading its token.
    right : the same for the reader from the right, in the order of the text

    Returns
    -------
    (B, T, 2H): for word t, the left state after word t - 1 beside the right state after
    word t + 1
    """
    return torch.cat([left[:, :-2], right[:, 2:]], -1)


def shared_noise_loss(contexts: Tensor, targets: Tensor, noise: Tensor, negatives: float) -> Tensor:
    """`sgns_loss` with one draw of noise words for the whole batch: one matrix product.

    Each of the M noise words weighs K / M, so the expected loss is that of K words a place.

    Parameters
    ----------
    contexts : (N, D)
    targets : (N, D)
    noise : (M, D)
    negatives : K
    """
    positive = F.logsigmoid((contexts * targets).sum(-1))  # (N,)
    negative = F.logsigmoid(-contexts @ noise.T)  # (N, M)
    return -(positive + negatives * negative.mean(-1)).mean()


class Context2Vec(nn.Module):
    """Two LSTMs with embeddings of their own, an MLP, and the output vectors of the words.

    Parameters
    ----------
    words : V
    embedding : size of both input tables
    hidden : H
    out : D
    boundary : id of the token that stands before the first and after the last word
    beside : what of the two readers' states belongs to each place
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
        """Vectors of the places of all words.

        Parameters
        ----------
        ids : (B, T) without boundaries, padding at the end
        lengths : (B,)

        Returns
        -------
        (B, T, D); what stands at padding means nothing
        """
        read = F.pad(ids, (1, 1), value=self.boundary)  # (B, T + 2)
        read[torch.arange(len(ids), device=ids.device), lengths + 1] = self.boundary
        left, _ = self.left(self.left_embedding(read))
        backward, _ = self.right(self.right_embedding(reverse_real(read, lengths + 2)))
        contexts: Tensor = self.mlp(self.beside(left, reverse_real(backward, lengths + 2)))
        return contexts


def train_context2vec(
    model: Context2Vec,
    sentences: Sequence[Sequence[int]],
    counts: NDArray[np.int64],
    options: TrainingOptions | None = None,
    *,
    negatives: int = 10,
    power: float = 0.75,
    loss_of: Loss | None = None,
) -> list[float]:
    """Train with Adam; the rate falls in a straight line to zero.

    Parameters
    ----------
    sentences : ids of each sentence, without boundaries; empty ones are left out
    counts : (V,) how often each word occurs; noise is drawn in proportion to count ** power
    options : its seed also draws the noise
    negatives : K
    loss_of : such as `sgns_loss`; then each place has K noise words of its own. By default all
        places of a batch share theirs, which is faster.

    Returns
    -------
    The loss of each batch

    Raises
    ------
    ValueError
        If there is no sentence.
    """
    options = options or TrainingOptions()
    device = device_of(model)
    sentences = [sentence for sentence in sentences if len(sentence)]
    noise_weights = torch.from_numpy(noise_distribution(counts, power))
    generator = torch.Generator("cpu").manual_seed(options.seed)

    def loss(rows: list[int]) -> Tensor:
        ids, mask = pad([sentences[row] for row in rows], device=device)
        contexts = model(ids, mask.sum(1))[mask]  # (N, D)
        words = model.targets(ids[mask])
        if loss_of is not None:
            own = len(contexts), negatives
            drawn = torch.multinomial(noise_weights, own[0] * own[1], True, generator=generator)
            return loss_of(contexts, words, model.targets(drawn.view(own).to(device)))
        noise = torch.multinomial(noise_weights, NOISE_WORDS, True, generator=generator)
        return shared_noise_loss(contexts, words, model.targets(noise.to(device)), negatives)

    return train_on_sentences(model, list(map(len, sentences)), loss, options)


def context_vectors(
    model: Context2Vec,
    vocabulary: Vocabulary,
    sentences: Sequence[Sequence[str]],
    *,
    batch_size: int = 64,
) -> list[Floats]:
    """Vectors of all places, (n, D) float32 for a sentence of n words."""
    found: list[Floats] = []
    with evaluating(model):
        for start in range(0, len(sentences), batch_size):
            read = [vocabulary.encode(s) for s in sentences[start : start + batch_size]]
            inputs, mask = pad(read, device=device_of(model))
            contexts = model(inputs, mask.sum(1)).float().numpy(force=True)
            found += [row[: len(ids)] for row, ids in zip(contexts, read, strict=True)]
    return found


def word_log_probabilities(contexts: Tensor, targets: Tensor, noise: Tensor) -> Tensor:
    """What the trained scores say of each word: log p(w | place), up to what training missed.

    The loss is smallest where exp(c . w) is proportional to p(w | place) / P_n(w) (as in Levy &
    Goldberg 2014, eq. 7), so p(w | place) is proportional to P_n(w) exp(c . w).

    Parameters
    ----------
    contexts : (N, D)
    targets : (V, D), every word
    noise : (V,) P_n(w)

    Returns
    -------
    (N, V), -inf for words that noise never drew
    """
    return (contexts @ targets.T + noise.log()).log_softmax(-1)


@torch.no_grad()
def fill_blank(
    model: Context2Vec,
    vocabulary: Vocabulary,
    words: Sequence[str],
    position: int,
    top: int = 5,
    *,
    power: float = 0.75,
) -> list[tuple[str, float]]:
    """The likeliest words for the place ``words[position]`` fills, with their probability.

    Parameters
    ----------
    vocabulary : with the counts that the noise was drawn from
    power : of the noise

    Raises
    ------
    IndexError
        If the sentence has no such place.
    """
    if not 0 <= position < len(words):
        raise IndexError(f"a sentence of {len(words)} words has no place {position}")
    targets = model.targets.weight
    place = torch.from_numpy(context_vectors(model, vocabulary, [words])[0][position]).to(targets)
    noise = torch.from_numpy(noise_distribution(vocabulary.counts, power)).to(targets)
    scores = word_log_probabilities(place.unsqueeze(0), targets, noise)[0].exp()
    best = ((vocabulary.word(n), float(scores[n])) for n in scores.argsort(descending=True))
    return [(word, score) for word, score in best if word not in (UNKNOWN, BOUNDARY)][:top]
