"""The state rules of the official code; upstream behaviours 35 to 40."""

import pytest
import torch

from elmo_mini.fast.carried_state import CarriedState


def states(rows: int, value: float) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.full((2, 2, rows, 3), value), torch.full((2, 2, rows, 5), value)


def column(state: tuple[torch.Tensor, torch.Tensor]) -> list[float]:
    h, c = state
    assert torch.equal(h[0, 0, :, 0], c[1, 1, :, 0])
    return h[0, 0, :, 0].tolist()


def test_first_call_starts_from_zeros() -> None:  # 35
    store = CarriedState(2, 3, 5)
    h, c = store.read(4)
    assert h.shape == (2, 2, 4, 3)
    assert c.shape == (2, 2, 4, 5)
    assert column((h, c)) == [0, 0, 0, 0]


def test_new_rows_of_a_larger_batch_start_from_zeros() -> None:  # 36
    store = CarriedState(2, 3, 5)
    store.update(*states(2, 1.0))
    assert column(store.read(4)) == [1, 1, 0, 0]
    assert store.rows == 2


def test_smaller_batch_reads_first_rows_and_changes_nothing() -> None:  # 37
    store = CarriedState(2, 3, 5)
    store.update(*states(3, 1.0))
    assert column(store.read(2)) == [1, 1]
    assert store.rows == 3


def test_rows_without_a_token_keep_their_state() -> None:  # 38
    store = CarriedState(2, 3, 5)
    store.update(*states(3, 1.0))
    store.update(*states(3, 2.0), used=torch.tensor([True, False, True]))
    assert column(store.read(3)) == [2, 1, 2]


def test_smaller_new_state_leaves_later_rows() -> None:  # 39
    store = CarriedState(2, 3, 5)
    store.update(*states(4, 1.0))
    store.update(*states(2, 2.0))
    assert column(store.read(4)) == [2, 2, 1, 1]


def test_reset() -> None:  # 40
    store = CarriedState(2, 3, 5)
    store.update(*states(3, 1.0))
    store.reset(torch.tensor([True, False, True]))
    assert column(store.read(3)) == [0, 1, 0]
    with pytest.raises(ValueError, match="2 entries, but 3 rows"):
        store.reset(torch.tensor([True, False]))
    store.reset()
    assert store.rows == 0
    assert column(store.read(2)) == [0, 0]


def test_start_state_serves_new_and_reset_rows() -> None:
    store = CarriedState(2, 3, 5)
    store.set_start(*states(1, 7.0))
    assert column(store.start(2)) == [7, 7]
    store.update(*states(1, 1.0))
    assert column(store.read(2)) == [1, 7]
    store.reset(torch.tensor([True]))
    assert column(store.read(1)) == [7]


def test_update_detaches_and_store_moves_with_its_module() -> None:
    store = CarriedState(2, 3, 5)
    h, c = (x.requires_grad_() for x in states(1, 1.0))
    store.update(h * 2, c * 2)
    assert not store.read(1)[0].requires_grad
    assert store.double().read(1)[0].dtype == torch.float64
    assert not store.state_dict()
