"""Layers of a small biLM for the checks of lesson 08."""

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import slopes
from autograde.checking.exercise import Answer, AnswerRefused, Case, Inputs, Plain, plain

CUT_OFF = (
    "The numbers are right, and autograd cannot follow them back to `w` and `gamma`, which would "
    "never be learned. Stay with tensors: no `float()`, `.item()`, `.detach()`, `.numpy()`."
)


@Case.drawn
def layers(
    rng: np.random.Generator,
    lengths: tuple[int, ...],
    n_layers: int = 3,
    dim: int = 4,
    *,
    masked: bool = False,
) -> Inputs:
    """Inputs `layers` (n_layers, B, T, dim), of clearly different size, and `mask` if asked for.

    What stands at padding is large, so that whoever counts it is far off.
    """
    words = max(lengths)
    values = rng.standard_normal((n_layers, len(lengths), words, dim)).astype(np.float32)
    values *= np.linspace(0.5, 2.0, n_layers, dtype=np.float32)[:, None, None, None]
    mask = np.arange(words) < np.array(lengths)[:, None]
    if not masked:
        return {"layers": values}
    values += 9 * ~mask[..., None]
    return {"layers": values, "mask": mask}


def run_with_learned(answer: Answer, inputs: Inputs) -> Plain:
    """The mixed vectors, and what their sum of squares would teach `w` and `gamma`."""
    layers = torch.from_numpy(inputs["layers"].copy())
    w, gamma = (torch.tensor(inputs[name], requires_grad=True) for name in ("w", "gamma"))
    result = answer(layers, w, gamma)
    if result is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(result, Tensor):
        raise AnswerRefused(
            "Your answer leaves PyTorch. A network goes on from here and learns `w` and `gamma` "
            "through your function: return one tensor."
        )
    taught = slopes(result.square().sum(), {"w": w, "gamma": gamma})
    return {
        "vectors": plain(result),
        "their gradient for `w`": plain(taught["w"]),
        "their gradient for `gamma`": plain(taught["gamma"]),
    }
