"""The order in which a forward and a backward LSTM read a padded batch.

As in PyTorch's `PackedSequence`, rows are sorted by falling length and tokens stand step after
step: first the token that each row reads first, then those read second by the rows that have
one, and so on. So padding is never read. The backward direction reads every row from its own last
token, so both directions have the same rows at each step.
"""

import torch
from torch import Tensor


class PackedOrder:
    """Where both directions find and leave their N tokens in a batch of B rows and T columns.

    Parameters
    ----------
    mask : (B, T) bool, padding on the right

    Attributes
    ----------
    batch_sizes : for each step, how many rows still read; falling numbers whose sum is N
    index : (2, N) the position b * T + t of the token that each direction reads
    order : (B,) the row of the batch at each sorted position
    """

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask
        width = mask.shape[1]
        lengths, self.order = mask.sum(1).sort(descending=True, stable=True)
        steps = torch.arange(width, device=mask.device).unsqueeze(1)
        reading = steps < lengths  # (T, B)
        self.batch_sizes: list[int] = [n for n in reading.sum(1).tolist() if n]
        step, row = reading.nonzero(as_tuple=True)
        first = self.order[row] * width
        self.index = torch.stack([first + step, first + lengths[row] - 1 - step])

    def read(self, text: Tensor) -> Tensor:
        """(B, T, ...) to (2, N, ...): what each direction reads, in its order."""
        return text.flatten(0, 1)[self.index]

    def restore(self, outputs: Tensor) -> Tensor:
        """Both directions' (2, N, H) in their order to (B, T, 2H) in that of the text.

        Each vector is the forward half followed by the backward half, zero at padding.
        """
        text = outputs.new_zeros(self.mask.numel(), 2, outputs.shape[-1])
        for direction, index in enumerate(self.index):
            text[index, direction] = outputs[direction]
        return text.view(*self.mask.shape, -1)

    def sort(self, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """h and c, each (layers, 2, B, size), their rows sorted."""
        h, c = state
        return h[:, :, self.order], c[:, :, self.order]

    def unsort(self, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """The inverse of `sort`."""
        h, c = state
        inverse = self.order.argsort()
        return h[:, :, inverse], c[:, :, inverse]
