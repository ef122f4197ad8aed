"""A pretrained biLM in one safetensors file: weights, sizes, and where they come from.

    from elmo_mini.checkpoints.pretrained import load_pretrained
    from elmo_mini.elmo.embedder import ElmoEmbedder

    embedder = ElmoEmbedder(module=load_pretrained())

The softmax is left out: no embedding needs it. Weights may be stored in float16, which halves
the file; they are read back as float32.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from elmo_mini.bilm.model import BiLM
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    write_checkpoint,
)
from elmo_mini.errors import PathLike

COURSE_CHECKPOINT = Path(__file__).parents[1] / "data" / "course_bilm" / "model.safetensors"


def save_pretrained(
    bilm: BiLM,
    path: PathLike,
    record: Mapping[str, Any] | None = None,
    dtype: torch.dtype = torch.float32,
) -> None:
    """Write the weights of `bilm`, its options, and a `record` of JSON values."""
    tensors = {name: tensor.to(dtype) for name, tensor in bilm.state_dict().items()}
    write_checkpoint(Path(path), tensors, {**(record or {}), "options": bilm.options.to_dict()})


def load_pretrained(path: PathLike | None = None, *, stateful: bool = False) -> BiLM:
    """Build a `BiLM` from a file of `save_pretrained`; without a path, the course's own.

    The model is in evaluation mode and no parameter asks for gradients.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    CheckpointDamaged
        If the file is truncated, or holds something else.
    """
    file = COURSE_CHECKPOINT if path is None else Path(path)
    tensors, record = read_checkpoint(file)
    if "options" not in record:
        raise CheckpointDamaged(
            f"{file} holds no pretrained model alone; a run's checkpoint becomes one with "
            "`python -m elmo_mini pretrain`, which writes model.safetensors beside it"
        )
    with torch.random.fork_rng(devices=[]):  # the weights drawn here are overwritten
        bilm = BiLM(BiLMOptions.from_dict(record["options"]), stateful=stateful)
    try:
        bilm.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    except RuntimeError as wrong:
        raise CheckpointDamaged(f"{file} does not fit its own options: {wrong}") from wrong
    return bilm.requires_grad_(False).eval()


def read_record(path: PathLike) -> dict[str, Any]:
    """What the file says about itself: corpora, licences, perplexities, command."""
    return read_checkpoint(Path(path))[1]
