"""Sorting, packing, reversal and the way back."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence

from elmo_mini.fast.packed_order import PackedOrder


def mask_of(lengths: list[int], width: int) -> torch.Tensor:
    return torch.arange(width) < torch.tensor(lengths).unsqueeze(1)


def test_reads_each_row_in_both_directions() -> None:
    text = torch.tensor([[1, 2, 0, 0], [3, 4, 5, 6], [7, 8, 9, 0]])
    order = PackedOrder(text > 0)
    assert order.order.tolist() == [1, 2, 0]
    assert order.batch_sizes == [3, 3, 2, 1]
    forward, backward = order.read(text).tolist()
    assert forward == [3, 7, 1, 4, 8, 2, 5, 9, 6]
    assert backward == [6, 9, 2, 5, 8, 1, 4, 7, 3]


def test_the_forward_direction_is_pytorchs_packed_sequence() -> None:
    lengths = [2, 5, 3, 5]
    text = torch.randn(4, 6, 3)
    order = PackedOrder(mask_of(lengths, 6))
    packed = pack_padded_sequence(text, lengths, batch_first=True, enforce_sorted=False)
    assert packed.sorted_indices is not None
    assert torch.equal(order.read(text)[0], packed.data)
    assert order.batch_sizes == packed.batch_sizes.tolist()
    assert torch.equal(order.order, packed.sorted_indices)


def test_restore_undoes_read() -> None:
    mask = mask_of([2, 5, 3, 5], 6)
    order = PackedOrder(mask)
    text = torch.arange(24.0).view(4, 6) + 1
    restored = order.restore(order.read(text).unsqueeze(-1))
    for half in (0, 1):
        assert torch.equal(restored[..., half], text * mask)


def test_unsort_undoes_sort() -> None:
    order = PackedOrder(mask_of([2, 5, 3, 5], 6))
    h, c = torch.randn(1, 2, 4, 3), torch.randn(1, 2, 4, 7)
    again = order.unsort(order.sort((h, c)))
    assert torch.equal(again[0], h)
    assert torch.equal(again[1], c)
    assert torch.equal(order.sort((h, c))[0][:, :, 0], h[:, :, 1])
