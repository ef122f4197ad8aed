"""What goes with every message: random states, how gradients are switched, and live objects."""

from typing import Any

import numpy as np
import torch

from autograde.marking.asking.identity import Buffers
from autograde.marking.asking.live import Live
from autograde.marking.asking.random_states import random_states, set_random_state
from autograde.marking.asking.wire import BadMessage


class State:
    """What this side has told of its state, and heard of the other's."""

    def __init__(self) -> None:
        self._random: dict[str, bytes] = {}

    def write(self, live: Live, buffers: Buffers) -> dict[str, Any]:
        """The state, in so far as it is another than the one that was told last."""
        state: dict[str, Any] = {"grad": torch.is_grad_enabled()}
        for name, now in random_states().items():
            if self._random.get(name) != now:
                self._random[name] = now
                buffers.append(np.frombuffer(now, np.uint8).copy())
                state[name] = len(buffers) - 1
        if live.objects and (changes := live.changes(buffers)):
            state["live"] = changes
        return state

    def take(self, state: Any, live: Live, buffers: Buffers) -> None:
        """Set what the other side has told.

        Raises
        ------
        BadMessage
            If it is no state.
        """
        if not isinstance(state, dict):
            raise BadMessage("no state")
        torch.set_grad_enabled(bool(state.get("grad", True)))
        for name in ("torch", "numpy", "python"):
            if name in state:
                try:
                    raw = buffers[state[name]].tobytes()
                    set_random_state(name, raw)
                except (IndexError, TypeError, ValueError, RuntimeError, OverflowError):
                    raise BadMessage("no random state") from None
                self._random[name] = raw
        if "live" in state:
            live.apply(state["live"], buffers)
