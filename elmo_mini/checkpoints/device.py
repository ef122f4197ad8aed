"""A device by its name, or one sentence that says why PyTorch cannot use it here."""

import torch

from elmo_mini.errors import ConfigurationError


def usable_device(name: torch.device | str, instead: str) -> torch.device:
    """The device of this name.

    Parameters
    ----------
    name : as PyTorch spells it: cpu, cuda, cuda:1 ...
    instead : what to do otherwise, the end of the sentence

    Raises
    ------
    ConfigurationError
        If PyTorch knows no such kind of device, or cannot compute on it on this machine.
    """
    try:
        device = torch.device(name)
    except RuntimeError as wrong:
        raise ConfigurationError(f"there is no kind of device {str(name)!r}; {instead}") from wrong
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigurationError(f"PyTorch sees no GPU here; {instead}")
    try:
        torch.zeros(1, device=device).cpu()
    except (AssertionError, RuntimeError) as wrong:  # a build without that kind; no such number
        raise ConfigurationError(f"PyTorch cannot compute on {name} here; {instead}") from wrong
    return device
