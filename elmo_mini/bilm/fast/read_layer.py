"""The fast way through one layer: chosen here, and nowhere else."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from elmo_mini.bilm.fast.inference_pass import infer_layer
from elmo_mini.bilm.fast.training_pass import train_layer
from elmo_mini.bilm.projected_lstm import ProjectedLSTM, State
from elmo_mini.fast.derived_weights import is_plain


def read_layer(
    layer: ProjectedLSTM,
    inputs: Tensor,
    batch_sizes: Sequence[int],
    state: State,
    words: Tensor | None = None,
) -> tuple[Tensor, State]:
    """``layer(inputs, batch_sizes, state)``, by the fastest way that gives the same.

    Parameters
    ----------
    inputs : (2, N, input_size); or, with `words`, (U, input_size) vectors of the distinct words
    words : (2, N) which word each direction reads
    """
    read = [inputs, *state, *layer.weights()]
    training = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in read)
    if is_plain(layer) and not training:
        # Products are written in place there, where autocast cannot follow.
        with torch.autocast(inputs.device.type, enabled=False):
            return infer_layer(layer, inputs.to(layer.weight.dtype), batch_sizes, state, words)
    if words is not None:
        inputs = functional.embedding(words, inputs)
    if is_plain(layer):
        return train_layer(layer, inputs, batch_sizes, state)
    return layer(inputs, batch_sizes, state)
