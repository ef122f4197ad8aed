"""The untrained control: the same biLM with fresh weights."""

import torch

from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.training.steps import seeded


def untrained_like(bilm: FastBiLM, seed: int = 0) -> FastBiLM:
    """A network with the start weights of `seed`, in evaluation mode; the same one each time."""
    with seeded(seed, torch.device("cpu")):
        return FastBiLM(bilm.options).eval()
