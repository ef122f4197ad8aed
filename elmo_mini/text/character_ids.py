"""Words as rows of byte ids, and sentences with their boundary rows.

The biLM reads a word as its UTF-8 bytes (NAACL ELMo paper, section 3: the token layer is a
"context-insensitive token representation" computed "via a CNN over characters"). Every word is
a row of 50 ids: begin-word, up to 48 bytes, end-word, then padding. All ids are shifted up by
one so that 0 is free to mean "no token here".
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from elmo_mini.text.sentences import BOS_TOKEN, EOS_TOKEN, Sentence, check_batch, check_word

MAX_CHARACTERS = 50
FEWEST_CHARACTERS = 3  # begin-word, one id, end-word

MASK = 0
BEGIN_SENTENCE = 256 + 1
END_SENTENCE = 257 + 1
BEGIN_WORD = 258 + 1
END_WORD = 259 + 1
PADDING = 260 + 1
N_IDS = 262

_LOOKED_UP = (torch.int64, torch.int32, torch.bool)  # bool is refused later, by its name
_BOUNDARIES = {BOS_TOKEN: BEGIN_SENTENCE, EOS_TOKEN: END_SENTENCE}


def word_to_ids(
    word: str, tokens_to_add: Mapping[str, int] | None = None, max_characters: int = MAX_CHARACTERS
) -> tuple[int, ...]:
    """The ids of one word, `max_characters` of them.

    Bytes past `max_characters - 2` are cut, which may cut a character in two. The literal words
    ``<S>`` and ``</S>`` give the boundary rows. `tokens_to_add` maps further words to one id
    each (before the shift by one), as AllenNLP's character mapper does.

    Raises
    ------
    ValueError
        If `max_characters` is below 3, or the word holds half a character.
    """
    check_word(word)
    if max_characters < FEWEST_CHARACTERS:
        raise ValueError(
            f"max_characters is {max_characters}; a word needs at least {FEWEST_CHARACTERS}: its "
            "begin, one byte and its end"
        )
    if tokens_to_add and word in tokens_to_add:
        content = [tokens_to_add[word] + 1]
    elif word in _BOUNDARIES:
        content = [_BOUNDARIES[word]]
    else:
        content = [byte + 1 for byte in word.encode()[: max_characters - 2]]
    row = [BEGIN_WORD, *content, END_WORD]
    return tuple(row + [PADDING] * (max_characters - len(row)))


@lru_cache(maxsize=65_536)
def _cached_row(word: str, max_characters: int) -> np.ndarray:
    return np.array(word_to_ids(word, max_characters=max_characters), dtype=np.int64)


@cache
def _boundary_rows(max_characters: int) -> np.ndarray:
    return np.stack([_cached_row(word, max_characters) for word in _BOUNDARIES])


def batch_to_ids(
    batch: Sequence[Sentence],
    *,
    allow_boundary_tokens: bool = False,
    tokens_to_add: Mapping[str, int] | None = None,
    max_characters: int = MAX_CHARACTERS,
) -> Tensor:
    """Tokenised sentences as character ids, (sentences, longest sentence, 50), int64.

    Short sentences are padded with rows of zeros on the right; an empty sentence is all zeros.

    Parameters
    ----------
    batch : one list of words per sentence
    allow_boundary_tokens : give the words ``<S>`` and ``</S>`` the boundary rows
    tokens_to_add : see `word_to_ids`
    max_characters : ids of a word; a model takes rows of its own ``options.max_characters`` alone

    Raises
    ------
    ValueError
        If the batch holds no sentence, a token is a boundary, or `max_characters` is below 3.
    TypeError
        If a sentence is no list or a token no string; the message names row, position and type.
    """
    check_batch(batch, allow_boundary_tokens=allow_boundary_tokens)
    longest = max(len(sentence) for sentence in batch)
    ids = np.zeros((len(batch), longest, max_characters), dtype=np.int64)
    for row, sentence in enumerate(batch):
        for column, word in enumerate(sentence):
            if tokens_to_add:
                ids[row, column] = word_to_ids(word, tokens_to_add, max_characters)
            else:
                ids[row, column] = _cached_row(word, max_characters)
    return torch.from_numpy(ids)


def boundary_ids(
    max_characters: int = MAX_CHARACTERS, device: torch.device | None = None
) -> Tensor:
    """The rows of ``<S>`` and ``</S>``, (2, max_characters), int64."""
    return torch.tensor(_boundary_rows(max_characters), device=device)


def as_ids(ids: object, device: torch.device, largest: int = 0) -> Tensor:
    """Ids as a tensor on this device; NumPy arrays and nested lists are taken, too.

    Parameters
    ----------
    largest : an id that their type must be able to hold; in a smaller one it is another id already

    Raises
    ------
    TypeError
        If they are words, or rows of different lengths.
    ValueError
        If they are a sparse or nested tensor or have no numbers, or their type is too small.
    """
    if isinstance(ids, Tensor):
        if ids.is_meta:
            raise ValueError("the ids are on the meta device, which holds no numbers")
        if ids.is_nested or ids.layout != torch.strided:
            kind = "nested" if ids.is_nested else "sparse"
            raise ValueError(
                f"the ids are a {kind} tensor; make them with batch_to_ids, which pads with zeros"
            )
        _check_holds(ids.dtype, largest)
        small = not ids.is_floating_point() and ids.dtype not in _LOOKED_UP
        return ids.long() if small and not ids.is_complex() else ids
    try:
        array = np.asarray(ids)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "iu":
        _check_holds(array.dtype, largest)
        return torch.from_numpy(array.astype(np.int64)).to(device)
    if array.dtype.kind in "fcb":
        return torch.from_numpy(array)  # refused with its type, as a tensor is
    what = "words" if array.dtype.kind in "US" else "no array of whole numbers"
    raise TypeError(f"the ids are {what}; make them of lists of words with batch_to_ids")


def _check_holds(kind: torch.dtype | np.dtype[Any], largest: int) -> None:
    if largest > 255 and str(kind).endswith("int8"):
        raise ValueError(
            f"the ids are {kind}, in which {largest} is another number; keep them as batch_to_ids "
            "makes them"
        )


def check_ids(ids: Tensor, max_characters: int | None = None) -> Tensor:
    """Refuse ids that the model cannot read; give back the token mask, (..., tokens), bool.

    Parameters
    ----------
    ids : (sentences, tokens, characters), padded on the right with rows of zeros
    max_characters : how many characters the model reads; None to leave that open. No other width
        is taken, although the convolution can slide over any that is not below its widest filter:
        a narrower row has lost the end of a long word and the windows across it, a wider one has
        letters that no word had in training. Such a word would silently get another vector.

    Raises
    ------
    ValueError
        If the tensor is not of whole numbers, has no token or another width, holds an id outside
        0..261, or has a row of zeros before a token (padding belongs on the right).
    """
    _check_whole(ids, "character ids", "make them with batch_to_ids")
    if ids.dim() < 3 or ids.numel() == 0:
        raise ValueError(
            f"character ids have shape {tuple(ids.shape)}; expected (sentences, tokens, "
            "characters) with at least one sentence and one token"
        )
    if max_characters not in (None, ids.shape[-1]):
        raise ValueError(
            f"character ids have {ids.shape[-1]} characters a token, but this model reads "
            f"{max_characters}; make them with batch_to_ids(..., max_characters={max_characters})"
        )
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= N_IDS:
        raise ValueError(
            f"character ids run from {low} to {high}, but the model knows 0 to {N_IDS - 1}; "
            "make them with batch_to_ids"
        )
    mask = (ids > 0).any(-1)
    _check_padding(mask)
    return mask


def check_word_ids(ids: Tensor) -> Tensor:
    """Refuse rows of a vocabulary that cannot be looked up; give back the token mask, bool.

    Parameters
    ----------
    ids : (sentences, tokens), padded on the right with 0

    Raises
    ------
    ValueError
        If the tensor is not of whole numbers, has no token, an id below 0, or a 0 before a token.
    """
    _check_whole(ids, "word ids", "each is a row of the cached vocabulary")
    if ids.dim() != 2 or ids.numel() == 0:
        raise ValueError(
            f"word ids have shape {tuple(ids.shape)}; expected (sentences, tokens) with at least "
            "one sentence and one token"
        )
    if int(ids.min()) < 0:
        raise ValueError(f"word ids start at {int(ids.min())}; they must be 0 or more")
    mask = ids > 0
    _check_padding(mask)
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

    Raises
    ------
    ValueError
        If there is no room for two boundaries, or the mask is of other sentences.
    """
    if mask.dim() != 2 or vectors.shape[:2] != mask.shape or mask.shape[1] < 2:
        raise ValueError(
            f"the vectors have shape {tuple(vectors.shape)} and the mask {tuple(mask.shape)}; both "
            "must be of the same sentences, with two boundaries each: (B, T + 2, D) and (B, T + 2)"
        )
    lengths = mask.sum(1) - 2
    new_mask = torch.arange(mask.shape[1] - 2, device=mask.device) < lengths.unsqueeze(1)
    shape = (*new_mask.shape, *[1] * (vectors.dim() - 2))
    return vectors[:, 1:-1] * new_mask.view(shape).to(vectors.dtype), new_mask


remove_sentence_boundaries = remove_boundaries  # AllenNLP's name


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


def _check_whole(ids: Tensor, what: str, way_out: str) -> None:
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise ValueError(f"{what} must be whole numbers, not {ids.dtype}; {way_out}")


def _check_padding(mask: Tensor) -> None:
    """Refuse padding before a token of the same sentence."""
    gaps = (mask[..., 1:] & ~mask[..., :-1]).flatten(0, -2).any(-1)
    if gaps.any():
        raise ValueError(
            f"sentence {int(gaps.nonzero()[0])} has padding before a token; padding must be on the "
            "right, because sentence ends are found by counting tokens"
        )
