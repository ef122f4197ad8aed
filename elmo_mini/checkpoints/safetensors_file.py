"""Checkpoints: named tensors and a JSON record in one safetensors file.

A file is written whole or not at all. Nothing is pickled, so opening a file from somebody else runs
no code.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from elmo_mini.checkpoints.fitting import (
    Model,
    check_finite_weights,
    misfits,
    planned,
    shapes_of,
)
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.files import check_utf8, existing_file, written_whole

_RECORD = "record"
RENAMED = {"place.weight": "position_embedding.weight"}
"""Parameters of releases before 0.2 and what they are called now; files of both are read."""


class CheckpointDamaged(ConfigurationError):
    """A checkpoint that is truncated, foreign, or of another model; the message names the file."""


def write_checkpoint(
    path: PathLike, tensors: Mapping[str, Tensor], record: Mapping[str, Any]
) -> None:
    """Write tensors and a record of JSON values; a kill at any moment leaves a whole file.

    Raises
    ------
    OSError
        If the file's folder is not there and cannot be made, or the file cannot be written.
    ConfigurationError
        If the path is no UTF-8, the record no JSON, or a number not finite.
    """
    check_utf8(path)
    try:
        content = json.dumps(record)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise ConfigurationError(
            f"the record for {path} is no JSON: {wrong}; make its values text, numbers, lists and "
            "tables of them"
        ) from wrong
    check_finite_weights(tensors)
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with written_whole(path) as part:
        try:
            save_file(contiguous, part, metadata={_RECORD: content})
        except SafetensorError as wrong:  # its name for a full disk, too
            raise OSError(f"{path} cannot be written: {wrong}") from wrong


def read_checkpoint(path: PathLike) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the record of a file of `write_checkpoint`.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file.
    CheckpointDamaged
        If the file is truncated or was written by something else.
    """
    check_utf8(path)
    path = existing_file(path, "checkpoint")
    try:
        with safe_open(path, "pt", device="cpu") as file:
            record = dict(json.loads((file.metadata() or {})[_RECORD]))
            names = list(file.keys())
            return {_current_name(name): file.get_tensor(name) for name in names}, record
    except SafetensorError as wrong:
        raise CheckpointDamaged(
            f"{path} is no whole safetensors file ({wrong}); fetch or train it again"
        ) from wrong
    except (KeyError, TypeError, ValueError, RecursionError) as wrong:
        raise CheckpointDamaged(
            f"{path} is a safetensors file, but not one written by elmo_mini: its record is missing"
        ) from wrong


def _current_name(name: str) -> str:
    """What a parameter is called now; a prefix such as ``model.`` stays."""
    for old, new in RENAMED.items():
        if name == old or name.endswith(f".{old}"):
            return name.removesuffix(old) + new
    return name


def with_weights(
    make: Callable[[], Model],
    tensors: Mapping[str, Tensor],
    path: PathLike,
    dtype: torch.dtype = torch.float32,
    *,
    ours: bool = True,
    layers: int = 0,
) -> Model:
    """A model with the weights of a file; no random number is used up.

    Nothing is allocated before the file is known to fit.

    Parameters
    ----------
    make : builds the model; the weights that it draws are overwritten
    tensors : its state
    path : where they come from, for the message
    dtype : of the model's weights, whatever that of the file's
    ours : False where `make` builds a class of the reader's own, which may need real numbers
    layers : as many as the file says that it has

    Returns
    -------
    The model in evaluation mode

    Raises
    ------
    CheckpointDamaged
        If names or shapes are not the model's, or a weight is no finite number.
    ConfigurationError
        If new tensors are made on the meta device.
    """
    try:
        if layers > len(tensors):
            raise ValueError(f"it says {layers:,} layers, and holds {len(tensors)} arrays")
        wanted = shapes_of(planned(make).state_dict() if ours else tensors)
        if faults := misfits(tensors, wanted, tensors.keys() - wanted.keys()):
            raise ValueError(faults)
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as wrong:
        raise CheckpointDamaged(f"{path} does not fit the model: {wrong}") from wrong
    with torch.random.fork_rng(devices=[]):
        model = make().to(dtype)
    if any(weight.is_meta for weight in model.parameters()):
        raise ConfigurationError(
            f"{path} cannot be loaded under torch.device('meta'), which holds no numbers; load it "
            "outside of that"
        )
    own = model.state_dict().keys()
    kept = {new: old for old, new in RENAMED.items() if old in own}  # a learner's older class
    try:
        model.load_state_dict({kept.get(n, n): tensor.to(dtype) for n, tensor in tensors.items()})
    except RuntimeError as wrong:
        raise CheckpointDamaged(f"{path} does not fit the model: {wrong}") from wrong
    return model.eval()


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
