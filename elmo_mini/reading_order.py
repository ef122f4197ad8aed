"""The order in which a forward and a backward LSTM read a padded batch.

Rows are sorted by falling length, so that at every step the rows still reading are the first
few. The backward direction reads every row from its own last token, so both directions have the
same rows alive at each step.
"""

import torch
from torch import Tensor


class ReadingOrder:
    """Sorting and reversal of a batch with `lengths` tokens per row (B,), padded to `width`.

    order : (B,) row of the batch that stands at each sorted place
    place : (B,) the inverse of `order`
    alive : for each of the T steps, how many sorted rows still read
    position : (T, 2, B) the token each direction reads at each step, in sorted order; past a
        row's end, its first token
    """

    def __init__(self, lengths: Tensor) -> None:
        self.lengths = lengths
        sorted_lengths, self.order = lengths.sort(descending=True, stable=True)
        self.place = torch.empty_like(self.order)
        self.place[self.order] = torch.arange(len(lengths), device=lengths.device)
        steps = torch.arange(int(lengths.max()), device=lengths.device).unsqueeze(1)
        self.alive: list[int] = (sorted_lengths > steps).sum(1).tolist()
        backward = sorted_lengths - 1 - steps
        inside = backward >= 0
        self.position = torch.stack([steps * inside, backward * inside], 1)

    def read(self, tokens: Tensor) -> Tensor:
        """(B, width) to (T, 2, B): what each direction reads at each step, rows sorted."""
        return tokens[self.order, self.position]

    def restore(self, outputs: Tensor, width: int) -> Tensor:
        """(2, T, B, H) in reading order to (B, width, 2H) in text order, zero at padding.

        Each vector is the forward half followed by the backward half.
        """
        _, _, batch, size = outputs.shape
        steps = torch.arange(width, device=outputs.device).expand(batch, width)
        mask = steps < self.lengths.unsqueeze(1)
        rows = self.place.unsqueeze(1).expand(batch, width)[mask]
        forward = steps[mask]
        backward = (self.lengths.unsqueeze(1) - 1 - steps)[mask]
        text = outputs.new_zeros(batch, width, 2 * size)
        text[mask] = torch.cat([outputs[0][forward, rows], outputs[1][backward, rows]], -1)
        return text
