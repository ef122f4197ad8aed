"""What is kept must be made anew as soon as a weight is another one."""

import copy
import gc
import weakref
from collections.abc import Callable

import pytest
import torch
from torch import nn

from elmo_mini.fast.derived_weights import Derived, weight_stamp


class Linear(nn.Linear):
    def weights(self) -> list[torch.Tensor]:
        return [self.weight, self.bias]


class Counting:
    """Doubles a linear layer's weight and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, module: Linear) -> torch.Tensor:
        self.times += 1
        return 2 * module.weight.detach()


def in_place(module: Linear) -> None:
    with torch.no_grad():
        module.weight[1, 2] += 1


def through_data(module: Linear) -> None:
    module.weight.data.copy_(torch.randn(30, 40))


def one_number_through_data(module: Linear) -> None:
    module.weight.data[3, 7] += 0.5


def clamped_through_data(module: Linear) -> None:
    module.weight.data.clamp_(max=0.99 * float(module.weight.max()))


def turned_round_through_data(module: Linear) -> None:
    module.weight.data.copy_(module.weight.data.flip(1))


def loaded(module: Linear) -> None:
    module.load_state_dict(Linear(40, 30).state_dict())


def replaced(module: Linear) -> None:
    module.weight = nn.Parameter(module.weight.detach() + 1)


def of_another_type(module: Linear) -> None:
    module.double()


def trained(module: Linear) -> None:
    module(torch.ones(40)).sum().backward()
    torch.optim.SGD(module.parameters(), lr=0.1).step()


@pytest.mark.parametrize(
    "change",
    [
        in_place,
        through_data,
        one_number_through_data,
        clamped_through_data,
        turned_round_through_data,
        loaded,
        replaced,
        of_another_type,
        trained,
    ],
)
def test_changed_weights_are_noticed(change: Callable[[Linear], None]) -> None:
    module, build = Linear(40, 30), Counting()
    derived = Derived(build)
    for _ in range(3):
        assert torch.equal(derived.of(module), 2 * module.weight)
    assert build.times == 1
    change(module)
    assert torch.equal(derived.of(module), 2 * module.weight)
    derived.of(module)
    assert build.times == 2


def test_every_module_has_its_own_and_takes_it_along_when_it_goes() -> None:
    first, derived = Linear(40, 30), Derived(Counting())
    second = copy.deepcopy(first)
    in_place(second)
    kept = weakref.ref(derived.of(second))
    assert not torch.equal(derived.of(first), derived.of(second))
    del second
    gc.collect()
    assert kept() is None
    assert torch.equal(derived.of(first), 2 * first.weight)


@torch.inference_mode()
def test_weights_made_in_inference_mode_have_no_version_and_are_watched_all_the_same() -> None:
    module, build = Linear(40, 30), Counting()
    derived = Derived(build)
    for _ in range(2):
        assert torch.equal(derived.of(module), 2 * module.weight)
    module.weight.mul_(3)
    assert torch.equal(derived.of(module), 2 * module.weight)
    assert build.times == 2


@pytest.mark.parametrize("made_in_inference_mode", [False, True])
def test_one_number_written_into_a_large_weight_is_noticed(made_in_inference_mode: bool) -> None:
    with torch.inference_mode(made_in_inference_mode):
        module = Linear(1024, 512)
    before = weight_stamp(module.weights())
    with torch.inference_mode():
        module.weight[3, 5] += 1
    assert weight_stamp(module.weights()) != before


def test_of_a_large_weight_a_written_column_is_noticed() -> None:
    module = Linear(1024, 512)
    before = weight_stamp(module.weights())
    assert weight_stamp(module.weights()) == before
    module.weight.data[:, 77] += 1
    assert weight_stamp(module.weights()) != before


def test_a_mark_is_the_same_under_autocast() -> None:
    module = Linear(40, 30)
    before = weight_stamp(module.weights())
    with torch.autocast("cpu", torch.bfloat16):
        assert weight_stamp(module.weights()) == before
