"""The parts put together: a model that is built once and read with as often as one likes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch

from my_elmo.BiLM import BiLM
from my_elmo.CharCNN import CharCNN
from my_elmo.embed import embed
from my_elmo.one_layer import OneLayer
from my_elmo.ScalarMix import ScalarMix
from my_elmo.weights import OPTIONS, WEIGHTS, read_weights


class ELMo:
    """A model from a pair of official files.

    Parameters
    ----------
    options : path of the JSON file with the sizes
    weights : path of the HDF5 file with the weights

    Without them, the model that lies beside this file.
    """

    def __init__(self, options: str | Path = OPTIONS, weights: str | Path = WEIGHTS) -> None:
        self.weights = read_weights(options, weights)
        self.depth = sum(n.startswith("RNN_0/") and n.endswith("/W_0") for n in self.weights)
        self.char_cnn = CharCNN(self.weights)
        self.bilm = BiLM(self.char_cnn, self.weights).eval()

    def embed(self, sentences: list[list[str]]) -> list[torch.Tensor]:
        """Vectors of sentences, each a list of words: for each a (words, 2 H) tensor.

        A vector is the plain average of the layers.
        """
        return self._read(sentences, ScalarMix)

    def every_layer(self, sentences: list[list[str]]) -> list[torch.Tensor]:
        """The layers before any mix: for each sentence a (L + 1, words, 2 H) tensor.

        The text is read once for each layer, since `embed` gives one mix at a time.
        """
        layers = [self._read(sentences, partial(OneLayer, at)) for at in range(self.depth + 1)]
        return [torch.stack(of_one) for of_one in zip(*layers, strict=True)]

    def _read(
        self, sentences: list[list[str]], mix: Callable[..., torch.nn.Module]
    ) -> list[torch.Tensor]:
        if any(isinstance(sentence, str) for sentence in [sentences, *sentences]):
            raise TypeError('a sentence is a list of words: embed([["Dogs", "bark", "."]])')
        if not sentences:
            return []
        with torch.no_grad():  # `embed` asks two classes for a model: here it is built already
            found = embed(
                sentences,
                self.weights,
                lambda *_, **__: self.char_cnn,
                lambda *_, **__: self.bilm,
                mix,
            )
        return [torch.as_tensor(vectors) for vectors in found]
