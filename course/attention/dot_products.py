"""Mean and variance of a dot product: why scores are divided by √d.

Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.1 and its footnote.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def dot_moments(
    q_mean: Numbers, q_var: Numbers, k_mean: Numbers, k_var: Numbers
) -> tuple[float, float]:
    """Mean and variance of q · k for 2 d independent numbers.

    Parameters
    ----------
    q_mean, q_var, k_mean, k_var : (d,) of each number of q and of k

    Returns
    -------
    Σ E[q] E[k], and Σ (Var q Var k + Var q E[k]² + E[q]² Var k)
    """
    each = q_var * k_var + q_var * k_mean**2 + q_mean**2 * k_var
    return float(q_mean @ k_mean), float(each.sum())
