"""What the checks of lesson 13 refuse, and what they take."""

from typing import Any

import torch
from torch import nn

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from autograde.exercises.attention.broken_heads import TRUTH
from elmo_mini.models.attention import Block, MultiHead


class WithOtherNames(MultiHead):
    """Heads whose last layer is called otherwise, so that no weights of PyTorch fit."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__(dim, heads)
        self.last = self.out
        del self.out


def test_parts_with_other_names_are_told() -> None:
    report = examine(find("MultiHead"), WithOtherNames)
    assert report.points == 0
    assert report.message.startswith("The parts of your module are not those that the task names.")
    assert "last.bias" in report.message


def test_a_function_in_place_of_a_class_is_told() -> None:
    report = examine(find("Block"), lambda dim, heads, mask_of=None: lambda x, mask: x)
    assert "gives no module of PyTorch" in report.message


def test_rows_of_padding_that_may_look_nowhere_are_told_why() -> None:
    def closed(mask: Any) -> Any:
        return (mask[:, None, :] & mask[:, :, None]).tril()

    report = examine(find("causal_mask"), closed)
    assert report.points < 2
    assert "the NaN spreads" in report.text()


def test_what_the_nan_does() -> None:
    attention_weights = torch.tensor([[1.0, 0.0]])
    values = torch.tensor([[2.0], [float("nan")]])
    assert (attention_weights @ values).isnan().all()


def test_wrong_runs_are_told_one_at_a_time_and_none_is_given_away() -> None:
    report = examine(find("broken_heads"), lambda: TRUTH | {"A": 1, "B": 1})
    assert "A is not fault 1" in report.message
    for name, number in TRUTH.items():
        assert f"{name} is fault {number}" not in report.text()


def test_a_block_that_drops_in_training_is_told_so() -> None:
    class WithDropout(find("Block").right_answers["each sentence alone"]):  # type: ignore[misc]
        """A right block that drops half of what goes in, in training."""

        def forward(self, x: Any, mask: Any) -> Any:
            """As its parent."""
            return super().forward(nn.functional.dropout(x, 0.5, self.training), mask)

    report = examine(find("Block"), WithDropout)
    assert report.points == 0
    assert "dropout" in report.text()


def test_a_block_that_overwrites_what_came_in_is_told_so_and_not_of_a_dropout() -> None:
    class InPlace(Block):
        """A block whose first sum is written over its input."""

        def forward(self, x: Any, mask: Any) -> Any:
            """As its parent."""
            x += self.attention(x, self.mask_of(mask))[0]
            x = self.norm_1(x)
            return self.norm_2(x + self.narrow(nn.functional.gelu(self.wide(x))))

    report = examine(find("Block"), InPlace)
    assert report.points == 0
    assert "changed its argument `x`" in report.text()
    assert "dropout" not in report.text()
