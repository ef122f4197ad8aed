"""Sentences for a tagger: words, labels and LM vectors, checked and as padded tensors."""

import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from elmo_mini.text.batches import pad
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.text.sentences import check_no_string, check_word

PADDING, UNKNOWN = 0, 1


class TaggedSentence(NamedTuple):
    """A sentence of T words, its T BIOES labels, and its frozen LM vectors (T, L), if it has any.

    A sentence that is only to be predicted needs no labels.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...] = ()
    lm: NDArray[np.float16] | NDArray[np.float32] | None = None


class Batch(NamedTuple):
    """Padded sentences: word ids (B, T), character ids (B, T, C), mask (B, T), LM (B, T, L)."""

    words: Tensor
    characters: Tensor
    mask: Tensor
    lm: Tensor | None


def normalise(word: str) -> str:
    """Lower case, and every digit a zero: how the paper looks words up (section 3)."""
    return re.sub(r"\d", "0", word.lower())


def check_sentences(sentences: Sequence[TaggedSentence], what: str = "sentence") -> None:
    """Refuse what is no `TaggedSentence`, and what is no word in it.

    Raises
    ------
    ValueError, TypeError
        If there is one; the message calls it `what` and gives its number, from 0.
    """
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, TaggedSentence):
            raise TypeError(
                f"{what} {number} is {reprlib.repr(sentence)}, no TaggedSentence; make it one, as "
                "in TaggedSentence(('a', 'bank'), ('O', 'O'))"
            )
        check_no_string(sentence.words)
        for word in sentence.words:
            check_word(word)


def check_labels(sentences: Sequence[TaggedSentence], what: str = "sentence") -> None:
    """As `check_sentences`, and refuse a sentence that has not one label for each word."""
    check_sentences(sentences, what)
    for number, sentence in enumerate(sentences):
        if len(sentence.labels) != len(sentence.words):
            raise ValueError(
                f"{what} {number} has {len(sentence.words)} words and {len(sentence.labels)} "
                "labels; give each word one label"
            )


def check_lm(sentences: Sequence[TaggedSentence], lm_dim: int, what: str = "sentence") -> None:
    """Refuse a sentence that has not one LM vector of `lm_dim` finite numbers for each word.

    Raises
    ------
    ValueError
        If there is one; the message calls it `what` and gives its number, from 0.
    """
    for number, sentence in enumerate(sentences):
        if sentence.lm is None:
            raise ValueError(
                f"{what} {number} has no LM vectors, and the tagger reads them; add them with "
                "elmo_mini.tagging.data.with_lm_vectors"
            )
        shape = np.shape(sentence.lm)
        if shape != (len(sentence.words), lm_dim):
            raise ValueError(
                f"{what} {number} has {len(sentence.words)} words and LM vectors of shape "
                f"{shape}; the tagger reads ({len(sentence.words)}, {lm_dim})"
            )
        if not np.isfinite(sentence.lm).all():
            raise ValueError(f"{what} {number} has LM vectors of numbers that are not finite")


def padded(
    sentences: Sequence[TaggedSentence], words: Mapping[str, int], lm_dim: int, like: Tensor
) -> Batch:
    """Sentences as tensors on the device of `like`, LM vectors of its dtype.

    Parameters
    ----------
    words : the ids of the known words, by `normalise`
    lm_dim : L; 0 leaves LM vectors out

    Raises
    ------
    ValueError
        If a sentence has not the LM vectors that are asked for.
    """
    ids = [[words.get(normalise(word), UNKNOWN) for word in s.words] for s in sentences]
    word_ids, mask = pad(ids, PADDING, device=like.device)
    letters = batch_to_ids([s.words for s in sentences], allow_boundary_tokens=True)
    lm = None
    if lm_dim:
        check_lm(sentences, lm_dim)
        vectors = [
            torch.as_tensor(s.lm, device="cpu").to(like) for s in sentences if s.lm is not None
        ]
        lm = pad_sequence(vectors, batch_first=True)
    return Batch(word_ids, letters.to(like.device), mask, lm)
