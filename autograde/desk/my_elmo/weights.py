"""The weights: an HDF5 file under the names of the official ELMo files."""

import json
from functools import cache
from pathlib import Path

import h5py
import torch

OPTIONS = Path(__file__).with_name("options.json")
WEIGHTS = Path(__file__).with_name("weights.hdf5")
AS_PUBLISHED: dict[str, dict[str, object]] = {
    "lstm": {"cell_clip": 3, "proj_clip": 3, "use_skip_connections": True},
    "char_cnn": {"activation": "relu", "max_characters_per_token": 50},
}


@cache
def weights() -> dict[str, torch.Tensor]:
    """All weights by name. Any ELMo in the official format may lie in the place of these files.

    Raises
    ------
    OSError
        If a file is missing or damaged.
    ValueError
        If the options describe another kind of model than the published ones.
    """
    options = json.loads(OPTIONS.read_text(encoding="utf-8"))
    for part, settings in AS_PUBLISHED.items():
        for name, expected in settings.items():
            if (found := options[part].get(name)) != expected:
                raise ValueError(
                    f"{OPTIONS}: {name} is {found}; this package reads {expected} only"
                )
    found = {}

    def take(name: str, item: h5py.HLObject) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = torch.from_numpy(item[()])

    try:
        with h5py.File(WEIGHTS, "r") as file:
            file.visititems(take)
    except OSError as wrong:
        raise OSError(f"{WEIGHTS} is missing or damaged ({wrong}); have it written again") from None
    return found
