"""The scalar mix with AllenNLP's arguments; the plain one is `elmo_mini.models.elmo.ScalarMix`."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from elmo_mini.errors import ConfigurationError
from elmo_mini.settings import truth, whole_number


class AllenNLPScalarMix(nn.Module):
    """ELMo = gamma * sum_j s_j h_j with s = softmax(w): equation (1).

    Parameters
    ----------
    mixture_size : number of layers
    do_layer_norm : subtract one mean and divide by one standard deviation per layer, taken over
        all unmasked numbers of the batch, before mixing
    initial_scalar_parameters : the weights w before the softmax; zeros by default, which gives
        the plain average
    trainable : False freezes both w and gamma
    """

    def __init__(
        self,
        mixture_size: int,
        do_layer_norm: bool = False,
        initial_scalar_parameters: Sequence[float] | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__()
        mixture_size = whole_number("mixture_size", mixture_size)
        self.mixture_size = mixture_size
        self.do_layer_norm = truth("do_layer_norm", do_layer_norm)
        trainable = truth("trainable", trainable)
        initial = [0.0] * mixture_size
        if initial_scalar_parameters is not None:
            try:
                if isinstance(initial_scalar_parameters, str | bytes):
                    raise TypeError("whose letters would be the weights")
                initial = [float(value) for value in initial_scalar_parameters]
            except (TypeError, ValueError) as wrong:
                raise ConfigurationError(
                    f"the initial weights are {initial_scalar_parameters!r:.60}; give one finite "
                    "number per layer"
                ) from wrong
        if len(initial) != mixture_size:
            raise ConfigurationError(
                f"{len(initial)} initial weights were given for {mixture_size} layers; give one "
                "per layer"
            )
        if not all(math.isfinite(value) for value in initial):
            raise ConfigurationError(f"the initial weights are {initial}; they must be finite")
        self.scalar_parameters = nn.ParameterList(
            nn.Parameter(torch.tensor([value]), requires_grad=trainable) for value in initial
        )
        self.gamma = nn.Parameter(torch.tensor([1.0]), requires_grad=trainable)

    def forward(self, tensors: Sequence[Tensor], mask: Tensor | None = None) -> Tensor:
        """Mix `mixture_size` tensors of one shape (..., H); `mask` is (...) for layer norm.

        Raises
        ------
        ConfigurationError
            If the number of tensors is not `mixture_size`, their shapes differ, or layer norm is
            on without a mask of their shape.
        """
        if len(tensors) != self.mixture_size:
            raise ConfigurationError(
                f"{len(tensors)} tensors were passed, but the mix was made for {self.mixture_size}"
            )
        shapes = {tuple(tensor.shape) for tensor in tensors}
        if len(shapes) > 1:
            raise ConfigurationError(f"the layers have different shapes: {sorted(shapes)}")
        weights = torch.softmax(torch.cat(list(self.scalar_parameters)), 0)
        if self.do_layer_norm:
            wanted = tensors[0].shape[:-1]
            if mask is None or mask.shape != wanted:  # a broadcast one would count words once only
                raise ConfigurationError(
                    f"layer norm needs the mask, of shape {tuple(wanted)}, to leave padding out"
                )
            tensors = [_normalise(tensor, mask) for tensor in tensors]
        mixed = weights[0] * tensors[0]
        for weight, tensor in zip(weights[1:], tensors[1:], strict=True):
            mixed = torch.addcmul(mixed, weight, tensor)
        return self.gamma * mixed


def _normalise(tensor: Tensor, mask: Tensor) -> Tensor:
    """One mean and one (biased) standard deviation over all unmasked numbers; of none, 0 and 0."""
    # Sums of many numbers: float16 ends at 65,504.
    exact = tensor.to(torch.promote_types(tensor.dtype, torch.float32))
    kept = mask.unsqueeze(-1).to(exact.dtype)
    count = (kept.sum() * tensor.shape[-1]).clamp(min=1)
    mean = (exact * kept).sum() / count
    variance = (((exact - mean) * kept) ** 2).sum() / count
    tiny = 1e-4 if tensor.dtype == torch.float16 else 1e-13
    return ((exact - mean) / torch.sqrt(variance + tiny)).to(tensor.dtype)
