"""A pretrained biLM in one safetensors file: weights, sizes, and where they come from.

    from elmo_mini.checkpoints.pretrained import load_pretrained

    bilm = load_pretrained()  # the course's own; also what ElmoEmbedder() takes

The softmax is left out: no embedding needs it. A model is read back in its own type: one that was
made ``.double()`` or ``.half()`` before is so again. Weights of a float32 model may be stored in
float16, which halves the file; they are read back as float32. A start state that `BiLM.warm_up`
has fixed is kept too.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from elmo_mini.checkpoints.fitting import check_finite_weights, check_weights_are_all
from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    with_weights,
    write_checkpoint,
)
from elmo_mini.checkpoints.vocabulary_file import words_of
from elmo_mini.errors import ConfigurationError, ElmoFileError, PathLike
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.word_table import WordTable

STORED_AS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
_NAMES = {dtype: str(dtype).removeprefix("torch.") for dtype in STORED_AS}
START = ("start.h", "start.c")
COURSE_CHECKPOINT = Path(__file__).parents[1] / "data" / "course_bilm" / "model.safetensors"


def save_pretrained(
    bilm: FastBiLM,
    path: PathLike,
    record: Mapping[str, Any] | None = None,
    dtype: torch.dtype | None = None,
) -> None:
    """Write the weights of `bilm`, its options, and its start state where that is not zero.

    Parameters
    ----------
    bilm : the model
    path : the file; its folder is made where it is missing
    record : further JSON values, to be read with `read_record`
    dtype : of the stored weights, by default the model's own; the start state is stored in float32,
        of a float64 model in float64. Of a model whose weights have several types, the default is
        float32, in which it is also read back

    Raises
    ------
    OSError
        If the folder cannot be made, or the file cannot be written.
    TypeError
        If the record is no mapping.
    ConfigurationError
        If a part of the model was replaced, so that its weights alone would be another model; or a
        weight is no finite number as `dtype`, since no file with such a one is read back.
    """
    record = as_entries(record)
    check_weights_are_all(bilm)
    own_dtype = weight_dtype(bilm)
    dtype = own_dtype if dtype is None else dtype
    check_stored_as(dtype)
    tensors = {name: tensor.to(dtype) for name, tensor in bilm.state_dict().items()}
    check_finite_weights(tensors, f" as {dtype}")
    if bilm.carried.has_start:
        start = bilm.carried.start_h, bilm.carried.start_c
        exact = torch.promote_types(own_dtype, torch.float32)
        tensors |= {name: x.to(exact) for name, x in zip(START, start, strict=True)}
    words = words_of(bilm.token_encoder)
    own: dict[str, Any] = {} if words is None else {"words": words}
    own |= {"options": bilm.options.to_dict(), "model_dtype": _NAMES[own_dtype]}
    write_checkpoint(path, tensors, {**record, **own})


def check_stored_as(dtype: object) -> None:
    """Raise ConfigurationError for what is no type that weights are stored as."""
    if dtype not in STORED_AS:
        raise ConfigurationError(
            f"dtype is {dtype!r:.40}; weights are stored as one of {', '.join(map(str, STORED_AS))}"
        )


def as_entries(record: Mapping[str, Any] | None) -> dict[str, Any]:
    """The entries of a record; raises TypeError where it is no mapping."""
    if not isinstance(record, Mapping | None):
        raise TypeError(f"record is {record!r:.40}; pass a mapping of names to JSON values")
    return dict(record or {})


def weight_dtype(model: nn.Module) -> torch.dtype:
    """The type of the weights; float32 where they have several, or one that no file holds."""
    found = {weight.dtype for weight in model.parameters()}
    return found.pop() if len(found) == 1 and found <= set(STORED_AS) else torch.float32


def load_pretrained(path: PathLike | None = None, *, stateful: bool = False) -> FastBiLM:
    """Build a `FastBiLM` from a file of `save_pretrained`; without a path, the course's own.

    The model is in evaluation mode and no parameter asks for gradients. Its weights are of the type
    that those of the saved model had.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file.
    CheckpointDamaged
        If the file is truncated, or holds something else.
    """
    return with_record(COURSE_CHECKPOINT if path is None else path, stateful=stateful)[0]


def with_record(file: PathLike, *, stateful: bool = False) -> tuple[FastBiLM, dict[str, Any]]:
    """The model of `load_pretrained` and what its file says about itself, read at once."""
    tensors, record = read_checkpoint(file)
    if "options" not in record:
        raise CheckpointDamaged(
            f"{file} holds no pretrained model alone; a run's checkpoint becomes one with "
            "`python -m elmo_mini pretrain`, which writes model.safetensors beside it"
        )
    try:
        options = BiLMOptions.from_dict(record["options"])
        if (kind := record.get("model_dtype", "float32")) not in _NAMES.values():
            raise ElmoFileError(f"its model_dtype is {kind!r:.40}, no type of weights")
        dtype: torch.dtype = getattr(torch, kind)
    except (ElmoFileError, KeyError, TypeError) as wrong:
        raise CheckpointDamaged(f"{file}: {wrong}") from wrong
    start = {name: tensors.pop(name) for name in START if name in tensors}
    bilm = with_weights(lambda: FastBiLM(options, stateful=stateful), tensors, file, dtype)
    if isinstance(bilm.token_encoder, WordTable):
        try:
            bilm.token_encoder.set_words(record["words"])
        except (KeyError, TypeError, AttributeError, ValueError) as wrong:
            raise CheckpointDamaged(f"{file}: its vocabulary cannot be read: {wrong}") from wrong
    if start:
        carried = bilm.carried
        try:
            h, c = (start[name] for name in START)
            carried.set_start(
                h.to(dtype).view_as(carried.start_h), c.to(dtype).view_as(carried.start_c)
            )
        except (KeyError, RuntimeError) as wrong:
            raise CheckpointDamaged(f"{file} does not fit the model: {wrong}") from wrong
    return bilm.requires_grad_(False), record


def read_record(path: PathLike) -> dict[str, Any]:
    """What the file says about itself: corpora, licences, perplexities, command."""
    return read_checkpoint(path)[1]
