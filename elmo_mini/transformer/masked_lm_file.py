"""A masked language model in one safetensors file: weights, sizes and words.

Weights may be stored in float16, which halves the file; they are read back as float32.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    with_weights,
    write_checkpoint,
)
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.models.masked_lm import MakeBlock, MaskedLM, MaskedLMOptions, TorchBlock
from elmo_mini.text.vocabulary import Vocabulary

LARGER_CHECKPOINT = Path(__file__).parents[1] / "data" / "larger_masked_lm" / "model.safetensors"


def save_masked_lm(
    model: MaskedLM,
    vocabulary: Vocabulary,
    path: PathLike,
    record: Mapping[str, Any] | None = None,
    dtype: torch.dtype = torch.float32,
) -> None:
    """Write the weights of `model`, its options and its words.

    Parameters
    ----------
    record : further JSON values
    dtype : of the stored weights

    Raises
    ------
    ConfigurationError
        If the vocabulary has another number of words than the model.
    OSError
        If the file cannot be written.
    """
    if len(vocabulary) != model.options.words:
        raise ConfigurationError(
            f"the vocabulary has {len(vocabulary):,} words, the model {model.options.words:,}"
        )
    tensors = {name: tensor.to(dtype) for name, tensor in model.state_dict().items()}
    own = {"options": asdict(model.options), "words": vocabulary.words}
    write_checkpoint(path, tensors, {**(record or {}), **own, "unknown": vocabulary.unknown})


def load_masked_lm(
    path: PathLike | None = None, block: MakeBlock = TorchBlock
) -> tuple[MaskedLM, Vocabulary]:
    """Build a model and its vocabulary from a file of `save_masked_lm`.

    The model is in evaluation mode and no parameter asks for gradients.

    Parameters
    ----------
    path : the file; without one, the larger of the course's two
    block : as for `MaskedLM`; its weights must have the names and shapes of those in the file

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file.
    CheckpointDamaged
        If the file is truncated, holds something else, or does not fit the block.
    """
    file = LARGER_CHECKPOINT if path is None else path
    tensors, record = read_checkpoint(file)
    try:
        options = MaskedLMOptions(**record["options"])
        vocabulary = Vocabulary(record["words"], unknown=record["unknown"])
    except (KeyError, TypeError, ValueError) as wrong:
        raise CheckpointDamaged(f"{file} holds no masked language model: {wrong}") from wrong
    model = with_weights(lambda: MaskedLM(options, block), tensors, file)
    return model.requires_grad_(False), vocabulary
