"""The official ELMo files, ``options.json`` and ``weights.hdf5``, in and out.

The weight file keeps TensorFlow's layout: matrices multiply from the right (x @ W), the LSTM
gates stand in the order i, g, f, o, and 1 is added to the forget gate's bias at run time. Our
modules keep the same order and the same bias, so a file is a set of views of their parameters.
Row 0 of the character embedding ("no token") is not in the file.
"""

import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import h5py
import numpy as np
import torch
from torch import Tensor

from elmo_mini.bilm.model import BiLM
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.bilm.projected_lstm import BACKWARD, FORWARD
from elmo_mini.checkpoints.fitting import check_weights_are_all, misfits
from elmo_mini.errors import ConfigurationError, ElmoFileError, PathLike
from elmo_mini.files import as_path, existing_file, write_text, written_whole
from elmo_mini.hdf5_target import HDF5Target


def read_options(options_file: PathLike) -> BiLMOptions:
    """Read an official options file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ElmoFileError
        If it is no JSON, lacks an entry, or describes a model over whole words.
    """
    path = _existing(options_file)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as wrong:
        raise ElmoFileError(f"{path} is not a JSON options file: {wrong}") from wrong
    try:
        return BiLMOptions.from_dict(content)
    except ElmoFileError as wrong:
        raise ElmoFileError(f"{path}: {wrong}") from wrong


def load_bilm(options_file: PathLike, weight_file: PathLike, *, stateful: bool = False) -> BiLM:
    """Build a `BiLM` from official files. No parameter asks for gradients afterwards.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ElmoFileError
        If a file is damaged or foreign, or the two files do not belong together.
    """
    options = read_options(options_file)
    with torch.random.fork_rng(devices=[]):  # the weights drawn here are overwritten
        bilm = BiLM(options, stateful=stateful)
    load_weights(bilm, weight_file)
    return bilm.requires_grad_(False)


def load_weights(bilm: BiLM, weight_file: PathLike) -> None:
    """Copy the weights of an official file into `bilm`; raises as `load_bilm`."""
    path = _existing(weight_file)
    arrays = _arrays(path)
    if "char_embed" not in arrays:
        raise ElmoFileError(_why_no_characters(path, arrays))
    parts = official_weights(bilm)
    foreign = [name for name in arrays if name.startswith(("CNN", "RNN_")) and name not in parts]
    faults = misfits(arrays, {name: tuple(part.shape) for name, part in parts.items()}, foreign)
    if faults:
        raise ElmoFileError(
            f"{path} does not fit its options: {faults}. Both files must come from one model"
        )
    with torch.no_grad():
        for name, part in parts.items():
            part.copy_(torch.from_numpy(arrays[name]))


def official_file(weight_file: PathLike) -> dict[str, Tensor]:
    """All weights of an official file by name, as they stand there; nothing is checked.

    Raises
    ------
    FileNotFoundError
        If the file is missing.
    ElmoFileError
        If it is damaged or foreign.
    """
    arrays = _arrays(_existing(weight_file))
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def save_bilm(bilm: BiLM, options_file: PathLike, weight_file: PathLike) -> None:
    """Write official files in float32; `load_bilm` and AllenNLP read them.

    The weight file appears whole or not at all. The format has no place for a start state that
    `BiLM.warm_up` has fixed; it is left out, with a warning.

    Raises
    ------
    OSError
        If a folder is not there and cannot be made, or a file cannot be written.
    ConfigurationError
        If a part of the model was replaced, so that its weights alone would be another model, or
        both files are one.
    """
    check_weights_are_all(bilm)
    if as_path(options_file).resolve() == as_path(weight_file).resolve():
        raise ConfigurationError(f"options and weights are two files; {weight_file} is named twice")
    if bilm.carried.has_start:
        warnings.warn(
            "official files cannot hold the start state that warm_up has fixed; warm the model up "
            "again after loading, or use save_pretrained, which keeps it",
            stacklevel=2,
        )
    with (
        written_whole(weight_file) as part,
        HDF5Target(part) as raw,
        h5py.File(raw, "w") as file,
    ):
        for name, tensor in official_weights(bilm).items():
            file.create_dataset(name, data=tensor.cpu().to(torch.float32).numpy())
    write_text(options_file, json.dumps(bilm.options.to_dict(), indent=2) + "\n")


def official_weights(bilm: BiLM) -> dict[str, Tensor]:
    """The weights under their names in an official file, as views in the file's layout."""
    return dict(_parts(bilm))


def _parts(bilm: BiLM) -> Iterator[tuple[str, Tensor]]:
    encoder = bilm.token_encoder
    yield "char_embed", encoder.embedding.weight.detach()[1:]
    for i, convolution in enumerate(encoder.convolutions):
        yield f"CNN/W_cnn_{i}", convolution.weight.detach().permute(2, 1, 0).unsqueeze(0)
        yield f"CNN/b_cnn_{i}", cast(Tensor, convolution.bias).detach()
    for i, highway in enumerate(encoder.highways):
        for half, linear in (("transform", highway.transform), ("carry", highway.carry)):
            yield f"CNN_high_{i}/W_{half}", linear.weight.detach().T
            yield f"CNN_high_{i}/b_{half}", linear.bias.detach()
    if encoder.projection is not None:
        yield "CNN_proj/W_proj", encoder.projection.weight.detach().T
        yield "CNN_proj/b_proj", encoder.projection.bias.detach()
    for direction in (FORWARD, BACKWARD):
        for i, layer in enumerate(bilm.layers):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell"
            yield f"{cell}/W_0", layer.weight.detach()[direction]
            yield f"{cell}/B", layer.bias.detach()[direction]
            if layer.projection is not None:
                yield f"{cell}/W_P_0", layer.projection.detach()[direction]


def _existing(file: PathLike) -> Path:
    name = os.fspath(file)
    if name.startswith(("http://", "https://")):
        raise FileNotFoundError(f"{name} is an address; fetch the file and pass its path")
    return existing_file(name)


def _arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        with h5py.File(path, "r") as file:
            return _datasets(file)
    except OSError as wrong:
        raise ElmoFileError(
            f"{path} is no readable HDF5 file ({_what_it_is(path)}); fetch it again. "
            f"HDF5 says: {wrong}"
        ) from wrong


def _datasets(file: h5py.File) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}

    def collect(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            arrays[name] = np.asarray(item)

    file.visititems(collect)
    return arrays


def _what_it_is(path: Path) -> str:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(64)
    if head.startswith(b"\x89HDF\r\n"):
        return f"{size} bytes of an HDF5 file that has been cut short or damaged"
    if head.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer, not the file itself"
    if head.lstrip().lower().startswith((b"<!doctype", b"<html")):
        return "a web page, perhaps a failed download"
    return f"{size} bytes that start with {head[:8]!r}"


def _why_no_characters(path: Path, arrays: dict[str, np.ndarray]) -> str:
    if "embedding" in arrays:
        return (
            f"{path} belongs to a model over whole words: it has a word table 'embedding' and no "
            "'char_embed'. elmo_mini reads character models only"
        )
    names = ", ".join(sorted(arrays)[:5]) or "nothing"
    return f"{path} holds no ELMo model: 'char_embed' is missing; the file has {names}"
