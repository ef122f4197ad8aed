"""A model that trains the very tensors that it was given is found out."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from autograde.checking.given_weights import when_trained


def test_copies_leave_the_given_weights_alone_and_shared_ones_do_not() -> None:
    """Seen in a second model that is made of the same weights."""
    given = torch.ones(2, 3)

    def found(weight: Callable[[Tensor], Tensor]) -> str:
        def made() -> nn.Module:
            return nn.ParameterDict({"weight": weight(given)})

        return when_trained(made(), lambda: made().get_parameter("weight").tolist())

    assert found(lambda weight: weight.clone()) == "stay as they are"
    assert found(lambda weight: weight.T) == "change, too"
