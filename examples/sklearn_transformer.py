"""ELMo as a step of a scikit-learn pipeline: texts to the mean vector of their words."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from elmo_mini import ElmoEmbedder
from elmo_mini.text.tokenizer import tokenize


class ElmoVectors(TransformerMixin, BaseEstimator):
    """Texts to (texts, 2 * projection_dim); without a `folder`, the course's own model reads."""

    def __init__(self, folder: str | None = None, layer: int = -1) -> None:
        self.folder = folder
        self.layer = layer

    def fit(self, texts: Sequence[str], y: Any = None) -> Self:
        """Load the model; nothing is learnt from the texts."""
        here = self.folder is None
        self.embedder_ = ElmoEmbedder() if here else ElmoEmbedder.from_pretrained(self.folder)
        return self

    def transform(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A text without a word has a vector of zeros."""
        sentences = [tokenize(text) for text in texts]
        out = np.zeros((len(sentences), self.embedder_.bilm.get_output_dim()), dtype=np.float32)
        for row, vectors in enumerate(self.embedder_.embed_sentences(sentences)):
            if vectors.shape[1]:
                out[row] = vectors[self.layer].mean(0)
        return out
