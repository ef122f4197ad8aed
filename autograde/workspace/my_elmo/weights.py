"""The weights: an HDF5 file under the names of the official ELMo files."""

import json
from pathlib import Path

import h5py
import torch

OPTIONS = Path(__file__).with_name("options.json")
WEIGHTS = Path(__file__).with_name("weights.hdf5")
AS_PUBLISHED: dict[str, dict[str, object]] = {
    "lstm": {"cell_clip": 3, "proj_clip": 3, "use_skip_connections": True},
    "char_cnn": {"activation": "relu", "max_characters_per_token": 50},
}


def read_weights(options: str | Path, weights: str | Path) -> dict[str, torch.Tensor]:
    """All weights of a model by name.

    Raises
    ------
    OSError
        If a file is missing or damaged.
    ValueError
        If the options describe another kind of model than the published ones.
    """
    check_options(Path(options))
    found = {}

    def take(name: str, item: h5py.HLObject) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = torch.from_numpy(item[()])

    try:
        with h5py.File(weights, "r") as file:
            file.visititems(take)
    except OSError as wrong:
        raise OSError(f"{weights} is missing or damaged: {wrong}") from None
    if "char_embed" not in found:
        raise ValueError(f"{weights} holds no ELMo in the official format: no char_embed is in it")
    return found


def check_options(path: Path) -> None:
    """See that the model is of the published kind; its sizes show in the weights."""
    try:
        options = json.loads(path.read_text(encoding="utf-8"))
        found = {
            part: {n: options[part].get(n) for n in AS_PUBLISHED[part]} for part in AS_PUBLISHED
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} holds no options of an ELMo") from None
    for part, settings in AS_PUBLISHED.items():
        for name, expected in settings.items():
            if (setting := found[part][name]) != expected:
                raise ValueError(f"{path}: {name} is {setting}; this package reads {expected} only")
