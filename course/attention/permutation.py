"""Does a reader without vectors for places notice that two words were swapped?"""

from collections.abc import Callable

import torch
from torch import nn

from elmo_mini.transformer.block import Look

NOTICED = 1e-4


@torch.no_grad()
def notices_a_swap(block: Callable[[int, int, Look], nn.Module], look: Look, seed: int = 0) -> bool:
    """Whether the last state moves, after two blocks, when the first two words change places."""
    torch.manual_seed(seed)
    sentence, tokens = torch.randn(1, 6, 64), torch.ones(1, 6, dtype=torch.bool)
    first, second = block(64, 4, look), block(64, 4, look)
    ends = [
        second(first(x, tokens), tokens)[0, -1] for x in (sentence, sentence[:, [1, 0, 2, 3, 4, 5]])
    ]
    return float((ends[0] - ends[1]).abs().max()) > NOTICED
