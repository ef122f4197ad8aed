"""The gradient of equation (1) by hand: what a task teaches the mix (lesson 08)."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mix_gradient(
    layers: Array, w: Array, gamma: float, upstream: Array, decay: float
) -> tuple[Array, float]:
    """The gradient of loss + decay * sum of w_j^2, for w and for gamma.

    With a_j = upstream . h_j, the sum over all numbers, and the shares s = softmax(w):

    d/dgamma = sum over j of s_j a_j
    d/dw_j = gamma s_j (a_j - sum over k of s_k a_k) + 2 decay w_j

    Parameters
    ----------
    layers : (n_layers, ...)
    w : (n_layers,)
    upstream : (...), the gradient of the loss for the mixed vectors
    """
    powers = np.exp(w - w.max())
    s = powers / powers.sum()
    a = (layers * upstream).reshape(len(layers), -1).sum(1)  # (n_layers,)
    mean = s @ a
    return gamma * s * (a - mean) + 2 * decay * w, float(mean)
