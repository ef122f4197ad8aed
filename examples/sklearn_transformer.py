"""ELMo as a step of a scikit-learn pipeline: texts to the mean vector of their words."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from elmo_mini import ElmoEmbedder
from elmo_mini.text.tokenizer import tokenize


class ElmoVectors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Texts to (texts, 2 * projection_dim); without a `folder`, the course's own model reads."""

    def __init__(self, folder: str | None = None, layer: int = -1) -> None:
        self.folder = folder
        self.layer = layer

    def fit(self, texts: Iterable[str], y: Any = None) -> Self:
        """Load the model; nothing is learnt from the texts."""
        folder = self.folder
        self.embedder_ = ElmoEmbedder() if folder is None else ElmoEmbedder.from_pretrained(folder)
        layers, self._n_features_out = self.embedder_.embed_sentence(["a"]).shape[::2]
        if self.layer not in range(-layers, layers):
            raise ValueError(f"layer is {self.layer!r}, and the model has layers 0 to {layers - 1}")
        return self

    def transform(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """A text without a word has a vector of zeros."""
        check_is_fitted(self)
        if isinstance(texts, str) or getattr(texts, "ndim", 1) != 1:  # of a table, its columns
            raise ValueError("texts is one string or a table; pass a list of texts")
        texts = list(texts)
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                raise ValueError(f"text {row} is {text!r}, and no string")
        out = np.zeros((len(texts), self._n_features_out), dtype=np.float32)
        for row, vectors in enumerate(self.embedder_.embed_sentences(map(tokenize, texts))):
            if vectors.shape[1]:
                out[row] = vectors[self.layer].mean(0)
        return out
