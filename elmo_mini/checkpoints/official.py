"""The official ELMo files, ``options.json`` and ``weights.hdf5``, in and out.

The weight file keeps TensorFlow's layout: matrices multiply from the right (x @ W), the LSTM
gates stand in the order i, g, f, o, and 1 is added to the forget gate's bias at run time. Our
modules keep the same order and the same bias, so a file is a set of views of their parameters.
Row 0 of the character embedding ("no token") is not in the file.

A model over whole words has a table ``embedding`` in place of the characters' weights, and a third
file, its vocabulary.
"""

import json
import warnings
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import h5py
import torch
from torch import Tensor

from elmo_mini.checkpoints.fitting import (
    check_finite_weights,
    check_weights_are_all,
    misfits,
    planned,
    shapes_of,
)
from elmo_mini.checkpoints.hdf5_weights import check_stored, numbers, opened
from elmo_mini.checkpoints.official_names import official_weights
from elmo_mini.checkpoints.vocabulary_file import words_for, words_of, write_words
from elmo_mini.errors import ConfigurationError, ElmoFileError, PathLike
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.word_table import WordTable, characters_for
from elmo_mini.files import as_path, existing_file, written_whole
from elmo_mini.hdf5_target import HDF5Target
from elmo_mini.plain_text import text_of

LARGEST_OPTIONS = 1_000_000  # bytes; an options file has about one thousand


def read_options(options_file: PathLike) -> BiLMOptions:
    """Read an official options file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ElmoFileError
        If it is no JSON, lacks an entry, or describes what no model can be.
    """
    path = existing_file(options_file)
    if path.stat().st_size > LARGEST_OPTIONS:
        raise ElmoFileError(
            f"{path} is no JSON options file: it has {path.stat().st_size:,} bytes; is it the "
            "weight file?"
        )
    try:
        content = json.loads(text_of(path))
    except (ValueError, RecursionError) as wrong:
        raise ElmoFileError(f"{path} is not a JSON options file: {wrong}") from wrong
    try:
        return BiLMOptions.from_dict(content)
    except ElmoFileError as wrong:
        raise ElmoFileError(f"{path}: {wrong}") from wrong


def load_bilm(
    options_file: PathLike,
    weight_file: PathLike,
    *,
    vocabulary_file: PathLike | None = None,
    stateful: bool = False,
) -> FastBiLM:
    """Build a `FastBiLM` from official files. No parameter asks for gradients afterwards.

    Parameters
    ----------
    options_file, weight_file : the two files of one model
    vocabulary_file : of a model over whole words: a word a line, in the order of its table
    stateful : see `FastBiLM`

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ElmoFileError
        If a file is damaged or foreign, or the two files do not belong together.
    """
    options = read_options(options_file)
    words = words_for(options, options_file, vocabulary_file)
    if words is not None:
        options = replace(options, max_characters=characters_for(words))
    path = existing_file(weight_file)
    plan = planned(lambda: FastBiLM(options))
    with opened(path, official_weights(plan)) as datasets:
        _check_fit(path, plan, datasets)  # before anything is allocated
    with torch.random.fork_rng(devices=[]):  # the weights drawn here are overwritten
        bilm = FastBiLM(options, stateful=stateful)
    bilm.check_numbers()
    load_weights(bilm, weight_file)
    if isinstance(bilm.token_encoder, WordTable) and words is not None:
        bilm.token_encoder.set_words(words)
    return bilm.requires_grad_(False)


def load_weights(bilm: FastBiLM, weight_file: PathLike) -> None:
    """Copy the weights of an official file into `bilm`; raises as `load_bilm`."""
    path = existing_file(weight_file)
    parts = official_weights(bilm)
    with opened(path, parts) as datasets:
        _check_fit(path, bilm, datasets)
        arrays = {
            name: torch.from_numpy(numbers(datasets[name])).to(part.dtype)
            for name, part in parts.items()
        }
    _refuse(path, misfits(arrays, shapes_of(parts)))  # a number may be finite in float64 alone
    with torch.no_grad():
        for name, part in parts.items():
            part.copy_(arrays[name])


def _check_fit(path: Path, bilm: FastBiLM, datasets: dict[str, h5py.Dataset]) -> None:
    """Hold names, shapes, types and storage to the model, before a number is read."""
    first = "char_embed" if bilm.options.n_words is None else "embedding"
    if first not in datasets:
        raise ElmoFileError(_why_none(path, first, datasets))
    parts = official_weights(bilm)
    foreign = [name for name in datasets if name.startswith(("CNN", "RNN_")) and name not in parts]
    _refuse(path, misfits(datasets, shapes_of(parts), foreign))
    check_stored(path, {name: datasets[name] for name in parts})


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
    path = existing_file(weight_file)
    with opened(path) as datasets:
        check_stored(path, datasets)
        return {name: torch.from_numpy(numbers(item)) for name, item in datasets.items()}


def save_bilm(
    bilm: FastBiLM,
    options_file: PathLike,
    weight_file: PathLike,
    vocabulary_file: PathLike | None = None,
) -> None:
    """Write official files in float32; `load_bilm` and AllenNLP read them.

    A model over whole words needs the name of a third file, for its vocabulary; AllenNLP knows no
    such models, bilm-tf does.

    Each file appears whole or not at all, and none where one cannot be written. The format has no
    place for a start state that `BiLM.warm_up` has fixed; it is left out, with a warning.

    Raises
    ------
    OSError
        If a folder is not there and cannot be made, or a file cannot be written.
    ConfigurationError
        If a part of the model was replaced, so that its weights alone would be another model, a
        weight is no finite number, a file is named twice, or the vocabulary's name is missing or
        not needed.
    """
    check_weights_are_all(bilm)
    weights = {name: tensor.cpu().float() for name, tensor in official_weights(bilm).items()}
    check_finite_weights(weights)
    words = words_of(bilm.token_encoder)
    if (words is None) != (vocabulary_file is None):
        raise ConfigurationError(
            "a model over characters has no vocabulary to write; leave vocabulary_file out"
            if words is None
            else "this model reads whole words; name a vocabulary_file, too"
        )
    given = [f for f in (options_file, weight_file, vocabulary_file) if f is not None]
    if len({as_path(file).resolve() for file in given}) < len(given):
        raise ConfigurationError(
            f"each part is a file of its own; {' or '.join(map(str, given[1:]))} is named twice"
        )
    if bilm.carried.has_start:
        warnings.warn(
            "official files cannot hold the start state that warm_up has fixed; warm the model up "
            "again after loading, or use save_pretrained, which keeps it",
            stacklevel=2,
        )
    with ExitStack() as others:  # whole before the weights are, so that none is left of old ones
        sizes = others.enter_context(written_whole(options_file))
        sizes.write_text(json.dumps(bilm.options.to_dict(), indent=2) + "\n", encoding="utf-8")
        if words is not None and vocabulary_file is not None:
            write_words(others.enter_context(written_whole(vocabulary_file)), words)
        with (
            written_whole(weight_file) as part,
            HDF5Target(part) as raw,
            h5py.File(raw, "w") as file,
        ):
            for name, tensor in weights.items():
                file.create_dataset(name, data=tensor.numpy())


def _why_none(path: Path, first: str, arrays: Iterable[str]) -> str:
    if first == "char_embed" and "embedding" in arrays:
        return (
            f"{path} belongs to a model over whole words: it has a word table 'embedding' and no "
            "'char_embed'. The options of such a model have no char_cnn, and it needs its "
            "vocabulary file as well"
        )
    if first == "embedding" and "char_embed" in arrays:
        return (
            f"{path} belongs to a model over characters, but its options have no char_cnn; "
            "both files must come from one model"
        )
    names = ", ".join(sorted(arrays)[:5]) or "nothing"
    return f"{path} holds no ELMo model: {first!r} is missing; the file has {names}"
