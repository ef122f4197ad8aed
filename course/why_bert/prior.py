"""Pretrained weights as a prior: believe in the start, and let the labels argue.

For two classes and a linear classifier, p(y = 1 | x) = σ(w · x). Before the labels are seen, each
weight is expected near its start: independent normal distributions around it, all of one spread.
"""

import torch
from torch import Tensor


def prior_gradient(
    weights: Tensor, start: Tensor, spread: float, x: Tensor, labels: Tensor
) -> Tensor:
    """The slope of -log p(weights | labels) / N, (D,).

    Parameters
    ----------
    weights : (D,) where the slope is asked for
    start : (D,) the means of the prior
    spread : its standard deviation
    x : (N, D) what is classified
    labels : (N,) 0 or 1
    """
    surprise = torch.sigmoid(x @ weights) - labels  # (N,)
    pull = (weights - start) / spread**2
    return (x.T @ surprise + pull) / len(x)
