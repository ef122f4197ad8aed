"""The control of every claim about reading: a network of the same sizes that has read nothing."""

import torch

from elmo_mini.bilm.model import BiLM


def untrained_like(bilm: BiLM, seed: int = 0) -> BiLM:
    """A network with the start weights of `seed`, in evaluation mode; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed reseeds every GPU
        return BiLM(bilm.options).eval()
