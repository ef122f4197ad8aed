"""Your own ELMo: words in, vectors in context out.

In a terminal, in the folder that holds my_elmo:

    python -m my_elmo "She plays the cello ." "The plays were long ."

In a program:

    from my_elmo import embed, every_layer

    (vectors,) = embed([["Dogs", "bark", "."]])  # (words, 2 H): a row for each word
    (layers,) = every_layer([["Dogs", "bark", "."]])  # (L + 1, words, 2 H): before the mix

It needs torch, numpy and h5py. {whose}
"""

from collections.abc import Callable

import torch

from my_elmo.BiLM import BiLM
from my_elmo.CharCNN import CharCNN
from my_elmo.embed import embed as embed_with
from my_elmo.one_layer import OneLayer
from my_elmo.ScalarMix import ScalarMix
from my_elmo.weights import weights


def embed(sentences: list[list[str]]) -> list[torch.Tensor]:
    """Vectors of sentences, each a list of words: for each a (words, 2 H) tensor.

    A vector is the plain average of the layers.
    """
    return _read(sentences, ScalarMix)


def every_layer(sentences: list[list[str]]) -> list[torch.Tensor]:
    """The layers before any mix: for each sentence a (L + 1, words, 2 H) tensor.

    The text is read once for each layer, since `embed` gives one mix at a time.
    """
    above = sum(name.startswith("RNN_0/") and name.endswith("/W_0") for name in weights())
    by_layer = []
    for place in range(above + 1):
        layer = OneLayer(place)
        by_layer.append(_read(sentences, lambda n_layers, do_layer_norm=False, layer=layer: layer))
    return [torch.stack(layers) for layers in zip(*by_layer, strict=True)]


def _read(sentences: list[list[str]], mix: Callable[..., torch.nn.Module]) -> list[torch.Tensor]:
    if any(isinstance(sentence, str) for sentence in [sentences, *sentences]):
        raise TypeError('a sentence is a list of words: embed([["Dogs", "bark", "."]])')
    if not sentences:
        return []
    with torch.no_grad():
        found = embed_with(sentences, weights(), CharCNN, BiLM, mix)
    return [torch.as_tensor(vectors) for vectors in found]
