"""word2vec: skip-gram with negative sampling (SGNS), one function per step of the derivation.

Taught in lesson 01. Papers: Mikolov et al. 2013a (arXiv:1301.3781), "Efficient Estimation of Word
Representations in Vector Space"; Mikolov et al. 2013b (NIPS), "Distributed Representations of
Words and Phrases and their Compositionality"; Levy & Goldberg 2014 (NIPS), "Neural Word Embedding
as Implicit Matrix Factorization". The fast trainer is `elmo_mini.word_vectors.word2vec_trainer`.

Letters in the shape comments: V words, D dimensions, B pairs, K negatives per pair.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F


def softmax_cost(vocabulary_size: int, dimension: int, negatives: int) -> tuple[int, int]:
    """Multiplications that score one (centre, context) pair: full softmax, negative sampling.

    Taught in lesson 01, section 14 (The bill of the softmax); 2013b, sections 2 and 2.2.
    The full softmax needs the score of every word, v'_w . v_c for all V words. Negative
    sampling needs the true context word and ``negatives`` noise words only.
    """
    return vocabulary_size * dimension, (1 + negatives) * dimension


def full_softmax_loss(center: Tensor, output_vectors: Tensor, targets: Tensor) -> Tensor:
    """Mean of -log p(context | centre) with the softmax over all words (2013b, eq. 2).

    Taught in lesson 01, section 14 (The bill of the softmax).

    Parameters
    ----------
    center : (B, D) vectors of the centre words
    output_vectors : (V, D) output vectors of all words
    targets : (B,) ids of the context words
    """
    scores = center @ output_vectors.T  # (B, V)
    return F.cross_entropy(scores, targets)


def dynamic_window_pairs(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """All (centre, context) pairs of one sentence, with a dynamic window.

    Taught in lesson 01, section 3 (Pairs from a window); 2013a, section 3.2. For each centre
    word a reach R is drawn uniformly from 1..``window``; the words at most R positions to the
    left and right are its contexts. So a neighbour at distance d is kept with probability
    (window - d + 1) / window.

    Raises
    ------
    ValueError
        If ``window`` is less than 1.
    """
    if window < 1:
        raise ValueError(f"window must be at least 1, got {window}")
    pairs = []
    for position, center in enumerate(tokens):
        reach = int(rng.integers(1, window + 1))
        for neighbour in range(max(0, position - reach), min(len(tokens), position + reach + 1)):
            if neighbour != position:
                pairs.append((center, tokens[neighbour]))
    return pairs


def keep_probability(
    frequency: np.ndarray, threshold: float, formula: Literal["paper", "code"] = "code"
) -> np.ndarray:
    """Subsampling of frequent words: the probability to keep an occurrence.

    Taught in lesson 01, sections 4 (Too much of *the*) and 11 (Paper and program).
    ``"paper"``: sqrt(t / f), at most 1 (2013b, eq. 5, which prints the probability to discard).
    ``"code"``: sqrt(t / f) + t / f, at most 1, as in word2vec.c, gensim and fastText.

    Parameters
    ----------
    frequency : (V,) relative frequencies f, each above 0 and at most 1
    threshold : t, for instance 1e-5 (paper) or 1e-3 (word2vec.c's default)

    Raises
    ------
    ValueError
        If the formula is another.
    """
    ratio = threshold / np.asarray(frequency, dtype=np.float64)
    if formula == "paper":
        keep = np.sqrt(ratio)
    elif formula == "code":
        keep = np.sqrt(ratio) + ratio
    else:
        raise ValueError(f"formula must be 'paper' or 'code', got {formula!r}")
    return np.minimum(keep, 1.0)


def noise_distribution(counts: np.ndarray, power: float = 0.75) -> np.ndarray:
    """The noise distribution P_n(w), proportional to count(w) ** power.

    Taught in lesson 01, section 5 (Noise); 2013b, section 2.2, where the power is 3/4.

    Parameters
    ----------
    counts : (V,) how often each word occurs

    Returns
    -------
    (V,) probabilities that sum to 1
    """
    weights = np.asarray(counts, dtype=np.float64) ** power
    return weights / weights.sum()


def sgns_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    """Mean loss of skip-gram with negative sampling over a batch of pairs (2013b, eq. 4).

    Taught in lesson 01, section 6 (The loss). For one pair:
    -log s(u . v) - sum_k log s(-n_k . v), with s the logistic function.

    Parameters
    ----------
    center : (B, D) input vectors v
    context : (B, D) output vectors u of the true context words
    negatives : (B, K, D) output vectors n_k of the noise words

    Returns
    -------
    A scalar. With all scores 0 it is (1 + K) log 2.
    """
    positive = (center * context).sum(-1)  # (B,)
    negative = torch.einsum("bd,bkd->bk", center, negatives)  # (B, K)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(-1)).mean()


def sgns_gradients(
    center: Tensor, context: Tensor, negatives: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradient of each pair's own loss for the vectors it touches (not divided by B).

    Taught in lesson 01, section 7 (The gradient, derived). With errors e_u = s(u . v) - 1 and
    e_k = s(n_k . v): dv = e_u u + sum_k e_k n_k,  du = e_u v,  dn_k = e_k v.

    Shapes in and out: center (B, D), context (B, D), negatives (B, K, D).
    """
    positive_error = torch.sigmoid((center * context).sum(-1, keepdim=True)) - 1  # (B, 1)
    negative_error = torch.sigmoid(torch.einsum("bd,bkd->bk", center, negatives))  # (B, K)
    center_gradient = positive_error * context + torch.einsum(
        "bk,bkd->bd", negative_error, negatives
    )
    return (
        center_gradient,
        positive_error * center,
        negative_error.unsqueeze(-1) * center.unsqueeze(1),
    )


def sgns_step(
    input_vectors: Tensor,
    output_vectors: Tensor,
    centers: Tensor,
    contexts: Tensor,
    negatives: Tensor,
    learning_rate: float,
) -> float:
    """One step of stochastic gradient descent on a batch of pairs; both tables change in place.

    Taught in lesson 01, section 8 (A step, a loop, and vectors that grow). A word that occurs
    several times in the batch receives the sum of its updates.

    Parameters
    ----------
    input_vectors, output_vectors : (V, D)
    centers, contexts : (B,) ids
    negatives : (B, K) ids

    Returns
    -------
    The mean loss before the step
    """
    v, u = input_vectors[centers], output_vectors[contexts]  # (B, D) each
    n = output_vectors[negatives]  # (B, K, D)
    loss = sgns_loss(v, u, n)
    dv, du, dn = sgns_gradients(v, u, n)
    input_vectors.index_add_(0, centers, dv, alpha=-learning_rate)
    output_vectors.index_add_(0, contexts, du, alpha=-learning_rate)
    output_vectors.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-learning_rate)
    return float(loss)


def train_skip_gram(
    pairs: Tensor,
    noise: Tensor,
    step: Callable[..., float],
    dimension: int,
    negatives: int,
    batch: int,
    rate: float,
    look: Callable[[int, Tensor], object],
) -> tuple[Tensor, Tensor, list[float]]:
    """Train one epoch over the pairs, in order; the learning rate falls linearly to 0.

    Taught in lesson 01, section 8 (A step, a loop, and vectors that grow).

    Parameters
    ----------
    pairs : (P, 2) ids of centre and context
    noise : (V,) probabilities of the noise words
    step : `sgns_step`, or another with its arguments
    dimension, negatives, batch : D, K, B
    rate : that of the first step
    look : called after each step with the number of steps taken and the input table

    Returns
    -------
    The input table and the output table, both (V, D), and the loss of each step

    Raises
    ------
    FloatingPointError
        If a loss is no finite number: training has diverged.
    """
    inputs = (torch.rand(len(noise), dimension) - 0.5) / dimension  # (V, D)
    outputs = torch.zeros(len(noise), dimension)  # (V, D)
    losses = []
    steps = len(pairs) // batch
    for number in range(steps):
        centers, contexts = pairs[number * batch : (number + 1) * batch].T  # (B,) each
        drawn = torch.multinomial(noise, batch * negatives, replacement=True)
        drawn = drawn.view(batch, negatives)  # (B, K)
        now = rate * (1 - number / steps)
        losses.append(step(inputs, outputs, centers, contexts, drawn, now))
        if not np.isfinite(losses[-1]):
            raise FloatingPointError(f"step {number}: the loss is {losses[-1]}; lower the rate")
        look(number + 1, inputs)
    return inputs, outputs, losses


def shifted_pmi(pair_counts: np.ndarray, negatives: int) -> np.ndarray:
    """Shifted PMI(w, c) - log k: the score w . c at which the SGNS loss is smallest.

    Taught in lesson 01, section 10 (What does it converge to?); Levy & Goldberg 2014, eq. 7, for
    noise words drawn from the plain context counts: PMI = log( #(w, c) D / (#(w) #(c)) )
    with D pairs in all.

    Parameters
    ----------
    pair_counts : (V, V') how often word w (row) occurred with context c (column)
    negatives : k

    Returns
    -------
    (V, V'), -inf where a pair was never seen
    """
    counts = np.asarray(pair_counts, dtype=np.float64)
    expected = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    with np.errstate(divide="ignore"):
        return np.log(counts) - np.log(expected) - np.log(negatives)
