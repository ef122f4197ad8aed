"""A text file in, its vectors out: as AllenNLP's ``allennlp elmo`` wrote them, or as a cache.

HDF5 and safetensors hold one array per line under the line's number, from ``"0"``:
(layers, words, 2H) with all layers, (words, 2H) with the top one or the average. Each also holds
``sentence_to_index``, a JSON object from line to number (in safetensors, among the metadata).
"""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from elmo_mini.embedding.array_files import write_hdf5, write_safetensors
from elmo_mini.embedding.cache import write_cache
from elmo_mini.embedding.cache.writing import Dtype, as_type, stored_as
from elmo_mini.embedding.resuming import resumed_stream, unfinished_vectors
from elmo_mini.embedding.stream import Embedded, Sentence, TextHash, embed_stream
from elmo_mini.errors import PathLike
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.files import (
    KeptElsewhere,
    as_path,
    check_not_read,
    existing_file,
    held,
    ready_to_write,
    written_whole,
)
from elmo_mini.plain_text import lines_of
from elmo_mini.settings import truth
from elmo_mini.text.sentences import BOS_TOKEN, EOS_TOKEN
from elmo_mini.text.tokenizer import tokenize

Layers = Literal["all", "top", "average"]
Format = Literal["hdf5", "safetensors", "cache"]
SUFFIXES: dict[str, Format] = {
    ".hdf5": "hdf5",
    ".h5": "hdf5",
    ".safetensors": "safetensors",
    ".vectors": "cache",
}


@dataclass(frozen=True)
class EmbeddedFile:
    """What `embed_file` wrote: `nbytes` on disk for `tokens` words of `sentences` lines."""

    path: Path
    format: Format
    sentences: int
    tokens: int
    nbytes: int

    def __str__(self) -> str:
        share = f" ({self.nbytes / self.tokens:,.0f} bytes a token)" if self.tokens else ""
        return (
            f"{self.path}: {self.sentences:,} sentences, {self.tokens:,} tokens, "
            f"{self.nbytes / 1e6:,.1f} MB{share}"
        )


def embed_file(
    bilm: FastBiLM,
    source: PathLike,
    target: PathLike,
    *,
    format: Format | None = None,
    layers: Layers = "all",
    dtype: Dtype = "float32",
    split_words: bool = False,
    batch_size: int = 64,
    progress: bool = True,
    overwrite: bool = False,
    resume: bool = False,
) -> EmbeddedFile:
    """Write the vectors of `source`, one sentence a line, to `target`, in bounded memory.

    Words are what white space parts, as in AllenNLP; with `split_words` the tokeniser of this
    package finds them. An empty line has an array of no words. `format` follows from the suffix
    of `target`: .hdf5, .safetensors, or .vectors for a `VectorCache`.

    With `resume` the vectors are also kept in a file beside `target` until all are there, which
    takes the space of `target` once more. The same call after a kill then goes on with them.

    Raises
    ------
    FileNotFoundError, FileExistsError
        If there is no `source`; if there is a `target` and `overwrite` is not set. Where it came
        to be while the vectors were made, they are kept under another name, which is said.
    OSError
        If the folder of `target` cannot be made, or `target` can be no ordinary file, or another
        call resumes it just now.
    ValueError
        If `source` is no UTF-8 text, holds ``<S>`` or ``</S>``, or changes while it is read; if a
        setting is unknown, or `target` is `source`, whatever `overwrite` says; or if a stateful
        model is to resume.
    """
    read, write_to = as_path(source), as_path(target)
    truth("resume", resume), truth("split_words", split_words)
    check_not_read(write_to, [read])
    form = _format(write_to, format)
    _check_layers(layers)
    stored = stored_as(dtype)
    if form == "cache" and layers != "all":
        raise ValueError(f"a cache always holds all layers; leave out layers={layers!r}")
    ready_to_write(write_to, overwrite=overwrite)
    text, lengths = TextHash(), []
    for sentence in read_sentences(read, split_words=split_words):
        text.add(sentence)
        lengths.append(len(sentence))
    settings: dict[str, Any] = {
        "batch_size": batch_size,
        "progress": progress,
        "total": len(lengths),
    }
    kept = unfinished_vectors(write_to)

    def stream() -> Iterator[Embedded]:
        found = TextHash()
        for embedded in (
            resumed_stream(bilm, lambda: _sentences(read, split_words), kept, **settings)
            if resume
            else embed_stream(bilm, _sentences(read, split_words), **settings)
        ):
            expected = lengths[found.sentences : found.sentences + 1]
            found.add(embedded.words)
            if expected != [len(embedded.words)]:
                break
            yield embedded
        if found.hexdigest() != text.hexdigest():
            raise ValueError(f"{read} has changed while it was read; name a copy that stays")

    wait = "wait until it has ended, or name another OUTPUT"
    with held(kept, wait) if resume else nullcontext():
        try:
            if form == "cache":
                write_cache(bilm, (), write_to, dtype=dtype, overwrite=overwrite, stream=stream())
            else:
                arrays = (as_type(chosen_layers(embedded, layers), stored) for embedded in stream())
                lead = (bilm.num_layers,) if layers == "all" else ()
                shapes = [(*lead, length, bilm.get_output_dim()) for length in lengths]
                with written_whole(write_to, overwrite=overwrite) as part:
                    if form == "hdf5":
                        write_hdf5(part, arrays, _sentence_to_index(read))
                    else:
                        write_safetensors(part, arrays, shapes, stored, _sentence_to_index(read))
        except KeptElsewhere:  # whole, under another name
            if resume:
                kept.unlink(missing_ok=True)
            raise
        if resume:
            kept.unlink(missing_ok=True)
    return EmbeddedFile(write_to, form, len(lengths), sum(lengths), write_to.stat().st_size)


def read_sentences(path: Path, *, split_words: bool = False) -> Iterator[Sentence]:
    """The words of every line of a text file, as `embed_file` finds them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no UTF-8 text, is empty, or holds ``<S>`` or ``</S>``.
    """
    for number, sentence in enumerate(_sentences(path, split_words), start=1):
        for boundary in (BOS_TOKEN, EOS_TOKEN):
            if boundary in sentence:
                raise ValueError(
                    f"line {number} of {path} holds {boundary}; the model adds the sentence "
                    "boundaries itself, so take it out"
                )
        yield sentence


def _format(target: Path, format: str | None) -> Format:
    if format is None:
        if target.suffix not in SUFFIXES:
            raise ValueError(
                f"the suffix of {target} names no format: end it with .hdf5, .safetensors or "
                ".vectors (a cache), or name the format"
            )
        return SUFFIXES[target.suffix]
    for known in get_args(Format):
        if format == known:
            chosen: Format = known
            return chosen
    raise ValueError(f"there is no format {format!r}; choose hdf5, safetensors or cache")


def _lines(path: Path) -> Iterator[str]:
    empty = True
    for line in lines_of(existing_file(path, "text file")):
        empty = False
        yield line.strip()
    if empty:
        raise ValueError(f"{path} is empty; it must hold one sentence a line")


def _sentences(path: Path, split_words: bool) -> Iterator[Sentence]:
    return (tokenize(line) if split_words else line.split() for line in _lines(path))


def chosen_layers(embedded: Embedded, layers: Layers) -> NDArray[np.float32]:
    """(layers, T, 2H) of a sentence, or (T, 2H) of the top one or the average."""
    _check_layers(layers)
    if layers == "top":
        return embedded.layers[-1]
    every = embedded.every_layer()
    return every if layers == "all" else every.mean(0)


def _check_layers(layers: str) -> None:
    if layers not in get_args(Layers):
        raise ValueError(f"layers is {layers!r}; choose all, top or average")


def _sentence_to_index(path: Path) -> dict[str, str]:
    # Of equal lines the last counts, as in AllenNLP.
    return {line: str(number) for number, line in enumerate(_lines(path))}
