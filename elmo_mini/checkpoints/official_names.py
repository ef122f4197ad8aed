"""The names that a biLM's weights have in an official file, and their layout there."""

from collections.abc import Iterator
from typing import cast

from torch import Tensor

from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.char_cnn import CharacterCNN
from elmo_mini.fast.projected_lstm import BACKWARD, FORWARD
from elmo_mini.fast.word_table import WordTable


def official_weights(bilm: FastBiLM) -> dict[str, Tensor]:
    """The weights under their names in an official file, as views in the file's layout."""
    return dict(_parts(bilm))


def _parts(bilm: FastBiLM) -> Iterator[tuple[str, Tensor]]:
    encoder = bilm.token_encoder
    if isinstance(encoder, WordTable):
        yield "embedding", encoder.embedding.weight.detach()
    else:
        yield from _character_parts(encoder)
    for direction in (FORWARD, BACKWARD):
        for i, layer in enumerate(bilm.layers):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell"
            yield f"{cell}/W_0", layer.weight.detach()[direction]
            yield f"{cell}/B", layer.bias.detach()[direction]
            if layer.projection is not None:
                yield f"{cell}/W_P_0", layer.projection.detach()[direction]


def _character_parts(encoder: CharacterCNN) -> Iterator[tuple[str, Tensor]]:
    yield "char_embed", encoder.embedding.weight.detach()[1:]
    for i, convolution in enumerate(encoder.convolutions):
        yield f"CNN/W_cnn_{i}", convolution.weight.detach().permute(2, 1, 0).unsqueeze(0)
        yield f"CNN/b_cnn_{i}", cast(Tensor, convolution.bias).detach()
    for i, highway in enumerate(encoder.highways):
        for half, linear in (("transform", highway.transform), ("carry", highway.carry)):
            yield f"CNN_high_{i}/W_{half}", linear.weight.detach().T
            yield f"CNN_high_{i}/b_{half}", linear.bias.detach()
    if encoder.projection is not None:
        yield "CNN_proj/W_proj", encoder.projection.weight.detach().T
        yield "CNN_proj/b_proj", encoder.projection.bias.detach()
