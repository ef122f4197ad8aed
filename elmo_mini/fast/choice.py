"""Conditions on which a fast path is taken in place of a module's own ``forward``."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn.modules.module import _has_any_global_hook


def is_plain(part: nn.Module, kind: type[nn.Module]) -> bool:
    """Whether a call of this part does what the class `kind` says, and nothing beside it.

    A fast path reads a part's weights and does not call it, so a hook would not run. Pruning and
    the older norms of weights are made of hooks.
    """
    return is_of_class(part, kind) and not (
        part._forward_hooks
        or part._forward_pre_hooks
        or part._backward_hooks
        or part._backward_pre_hooks
        or _has_any_global_hook()
    )


def is_of_class(part: nn.Module, kind: type[nn.Module]) -> bool:
    """Whether the part is of this very class, with no method of its own.

    A subclass such as an adapter, a method set on the instance, or a weight that is a tensor of
    another class may each give other numbers. A parametrization gives a part a class of its own.
    """
    return (
        type(part) is kind
        and not any(map(callable, part.__dict__.values()))
        and _WEIGHTS.issuperset(map(type, part._parameters.values()))
    )


def asks_for_gradient(read: Iterable[Tensor]) -> bool:
    """Whether something computed from these tensors has to be differentiable.

    The tensors are asked and not the module's parameters: a replica of DataParallel has none.
    """
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in read)


_WEIGHTS = frozenset([nn.Parameter, Tensor, type(None)])
