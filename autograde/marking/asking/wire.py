"""Framing of messages between two processes: a JSON header, then raw buffers, within limits.

Nothing here is executed or unpickled: what a hostile peer can do is send a message that is refused.
"""

import json
import re
import select
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

MAGIC = b"BB01"
HEAD = struct.Struct("<4sIQ")
MOST_HEADER = 96_000_000
MOST_BUFFERS = 400_000_000
MOST_DIMENSIONS = 16
KINDS = "biufcSU"
PIECE = 1 << 20
_MAY_BE_HALF = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")


class BadMessage(Exception):
    """What came is no message of this protocol, or larger than one may be."""


class Gone(Exception):
    """The other side has closed the line."""


class Waited(Exception):
    """What was waited for did not come in time."""


class Line:
    """One end of a pair of sockets.

    Each call says that it must not block: the other process may hold this end, too, and could
    change what is set on it.

    Parameters
    ----------
    watch : called about twenty times a second while nothing comes; it may raise, to stop waiting
    """

    def __init__(self, end: socket.socket, watch: Callable[[], None] | None = None) -> None:
        self.end, self.watch = end, watch

    def send(self, header: Any, buffers: Sequence[np.ndarray] = ()) -> None:
        """Send one message.

        Raises
        ------
        BadMessage
            If it is too large.
        Gone
            If nobody reads any more.
        """
        described = [[array.dtype.str, list(array.shape)] for array in buffers]
        text = json.dumps([header, described], separators=(",", ":")).encode()
        size = sum(array.nbytes for array in buffers)
        if len(text) > MOST_HEADER or size > MOST_BUFFERS:
            raise BadMessage(f"a message of {(len(text) + size) / 1e6:,.0f} MB")
        parts = [HEAD.pack(MAGIC, len(text), size), text]
        parts += [np.ascontiguousarray(array).tobytes() for array in buffers]
        self._write(b"".join(parts))

    def receive(self) -> tuple[Any, list[np.ndarray]]:
        """The next message: its header, and its buffers as arrays that are this process's own.

        Raises
        ------
        BadMessage
            If it is none.
        Gone
            If the other side has closed the line.
        """
        magic, length, size = HEAD.unpack(self._read(HEAD.size))
        if magic != MAGIC or length > MOST_HEADER or size > MOST_BUFFERS:
            raise BadMessage("no message of this protocol, or too large a one")
        text, raw = self._read(length), self._read(size)
        try:
            header, described = _loaded(text)
            return header, _arrays(described, raw)
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
            raise BadMessage(f"a message that cannot be read ({type(error).__name__})") from None

    def close(self) -> None:
        """Close it; twice does no harm."""
        self.end.close()

    def _wait(self, reading: bool) -> None:
        none: list[socket.socket] = []
        ends = ([self.end], none, none) if reading else (none, [self.end], none)
        while not any(select.select(*ends, 0.05)):
            if self.watch is not None:
                self.watch()

    def _read(self, length: int) -> bytes:
        found, watched = bytearray(), time.monotonic()
        while len(found) < length:
            try:
                piece = self.end.recv(min(PIECE, length - len(found)), socket.MSG_DONTWAIT)
            except BlockingIOError:
                self._wait(reading=True)
                continue
            except OSError as error:
                raise Gone(str(error)) from None
            if not piece:
                raise Gone("the line was closed")
            found += piece
            if self.watch is not None and time.monotonic() > watched + 0.05:
                self.watch()
                watched = time.monotonic()
        return bytes(found)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self.end.send(view[:PIECE], socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                self._wait(reading=False)
            except OSError as error:
                raise Gone(str(error)) from None


def _loaded(text: bytes) -> Any:
    """The JSON of a header; halves of surrogate pairs in it, which no file holds, are replaced."""
    found = json.loads(text)
    return (
        json.loads(whole(json.dumps(found, ensure_ascii=False)))
        if _MAY_BE_HALF.search(text)
        else found
    )


def whole(text: str) -> str:
    """The text with a mark in place of each half of a surrogate pair, so that it can be written."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _arrays(described: Any, raw: bytes) -> list[np.ndarray]:
    arrays, at = [], 0
    for name, shape in described:
        kind = np.dtype(str(name))
        if kind.kind not in KINDS or kind.hasobject or len(shape) > MOST_DIMENSIONS:
            raise BadMessage(f"an array of {kind}")
        if any(type(length) is not int or length < 0 for length in shape):
            raise BadMessage("an array without a shape")
        count = 1
        for length in shape:
            count *= length
        size = count * kind.itemsize
        if size > len(raw) - at:
            raise BadMessage("an array that is not all there")
        if size:
            if kind.kind == "U":
                _hold_to_letters(np.frombuffer(raw, f"{kind.byteorder}u4", size // 4, at))
            arrays.append(np.frombuffer(raw, kind, count, at).reshape(shape).copy())
        else:
            arrays.append(np.empty(shape, kind))
        at += size
    if at != len(raw):
        raise BadMessage("bytes that belong to nothing")
    return arrays


def _hold_to_letters(codes: np.ndarray) -> None:
    if ((codes > sys.maxunicode) | ((codes >= 0xD800) & (codes <= 0xDFFF))).any():
        raise BadMessage("text that holds no letters")
