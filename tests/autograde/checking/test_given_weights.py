"""A model that trains the very tensors that it was given is found out."""

import torch
from torch import Tensor, nn

from autograde.checking.given_weights import when_trained


def made_of(weight: Tensor) -> nn.Module:
    return nn.ParameterDict({"weight": weight})


def test_copies_leave_the_given_weights_alone_and_shared_ones_do_not() -> None:
    given = {"weight": torch.ones(2, 3)}
    assert when_trained(made_of(given["weight"].clone()), given) == "stay as they are"
    assert when_trained(made_of(given["weight"].T), given) == "change, too"
