"""The slanted triangle, mended; who learns in an epoch; and the loop that uses both."""

import pytest
import torch
from torch import Tensor, nn

from elmo_mini.models.ulmfit import (
    as_printed,
    chain_thaw,
    constant,
    cosine,
    fine_tune,
    parameter_groups,
    slanted_triangular,
)


@pytest.mark.parametrize("steps", [1, 7, 56, 100, 109, 1000])
def test_the_mended_triangle_lies_between_its_lowest_and_its_highest_rate(steps: int) -> None:
    factors = [slanted_triangular(step, steps) for step in range(steps)]
    assert max(factors) == 1
    assert min(factors) >= 1 / 32
    assert factors.index(1) == steps // 10


def test_the_printed_formula_is_right_where_the_cut_is_whole() -> None:
    for step in range(200):
        assert as_printed(step, 200) == pytest.approx(slanted_triangular(step, 200))


def test_the_printed_formula_goes_negative_in_short_runs_alone_as_the_lesson_derives() -> None:
    negative = [steps for steps in range(10, 2000) if as_printed(steps - 1, steps) < 0]
    assert {95, 109} <= set(negative)
    assert max(negative) < 350
    assert as_printed(108, 109) == pytest.approx(-0.055, abs=1e-3)


def test_a_step_outside_the_run_is_refused() -> None:
    with pytest.raises(ValueError, match="step 6 is outside a run of 5 steps"):
        slanted_triangular(6, 5)


def test_the_other_schedules_begin_at_the_highest_rate() -> None:
    assert constant(0, 9) == constant(8, 9) == cosine(0, 9) == 1
    assert 0 < cosine(8, 9) < 0.1


def three_layers() -> list[list[nn.Parameter]]:
    return [[nn.Parameter(torch.ones(2))] for _ in range(3)]


def test_rates_shrink_downwards_and_layers_wake_from_the_top() -> None:
    layers = three_layers()
    for epoch, awake in enumerate([1, 2, 3, 3]):
        groups = parameter_groups(layers, 0.26, epoch)
        assert [group["params"] for group in groups] == layers[3 - awake :]
        rates = [0.26 / 2.6**depth for depth in range(awake)][::-1]
        assert [group["lr"] for group in groups] == pytest.approx(rates)


def test_a_tied_parameter_belongs_to_the_lower_layer_and_pytorch_takes_the_groups() -> None:
    bottom, middle, top = three_layers()
    layers = [bottom, middle, [*top, *bottom]]
    groups = parameter_groups(layers, 0.1, 9)
    assert [len(group["params"]) for group in groups] == [1, 1, 1]
    torch.optim.Adam(groups)
    assert len(parameter_groups(layers, 0.1, 0)[0]["params"]) == 1


def test_chain_thaw_wakes_each_layer_alone_and_then_all() -> None:
    groups = [{"params": [letter]} for letter in "abc"]
    said = ["".join(g["params"][0] for g in chain_thaw(groups, epoch)) for epoch in range(6)]
    assert said == ["c", "a", "b", "c", "abc", "abc"]


def test_the_loop_moves_what_is_awake_and_leaves_the_model_whole() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).eval()
    before = [parameter.detach().clone() for parameter in model.parameters()]
    x, y = torch.randn(8, 3), torch.randint(2, (8,))
    layers = [list(model[0].parameters()), list(model[2].parameters())]

    def loss_of(batch: Tensor) -> Tensor:
        assert model.training
        return nn.functional.cross_entropy(model(batch), y)

    def groups_of(epoch: int) -> list[dict]:
        return parameter_groups(layers, 0.05, 0)

    losses = fine_tune(model, [[x] * 5, [x] * 5], loss_of, groups_of, slanted_triangular)
    still = [torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True)]
    assert still == [True, True, False, False]
    assert losses[-1] < losses[0]
    assert len(losses) == 10
    assert not model.training
    assert all(parameter.requires_grad for parameter in model.parameters())
