"""Layers of a small biLM for the checks of lesson 08."""

import numpy as np
import torch

from autograde.checking.answers import Answer, Plain, plain, refuse_changed
from autograde.checking.differentiable import slopes, tensor_of
from autograde.checking.exercise import Case, Inputs, Random

NO_TENSOR = (
    "Your answer leaves PyTorch. A network goes on from here and learns `w` and `gamma` through "
    "your function: return one tensor."
)
CUT_OFF = (
    "The numbers are right, and autograd cannot follow them back to `w` and `gamma`, which would "
    "never be learned. Stay with tensors: no `float()`, `.item()`, `.detach()`, `.numpy()`."
)


@Case.drawn
def layers(
    rng: Random, lengths: tuple[int, ...], n_layers: int = 3, dim: int = 4, *, masked: bool = False
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
    tensors = {name: torch.from_numpy(value.copy()) for name, value in inputs.items()}
    w, gamma = (tensors[name].requires_grad_() for name in ("w", "gamma"))
    result = tensor_of(lambda: answer(*tensors.values()), NO_TENSOR)
    refuse_changed(inputs, tensors)
    taught = slopes(result.square().sum(), {"w": w, "gamma": gamma})
    return {
        "vectors": plain(result),
        "their gradient for `w`": plain(taught["w"]),
        "their gradient for `gamma`": plain(taught["gamma"]),
    }
