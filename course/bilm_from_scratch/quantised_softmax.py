"""The softmax that is kept with the course's biLM: eight bits a number, one scale for each word.

A biLM is given away without its softmax, since no vector needs it; only with one does it speak.
`course.bilm_from_scratch.course_softmax` trains this one on the frozen states.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT
from elmo_mini.checkpoints.safetensors_file import read_checkpoint, write_checkpoint
from elmo_mini.files import PathLike
from elmo_mini.text.vocabulary import Vocabulary

COURSE_SOFTMAX = COURSE_CHECKPOINT.with_name("softmax.safetensors")
COURSE_WORDS = COURSE_CHECKPOINT.with_name("vocabulary.json")
LARGEST = 127


class KeptSoftmax(NamedTuple):
    """One softmax for both directions.

    Attributes
    ----------
    weight, bias : (V, H) and (V,), float32
    vocabulary : its V words; the unknown word is one of them
    """

    weight: Tensor
    bias: Tensor
    vocabulary: Vocabulary


def most_frequent(words: int) -> Vocabulary:
    """The first so many words of the course biLM's vocabulary."""
    every = Vocabulary.load(COURSE_WORDS)
    return Vocabulary(every.words[:words], every.counts[:words], unknown=every.unknown)


def save_softmax(path: PathLike, weight: Tensor, bias: Tensor, record: dict[str, object]) -> None:
    """Write a softmax (V, H), (V,) over the first V words, each row in eight bits.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    scale = weight.abs().amax(1).clamp_min(1e-8) / LARGEST
    tensors = {
        "weight": (weight / scale[:, None]).round().to(torch.int8),
        "scale": scale,
        "bias": bias.half(),
    }
    write_checkpoint(path, tensors, record)


def course_softmax(path: PathLike = COURSE_SOFTMAX) -> KeptSoftmax:
    """The softmax of a file of `save_softmax`, by default the course's.

    Raises
    ------
    FileNotFoundError, CheckpointDamaged
        If there is no such file, or it is no whole one.
    """
    tensors, _ = read_checkpoint(path)
    weight = tensors["weight"].float() * tensors["scale"].float()[:, None]
    return KeptSoftmax(weight, tensors["bias"].float(), most_frequent(len(weight)))
