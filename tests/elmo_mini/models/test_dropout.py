import pytest
import torch

from elmo_mini.models.awd_lstm import LockedDropout, embedding_dropout, locked_dropout


def test_locked_dropout_keeps_one_mask_for_all_steps_of_a_row() -> None:
    torch.manual_seed(0)
    mask = locked_dropout(torch.ones(4, 6, 500), 0.4)
    assert torch.equal(mask, mask[:, :1].expand_as(mask))
    assert mask.unique().tolist() == pytest.approx([0, 1 / 0.6])
    assert float((mask == 0).double().mean()) == pytest.approx(0.4, abs=0.1)
    assert not torch.equal(mask[0], mask[1])
    assert not torch.equal(mask, locked_dropout(torch.ones(4, 6, 500), 0.4))


def test_embedding_dropout_takes_whole_words_away() -> None:
    torch.manual_seed(0)
    ids = torch.randint(0, 300, (5, 200))
    mask = embedding_dropout(torch.ones(300, 3), ids, 0.3)
    for word in ids.unique():
        assert len(mask[ids == word].unique()) == 1
    assert mask.unique().tolist() == pytest.approx([0, 1 / 0.7])


def test_nothing_is_dropped_in_evaluation_and_without_a_rate() -> None:
    x, layer = torch.randn(2, 3, 4), LockedDropout(0.5)
    assert torch.equal(layer.eval()(x), x)
    assert torch.equal(locked_dropout(x, 0.0), x)
    table, ids = torch.randn(5, 2), torch.tensor([[1, 4]])
    assert torch.equal(embedding_dropout(table, ids, 0.0), table[ids])
    assert "p=0.5" in repr(layer)
