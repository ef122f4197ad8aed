"""Transformers in one safetensors file: weights, sizes and words, of both language models.

Weights may be stored in float16, which halves the file; they are read back as float32.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn

from elmo_mini.checkpoints.pretrained import check_stored_as
from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    with_weights,
    write_checkpoint,
)
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.models.fine_tuning import CausalLM, causal_block
from elmo_mini.models.masked_lm import MakeBlock, MaskedLM, MaskedLMOptions, TorchBlock
from elmo_mini.text.vocabulary import Vocabulary

DATA = Path(__file__).parents[1] / "data"
LARGER_CHECKPOINT = DATA / "larger_masked_lm" / "model.safetensors"
COURSE_CHECKPOINT = DATA / "course_causal_lm" / "model.safetensors"
SIZES = ("dim", "heads", "layers", "longest")
Sizes = Mapping[str, int]
Model = TypeVar("Model", MaskedLM, CausalLM)


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
    dtype : of the stored weights; they are read back as float32

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
    own = {**(record or {}), "options": asdict(model.options)}
    _write(model, vocabulary, path, own, dtype)


def save_causal_lm(
    model: CausalLM, sizes: Sizes, vocabulary: Vocabulary, path: PathLike, record: dict[str, Any]
) -> None:
    """Write the weights of `model`, in float16, its sizes and its words.

    Parameters
    ----------
    sizes : ``dim``, ``heads``, ``layers`` and ``longest``, as `CausalLM` was given them
    record : further JSON values
    """
    _write(model, vocabulary, path, {**record, "sizes": dict(sizes)}, torch.float16)


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

    def make(record: dict[str, Any], vocabulary: Vocabulary) -> Callable[[], MaskedLM]:
        options = MaskedLMOptions(**{**record["options"], "words": len(vocabulary)})
        return lambda: MaskedLM(options, block)

    file = LARGER_CHECKPOINT if path is None else path
    return _read(file, "masked language model", make, block is TorchBlock)


def load_causal_lm(
    path: PathLike | None = None,
    block: Callable[[int, int], nn.Module] = causal_block,
    model: Callable[..., CausalLM] = CausalLM,
) -> tuple[CausalLM, Vocabulary]:
    """Build a model and its vocabulary from a file of `save_causal_lm`.

    The model is in evaluation mode and its weights are frozen: none asks for gradients. To
    fine-tune it, thaw it first, ``model.requires_grad_(True).train()``; otherwise a head on top
    learns alone. Parameters and errors are those of `load_masked_lm`, but for

    path : the file; without one, the course's own
    model : `CausalLM`, or another class with its arguments and the same parts
    """

    def make(record: dict[str, Any], vocabulary: Vocabulary) -> Callable[[], CausalLM]:
        sizes = {name: int(record["sizes"][name]) for name in SIZES}
        return lambda: model(len(vocabulary), **sizes, block=block)

    file = COURSE_CHECKPOINT if path is None else path
    ours = block is causal_block and model is CausalLM
    return _read(file, "model of the next word", make, ours)


def _write(
    model: nn.Module,
    vocabulary: Vocabulary,
    path: PathLike,
    record: Mapping[str, Any],
    dtype: torch.dtype,
) -> None:
    check_stored_as(dtype)
    tensors = {name: tensor.to(dtype) for name, tensor in model.state_dict().items()}
    words = {
        "words": vocabulary.words,
        "counts": vocabulary.counts.tolist(),
        "unknown": vocabulary.unknown,
    }
    write_checkpoint(path, tensors, {**record, **words})


def _read(
    path: PathLike,
    what: str,
    make: Callable[[dict[str, Any], Vocabulary], Callable[[], Model]],
    ours: bool,
) -> tuple[Model, Vocabulary]:
    tensors, record = read_checkpoint(path)
    try:
        vocabulary = Vocabulary(record["words"], record.get("counts"), unknown=record["unknown"])
        build = make(record, vocabulary)
        layers = (record.get("options") or record["sizes"])["layers"]
    except (KeyError, TypeError, ValueError) as wrong:
        raise CheckpointDamaged(f"{path} holds no {what}: {wrong}") from wrong
    model: Model = with_weights(build, tensors, path, ours=ours, layers=layers)
    return model.requires_grad_(False), vocabulary
