"""Random models in the official format, written without the package's own writer."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np


class Files(NamedTuple):
    options_file: Path
    weight_file: Path
    options: dict[str, Any]
    weights: dict[str, np.ndarray]


def options(**changes: Any) -> dict[str, Any]:
    """Small options; keyword arguments replace entries of either part."""
    lstm = {
        "cell_clip": 3,
        "use_skip_connections": True,
        "n_layers": 2,
        "proj_clip": 3,
        "projection_dim": 6,
        "dim": 10,
    }
    cnn = {
        "embedding": {"dim": 4},
        "filters": [[1, 4], [2, 5], [5, 7]],
        "n_highway": 2,
        "n_characters": 262,
        "max_characters_per_token": 50,
        "activation": "relu",
    }
    for name, value in changes.items():
        part = lstm if name in lstm else cnn
        if value is None and name == "n_highway":
            del part[name]
        else:
            part[name] = value
    return {"lstm": lstm, "char_cnn": cnn}


def random_weights(options: dict[str, Any], scale: float, seed: int) -> dict[str, np.ndarray]:
    """float32 arrays with Glorot's bound, times `scale` in the LSTMs, under official names."""
    random = np.random.default_rng(seed)
    lstm, cnn = options["lstm"], options["char_cnn"]
    letters, hidden, cells = cnn["embedding"]["dim"], lstm["projection_dim"], lstm["dim"]
    size = sum(count for _, count in cnn["filters"])

    def array(*shape: int, scale: float = 1.0) -> np.ndarray:
        fan = sum(shape[-2:]) if len(shape) > 1 else 6 * shape[0]
        bound = scale * (6 / fan) ** 0.5
        return random.uniform(-bound, bound, shape).astype(np.float32)

    weights = {"char_embed": random.uniform(-1, 1, (261, letters)).astype(np.float32)}
    for k, (width, count) in enumerate(cnn["filters"]):
        weights[f"CNN/W_cnn_{k}"] = array(1, width, letters, count)
        weights[f"CNN/b_cnn_{k}"] = array(count)
    for k in range(cnn.get("n_highway") or 0):
        for half in ("transform", "carry"):
            weights[f"CNN_high_{k}/W_{half}"] = array(size, size)
            weights[f"CNN_high_{k}/b_{half}"] = array(size)
    if size != hidden:
        weights["CNN_proj/W_proj"], weights["CNN_proj/b_proj"] = array(size, hidden), array(hidden)
    for direction in range(2):
        for layer in range(lstm["n_layers"]):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/"
            weights[cell + "W_0"] = array(2 * hidden, 4 * cells, scale=scale)
            weights[cell + "B"] = array(4 * cells, scale=scale)
            if hidden != cells:
                weights[cell + "W_P_0"] = array(cells, hidden, scale=scale)
    return weights


def write(folder: Path, options: dict[str, Any], weights: dict[str, np.ndarray]) -> Files:
    """Write both files into `folder`."""
    options_file, weight_file = folder / "options.json", folder / "weights.hdf5"
    options_file.write_text(json.dumps(options), encoding="utf-8")
    with h5py.File(weight_file, "w") as file:
        for name, array in weights.items():
            file.create_dataset(name, data=array)
    return Files(options_file, weight_file, options, weights)


def random_model(folder: Path, scale: float = 1.0, seed: int = 0, **changes: Any) -> Files:
    """A random model on disk, with its options and arrays."""
    chosen = options(**changes)
    return write(folder, chosen, random_weights(chosen, scale, seed))
