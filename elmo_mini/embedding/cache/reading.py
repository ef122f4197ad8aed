"""Reading a vector cache: by sentence, by layer and token, or as a padded batch."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from elmo_mini.embedding.cache.opening import CacheForeign, finding_damage, open_cache
from elmo_mini.embedding.stream import Floats, Text, TextHash, fingerprint, sentences_of
from elmo_mini.errors import PathLike
from elmo_mini.fast.bilm import FastBiLM, stateless_bilm
from elmo_mini.files import as_path


class VectorCache:
    """The vectors of a text, read from disk as they are asked for.

    Indexing with a sentence's number gives (layers, words, 2H), float32, as the biLM gave them.
    The word list and the index are in memory, and so is the token layer once it was asked for:
    one or two hundredths of a long text's file. The other layers stay on disk.

    Parameters
    ----------
    path : str or path
        The file that `write_cache` wrote.

    Attributes
    ----------
    manifest : dict
        What was written: ``model`` (its `fingerprint`), ``text`` (its `TextHash`), ``dtype``,
        ``sentences``, ``tokens``, ``types``, ``layers`` and ``size``.
    words : list of str
        The word types.
    starts : (sentences + 1,) int64
        Where each sentence begins, in tokens of the whole text.

    Raises
    ------
    CacheMissing, CacheIncomplete, CacheDamaged, CacheForeign
        When it is opened; `CacheDamaged` also when a damaged part is read.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = as_path(path)
        file = open_cache(self.path)
        with finding_damage(self.path, "its header"):
            self.manifest: dict[str, Any] = json.loads(file.attrs["manifest"])
            # Kept open, for HDF5 keeps the chunks last read with an open dataset.
            self._datasets = _datasets(file, self.manifest)
        self.words = [json.loads(line) for line in self._read("words").tobytes().splitlines()]
        self.starts: NDArray[np.int64] = self._read("starts")
        self._word_ids: NDArray[np.int32] = self._read("word_ids")

    def __reduce__(self) -> tuple[type["VectorCache"], tuple[Path]]:
        # An open HDF5 file cannot be sent to another process, such as a DataLoader's worker.
        return VectorCache, (self.path,)

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
        """Bytes on disk."""
        return self.path.stat().st_size

    def __getitem__(self, sentence: int) -> Floats:
        """(layers, words, 2H) of one sentence."""
        return self._every_layer(self._tokens(sentence))

    def __iter__(self) -> Iterator[Floats]:
        return (self[sentence] for sentence in range(len(self)))

    def sentence(self, sentence: int) -> list[str]:
        """The words of one sentence."""
        return [self.words[i] for i in self._word_ids[self._tokens(sentence)]]

    def vectors(self, layer: int, tokens: slice | NDArray[np.integer[Any]]) -> Floats:
        """Vectors of one layer.

        Parameters
        ----------
        layer : int
            0 is the token layer.
        tokens : slice, (n,) int array, or a mask of all tokens
            They count through the whole text: word j of sentence i is ``starts[i] + j``.

        Returns
        -------
        (n, 2H) float32

        Raises
        ------
        IndexError
            If there is no such layer or token.
        TypeError
            If one is no number.
        CacheDamaged
            If the file changed there since it was written.
        """
        _check_number("layer", layer)
        if not 0 <= layer < self.num_layers:
            raise IndexError(f"there is no layer {layer}; layers are 0 to {self.num_layers - 1}")
        if not isinstance(tokens, slice):
            tokens = self._numbers(tokens)
        elif (tokens.step or 1) < 0:  # which HDF5 does not read
            tokens = np.arange(len(self._word_ids))[tokens]
        if layer == 0:
            half = self._token_layer[self._word_ids[tokens]]
            return np.concatenate([half, half], -1).astype(np.float32)
        if isinstance(tokens, slice):
            return self._read(f"layer_{layer}", tokens).astype(np.float32)
        # HDF5 picks rows in rising order, each once.
        rows, place = np.unique(tokens, return_inverse=True)
        return self._read(f"layer_{layer}", rows)[place].astype(np.float32)

    def batch(self, sentences: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Sentences side by side, as `ElmoEmbedder.batch_to_embeddings` gives them.

        Returns
        -------
        vectors : (B, layers, T, 2H) float32
            Zero where a sentence is shorter than the longest.
        mask : (B, T) bool

        Raises
        ------
        ValueError, IndexError
            If no sentence is named, or one that there is not.
        """
        if len(sentences) == 0:
            raise ValueError("the batch holds no sentence; give at least one number")
        rows = [torch.from_numpy(self[sentence]).transpose(0, 1) for sentence in sentences]
        lengths = torch.tensor([len(row) for row in rows], device="cpu")
        vectors = pad_sequence(rows, batch_first=True).transpose(1, 2)
        return vectors, torch.arange(int(lengths.max()), device="cpu") < lengths.unsqueeze(1)

    def check(self) -> None:
        """Read the whole file once; raises `CacheDamaged`."""
        for name, dataset in self._datasets.items():
            with finding_damage(self.path, name):
                for chunk in dataset.iter_chunks():
                    dataset[chunk]

    def check_model(self, bilm: FastBiLM) -> None:
        """Raise `CacheForeign` unless `bilm` made these vectors; ValueError if it is stateful."""
        if fingerprint(stateless_bilm(bilm)) != self.manifest["model"]:
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

    @cached_property
    def _token_layer(self) -> NDArray[np.floating[Any]]:
        return self._read("token_layer")

    def _read(
        self, name: str, rows: slice | NDArray[np.integer[Any]] = slice(None)
    ) -> NDArray[Any]:
        with finding_damage(self.path, name):
            chosen: NDArray[Any] = self._datasets[name][rows]
        return chosen

    def _every_layer(self, tokens: slice) -> Floats:
        return np.stack([self.vectors(layer, tokens) for layer in range(self.num_layers)])

    def _numbers(self, tokens: NDArray[Any]) -> NDArray[np.integer[Any]]:
        """Numbers that count from the start, of those that count from the end or of a mask."""
        found, every = np.atleast_1d(tokens), len(self._word_ids)
        if found.dtype == bool:
            if found.shape != (every,):
                raise IndexError(f"the mask has shape {found.shape}; the text has {every:,} tokens")
            return np.flatnonzero(found)
        if found.size and found.dtype.kind not in "iu":
            raise TypeError(f"tokens are numbers, a slice or a mask, and these are {found.dtype}")
        found = found.astype(np.int64)
        found = np.where(found < 0, found + every, found)
        if found.size and not 0 <= found.min() <= found.max() < every:
            raise IndexError(f"there is no such token; the text has {every:,}")
        return found

    def _tokens(self, sentence: int) -> slice:
        _check_number("sentence", sentence)
        if not -len(self) <= sentence < len(self):
            raise IndexError(f"there is no sentence {sentence}; the cache holds {len(self):,}")
        sentence %= len(self)
        return slice(int(self.starts[sentence]), int(self.starts[sentence + 1]))


def _check_number(what: str, number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise TypeError(f"a {what} is asked for by its number, and this is {number!r:.40}")


def _datasets(file: h5py.File, manifest: dict[str, Any]) -> dict[str, h5py.Dataset]:
    """Every dataset; raises RuntimeError or KeyError where one is not what was written."""
    tokens, size = manifest["tokens"], manifest["size"]
    shapes: dict[str, tuple[int, ...]] = {
        "words": file["words"].shape,
        "starts": (manifest["sentences"] + 1,),
        "word_ids": (tokens,),
        "token_layer": (manifest["types"], size // 2),
        **{f"layer_{number}": (tokens, size) for number in range(1, manifest["layers"])},
    }
    for name, shape in shapes.items():
        if file[name].shape != shape:
            raise RuntimeError(f"{name} is {file[name].shape}, but {shape} was written")
    return {name: file[name] for name in shapes}
