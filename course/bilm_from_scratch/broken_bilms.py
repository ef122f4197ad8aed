"""Word biLMs with one planted fault each, and a sound one: which is which, a learner finds out."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from course.bilm_from_scratch.word_bilm import MEET, PADDING, Batch, WordBiLM

Loss = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
TARGETS = "a wrong target"
RUNS = {"A": TARGETS, "B": PADDING, "C": MEET}


def four_models(
    words: int, size: int, bilm_loss: Loss
) -> dict[str, tuple[WordBiLM, Callable[[Batch], Tensor]]]:
    """The sound model and A, B and C, fresh, each with what it is asked of a batch, (2,).

    Parameters
    ----------
    words, size : V and H
    bilm_loss : top states, mask, words, W and b to what either direction pays
    """
    models = {}
    for name, fault in {"sound": "", **RUNS}.items():
        torch.manual_seed(0)
        model = WordBiLM(words, size, fault)
        models[name] = (model, _asked(model, bilm_loss, fault == TARGETS))
    return models


def _asked(model: WordBiLM, bilm_loss: Loss, wrong_target: bool) -> Callable[[Batch], Tensor]:
    """A wrong target asks a backward state for its own word."""

    def loss_of(batch: Batch) -> Tensor:
        layers, mask = model(batch[0])
        softmax = model.table.weight[1:] * model.table.embedding_dim**-0.5  # (V, H)
        right = bilm_loss(layers[-1], mask, batch[1], softmax, model.bias)
        if not wrong_target:
            return right
        behind = layers[-1].chunk(2, -1)[1][mask]
        copied = functional.cross_entropy(behind @ softmax.T + model.bias, batch[1][mask])
        return torch.stack([right[0], copied])

    return loss_of
