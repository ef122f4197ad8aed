"""Three ways to predict a word out of a large vocabulary: full, sampled and adaptive softmax.

One softmax serves both directions of the language model (NAACL ELMo paper, equation for the
joint log likelihood: the softmax parameters are tied). Every loss gives -log p per position in
nats, with words numbered by falling frequency.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.errors import ConfigurationError

KINDS = ("full", "sampled", "adaptive")


class FullSoftmax(nn.Module):
    """p(w | h) = exp(h . v_w + b_w) / sum over all words."""

    def __init__(self, hidden_size: int, words: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(words, hidden_size))
        self.bias = nn.Parameter(torch.zeros(words))
        nn.init.normal_(self.weight, std=hidden_size**-0.5)

    def forward(self, hidden: Tensor, targets: Tensor, seed: int = 0) -> Tensor:
        """-log p of `targets` (N,) after `hidden` (N, H): (N,). The training loss."""
        return self.exact(hidden, targets)

    def exact(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """-log p under the model's own distribution, (N,): what perplexity is made of."""
        logits = functional.linear(hidden, self.weight, self.bias)
        return _cross_entropy(logits, targets)


class SampledSoftmax(FullSoftmax):
    """Training against a sample of words; exact evaluation (Jean et al. 2015, section 3).

    The negatives are `sampled` distinct words, drawn once a step for all positions and both
    directions from the log-uniform distribution. Each logit is lowered by the log of the
    number of times its word was to be expected in the sample, so that training ends (nearly)
    where the full softmax ends, although the losses differ. A negative that is the target of a
    position does not count there.

    Raises
    ------
    ConfigurationError
        If there are fewer words than are to be sampled.
    """

    def __init__(self, hidden_size: int, words: int, sampled: int = 8192) -> None:
        super().__init__(hidden_size, words)
        if not 1 <= sampled < words:
            raise ConfigurationError(
                f"{sampled} negatives cannot be drawn from {words} words; lower the number of "
                "negatives, or use the full softmax"
            )
        self.sampled = sampled

    def forward(self, hidden: Tensor, targets: Tensor, seed: int = 0) -> Tensor:
        """The sampled loss, (N,); the same `seed` draws the same negatives."""
        words = len(self.bias)
        drawn, tries = log_uniform_sample(self.sampled, words, np.random.default_rng(seed))
        negatives = torch.from_numpy(drawn).to(targets.device)
        weight, bias = self.weight[negatives], self.bias[negatives]
        wrong = functional.linear(hidden, weight, bias).to(bias.dtype)
        wrong = wrong - log_expected_count(negatives, words, tries)
        wrong = wrong.masked_fill(negatives == targets.unsqueeze(1), float("-inf"))
        right = (hidden * functional.embedding(targets, self.weight)).sum(-1) + self.bias[targets]
        right = right - log_expected_count(targets, words, tries)
        return torch.logaddexp(right, wrong.logsumexp(1)) - right


class AdaptiveSoftmax(nn.Module):
    """Frequent words in one small softmax, rare ones in clusters of it (Grave et al. 2017).

    The words of each further cluster have half as many dimensions (the paper takes a quarter,
    which leaves too few where `hidden_size` is small). It is a distribution over all words, so
    its perplexity is comparable with the full softmax's.
    """

    def __init__(self, hidden_size: int, words: int, cutoffs: tuple[int, ...] = ()) -> None:
        super().__init__()
        cutoffs = cutoffs or default_cutoffs(words)
        if hidden_size < 2 ** len(cutoffs):
            raise ConfigurationError(
                f"an adaptive softmax of {len(cutoffs) + 1} clusters needs at least "
                f"{2 ** len(cutoffs)} dimensions, not {hidden_size}; use the full softmax"
            )
        self.clusters = nn.AdaptiveLogSoftmaxWithLoss(
            hidden_size, words, list(cutoffs), 2.0, head_bias=True
        )

    def forward(self, hidden: Tensor, targets: Tensor, seed: int = 0) -> Tensor:
        """-log p of `targets` (N,) after `hidden` (N, H): (N,). The training loss."""
        cutoffs = self.clusters.cutoffs[:-1]
        # In the head, the words of a further cluster are one class.
        number = torch.bucketize(targets, torch.tensor(cutoffs).to(targets), right=True)
        classes = torch.where(number == 0, targets, cutoffs[0] + number - 1)
        losses = _cross_entropy(self.clusters.head(hidden), classes)
        for cluster, tail in enumerate(self.clusters.tail, 1):
            chosen = (number == cluster).nonzero().squeeze(1)
            if len(chosen):
                within = targets[chosen] - cutoffs[cluster - 1]
                rest = _cross_entropy(tail(hidden[chosen]), within)
                losses = losses.index_add(0, chosen, rest)
        return losses

    def exact(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """The same: the training loss is exact."""
        return self(hidden, targets)


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """-log softmax of the targets in float32, whatever precision the products had, (N,)."""
    wide = logits if logits.dtype == torch.float64 else logits.float()
    return functional.cross_entropy(wide, targets, reduction="none")


Softmax = FullSoftmax | SampledSoftmax | AdaptiveSoftmax


def build_softmax(kind: str, hidden_size: int, words: int, sampled: int = 8192) -> Softmax:
    """A softmax of one of the `KINDS`."""
    if kind == "full":
        return FullSoftmax(hidden_size, words)
    if kind == "sampled":
        return SampledSoftmax(hidden_size, words, sampled)
    if kind == "adaptive":
        return AdaptiveSoftmax(hidden_size, words)
    raise ConfigurationError(f"there is no softmax {kind!r}; choose one of {', '.join(KINDS)}")


def default_cutoffs(words: int) -> tuple[int, ...]:
    """Where the clusters of an adaptive softmax begin: at an eighth and at half of the words."""
    if words < 16:
        raise ConfigurationError(
            f"an adaptive softmax needs at least 16 words, not {words}; use the full softmax"
        )
    return words // 8, words // 2


def log_uniform_sample(
    count: int, words: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], int]:
    """Distinct words with p(w) = log((w + 2) / (w + 1)) / log(words + 1), about Zipf's law.

    Returns
    -------
    (count,) word ids in the order drawn, and the number of draws it took to find them
    """
    drawn = np.empty(0, dtype=np.int64)
    while True:
        uniform = random.random(2 * count)
        more = np.exp(uniform * np.log(words + 1)).astype(np.int64) - 1
        drawn = np.concatenate([drawn, np.minimum(more, words - 1)])
        _, first = np.unique(drawn, return_index=True)
        if len(first) >= count:
            first = np.sort(first)[:count]
            return drawn[first], int(first[-1]) + 1


def log_expected_count(ids: Tensor, words: int, tries: int) -> Tensor:
    """Log of the expected number of times each word is in such a sample, 1 - (1 - p)^tries."""
    rank = ids.double()
    p = torch.log1p(1 / (rank + 1)) / np.log(words + 1)
    return torch.log(-torch.expm1(tries * torch.log1p(-p))).float()
