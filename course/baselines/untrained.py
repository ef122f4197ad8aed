"""The control of every claim about reading: a network of the same sizes that has read nothing."""

import torch

from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.recurrent.training import seeded


def untrained_like(bilm: FastBiLM, seed: int = 0) -> FastBiLM:
    """A network with the start weights of `seed`, in evaluation mode; the same one each time."""
    with seeded(seed, torch.device("cpu")):
        return FastBiLM(bilm.options).eval()
