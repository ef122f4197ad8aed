"""Words as rows of byte ids, and sentences with their boundary rows.

The biLM reads a word as its UTF-8 bytes (NAACL ELMo paper, section 3: the token layer is a
"context-insensitive token representation" computed "via a CNN over characters"). Every word is
a row of 50 ids: begin-word, up to 48 bytes, end-word, then padding. All ids are shifted up by
one so that 0 is free to mean "no token here".
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

MAX_CHARACTERS = 50

MASK = 0
BEGIN_SENTENCE = 256 + 1
END_SENTENCE = 257 + 1
BEGIN_WORD = 258 + 1
END_WORD = 259 + 1
PADDING = 260 + 1
N_IDS = 262

BOS_TOKEN = "<S>"
EOS_TOKEN = "</S>"
_BOUNDARIES = {BOS_TOKEN: BEGIN_SENTENCE, EOS_TOKEN: END_SENTENCE}


def word_to_ids(
    word: str,
    tokens_to_add: Mapping[str, int] | None = None,
    max_characters: int = MAX_CHARACTERS,
) -> tuple[int, ...]:
    """The ids of one word, `max_characters` of them.

    Bytes past `max_characters - 2` are cut, which may cut a character in two. The literal words
    ``<S>`` and ``</S>`` give the boundary rows. `tokens_to_add` maps further words to one id
    each (before the shift by one), as AllenNLP's character mapper does.
    """
    if tokens_to_add and word in tokens_to_add:
        content = [tokens_to_add[word] + 1]
    elif word in _BOUNDARIES:
        content = [_BOUNDARIES[word]]
    else:
        content = [byte + 1 for byte in word.encode("utf-8", "ignore")[: max_characters - 2]]
    row = [BEGIN_WORD, *content, END_WORD]
    return tuple(row + [PADDING] * (max_characters - len(row)))


@lru_cache(maxsize=65_536)
def _cached_row(word: str, max_characters: int) -> np.ndarray:
    return np.array(word_to_ids(word, max_characters=max_characters), dtype=np.int64)


def batch_to_ids(
    batch: Sequence[Sequence[str]],
    *,
    allow_boundary_tokens: bool = False,
    tokens_to_add: Mapping[str, int] | None = None,
    max_characters: int = MAX_CHARACTERS,
) -> Tensor:
    """Tokenised sentences as character ids, (sentences, longest sentence, 50), int64.

    Short sentences are padded with rows of zeros on the right; an empty sentence is all zeros.

    Raises
    ------
    ValueError
        If the batch holds no sentence, or a token is ``<S>`` or ``</S>``: the model adds both
        itself. Pass ``allow_boundary_tokens=True`` where those rows are wanted all the same.
    TypeError
        If a sentence is a string: the words must be split first.
    """
    if len(batch) == 0:
        raise ValueError("the batch holds no sentence; give at least one list of words")
    longest = max(len(sentence) for sentence in batch)
    ids = np.zeros((len(batch), longest, max_characters), dtype=np.int64)
    for row, sentence in enumerate(batch):
        if isinstance(sentence, str):
            raise TypeError(
                f"sentence {row} is the string {sentence[:40]!r}; batch_to_ids wants lists of "
                "words: split the text first, for example with elmo_mini.text.tokenizer.tokenize"
            )
        for column, word in enumerate(sentence):
            if word in _BOUNDARIES and not allow_boundary_tokens:
                raise ValueError(
                    f"token {column} of sentence {row} is {word!r}. The model adds the sentence "
                    "boundaries itself; remove the token, or pass allow_boundary_tokens=True"
                )
            if tokens_to_add:
                ids[row, column] = word_to_ids(word, tokens_to_add, max_characters)
            else:
                ids[row, column] = _cached_row(word, max_characters)
    return torch.from_numpy(ids)


def boundary_ids(max_characters: int = MAX_CHARACTERS) -> Tensor:
    """The rows of ``<S>`` and ``</S>``, (2, max_characters), int64."""
    return torch.tensor([word_to_ids(t, max_characters=max_characters) for t in _BOUNDARIES])


def check_ids(ids: Tensor) -> Tensor:
    """Refuse ids the model has no row for; give back the token mask, (..., tokens), bool.

    Raises
    ------
    ValueError
        If the tensor is not of whole numbers, has no token, holds an id outside 0..261, or has
        a row of zeros before a token (padding belongs on the right).
    """
    if ids.is_floating_point() or ids.dtype == torch.bool:
        raise ValueError(f"character ids must be whole numbers, not {ids.dtype}; see batch_to_ids")
    if ids.dim() < 3 or ids.numel() == 0:
        raise ValueError(
            f"character ids have shape {tuple(ids.shape)}; expected (sentences, tokens, "
            "characters) with at least one sentence and one token"
        )
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= N_IDS:
        raise ValueError(
            f"character ids run from {low} to {high}, but the model knows 0 to {N_IDS - 1}; "
            "make them with batch_to_ids"
        )
    mask = (ids > 0).any(-1)
    if (mask[..., 1:] & ~mask[..., :-1]).any():
        raise ValueError(
            "a row of zeros stands before a token of the same sentence; padding must be on the "
            "right, because sentence ends are found by counting tokens"
        )
    return mask


def add_boundaries(ids: Tensor, mask: Tensor, bos: Tensor, eos: Tensor) -> tuple[Tensor, Tensor]:
    """Put `bos` before and `eos` right after the tokens of every sentence.

    Parameters
    ----------
    ids : (B, T, ...) ids or vectors, zero at padding
    mask : (B, T) bool, padding on the right
    bos, eos : shape of one token, ``ids.shape[2:]``

    Returns
    -------
    (B, T + 2, ...) and its mask (B, T + 2)
    """
    batch, tokens = mask.shape
    out = ids.new_zeros((batch, tokens + 2, *ids.shape[2:]))
    out[:, 1:-1] = ids
    out[:, 0] = bos.to(ids)
    lengths = mask.sum(1)
    rows = torch.arange(batch, device=ids.device)
    out[rows, lengths + 1] = eos.to(ids)
    new_mask = torch.arange(tokens + 2, device=ids.device) < (lengths + 2).unsqueeze(1)
    return out, new_mask


def remove_boundaries(vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Drop the first and last token of every sentence: (B, T + 2, ...) to (B, T, ...).

    Positions past the end come back as zeros. A sentence of two boundary rows alone becomes
    empty.
    """
    lengths = mask.sum(1) - 2
    new_mask = torch.arange(mask.shape[1] - 2, device=mask.device) < lengths.unsqueeze(1)
    shape = (*new_mask.shape, *[1] * (vectors.dim() - 2))
    return vectors[:, 1:-1] * new_mask.view(shape).to(vectors.dtype), new_mask


def unique_rows(ids: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct rows of (N, W) ids in order of first sight, and each row's place among them.

    A batch of running text holds about half as many word types as words, and the token layer
    depends on the type alone.
    """
    place: dict[bytes, int] = {}
    first: list[int] = []
    inverse: list[int] = []
    for row, key in enumerate(row_keys(ids)):
        if key not in place:
            place[key] = len(first)
            first.append(row)
        inverse.append(place[key])
    return ids[torch.tensor(first, device=ids.device)], torch.tensor(inverse, device=ids.device)


def row_keys(ids: Tensor) -> list[bytes]:
    """One dictionary key per row of (N, W) ids."""
    rows = np.ascontiguousarray(ids.to("cpu", torch.int16).numpy())
    return rows.view(f"V{rows.shape[1] * 2}").ravel().tolist()
