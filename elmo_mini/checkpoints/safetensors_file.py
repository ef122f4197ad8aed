"""Checkpoints: named tensors and a JSON record in one safetensors file.

A file is written whole or not at all. Nothing is pickled, so opening a file from somebody else runs
no code.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from elmo_mini.errors import ConfigurationError

_RECORD = "record"


class CheckpointDamaged(ConfigurationError):
    """A checkpoint that is truncated, foreign, or of another model; the message names the file."""


def write_text(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old content or the new, never a part."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    _put_in_place(part, path)


def write_checkpoint(path: Path, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write tensors and a record of JSON values; a kill at any moment leaves a whole file."""
    part = path.with_name(path.name + ".part")
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    save_file(contiguous, part, metadata={_RECORD: json.dumps(record)})
    _put_in_place(part, path)


def read_checkpoint(path: Path, device: str = "cpu") -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the record of a file of `write_checkpoint`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    CheckpointDamaged
        If the file is truncated or was written by something else.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    try:
        with safe_open(path, "pt", device=device) as file:
            record = json.loads((file.metadata() or {})[_RECORD])
            return {name: file.get_tensor(name) for name in file.keys()}, record  # noqa: SIM118
    except SafetensorError as wrong:
        raise CheckpointDamaged(
            f"{path} is no whole safetensors file ({wrong}); fetch or train it again"
        ) from wrong
    except (KeyError, ValueError) as wrong:
        raise CheckpointDamaged(
            f"{path} is a safetensors file, but not one written by elmo_mini: its record is missing"
        ) from wrong


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's state by parameter number and name, as ``optimiser.3.exp_avg``."""
    return {
        f"optimiser.{number}.{name}": torch.as_tensor(value)
        for number, values in optimiser.state_dict()["state"].items()
        for name, value in values.items()
    }


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Put the state of `optimiser_tensors` back."""
    content = optimiser.state_dict()
    content["state"] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimiser."):
            _, number, name = key.split(".")
            content["state"].setdefault(int(number), {})[name] = tensor
    optimiser.load_state_dict(content)


def _put_in_place(part: Path, path: Path) -> None:
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.chmod(0o644)  # safetensors writes for the owner alone
    part.replace(path)
