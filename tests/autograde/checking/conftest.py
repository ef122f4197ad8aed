"""The made-up exercise where `check` looks for it."""

import sys
from types import SimpleNamespace

import pytest

from autograde.checking import catalogue
from autograde.checking.exercise import Exercise
from tests.autograde.checking.made_up import exercise


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Exercise:
    made = exercise(seconds=0.5)
    monkeypatch.setitem(sys.modules, "made_up", SimpleNamespace(EXERCISE=made))
    monkeypatch.setattr(catalogue, "places", lambda: {"double": "made_up"})
    return made
