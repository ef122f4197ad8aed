"""The time of a training step: full softmax and negative sampling, by the clock.

2013b: Mikolov and others, *Distributed Representations of Words and Phrases and their
Compositionality*, section 2.
"""

import time

import numpy as np
import torch

from elmo_mini.models.skip_gram import full_softmax_loss, sgns_loss


def seconds_per_step(
    vocabulary_size: int,
    full: bool,
    pairs: int = 128,
    dimension: int = 100,
    negatives: int = 5,
    repeats: int = 9,
) -> float:
    """Median time of loss and gradient for a batch of pairs; the first step warms up."""
    table = torch.randn(vocabulary_size, dimension, requires_grad=True)
    centers = torch.randn(pairs, dimension, requires_grad=True)
    targets = torch.randint(vocabulary_size, (pairs,))
    noise = torch.randint(vocabulary_size, (pairs, negatives))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        if full:
            full_softmax_loss(centers, table, targets).backward()
        else:  # the rows are taken out first, so that only they get a gradient
            context, noisy = (table.detach()[ids].requires_grad_() for ids in (targets, noise))
            sgns_loss(centers, context, noisy).backward()
        times.append(time.perf_counter() - start)
    return float(np.median(times[1:]))


def times_slower(vocabulary_size: int) -> float:
    """How many times the clock of a sampled step goes by in a step with the full softmax."""
    slow, fast = (seconds_per_step(vocabulary_size, full) for full in (True, False))
    return slow / fast


def one_pair_of_many(vocabulary_size: int) -> float:
    """The time of a sampled step on one pair, as a share of the time of one on 128."""
    one, many = (seconds_per_step(vocabulary_size, False, n, repeats=99) for n in (1, 128))
    return one / many
