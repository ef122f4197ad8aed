"""The slope of an LSTM's cells by those of some words before."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograde.checking.catalogue import find
from course.context_enters.cell_gradients import OPEN, STEPS, notes_kept


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(9, 4)
        self.lstm = find("LSTM").reference(4, 4)

    def states(self, ids: Tensor, state: Any = None) -> Any:
        return self.lstm(self.embedding(ids), state)


def test_gates_that_stand_still_multiply() -> None:
    reader = Reader()
    for parameter in reader.lstm.parameters():
        nn.init.zeros_(parameter)
    rows = torch.arange(50).view(2, 25) % 9
    fresh, trained, opened = notes_kept(reader, reader, rows).values()
    assert fresh == trained == pytest.approx({steps: 0.5**steps for steps in STEPS})
    gate = 1 / (1 + math.exp(-OPEN))
    assert opened == pytest.approx({steps: gate**steps for steps in STEPS}, rel=1e-4)
    assert reader.lstm.gates.bias.abs().max() == 0, "the copy alone is changed"
