"""The official ELMo files, ``options.json`` and ``weights.hdf5``, in and out.

The weight file keeps TensorFlow's layout: matrices multiply from the right (x @ W), the LSTM
gates stand in the order i, g, f, o, and 1 is added to the forget gate's bias at run time. Our
modules keep the same order and the same bias, so a file is a set of views of their parameters.
Row 0 of the character embedding ("no token") is not in the file.
"""

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

import h5py
import torch
from torch import Tensor

from elmo_mini.checkpoints.fitting import check_weights_are_all, misfits, planned
from elmo_mini.checkpoints.hdf5_weights import check_stored, numbers, opened
from elmo_mini.errors import ConfigurationError, ElmoFileError, PathLike
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.projected_lstm import BACKWARD, FORWARD
from elmo_mini.files import as_path, existing_file, write_text, written_whole
from elmo_mini.hdf5_target import HDF5Target
from elmo_mini.plain_text import NotPlainText, text_of

LARGEST_OPTIONS = 1_000_000  # bytes; an options file has about one thousand


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
    if path.stat().st_size > LARGEST_OPTIONS:
        raise ElmoFileError(
            f"{path} is no JSON options file: it has {path.stat().st_size:,} bytes; is it the "
            "weight file?"
        )
    try:
        content = json.loads(text_of(path))
    except NotPlainText as wrong:
        raise ElmoFileError(f"{path} is not a JSON options file: {wrong}") from wrong
    except (ValueError, RecursionError) as wrong:
        raise ElmoFileError(f"{path} is not a JSON options file: {wrong}") from wrong
    try:
        return BiLMOptions.from_dict(content)
    except ElmoFileError as wrong:
        raise ElmoFileError(f"{path}: {wrong}") from wrong


def load_bilm(options_file: PathLike, weight_file: PathLike, *, stateful: bool = False) -> FastBiLM:
    """Build a `FastBiLM` from official files. No parameter asks for gradients afterwards.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ElmoFileError
        If a file is damaged or foreign, or the two files do not belong together.
    """
    options = read_options(options_file)
    path = _existing(weight_file)
    with opened(path) as datasets:  # nothing is allocated before the file is known to fit
        _check_fit(path, planned(options), datasets)
    with torch.random.fork_rng(devices=[]):  # the weights drawn here are overwritten
        bilm = FastBiLM(options, stateful=stateful)
    load_weights(bilm, weight_file)
    return bilm.requires_grad_(False)


def load_weights(bilm: FastBiLM, weight_file: PathLike) -> None:
    """Copy the weights of an official file into `bilm`; raises as `load_bilm`."""
    path = _existing(weight_file)
    parts = official_weights(bilm)
    with opened(path) as datasets:
        _check_fit(path, bilm, datasets)
        arrays = {
            name: torch.from_numpy(numbers(datasets[name])).to(part.dtype)
            for name, part in parts.items()
        }
    _refuse(path, misfits(arrays, _shapes(parts)))  # a number may be finite in float64 alone
    with torch.no_grad():
        for name, part in parts.items():
            part.copy_(arrays[name])


def _check_fit(path: Path, bilm: FastBiLM, datasets: dict[str, h5py.Dataset]) -> None:
    """Hold names, shapes, types and storage to the model, before a number is read."""
    if "char_embed" not in datasets:
        raise ElmoFileError(_why_no_characters(path, datasets))
    parts = official_weights(bilm)
    foreign = [name for name in datasets if name.startswith(("CNN", "RNN_")) and name not in parts]
    _refuse(path, misfits(datasets, _shapes(parts), foreign))
    check_stored(path, {name: datasets[name] for name in parts})


def _shapes(parts: Mapping[str, Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(part.shape) for name, part in parts.items()}


def _refuse(path: Path, faults: str) -> None:
    if faults:
        raise ElmoFileError(
            f"{path} does not fit its options: {faults}. Both files must come from one model"
        )


def official_file(weight_file: PathLike) -> dict[str, Tensor]:
    """All weights of an official file by name, as they stand there.

    Raises
    ------
    FileNotFoundError
        If the file is missing.
    ElmoFileError
        If it is damaged or foreign.
    """
    path = _existing(weight_file)
    with opened(path) as datasets:
        check_stored(path, datasets)
        return {name: torch.from_numpy(numbers(item)) for name, item in datasets.items()}


def save_bilm(bilm: FastBiLM, options_file: PathLike, weight_file: PathLike) -> None:
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


def official_weights(bilm: FastBiLM) -> dict[str, Tensor]:
    """The weights under their names in an official file, as views in the file's layout."""
    return dict(_parts(bilm))


def _parts(bilm: FastBiLM) -> Iterator[tuple[str, Tensor]]:
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


def _why_no_characters(path: Path, arrays: Iterable[str]) -> str:
    if "embedding" in arrays:
        return (
            f"{path} belongs to a model over whole words: it has a word table 'embedding' and no "
            "'char_embed'. elmo_mini reads character models only"
        )
    names = ", ".join(sorted(arrays)[:5]) or "nothing"
    return f"{path} holds no ELMo model: 'char_embed' is missing; the file has {names}"
