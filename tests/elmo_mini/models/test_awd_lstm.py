import pytest
import torch

from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import (
    AWDLSTM,
    detached,
    mean_cross_entropy,
)
from elmo_mini.text.running_text import in_reading_order

OPTIONS = AWDLSTMOptions(vocabulary_size=11, dim=4, hidden_dim=6, layers=3)


def small(options: AWDLSTMOptions = OPTIONS) -> AWDLSTM:
    torch.manual_seed(0)
    return AWDLSTM(options)


def test_shapes_and_the_tied_table() -> None:
    model = small()
    said = model(torch.randint(0, 11, (2, 5)))
    assert said.logits.shape == (2, 5, 11)
    assert said.outputs.shape == said.dropped.shape == (2, 5, 4)
    assert [h.shape[-1] for h, _ in said.state] == [6, 6, 4]
    assert model.decoder.weight is model.embedding.weight
    untied = small(AWDLSTMOptions(vocabulary_size=11, dim=4, hidden_dim=6, tied=False))
    assert untied(torch.zeros(1, 2, dtype=torch.int64)).logits.shape == (1, 2, 11)
    assert untied.decoder.weight.shape == (11, 6)


def test_two_windows_with_carried_state_are_one() -> None:
    model, ids = small().eval(), torch.randint(0, 11, (2, 8))
    whole = model(ids)
    first = model(ids[:, :3])
    second = model(ids[:, 3:], detached(first.state))
    torch.testing.assert_close(torch.cat([first.logits, second.logits], 1), whole.logits)
    assert not any(part.requires_grad for pair in detached(first.state) for part in pair)


def test_dropout_is_in_training_only() -> None:
    model, ids = small(), torch.randint(0, 11, (2, 8))
    assert not torch.allclose(model(ids).logits, model(ids).logits)
    model.eval()
    torch.testing.assert_close(model(ids).logits, model(ids).logits)


def test_no_word_reads_what_comes_later() -> None:
    model, ids = small().eval(), torch.randint(0, 11, (1, 6))
    other = ids.clone()
    other[0, 4] = (ids[0, 4] + 1) % 11
    same = (model(ids).logits == model(other).logits).all(-1)[0]
    assert same.tolist() == [True] * 4 + [False] * 2


def test_the_loss_is_a_mean_in_nats() -> None:
    logits = torch.zeros(2, 3, 11)
    targets = torch.zeros(2, 3, dtype=torch.int64)
    torch.testing.assert_close(mean_cross_entropy(logits, targets), torch.tensor(11.0).log())


def test_reading_order() -> None:
    ids = torch.arange(4)
    assert torch.equal(in_reading_order(ids, "forward"), ids)
    assert in_reading_order(ids, "backward").tolist() == [3, 2, 1, 0]
    with pytest.raises(ConfigurationError, match="forward or backward"):
        in_reading_order(ids, "up")


def test_options() -> None:
    half = OPTIONS.scaled(0.5)
    assert (half.weight_drop, half.input_dropout, half.dim) == (0.25, 0.2, 4)
    assert AWDLSTMOptions.from_dict(half.to_dict()) == half
    with pytest.raises(ConfigurationError, match="no options"):
        AWDLSTMOptions.from_dict({"size": 3})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"dim": 0}, "dim is 0"),
        ({"weight_drop": 1.0}, "weight_drop is 1.0"),
        ({"direction": "up"}, "direction is 'up'"),
    ],
)
def test_options_out_of_range_are_told(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        AWDLSTMOptions.from_dict({**OPTIONS.to_dict(), **wrong})
