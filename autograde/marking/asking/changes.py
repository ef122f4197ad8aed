"""What a call has changed in its arguments, and how that is written back."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, equal  # as it is before an answer replaces it

PLAIN = (bool, int, float, str, bytes)


def differs(value: Any, before: Any) -> bool:
    """Whether a value is another than it was."""
    if isinstance(value, Tensor):
        came, grad = before
        now = value.detach()
        return value.requires_grad != grad or not same_numbers(now, came)
    if isinstance(value, np.ndarray):
        return value.shape != before.shape or value.tobytes() != before.tobytes()
    if isinstance(value, np.random.Generator):
        return bool(value.bit_generator.state != before)
    if isinstance(value, torch.Generator):
        return not equal(value.get_state(), before)
    if isinstance(value, list):
        return len(value) != len(before) or any(
            a is not b for a, b in zip(value, before, strict=True)
        )
    if isinstance(value, dict):
        return value.keys() != before.keys() or any(value[key] is not before[key] for key in before)
    return bool(value != before)


def same_numbers(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors hold the same bytes in the same shape; so nan is nan."""
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    whole = (part.detach().cpu().resolve_conj().resolve_neg() for part in (left, right))
    return equal(*(part.contiguous().reshape(-1).view(torch.uint8) for part in whole))


def overwrite(own: Tensor, came: Tensor) -> None:
    """Write what came into a tensor of this side."""
    if own.shape == came.shape and own.dtype == came.dtype:
        if not same_numbers(own, came):
            own.detach().copy_(came)
    elif own.is_leaf:
        own.data = came.clone()


def merge(own: Any, new: Any) -> None:
    """Write into lists, dicts and sets what the other side has made of them."""
    if isinstance(own, list) and isinstance(new, list):
        if len(own) == len(new):
            for index, (left, right) in enumerate(zip(own, new, strict=True)):
                own[index] = _merged(left, right)
        else:
            own[:] = new
    elif isinstance(own, dict) and isinstance(new, dict):
        kept = {key: _merged(own[key], part) if key in own else part for key, part in new.items()}
        own.clear()
        own.update(kept)
    elif isinstance(own, set) and isinstance(new, set):
        own.clear()
        own.update(new)
    elif isinstance(own, tuple) and isinstance(new, tuple):
        for left, right in zip(own, new, strict=False):
            merge(left, right)


def _merged(left: Any, right: Any) -> Any:
    if type(left) is tuple and type(right) is tuple:
        if len(left) != len(right):
            return right
        parts = tuple(map(_merged, left, right))
        return parts if any(map(_other, left, parts)) else left
    if type(left) is type(right) and isinstance(left, list | dict | set | tuple):
        merge(left, right)
        return left
    return right


def _other(left: Any, right: Any) -> bool:
    """Whether a part of a tuple was replaced; numbers and texts by their value."""
    return left is not right and not (isinstance(left, PLAIN) and left == right)
