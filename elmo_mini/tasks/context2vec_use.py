"""context2vec in use: training, vectors of all contexts, the likeliest words for a gap.

The model and its loss stand in `elmo_mini.models.context2vec` (lesson 03).

Letters in the shape comments: N words of a batch, D dimensions, K noise words, V words.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_mini.models.context2vec import Context2Vec, shared_noise_loss, word_log_probabilities
from elmo_mini.models.skip_gram import noise_distribution
from elmo_mini.tasks.language_model_use import Floats
from elmo_mini.text.batches import in_batches, pad
from elmo_mini.text.running_text import BOUNDARY, UNKNOWN
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import TrainingOptions, device_of, evaluating, train_on_sentences

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""As `sgns_loss`: positions (N, D), their words (N, D), noise words (N, K, D)."""

NOISE_WORDS = 512  # with fewer, rare words jump each time they are drawn, and nothing is learned


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
    loss_of : such as `sgns_loss`; then each position has K noise words of its own. By default
        all positions of a batch share theirs, which is faster.

    Returns
    -------
    The loss of each batch

    Raises
    ------
    ValueError
        If there is no sentence, or no word was counted.
    """
    options = options or TrainingOptions()
    device = device_of(model)
    sentences = [sentence for sentence in sentences if len(sentence)]
    noise_weights = _noise(counts, power)
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
    """Context vectors of all positions, (n, D) float32 for a sentence of n words.

    Raises UnknownWord for a word outside a vocabulary that has no unknown word.
    """
    found: list[Floats] = []
    with evaluating(model):
        for some in in_batches(sentences, batch_size):
            read = list(map(vocabulary.ids, some))
            inputs, mask = pad(read, device=device_of(model))
            contexts = model(inputs, mask.sum(1)).float().numpy(force=True)
            found += [row[: len(ids)] for row, ids in zip(contexts, read, strict=True)]
    return found


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
    """The likeliest words in place of ``words[position]``, with their probability.

    Parameters
    ----------
    vocabulary : with the counts that the noise was drawn from
    power : of the noise

    Raises
    ------
    IndexError
        If the sentence has no such position.
    ValueError
        If the vocabulary has no counts.
    """
    if not 0 <= position < len(words):
        raise IndexError(f"a sentence of {len(words)} words has no position {position}")
    targets = model.targets.weight
    context = torch.from_numpy(context_vectors(model, vocabulary, [words])[0][position]).to(targets)
    noise = _noise(vocabulary.counts, power).to(targets)
    scores = word_log_probabilities(context.unsqueeze(0), targets, noise)[0].exp()
    best = ((vocabulary.word(n), float(scores[n])) for n in scores.argsort(descending=True))
    return [(word, score) for word, score in best if word not in (UNKNOWN, BOUNDARY)][:top]


def _noise(counts: NDArray[np.int64], power: float) -> Tensor:
    if not counts.any():
        raise ValueError(
            "all counts are 0, and the noise is drawn by them; Vocabulary.from_sentences counts"
        )
    return torch.from_numpy(noise_distribution(counts, power))
