"""A stream of sentences through a frozen biLM, in memory that does not grow with the stream.

Some sentences are read ahead and sorted by length, so that a batch holds little padding. Both
the reading ahead and the batches are limited in tokens, so one long sentence among short ones
does not blow them up.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import asdict
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from elmo_mini.checkpoints.fitting import replaced_parts
from elmo_mini.checkpoints.vocabulary_file import words_of
from elmo_mini.fast.bilm import FastBiLM, as_bilm
from elmo_mini.fast.token_cache import TokenCache
from elmo_mini.settings import whole_number
from elmo_mini.text.character_ids import batch_to_ids, remove_boundaries
from elmo_mini.text.sentences import Sentence, check_batch, check_sentence, checked

Floats = NDArray[np.float32]
Text = Iterable[Sentence] | Callable[[], Iterable[Sentence]]

AHEAD_TOKENS = 8_192
BATCH_TOKENS = 2_048
CACHED_WORDS = 50_000


class Embedded(NamedTuple):
    """A sentence of T words and its vectors; H is the projection size.

    token_layer : (T, H), which both directions share
    layers : (LSTM layers, T, 2H)
    """

    words: Sentence
    token_layer: Floats
    layers: Floats

    def every_layer(self) -> Floats:
        """(layers, T, 2H) as the biLM gives them, the token layer first and twice over."""
        doubled = np.concatenate([self.token_layer, self.token_layer], -1)
        return np.concatenate([doubled[None], self.layers])


def embed_stream(
    bilm: FastBiLM,
    sentences: Iterable[Sentence],
    *,
    batch_size: int = 64,
    progress: bool = False,
    total: int | None = None,
) -> Iterator[Embedded]:
    """Vectors of every sentence, in order, float32, without sentence boundaries.

    A stateful model is run in the given order, in batches of exactly `batch_size` sentences, as
    upstream does: its vectors depend on both. Nothing else of a model is changed: the words' token
    layer is cached for the stream alone, or in the model's own cache where it has one.

    Parameters
    ----------
    bilm : the model; no gradient is asked for
    sentences : any iterable of lists of words
    batch_size : at most so many sentences in one run of the model
    progress : show a bar on standard output
    total : how many sentences there are, for the bar; asked of `sentences` where they know

    Raises
    ------
    ValueError
        If `batch_size` is no whole number of at least 1, or a sentence holds ``<S>`` or ``</S>``.
    TypeError
        If a sentence is no list of strings; the message names its number, the token and its type.
    """
    as_bilm(bilm)
    batch_size = whole_number("batch_size", batch_size)
    if total is None and isinstance(sentences, Sized):
        total = len(sentences)
    stream = checked(sentences)
    cache = bilm.token_cache
    if cache is None:
        cache = TokenCache(bilm.token_encoder, CACHED_WORDS)
    bar = tqdm(total=total, disable=not progress, file=sys.stdout, unit=" sentences", desc="embed")
    with bar:
        while chunk := list(_ahead(bilm, stream, batch_size)):
            found: dict[int, Embedded] = {}
            for rows in _batches(bilm, chunk, batch_size):
                embedded = embed_batch(bilm, [chunk[row] for row in rows], cache)
                found.update(zip(rows, embedded, strict=True))
            yield from (found[row] for row in range(len(chunk)))
            bar.update(len(chunk))


@torch.no_grad()
def embed_batch(
    bilm: FastBiLM, batch: Sequence[Sentence], token_cache: TokenCache | None = None
) -> list[Embedded]:
    """Vectors of the sentences of one run of the model, float32, without sentence boundaries.

    Parameters
    ----------
    bilm : the model; no gradient is asked for
    batch : at least one sentence; an empty sentence has vectors of no words
    token_cache : in place of the model's own

    Raises
    ------
    TypeError, ValueError
        As `batch_to_ids`; the message names row, position and type.
    """
    check_batch(batch)
    bilm.check_numbers()
    size = bilm.options.projection_dim
    if not any(len(sentence) for sentence in batch):
        empty = np.zeros((bilm.options.n_layers, 0, 2 * size), dtype=np.float32)
        return [Embedded(sentence, empty[0, :, :size], empty) for sentence in batch]
    ids = batch_to_ids(batch, max_characters=bilm.options.max_characters)
    output = bilm(ids.to(bilm.device), token_cache=token_cache)
    mask = output["mask"]
    tokens, *layers = (remove_boundaries(layer, mask)[0] for layer in output["activations"])
    token_layer = tokens[..., :size].to("cpu", torch.float32).numpy()
    contextual = torch.stack(layers, 1).to("cpu", torch.float32).numpy()
    # Copies, so that a sentence that is kept does not keep its whole batch.
    return [
        Embedded(sentence, token_layer[row, :n].copy(), contextual[row, :, :n].copy())
        for row, (sentence, n) in enumerate(zip(batch, map(len, batch), strict=True))
    ]


def sentences_of(text: Text) -> Iterable[Sentence]:
    """The sentences of a list, an iterator, or a function such as ``corpus.sentences``."""
    return text() if callable(text) else text


def fingerprint(bilm: FastBiLM) -> str:
    """What decides a model's vectors, in 64 hexadecimal digits: sizes, weights, start state.

    A part that was replaced counts by its class and its tensors; its code and its settings are
    not seen.
    """
    bilm.check_numbers()
    sizes = asdict(bilm.options)
    if sizes["n_words"] is None:
        del sizes["n_words"]  # caches that were made before there was such an option stay good
    digest = hashlib.sha256(json.dumps(sizes, sort_keys=True).encode())
    start = {"start_h": bilm.carried.start_h, "start_c": bilm.carried.start_c}
    digest.update("".join(replaced_parts(bilm)).encode())
    digest.update("\n".join(words_of(bilm.token_encoder) or []).encode())
    for name, tensor in _tensors({**bilm.state_dict(), **start}):
        if tensor.dtype == torch.bfloat16:  # which numpy does not know
            tensor = tensor.view(torch.int16)
        array = np.ascontiguousarray(tensor.detach().cpu().numpy())
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.data if array.size else b"")
    return digest.hexdigest()


def _tensors(state: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors by name; a quantised part packs several under one, beside their type."""
    for name, packed in sorted(state.items()):
        for value in packed if isinstance(packed, tuple) else [packed]:
            if isinstance(value, Tensor):
                yield name, value.dequantize() if value.is_quantized else value


class TextHash:
    """A running SHA-256 of tokenised sentences; other words or other cuts give another."""

    def __init__(self, sentences: Iterable[Sentence] = ()) -> None:
        self._digest = hashlib.sha256()
        self.sentences = 0
        for sentence in sentences:
            self.add(sentence)

    def add(self, sentence: Sentence) -> None:
        """Take in one more sentence; raises as `check_sentence`."""
        check_sentence(sentence, self.sentences)
        self._digest.update(json.dumps(list(sentence)).encode() + b"\n")
        self.sentences += 1

    def hexdigest(self) -> str:
        """64 hexadecimal digits for the sentences so far."""
        return self._digest.hexdigest()


def _ahead(bilm: FastBiLM, stream: Iterator[Sentence], batch_size: int) -> Iterator[Sentence]:
    if bilm.stateful:
        yield from islice(stream, batch_size)
        return
    tokens = 0
    for sentence in stream:
        yield sentence
        tokens += len(sentence) + 2
        if tokens >= AHEAD_TOKENS:
            return


def _batches(bilm: FastBiLM, chunk: list[Sentence], batch_size: int) -> Iterator[list[int]]:
    """Rows of `chunk` to run together: alike in length, within `BATCH_TOKENS` with padding."""
    if bilm.stateful:
        yield list(range(len(chunk)))
        return
    batch: list[int] = []
    for row in sorted(range(len(chunk)), key=lambda row: len(chunk[row])):
        padded = (len(batch) + 1) * (len(chunk[row]) + 2)
        if batch and (len(batch) == batch_size or padded > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(row)
    yield batch
