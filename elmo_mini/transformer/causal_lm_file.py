"""A model of the next word in one safetensors file: weights, sizes and words.

The weights are stored in float16 and read back as float32.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import nn

from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    with_weights,
    write_checkpoint,
)
from elmo_mini.errors import PathLike
from elmo_mini.models.fine_tuning import CausalLM, causal_block
from elmo_mini.text.vocabulary import Vocabulary

COURSE_CHECKPOINT = Path(__file__).parents[1] / "data" / "course_causal_lm" / "model.safetensors"
SIZES = ("dim", "heads", "layers", "longest")
Sizes = Mapping[str, int]


def save_causal_lm(
    model: CausalLM, sizes: Sizes, vocabulary: Vocabulary, path: PathLike, record: dict[str, Any]
) -> None:
    """Write the weights of `model`, its sizes and its words.

    Parameters
    ----------
    sizes : ``dim``, ``heads``, ``layers`` and ``longest``, as `CausalLM` was given them
    record : further JSON values
    """
    tensors = {name: tensor.half() for name, tensor in model.state_dict().items()}
    own = {"sizes": dict(sizes), "words": vocabulary.words, "unknown": vocabulary.unknown}
    write_checkpoint(path, tensors, {**record, **own})


def load_causal_lm(
    path: PathLike | None = None,
    block: Callable[[int, int], nn.Module] = causal_block,
    model: Callable[..., CausalLM] = CausalLM,
) -> tuple[CausalLM, Vocabulary]:
    """Build a model and its vocabulary from a file of `save_causal_lm`.

    The model is in evaluation mode and no parameter asks for gradients.

    Parameters
    ----------
    path : the file; without one, the course's own
    block : as for `CausalLM`; its weights must have the names and shapes of those in the file
    model : `CausalLM`, or another class with its arguments and the same parts

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file.
    CheckpointDamaged
        If the file is truncated, holds something else, or does not fit the block or the model.
    """
    file = COURSE_CHECKPOINT if path is None else path
    tensors, record = read_checkpoint(file)
    try:
        vocabulary = Vocabulary(record["words"], unknown=record["unknown"])
        sizes = {name: int(record["sizes"][name]) for name in SIZES}
    except (KeyError, TypeError, ValueError) as wrong:
        raise CheckpointDamaged(f"{file} holds no model of the next word: {wrong}") from wrong
    made = with_weights(lambda: model(len(vocabulary), **sizes, block=block), tensors, file)
    return made.requires_grad_(False), vocabulary
