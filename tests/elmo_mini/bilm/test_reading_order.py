"""Sorting, reversal and the way back."""

import torch

from elmo_mini.bilm.reading_order import ReadingOrder


def test_reads_each_row_in_both_directions() -> None:
    text = torch.tensor([[1, 2, 0, 0], [3, 4, 5, 6], [7, 8, 9, 0]])
    reading = ReadingOrder(torch.tensor([2, 4, 3]))
    assert reading.order.tolist() == [1, 2, 0]
    assert reading.alive == [3, 3, 2, 1]
    read = reading.read(text)
    assert read[:, 0].T.tolist() == [[3, 4, 5, 6], [7, 8, 9, 7], [1, 2, 1, 1]]
    assert read[:, 1].T.tolist() == [[6, 5, 4, 3], [9, 8, 7, 7], [2, 1, 1, 1]]


def test_restore_undoes_read() -> None:
    lengths = torch.tensor([2, 5, 3, 5])
    reading = ReadingOrder(lengths)
    text = torch.arange(24.0).view(4, 6) + 1
    outputs = reading.read(text).transpose(0, 1).unsqueeze(-1)
    restored = reading.restore(outputs, 6)
    mask = torch.arange(6) < lengths.unsqueeze(1)
    for half in (0, 1):
        assert torch.equal(restored[..., half], text * mask)
