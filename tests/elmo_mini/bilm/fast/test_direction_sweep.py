"""One direction beside the other equals both in one."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from elmo_mini.bilm.fast import direction_sweep
from elmo_mini.bilm.fast.direction_sweep import fits, sweep
from elmo_mini.bilm.projected_lstm import ProjectedLSTM
from elmo_mini.bilm.reading_order import ReadingOrder


@pytest.fixture(params=[1, 2, 5], autouse=True)
def threads(request: pytest.FixtureRequest) -> object:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    assert torch.get_num_threads() == request.param
    with ThreadPoolExecutor(1) as pool:  # what a thread sets goes to those that start later
        assert pool.submit(torch.get_num_threads).result() == request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("clips", [(0.3, 0.2), (None, None), (3.0, 0)])
@pytest.mark.parametrize("hidden", [4, 6])
@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equals_layer_by_layer(
    clips: tuple[float | None, float | None], hidden: int, skip: bool, dtype: torch.dtype
) -> None:
    torch.manual_seed(2)
    lengths = [7, 2, 5, 5, 3]
    layers = [ProjectedLSTM(hidden, 6, hidden, *clips).to(dtype) for _ in range(3)]
    types = torch.randn(11, hidden, dtype=dtype)
    reading = ReadingOrder(torch.tensor(lengths))
    tokens = reading.read(torch.randint(0, 11, (5, 7)))
    h, c = torch.randn(3, 2, 5, hidden, dtype=dtype), torch.randn(3, 2, 5, 6, dtype=dtype)
    kept = h.clone(), c.clone()
    outputs, (h_end, c_end) = sweep(layers, types, tokens, reading.alive, (h, c), skip)
    assert torch.equal(h, kept[0])
    assert torch.equal(c, kept[1])
    close = {"rtol": 0, "atol": 1e-6 if dtype == torch.float32 else 1e-13}
    inputs = types[tokens].transpose(0, 1)
    with torch.no_grad():
        for number, layer in enumerate(layers):
            expected, end = layer(inputs, reading.alive, (h[number], c[number]))
            for t, n in enumerate(reading.alive):
                ours = torch.stack([half[t, :n] for half in outputs[number]])
                torch.testing.assert_close(ours, expected[:, t, :n], **close)
            torch.testing.assert_close((h_end[number], c_end[number]), end, **close)
            inputs = expected + inputs if number and skip else expected


def test_the_end_state_can_be_used_with_gradients() -> None:
    layer = ProjectedLSTM(4, 6, 4)
    tokens = torch.zeros(2, 2, 1, dtype=torch.long)
    state = torch.zeros(1, 2, 1, 4), torch.zeros(1, 2, 1, 6)
    _, end = sweep([layer], torch.randn(1, 4), tokens, [1, 1], state, True)
    weight = torch.ones(4, requires_grad=True)
    (end[0] * weight).sum().backward()
    assert weight.grad is not None


def test_an_error_in_a_thread_is_raised_and_leaves_the_threads_as_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(direction_sweep._Direction, "read", fail)
    tokens = torch.zeros(2, 2, 1, dtype=torch.long)
    state = torch.zeros(1, 2, 1, 4), torch.zeros(1, 2, 1, 6)
    with pytest.raises(RuntimeError, match="out of memory"):
        sweep([ProjectedLSTM(4, 6, 4)], torch.randn(1, 4), tokens, [1, 1], state, True)


def test_fits_what_can_be_packed() -> None:
    layer = ProjectedLSTM(4, 6, 4)
    assert fits([layer])
    assert not fits([layer, ProjectedLSTM(4, 6, 4).double()])
