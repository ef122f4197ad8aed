"""Your own ELMo: words in, vectors in context out.

In a terminal, in the folder that holds my_elmo:

    python -m my_elmo "Dogs bark ."

In a program:

    from my_elmo import embed

    (vectors,) = embed([["Dogs", "bark", "."]])  # a tensor, a row for each word

It needs torch, numpy and h5py. {whose}
"""

import torch

from my_elmo.BiLM import BiLM
from my_elmo.CharCNN import CharCNN
from my_elmo.embed import embed as embed_with
from my_elmo.ScalarMix import ScalarMix
from my_elmo.weights import weights


def embed(sentences: list[list[str]]) -> list[torch.Tensor]:
    """Vectors of sentences, each a list of words: for each a (words, 2 H) tensor.

    A vector is the plain average of the layers.
    """
    if any(isinstance(sentence, str) for sentence in [sentences, *sentences]):
        raise TypeError('a sentence is a list of words: embed([["Dogs", "bark", "."]])')
    with torch.no_grad():
        return embed_with(sentences, weights(), CharCNN, BiLM, ScalarMix) if sentences else []
