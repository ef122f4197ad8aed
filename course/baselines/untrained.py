"""The untrained control: the same biLM with fresh weights."""

import torch

from elmo_mini.fast.bilm import BiLM
from elmo_mini.recurrent.training import seeded


def untrained_like(bilm: BiLM, seed: int = 0) -> BiLM:
    """A network with the start weights of `seed`, in evaluation mode; the same one each time."""
    with seeded(seed, torch.device("cpu")):
        return BiLM(bilm.options).eval()
