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

    def sort(self, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """h and c, each (layers, 2, B, size), their rows in reading order."""
        h, c = state
        return h[:, :, self.order], c[:, :, self.order]

    def unsort(self, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """The inverse of `sort`."""
        h, c = state
        return h[:, :, self.place], c[:, :, self.place]

    def restore(self, outputs: Tensor | tuple[Tensor, Tensor], width: int) -> Tensor:
        """Both directions' (T, B, H) in reading order to (B, width, 2H) in text order.

        Each vector is the forward half followed by the backward half, zero at padding.
        """
        forward_half, backward_half = outputs
        lengths, rows = self.lengths.unsqueeze(1), self.place.unsqueeze(1)
        steps = torch.arange(width, device=lengths.device)
        inside = steps < lengths  # (B, width)
        forward, backward = steps * inside, (lengths - 1 - steps) * inside
        text = torch.cat([forward_half[forward, rows], backward_half[backward, rows]], -1)
        return text.masked_fill_(~inside.unsqueeze(-1), 0)
