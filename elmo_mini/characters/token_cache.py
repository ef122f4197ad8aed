"""Word vectors of the token layer, kept from batch to batch while the model is frozen.

The token layer depends on a word's spelling alone, so a word met before needs no convolution.
The bilm-tf README recommends caching this layer for a fixed vocabulary; here no vocabulary is
needed, and an unknown word is encoded when it comes.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from elmo_mini.characters.ids import row_keys
from elmo_mini.fast.derived_weights import weight_stamp


class TokenCache:
    """Vectors by character ids, at most `capacity` of them.

    The cache empties itself when a weight of `encoder` changes, is replaced or moves, and when
    it is full.
    """

    def __init__(self, encoder: nn.Module, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"capacity is {capacity}; a cache must hold at least one word")
        self.encoder = encoder
        self.capacity = capacity
        self.clear()

    def clear(self) -> None:
        """Forget every word."""
        self._place: dict[bytes, int] = {}
        self._vectors: Tensor | None = None
        self._weights = weight_stamp(self.encoder.parameters())

    def __len__(self) -> int:
        return len(self._place)

    @torch.no_grad()
    def encode(
        self, ids: Tensor, encode_types: Callable[[Tensor], Tensor]
    ) -> tuple[Tensor, Tensor]:
        """Vectors of the distinct rows of (N, characters) ids, and each row's place among them.

        Returns
        -------
        (U, H) vectors and (N,) places
        """
        if weight_stamp(self.encoder.parameters()) != self._weights:
            self.clear()
        keys = row_keys(ids)
        distinct = dict.fromkeys(keys)
        new = {key: row for row, key in enumerate(keys) if key not in self._place}
        if len(self) + len(new) > self.capacity:
            self.clear()
            new = {key: row for row, key in enumerate(keys)}
        if new:
            vectors = encode_types(ids[list(new.values())])
            if len(distinct) > self.capacity:
                local = {key: i for i, key in enumerate(new)}
                return vectors, torch.tensor([local[k] for k in keys], device=ids.device)
            self._append(list(new), vectors)
        assert self._vectors is not None
        rows = [self._place[key] for key in distinct]
        local = {key: i for i, key in enumerate(distinct)}
        vectors = self._vectors[torch.tensor(rows, device=ids.device)]
        return vectors, torch.tensor([local[key] for key in keys], device=ids.device)

    def _append(self, keys: list[bytes], vectors: Tensor) -> None:
        used, needed = len(self._place), len(self._place) + len(keys)
        if self._vectors is None or needed > len(self._vectors):
            grown = vectors.new_empty(min(self.capacity, max(1024, 2 * needed)), vectors.shape[1])
            if self._vectors is not None:
                grown[:used] = self._vectors[:used]
            self._vectors = grown
        self._vectors[used:needed] = vectors
        self._place.update({key: used + i for i, key in enumerate(keys)})
