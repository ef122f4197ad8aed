"""On another processor the last bits differ, and what hangs on them is found."""

from dataclasses import replace

import torch

from autograde.checking.answers import call_with_tensors
from autograde.checking.exercise import Case
from autograde.proving.proofs import rounding
from autograde.proving.rounding import AnotherProcessor
from tests.autograde.checking.made_up import exercise


def test_products_and_sums_move_by_a_bit_and_the_rest_does_not() -> None:
    left, right = torch.randn(50, 30), torch.randn(30, 20)
    with AnotherProcessor():
        once, again, doubled = left @ right, left @ right, 2 * left
    assert torch.equal(once, again)
    assert torch.equal(doubled, 2 * left)
    assert not torch.equal(once, left @ right)
    torch.testing.assert_close(once, left @ right)


def test_infinities_and_zeros_stay() -> None:
    values = torch.tensor([[0.0, float("inf")]])
    with AnotherProcessor():
        assert torch.equal(values.exp().log(), torch.tensor([[0.0, float("inf")]]))
        assert values.sum().item() == float("inf")


def test_an_answer_that_hangs_on_a_last_bit_is_found() -> None:
    def tipped(values: torch.Tensor) -> torch.Tensor:
        one, other = torch.outer(values, values) @ values, (values * values).sum() * values
        return 2 * values if (one - other)[0] > 0 else values

    cases = tuple(
        Case(f"vector {n}", lambda rng: {"values": rng.standard_normal(40)}) for n in range(9)
    )
    made = exercise(cases=cases, run=call_with_tensors)
    sound = replace(made, mistakes=(), right_answers={"added": lambda values: values + values})
    hanging = replace(sound, right_answers={"tipped": tipped})
    assert list(rounding(sound, 0)) == []
    assert any("rounding changes what is said" in fault for fault in rounding(hanging, 0))
