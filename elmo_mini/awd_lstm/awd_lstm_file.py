"""An AWD-LSTM in one safetensors file: weights, options, its words, and where it comes from.

    from elmo_mini.awd_lstm.awd_lstm_file import load_awd_lstm

    model, vocabulary = load_awd_lstm()  # the course's own, which reads forward

In eight bits a weight matrix holds whole numbers from -127 to 127 and one scale a row. That is a
quarter of float32's size.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.checkpoints.fitting import check_finite_weights
from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    with_weights,
    write_checkpoint,
)
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.files import as_path
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.text.running_text import check_direction
from elmo_mini.text.vocabulary import Vocabulary

STORED_AS = ("float32", "float16", "int8")
SCALE = ".scale"
FOLDER = Path(__file__).parents[1] / "data" / "course_awd_lstm"


def save_awd_lstm(
    model: AWDLSTM,
    path: PathLike,
    vocabulary: Vocabulary,
    record: Mapping[str, Any] | None = None,
    *,
    stored_as: str = "float32",
) -> None:
    """Write a model and its words.

    Parameters
    ----------
    path : the file; its folder is made where it is missing
    vocabulary : its word i is row i of the model's table
    record : further JSON values, to be read with `read_awd_lstm_record`
    stored_as : ``float32``, ``float16`` or ``int8``; the weights are read back as float32

    Raises
    ------
    ConfigurationError
        If the vocabulary is not as large as the table, `stored_as` is unknown, or a weight is not
        finite.
    OSError
        If the file cannot be written.
    """
    if len(vocabulary) != model.options.vocabulary_size:
        raise ConfigurationError(
            f"the vocabulary has {len(vocabulary)} words, but the model's table "
            f"{model.options.vocabulary_size} rows; save the vocabulary it was trained with"
        )
    if stored_as not in STORED_AS:
        raise ConfigurationError(f"stored_as is {stored_as!r}; it must be {', '.join(STORED_AS)}")
    weights = model.state_dict()
    check_finite_weights(weights)
    if model.options.tied:
        if not torch.equal(weights["decoder.weight"], weights["embedding.weight"]):
            raise ConfigurationError(
                "the model's options say tied, but its softmax has a table of its own; make it of "
                "options with tied=False to keep both"
            )
        del weights["decoder.weight"]  # the same numbers as the embedding's
    tensors: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if stored_as == "int8" and weight.dim() == 2:
            tensors[name], tensors[name + SCALE] = _in_eight_bits(weight)
        else:
            tensors[name] = weight.to(torch.float32 if stored_as == "float32" else torch.float16)
    words = {
        "words": vocabulary.words,
        "counts": vocabulary.counts.tolist(),
        "unknown": vocabulary.unknown,
    }
    content = {"options": asdict(model.options), "vocabulary": words, "stored_as": stored_as}
    write_checkpoint(path, tensors, {**(record or {}), **content})


def load_awd_lstm(
    path: PathLike | None = None, *, direction: str = "forward"
) -> tuple[AWDLSTM, Vocabulary]:
    """The model of a file of `save_awd_lstm`, in evaluation mode, and its words.

    Parameters
    ----------
    path : the file; without one, the course's own of this direction
    direction : of the course's own

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file.
    CheckpointDamaged
        If the file is truncated, or holds something else.
    """
    file = course_file(direction) if path is None else as_path(path)
    tensors, record = read_checkpoint(file)
    try:
        words = record["vocabulary"]
        vocabulary = Vocabulary(words["words"], words["counts"], unknown=words["unknown"])
        sizes = {**record["options"], "vocabulary_size": len(vocabulary)}
        options = AWDLSTMOptions.from_dict(sizes)
    except (KeyError, TypeError, ValueError) as wrong:
        raise CheckpointDamaged(f"{file} holds no AWD-LSTM: {wrong}") from wrong
    weights = {
        name: tensor * tensors[name + SCALE] if name + SCALE in tensors else tensor
        for name, tensor in tensors.items()
        if not name.endswith(SCALE)
    }
    if options.tied and "embedding.weight" in weights:
        weights["decoder.weight"] = weights["embedding.weight"]
    model = with_weights(lambda: AWDLSTM(options), weights, file, layers=options.layers)
    return model, vocabulary


def read_awd_lstm_record(path: PathLike) -> dict[str, Any]:
    """What the file says about itself: text, licences, perplexity, command."""
    return read_checkpoint(path)[1]


def course_file(direction: str = "forward") -> Path:
    """The course's own checkpoint of a direction; raises ConfigurationError for another."""
    check_direction(direction)
    return FOLDER / f"{direction}.safetensors"


def _in_eight_bits(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Whole numbers (R, C), int8, and the scale of each row (R, 1)."""
    scale = weight.abs().amax(1, keepdim=True).clamp(min=1e-8).float() / 127
    return (weight / scale).round().to(torch.int8), scale
