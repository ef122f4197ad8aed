"""Word vectors of the token layer, kept from batch to batch while the model is frozen.

The token layer depends on a word's spelling alone, so a word met before needs no convolution.
The bilm-tf README recommends caching this layer for a fixed vocabulary; here no vocabulary is
needed, and an unknown word is encoded when it comes.
"""

import os
import threading
from typing import Any
from weakref import WeakSet

import torch
from torch import Tensor

from elmo_mini.fast.char_cnn import CharacterCNN
from elmo_mini.fast.char_cnn_types import encode_types, is_as_built
from elmo_mini.fast.choice import asks_for_gradient
from elmo_mini.fast.derived_weights import Stamp, made_to_keep, weight_stamp
from elmo_mini.fast.word_table import WordTable
from elmo_mini.text.character_ids import row_keys

_CACHES: WeakSet["TokenCache"] = WeakSet()


def _unlock() -> None:
    """In a forked child: what a thread of its parent was writing has nobody who ends it."""
    for cache in _CACHES:
        if cache._lock.locked():
            cache.__setstate__(cache.__getstate__())


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_unlock)


class TokenCache:
    """Vectors by character ids, at most `capacity` of them.

    The cache empties itself when a weight of `encoder` changes, is replaced or moves, and when
    it is full. Ask `serves` first. Several threads may use it at once. A copy of it starts empty.
    """

    _weights: Stamp | None = None  # of which the vectors were made

    def __init__(self, encoder: CharacterCNN | WordTable, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"capacity is {capacity}; a cache must hold at least one word")
        self.encoder = encoder
        self.capacity = capacity
        self._start()
        self.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {"encoder": self.encoder, "capacity": self.capacity}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.encoder, self.capacity = state["encoder"], state["capacity"]
        self._start()
        self._forget()

    def _start(self) -> None:
        self._lock = threading.Lock()
        _CACHES.add(self)

    def __len__(self) -> int:
        return len(self._place)

    def serves(self, encoder: CharacterCNN | WordTable) -> bool:
        """Whether vectors kept here may stand for those of `encoder` now.

        Not where a gradient is asked for, nor where a part was replaced: what that reads may
        change unseen. A replica of DataParallel shares the cache of another device's encoder.
        """
        return (
            encoder is self.encoder
            and isinstance(encoder, CharacterCNN)  # a word's row is found as fast as a cached one
            and is_as_built(encoder)
            and not asks_for_gradient(encoder.weights())
        )

    def clear(self) -> None:
        """Forget every word."""
        with self._lock:
            self._forget()

    @made_to_keep()
    def encode(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors of the distinct rows of (N, characters) ids, and each row's place among them.

        Returns
        -------
        (U, H) vectors and (N,) places
        """
        keys = row_keys(ids)
        distinct: dict[bytes, int] = {}
        for row, key in enumerate(keys):
            distinct.setdefault(key, row)
        place = {key: number for number, key in enumerate(distinct)}
        with self._lock:
            vectors = self._look_up(ids, distinct)
        return vectors, torch.tensor([place[key] for key in keys], device=ids.device)

    def _look_up(self, ids: Tensor, distinct: dict[bytes, int]) -> Tensor:
        """Vectors of the distinct words, each given by a row of `ids` where it stands."""
        weights = weight_stamp(self.encoder.weights())
        if self._weights != weights:
            self._forget()
            self._weights = weights
        new = {key: row for key, row in distinct.items() if key not in self._place}
        if len(self) + len(new) > self.capacity:
            self._forget()
            new = distinct
        if new:
            vectors = encode_types(self.encoder, ids[list(new.values())])
            if len(new) > self.capacity:
                return vectors
            self._append(list(new), vectors)
        assert self._vectors is not None
        places = [self._place[key] for key in distinct]
        return self._vectors[torch.tensor(places, device=ids.device)]

    def _forget(self) -> None:
        self._place: dict[bytes, int] = {}
        self._vectors: Tensor | None = None

    def _append(self, keys: list[bytes], vectors: Tensor) -> None:
        used, needed = len(self._place), len(self._place) + len(keys)
        if self._vectors is None or needed > len(self._vectors):
            grown = vectors.new_empty(min(self.capacity, max(1024, 2 * needed)), vectors.shape[1])
            if self._vectors is not None:
                grown[:used] = self._vectors[:used]
            self._vectors = grown
        self._vectors[used:needed] = vectors
        self._place.update({key: used + i for i, key in enumerate(keys)})


class Vocabulary:
    """Vectors of a fixed list of words; row 0 stands for padding and is zero.

    Parameters
    ----------
    ids : (words, characters)
    chunk : words that are encoded at once
    """

    def __init__(self, ids: Tensor, chunk: int = 1024) -> None:
        self.ids, self.chunk = ids, chunk
        self._kept: tuple[Stamp, Tensor] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @made_to_keep()
    def vectors(self, encoder: CharacterCNN | WordTable, device: torch.device) -> Tensor:
        """(words, H) of the present weights of the encoder, which is on this device."""
        stamp = weight_stamp(encoder.weights())
        kept = self._kept
        if kept is None or kept[0] != stamp or not is_as_built(encoder):
            parts = self.ids.to(device).split(self.chunk)
            rows = torch.cat([encode_types(encoder, part) for part in parts])
            rows[0] = 0
            self._kept = kept = stamp, rows
        return kept[1]
