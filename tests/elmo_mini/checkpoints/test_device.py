"""Devices by name: those that can be used, and one sentence for the others."""

import pytest
import torch

from elmo_mini.checkpoints.device import usable_device
from elmo_mini.errors import ConfigurationError


def test_the_cpu_can_be_used() -> None:
    assert usable_device("cpu", "no") == torch.device("cpu")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("abacus", "there is no kind of device 'abacus'; take another"),
        ("", "there is no kind of device ''; take another"),
        ("cuda", "PyTorch sees no GPU here; take another"),
        ("cuda:3", "PyTorch sees no GPU here; take another"),
        ("meta", "PyTorch cannot compute on meta here; take another"),
        ("xla", "PyTorch cannot compute on xla here; take another"),
    ],
)
def test_others_are_one_sentence(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigurationError) as refused:
        usable_device(name, "take another")
    assert str(refused.value) == message


def test_a_gpu_of_a_number_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    with pytest.raises(ConfigurationError, match="cannot compute on cuda:99 here"):
        usable_device("cuda:99", "take another")
