"""A stream of vectors that goes on where it was killed.

What was computed stands in a file beside the one to be written: a line of JSON that names the model
and the text, then for each sentence the CRC-32 of that line, the sentence's number and its numbers,
and the numbers, float32: what another run has written in between does not count.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from elmo_mini.embedding.stream import Embedded, TextHash, embed_stream, fingerprint
from elmo_mini.fast.bilm import FastBiLM, stateless_bilm
from elmo_mini.files import beside, naming, ready_to_write
from elmo_mini.text.sentences import Sentence

FORMAT = "elmo_mini embedding under way 1"
_CRC = 4  # bytes


def unfinished_vectors(target: Path) -> Path:
    """Where the vectors for `target` wait: its name and ``.resume``, shortened if it is long."""
    return beside(target, ".resume")


def resumed_stream(
    bilm: FastBiLM, sentences: Callable[[], Iterable[Sentence]], kept: Path, **settings: Any
) -> Iterator[Embedded]:
    """As `embed_stream`, but sentences that a run before has computed are read from `kept`.

    The file grows with the stream and stays when it ends. Where a kill cut a sentence's numbers
    short, that sentence is computed again.

    Parameters
    ----------
    bilm, settings : as in `embed_stream`
    sentences : gives the text, each time from its start
    kept : file of `unfinished_vectors`

    Raises
    ------
    FileExistsError
        If `kept` is a file of another kind, or holds vectors of another model or text.
    ConfigurationError
        If the model is stateful: the states that a kill took away cannot be had again.
    """
    stateless_bilm(bilm, "; or leave resume out")
    head = {"format": FORMAT, "model": fingerprint(bilm), "text": TextHash(sentences()).hexdigest()}
    line = json.dumps(head).encode() + b"\n"
    ready_to_write(kept)
    kept.touch()
    with naming(kept), kept.open("r+b") as file:
        first = file.readline(2 * len(line))
        if first and FORMAT.encode() not in first:
            raise FileExistsError(
                f"{kept} is there and holds no vectors under way; rename it, or leave resume out"
            )
        if first.endswith(b"\n") and first != line:
            raise FileExistsError(
                f"{kept} holds vectors under way, of another model or another text. Go on with the "
                "same model, options and text; or delete that file to begin anew"
            )
        if first != line:
            file.seek(0)
            file.truncate()
            file.write(line)
        text = iter(sentences())
        done, end = 0, len(line)
        for embedded in _read(file, line, bilm, sentences()):
            next(text)
            done, end = done + 1, file.tell()
            yield embedded
        file.seek(end)
        file.truncate()
        if done and settings.get("progress"):
            print(f"goes on after {done:,} sentences, which {kept} holds", flush=True)
        if settings.get("total") is not None:
            settings["total"] -= done
        for number, embedded in enumerate(embed_stream(bilm, text, **settings), start=done):
            numbers = embedded.token_layer.tobytes() + embedded.layers.tobytes()
            file.write(_crc(line, number, numbers) + numbers)
            yield embedded


def _crc(line: bytes, number: int, numbers: bytes) -> bytes:
    return zlib.crc32(numbers, zlib.crc32(line + b"%d" % number)).to_bytes(_CRC, "little")


def _read(
    file: IO[bytes], line: bytes, bilm: FastBiLM, sentences: Iterable[Sentence]
) -> Iterator[Embedded]:
    """The sentences that the file holds whole, one after another from its place."""
    size, layers = bilm.options.projection_dim, bilm.options.n_layers
    for number, sentence in enumerate(sentences):
        shapes: Sequence[tuple[int, ...]] = [
            (len(sentence), size),
            (layers, len(sentence), 2 * size),
        ]
        counts = [int(np.prod(shape)) for shape in shapes]
        record = file.read(_CRC + 4 * sum(counts))
        numbers = record[_CRC:]
        whole = len(record) == _CRC + 4 * sum(counts)
        if not whole or _crc(line, number, numbers) != record[:_CRC]:
            return
        values = np.frombuffer(numbers, np.float32)
        first, second = values[: counts[0]], values[counts[0] :]
        yield Embedded(sentence, first.reshape(shapes[0]), second.reshape(shapes[1]))
