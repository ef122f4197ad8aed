"""The processes of a run; several at once are in `test_run`."""

import pytest

from elmo_mini.errors import ConfigurationError
from elmo_mini.training.processes import Processes


def test_a_device_that_cannot_be_used_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    for device, message in (("cuda", "sees no GPU"), ("abacus", "no kind"), ("meta", "on meta")):
        with pytest.raises(ConfigurationError, match=f"{message}.*use the device 'cpu'"):
            Processes.join(device)
    assert Processes.join().device == "cpu"
