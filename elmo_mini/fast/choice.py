"""What decides whether a module's fast path may stand for its definition."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrize import is_parametrized


def is_plain(module: nn.Module) -> bool:
    """Whether a call of the module does what its class says, and nothing beside it.

    Hooks run when a module is called, and parametrizations when a weight is read: pruning, weight
    and spectral norm are made of them. A fast path calls no submodule and keeps what it has read,
    so it is right for plain modules only.
    """
    return not any(
        part._forward_hooks or part._forward_pre_hooks or is_parametrized(part)
        for part in module.modules()
    )


def asks_for_gradient(read: Iterable[Tensor]) -> bool:
    """Whether something computed from these tensors has to be differentiable.

    The tensors are asked and not the module's parameters: a replica of DataParallel has none.
    """
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in read)
