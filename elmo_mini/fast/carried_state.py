"""The state that a stateful biLM carries from one batch to the next.

The published models were trained on one long stream of text, and the official code keeps every
row's final state as the start of the same row in the next batch, whatever sentence comes there.
That makes vectors depend on what was embedded before. `elmo_mini` does it only on request.
"""

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn

from elmo_mini.fast.derived_weights import made_to_keep


class CarriedState(nn.Module):
    """Row-wise store of (h, c), each (layers, 2, rows, size); follows its model to a device.

    The start state is what a row holds before its first sentence: zeros, or the state fixed by
    `set_start`. Neither is in the ``state_dict``; `save_pretrained` keeps the start state.
    """

    h: Tensor
    c: Tensor
    start_h: Tensor
    start_c: Tensor

    def __init__(self, layers: int, hidden_size: int, cell_size: int) -> None:
        super().__init__()
        # Zeros from the start, for no checkpoint brings them to a model made on the meta device.
        device = "cpu" if torch.get_default_device().type == "meta" else None
        for name, rows, size in (
            ("h", 0, hidden_size),
            ("c", 0, cell_size),
            ("start_h", 1, hidden_size),
            ("start_c", 1, cell_size),
        ):
            zeros = torch.zeros(layers, 2, rows, size, device=device)
            self.register_buffer(name, zeros, persistent=False)

    @made_to_keep()
    def follow(self, weight: Tensor) -> None:
        """Take the device and the type of this weight; on the meta device there are no numbers."""
        here = self.start_h
        if not weight.is_meta and (here.dtype, here.device) != (weight.dtype, weight.device):
            for name, kept in self.named_buffers():
                setattr(self, name, kept.to(weight))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        # `to_empty` comes here too, and would leave the numbers unset. So `fn` is only asked where
        # it takes a tensor without numbers.
        self.follow(fn(self.start_h[..., :0]))
        return self

    @property
    def rows(self) -> int:
        """How many rows have a stored state."""
        return self.h.shape[2]

    @property
    def has_start(self) -> bool:
        """Whether the start state is another than zeros."""
        return bool(self.start_h.any() or self.start_c.any())

    @made_to_keep()
    def set_start(self, h: Tensor, c: Tensor) -> None:
        """Fix the state of one row (layers, 2, 1, size) as the start of every row."""
        self.start_h, self.start_c = h.detach().clone(), c.detach().clone()

    def start(self, batch: int) -> tuple[Tensor, Tensor]:
        """The start state for `batch` rows."""
        return self.start_h.expand(-1, -1, batch, -1), self.start_c.expand(-1, -1, batch, -1)

    def read(self, batch: int) -> tuple[Tensor, Tensor]:
        """The state of the first `batch` rows; rows never seen hold the start state."""
        known = min(batch, self.rows)
        fresh_h, fresh_c = self.start(batch - known)
        return (
            torch.cat([self.h[:, :, :known], fresh_h], 2),
            torch.cat([self.c[:, :, :known], fresh_c], 2),
        )

    @made_to_keep()
    def update(self, h: Tensor, c: Tensor, used: Tensor | None = None) -> None:
        """Store the states of the first rows; rows not `used` (B,) and later rows stay."""
        batch = h.shape[2]
        size = max(batch, self.rows)
        old_h, old_c = (x.clone() for x in self.read(size))
        if used is None:
            used = torch.ones(batch, dtype=torch.bool, device=h.device)
        chosen = used.nonzero().squeeze(1)
        old_h[:, :, chosen] = h.detach()[:, :, chosen].to(old_h)
        old_c[:, :, chosen] = c.detach()[:, :, chosen].to(old_c)
        self.h, self.c = old_h, old_c

    @made_to_keep()
    def reset(self, mask: Tensor | None = None) -> None:
        """Forget every row, or put the rows of `mask` (rows,) bool back to the start state.

        Raises
        ------
        ValueError
            If the mask has not one entry per stored row.
        """
        if mask is None:
            self.h, self.c = self.h[:, :, :0].clone(), self.c[:, :, :0].clone()
            return
        mask = mask.bool().reshape(-1).to(self.h.device)
        if len(mask) != self.rows:
            raise ValueError(f"the mask has {len(mask)} entries, but {self.rows} rows have a state")
        fresh_h, fresh_c = self.start(self.rows)
        where = mask.view(1, 1, -1, 1)
        self.h = torch.where(where, fresh_h, self.h)
        self.c = torch.where(where, fresh_c, self.c)
