"""A biLM by path, for the commands: a pair of official files, a folder, or a checkpoint."""

import argparse
from pathlib import Path

from elmo_mini.checkpoints import pretrained
from elmo_mini.checkpoints.device import usable_device
from elmo_mini.checkpoints.official import load_bilm, read_options
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.files import as_path


def load_model(
    model: PathLike | None = None,
    weights: PathLike | None = None,
    vocabulary: PathLike | None = None,
) -> FastBiLM:
    """Load the biLM at `model`, or the course's own, without gradients.

    Parameters
    ----------
    model : an official options file (then `weights` is the file beside it), or a folder that
        holds one such pair, or a ``.safetensors`` checkpoint of this package
    weights : the official weight file that goes with the options
    vocabulary : of official files of a model over whole words; found by itself where a single
        ``vocab*.txt`` lies in the folder

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ConfigurationError
        If it is not clear which files are meant, or a file is damaged or foreign.
    """
    files = model_files(model, weights, vocabulary)
    if len(files) == 1:
        return pretrained.load_pretrained(files[0])
    return load_bilm(*files[:2], vocabulary_file=files[2] if len(files) > 2 else None)


def model_files(
    model: PathLike | None = None,
    weights: PathLike | None = None,
    vocabulary: PathLike | None = None,
) -> tuple[Path, ...]:
    """What `load_model` reads: a checkpoint; or options, weights, and a vocabulary where needed.

    Raises as `load_model`.
    """
    files = _without_vocabulary(model, weights)
    if len(files) == 1:
        if vocabulary is not None:
            raise ConfigurationError(
                f"{files[0]} is a checkpoint, which holds what it needs; leave the vocabulary "
                f"{vocabulary} out"
            )
        return files
    if vocabulary is not None:
        return (*files, as_path(vocabulary))
    beside = sorted(files[0].parent.glob("vocab*.txt"))
    if len(beside) == 1 and files[0].is_file() and read_options(files[0]).n_words is not None:
        return (*files, beside[0])
    return files


def _without_vocabulary(model: PathLike | None, weights: PathLike | None) -> tuple[Path, ...]:
    if model is None:
        if weights is not None:
            raise ConfigurationError("weights need the options file that goes with them")
        if not pretrained.COURSE_CHECKPOINT.is_file():
            raise FileNotFoundError(
                "the course's own model is not here; restore it with git, or name another model"
            )
        return (pretrained.COURSE_CHECKPOINT,)
    path = as_path(model)
    if weights is not None:
        return path, as_path(weights)
    if path.is_dir():
        return _in_folder(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no model {path}")
    if path.suffix == ".safetensors":
        return (path,)
    if path.suffix == ".json":
        beside = _weight_files(path.parent)
        if len(beside) == 1:
            return path, beside[0]
        raise ConfigurationError(
            f"{path} is an options file, and {len(beside) or 'no'} weight files lie beside it; "
            "name the one that goes with it"
        )
    raise ConfigurationError(
        f"{path} is no model: name an options file (.json) with its weight file (.hdf5), a folder "
        "with such a pair, or a checkpoint (.safetensors)"
    )


def _weight_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*weights*.hdf5")) or sorted(folder.glob("*.hdf5"))


def _in_folder(folder: Path) -> tuple[Path] | tuple[Path, Path]:
    options, weights = sorted(folder.glob("*options*.json")), _weight_files(folder)
    if len(options) == len(weights) == 1:
        return options[0], weights[0]
    checkpoints = sorted(folder.glob("*.safetensors"))
    if len(checkpoints) == 1 and not options:
        return (checkpoints[0],)
    raise ConfigurationError(
        f"{folder} does not hold exactly one model: it has {len(options)} options files, "
        f"{len(weights)} weight files and {len(checkpoints)} checkpoints; name the files instead"
    )


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """The options by which every command names its model."""
    add = parser.add_argument_group("model").add_argument
    model = (
        "an official options.json (with --weights), a folder with both official files, or a "
        "checkpoint, .safetensors (default: the course's own)"
    )
    add("--model", metavar="PATH", help=model)
    add("--weights", metavar="PATH", help="the official weights.hdf5")
    vocabulary = "of official files of a model over whole words: its words, one a line"
    add("--vocabulary", metavar="PATH", help=vocabulary)
    add("--device", default="cpu", help="where to run it: cpu (the default), cuda, cuda:1 ...")


def model_of(args: argparse.Namespace) -> FastBiLM:
    """The model that the arguments of `add_model_arguments` name."""
    device = usable_device(args.device, "leave --device out to use the CPU")
    return load_model(args.model, args.weights, args.vocabulary).to(device)


def files_of(args: argparse.Namespace) -> tuple[Path, ...]:
    """The files that `model_of` reads."""
    return model_files(args.model, args.weights, args.vocabulary)
