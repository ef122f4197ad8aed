"""An answer that draws leaves the seed to its caller."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from autograde.checking.answers import AnswerRefused

SEED_IS_SET = (
    "Your function sets the seed, so whoever calls it twice gets the same numbers twice. Leave "
    "`torch.manual_seed` out."
)


@contextmanager
def no_seed(seed: int) -> Iterator[None]:
    """Draw from ``seed`` while the block runs, and refuse an answer that sets another.

    Raises
    ------
    AnswerRefused
        If it does.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
        if torch.initial_seed() != seed:
            raise AnswerRefused(SEED_IS_SET)
