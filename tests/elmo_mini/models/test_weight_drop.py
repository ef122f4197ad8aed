import copy

import pytest
import torch

from elmo_mini.models.awd_lstm import WeightDropLSTM


@pytest.fixture
def layer() -> WeightDropLSTM:
    torch.manual_seed(0)
    return WeightDropLSTM(3, 20, 0.4)


X = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1))


def test_in_evaluation_it_is_the_lstm(layer: WeightDropLSTM) -> None:
    outputs, (h, c) = layer.eval()(X)
    plain, (h_plain, c_plain) = layer.lstm(X)
    for found, wanted in ((outputs, plain), (h, h_plain), (c, c_plain)):
        torch.testing.assert_close(found, wanted)


def test_in_training_every_call_draws_and_the_matrix_stays(layer: WeightDropLSTM) -> None:
    before = layer.lstm.weight_hh_l0.clone()
    one, other = (layer.train()(X)[0] for _ in range(2))
    whole = layer.eval()(X)[0]
    torch.testing.assert_close(one[:, 0], whole[:, 0])  # the first step has no state to read
    assert not torch.allclose(one[:, 1:], whole[:, 1:])
    assert not torch.allclose(one, other)
    assert torch.equal(layer.lstm.weight_hh_l0, before)


def test_a_share_of_the_weights_gets_no_gradient(layer: WeightDropLSTM) -> None:
    state = (torch.ones(1, 2, 20), torch.ones(1, 2, 20))
    layer.train()(X[:, :1], state)[0].sum().backward()
    gradient = layer.lstm.weight_hh_l0.grad
    assert gradient is not None
    share = float((gradient == 0).double().mean())
    assert share == pytest.approx(0.4, abs=0.1)


def test_training_evaluation_training_a_copy_and_a_file(layer: WeightDropLSTM) -> None:
    layer.train()(X)[0].sum().backward()
    first = layer.eval()(X)[0]
    layer.train()
    assert not torch.allclose(layer(X)[0], layer(X)[0])
    twin = copy.deepcopy(layer).eval()
    torch.testing.assert_close(twin(X)[0], first)
    loaded = WeightDropLSTM(3, 20, 0.4).eval()
    loaded.load_state_dict(layer.state_dict())
    torch.testing.assert_close(loaded(X)[0], first)
