"""Judge under the defaults of Python, NumPy and PyTorch, whatever the notebook has switched.

Functions of theirs that a cell or an answer has replaced are their own again while the block runs.

What stood before the check stands after it, also where the answer changed it: a lesson's later
cells do not depend on whether, or how often, a check ran. That is so of the folder in which the
notebook works, too, and of the notebook itself: `exit()` in an answer ends the answer.
"""

import builtins
import contextlib
import math
import operator
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

RECURSION_LIMIT = 1_000

_default_dtype = torch.get_default_dtype, torch.set_default_dtype
_set_device, _set_grad_enabled = torch.set_default_device, torch.set_grad_enabled
_generators: tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...] = (
    (random.getstate, random.setstate),
    (np.random.get_state, np.random.set_state),
    (torch.get_rng_state, torch.set_rng_state),
)
_LENDERS = (builtins, math, np, np.linalg, np.random, torch, torch.nn.functional, torch.Tensor)
_OF_NOTEBOOKS = {"display", "exit", "help", "input", "open", "print", "quit"}
_functions: dict[Any, dict[str, object]] = {
    lender: {
        name: value
        for name, value in vars(lender).items()
        if callable(value) and not name.startswith("_") and name not in _OF_NOTEBOOKS
    }
    for lender in _LENDERS
}
_inherited: dict[type, set[str]] = {  # a method that a cell writes over stands beside these
    lender: {name for name in dir(lender) if not name.startswith("_") and name not in vars(lender)}
    for lender in _LENDERS
    if isinstance(lender, type)
}
EXIT = "`exit()` would end the notebook, `return` ends a function"


def _put_back() -> list[tuple[Any, str, object]]:
    """Give each module its own functions again; what stood in their places."""
    found: list[tuple[Any, str, object]] = []
    for lender, own in _functions.items():
        here = vars(lender)
        if all(map(operator.is_, map(here.get, own), own.values())):
            continue
        for name, function in own.items():
            if here.get(name) is not function:
                found.append((lender, name, here.get(name)))
                setattr(lender, name, function)
    for kind, names in _inherited.items():
        for name in names & vars(kind).keys():
            found.append((kind, name, vars(kind)[name]))
            delattr(kind, name)
    return found


@contextlib.contextmanager
def own_functions() -> Iterator[None]:
    """The functions that a kernel starts with while the block runs; before and after, what was."""
    replaced = _put_back()
    try:
        yield
    finally:
        _put_back()
        for lender, name, other in replaced:
            setattr(lender, name, other)


def as_in_a_new_thread() -> None:
    """What a thread starts with, and functions and number type of one's own, as `safe_state` has.

    So an answer changes nothing for its next case in the same thread.
    """
    _put_back()
    _, set_dtype = _default_dtype
    set_dtype(torch.float32)
    _set_device(None)
    _set_grad_enabled(True)


@contextlib.contextmanager
def stays_open() -> Iterator[None]:
    """The `exit` and `quit` of a notebook, which end its kernel, end the answer while this runs."""
    here = sys.modules.get("IPython")
    shell = here.get_ipython() if here else None
    if shell is None or "ask_exit" in vars(shell):
        yield
        return

    def stop() -> None:
        raise SystemExit(EXIT)

    shell.ask_exit = stop
    try:
        yield
    finally:
        del shell.ask_exit


@contextlib.contextmanager
def same_folder() -> Iterator[None]:
    """Work in the folder of before when the block is over."""
    try:
        folder = Path.cwd()
    except OSError:  # it is gone
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.chdir(folder)


@contextlib.contextmanager
def safe_state() -> Iterator[None]:
    """Defaults while the block runs; the notebook's state before and after it."""
    recursion_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(recursion_limit, RECURSION_LIMIT))
    get_dtype, set_dtype = _default_dtype
    dtype = get_dtype()
    generators = [(put_back, get()) for get, put_back in _generators]
    try:
        with (
            own_functions(),
            stays_open(),
            same_folder(),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            if any(action == "error" for action, *_ in warnings.filters):
                warnings.simplefilter("default")
            set_dtype(torch.float32)
            yield
    finally:
        set_dtype(dtype)
        for put_back, state in generators:
            put_back(state)
        with contextlib.suppress(RecursionError):
            sys.setrecursionlimit(recursion_limit)
