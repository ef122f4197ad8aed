"""Writing a vector cache: streamed, under another name until it is complete."""

import hashlib
import json
import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import psutil

from elmo_mini.bilm.model import BiLM
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.errors import PathLike
from elmo_mini.vectors.cache.manifest import NAME, CacheForeign, leftovers, write_manifest
from elmo_mini.vectors.cache.reading import VectorCache
from elmo_mini.vectors.cache.rows import RowWriter
from elmo_mini.vectors.stream import (
    Embedded,
    Text,
    TextHash,
    embed_stream,
    fingerprint,
    sentences_of,
)

Dtype = Literal["float32", "float16"]


def write_cache(
    bilm: BiLM,
    sentences: Text,
    path: PathLike,
    *,
    dtype: Dtype = "float32",
    batch_size: int = 64,
    progress: bool = True,
    total: int | None = None,
    overwrite: bool = False,
) -> VectorCache:
    """Embed `sentences` and store the vectors in the folder `path`, in bounded memory.

    float16 halves the files; every number is then the nearest float16 of the model's.

    Raises
    ------
    FileExistsError
        If `path` is there and is no cache, or is one and `overwrite` is not set. Nothing but a
        cache is ever replaced.
    ValueError
        If the model is stateful (its vectors depend on what was read before), or a number does
        not fit `dtype`.
    """
    target = Path(path)
    if dtype not in ("float32", "float16"):
        raise ValueError(f"dtype is {dtype!r}; a cache holds float32 or float16")
    if bilm.stateful:
        raise ValueError(
            "the model is stateful: its vectors depend on what it read before, so they cannot be "
            "kept for a sentence. Set bilm.stateful = False; bilm.warm_up(...) fixes a start state"
        )
    if target.exists():
        if not (target / NAME).is_file():
            raise FileExistsError(f"{target} is there and is no vector cache; take another name")
        if not overwrite:
            raise FileExistsError(
                f"the cache {target} is there already; overwrite=True replaces it"
            )
    target.parent.mkdir(parents=True, exist_ok=True)
    for leftover in _abandoned(target):
        shutil.rmtree(leftover)
    part = target.with_name(f"{target.name}.part-{platform.node()}+{os.getpid()}")
    part.mkdir()
    try:
        stream = embed_stream(
            bilm, sentences_of(sentences), batch_size=batch_size, progress=progress, total=total
        )
        contents = _write_arrays(stream, part, bilm.options, np.dtype(dtype))
        write_manifest(part, {"model": fingerprint(bilm), **contents})
        if target.exists():
            old = target.with_name(f"{part.name}.old")
            target.rename(old)
            part.rename(target)
            shutil.rmtree(old)
        else:
            part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return VectorCache(target)


def cached_vectors(
    bilm: BiLM,
    sentences: Text,
    folder: PathLike,
    *,
    dtype: Dtype = "float32",
    batch_size: int = 64,
    progress: bool = True,
) -> VectorCache:
    """The cache of this model and this text in `folder`, written first if it is not there.

    The text is read twice, so pass a list, or a function such as ``corpus.sentences``.
    """
    if not callable(sentences) and iter(sentences) is sentences:
        raise TypeError(
            "the text is read twice (once for its hash), and this iterator ends after the first "
            "time. Pass a list, or a function that gives the sentences, such as corpus.sentences"
        )
    text = TextHash(sentences_of(sentences))
    model = fingerprint(bilm)
    path = Path(folder) / f"{model[:16]}-{text.hexdigest()[:16]}-{dtype}"
    if path.exists():
        cache = VectorCache(path)
    else:
        cache = write_cache(
            bilm,
            sentences,
            path,
            dtype=dtype,
            batch_size=batch_size,
            progress=progress,
            total=text.sentences,
        )
    if (cache.manifest["model"], cache.manifest["text"]) != (model, text.hexdigest()):
        raise CacheForeign(
            f"{path} is not what its name says, or the text was not the same when it was read a "
            "second time; delete it and write it again"
        )
    return cache


def _write_arrays(
    stream: Iterator[Embedded], folder: Path, options: BiLMOptions, dtype: np.dtype[Any]
) -> dict[str, Any]:
    """Write everything but the manifest, and say what it must hold."""
    types = RowWriter(folder / "token_layer.npy", (options.projection_dim,), dtype)
    layers = [
        RowWriter(folder / f"layer_{number}.npy", (options.output_dim,), dtype)
        for number in range(1, options.n_layers + 1)
    ]
    word_ids = RowWriter(folder / "word_ids.npy", (), np.int32)
    starts = RowWriter(folder / "starts.npy", (), np.int64)
    writers = [types, *layers, word_ids, starts]
    ids: dict[str, int] = {}
    text, words_hash = TextHash(), hashlib.sha256()
    try:
        with (folder / "words.jsonl").open("wb") as words:
            starts.append(np.zeros(1, np.int64))
            for embedded in stream:
                text.add(embedded.words)
                new = {w: place for place, w in enumerate(embedded.words) if w not in ids}
                types.append(embedded.token_layer[list(new.values())])
                for word in new:
                    ids[word] = len(ids)
                    line = json.dumps(word).encode() + b"\n"
                    words.write(line)
                    words_hash.update(line)
                word_ids.append(np.array([ids[word] for word in embedded.words], np.int32))
                for writer, vectors in zip(layers, embedded.layers, strict=True):
                    writer.append(vectors)
                starts.append(np.array([word_ids.rows], np.int64))
            size = words.tell()
            words.flush()
            os.fsync(words.fileno())
        files: dict[str, Any] = {writer.path.name: writer.finish() for writer in writers}
    finally:
        for writer in writers:
            writer.close()
    files["words.jsonl"] = {"bytes": size, "sha256": words_hash.hexdigest()}
    return {
        "text": text.hexdigest(),
        "dtype": dtype.name,
        "sentences": starts.rows - 1,
        "tokens": word_ids.rows,
        "types": len(ids),
        "layers": options.n_layers + 1,
        "size": options.output_dim,
        "files": files,
    }


def _abandoned(target: Path) -> Iterator[Path]:
    """What writers of `target` left behind that run no more on this machine."""
    for folder in leftovers(target):
        _, _, writer = folder.name.rpartition(".part-")
        host, _, process = writer.partition("+")
        if host == platform.node() and process.isdigit() and not psutil.pid_exists(int(process)):
            yield folder
