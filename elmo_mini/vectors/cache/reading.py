"""Reading a vector cache: by sentence, by layer and token, or as a padded batch."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_mini.bilm.model import BiLM
from elmo_mini.errors import PathLike
from elmo_mini.vectors.cache.manifest import (
    CacheForeign,
    naming_the_way_out,
    read_manifest,
    read_words,
)
from elmo_mini.vectors.cache.rows import CheckedRows
from elmo_mini.vectors.stream import Floats, Text, TextHash, fingerprint, sentences_of


class VectorCache:
    """The vectors of a text, read from disk as they are asked for.

    Indexing with a sentence's number gives (layers, words, 2H), float32, as the biLM gave them.

    Raises
    ------
    CacheMissing, CacheIncomplete, CacheDamaged, CacheForeign
        When it is opened; `CacheDamaged` also when a damaged part is first read.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        self.manifest = read_manifest(self.path)
        files: dict[str, Any] = self.manifest["files"]
        with naming_the_way_out(self.path):
            self.words = read_words(self.path / "words.jsonl", files["words.jsonl"])
            self._rows = {
                name: CheckedRows(self.path / name, record)
                for name, record in files.items()
                if name.endswith(".npy")
            }
            self.starts: NDArray[np.int64] = self._rows["starts.npy"][:]

    def __len__(self) -> int:
        return int(self.manifest["sentences"])

    @property
    def num_layers(self) -> int:
        """Layers, the token layer among them."""
        return int(self.manifest["layers"])

    @property
    def size(self) -> int:
        """Length 2H of a vector."""
        return int(self.manifest["size"])

    @property
    def nbytes(self) -> int:
        """Bytes on disk, all files together."""
        return sum(file.stat().st_size for file in self.path.iterdir())

    def __getitem__(self, sentence: int) -> Floats:
        """(layers, words, 2H) of one sentence."""
        tokens = self._tokens(sentence)
        return np.stack([self.vectors(layer, tokens) for layer in range(self.num_layers)])

    def __iter__(self) -> Iterator[Floats]:
        return (self[sentence] for sentence in range(len(self)))

    def sentence(self, sentence: int) -> list[str]:
        """The words of one sentence."""
        with naming_the_way_out(self.path):
            return [self.words[i] for i in self._rows["word_ids.npy"][self._tokens(sentence)]]

    def vectors(self, layer: int, tokens: slice | NDArray[np.integer[Any]]) -> Floats:
        """(n, 2H) vectors of one layer, float32.

        `tokens` counts through the whole text: word j of sentence i is ``starts[i] + j``.
        """
        if not 0 <= layer < self.num_layers:
            raise IndexError(f"there is no layer {layer}; layers are 0 to {self.num_layers - 1}")
        with naming_the_way_out(self.path):
            if layer:
                return self._rows[f"layer_{layer}.npy"][tokens].astype(np.float32)
            half = self._rows["token_layer.npy"][self._rows["word_ids.npy"][tokens]]
        return np.concatenate([half, half], -1).astype(np.float32)

    def batch(self, sentences: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Padded (B, layers, T, 2H) and mask (B, T), as `ElmoEmbedder.batch_to_embeddings`."""
        arrays = [self[sentence] for sentence in sentences]
        longest = max(array.shape[1] for array in arrays)
        vectors = torch.zeros(len(arrays), self.num_layers, longest, self.size)
        for row, array in enumerate(arrays):
            vectors[row, :, : array.shape[1]] = torch.from_numpy(array)
        lengths = torch.tensor([array.shape[1] for array in arrays])
        return vectors, torch.arange(longest) < lengths.unsqueeze(1)

    def check(self) -> None:
        """Read every file once; raises `CacheDamaged`."""
        with naming_the_way_out(self.path):
            for rows in self._rows.values():
                rows.check()

    def check_model(self, bilm: BiLM) -> None:
        """Raise `CacheForeign` unless `bilm` made these vectors."""
        if fingerprint(bilm) != self.manifest["model"]:
            raise CacheForeign(
                f"{self.path} holds the vectors of another model (other weights, sizes or start "
                "state). Write a cache for this one under another name"
            )

    def check_text(self, sentences: Text) -> None:
        """Raise `CacheForeign` unless these are the sentences, in this order."""
        if TextHash(sentences_of(sentences)).hexdigest() != self.manifest["text"]:
            raise CacheForeign(
                f"{self.path} holds the vectors of another text ({len(self):,} sentences). Words, "
                "their order and the cuts between sentences must be the same"
            )

    def _tokens(self, sentence: int) -> slice:
        if not -len(self) <= sentence < len(self):
            raise IndexError(f"there is no sentence {sentence}; the cache holds {len(self):,}")
        sentence %= len(self)
        return slice(int(self.starts[sentence]), int(self.starts[sentence + 1]))
