"""Keep what an answer prints out of the graded cell.

nbgrader gives 0 for a test cell with anything on stderr, so a right answer with a warning or a
progress bar would earn nothing. What was written is kept for the report instead. Compiled
libraries write to file descriptor 2 directly, so that is redirected as well as `sys.stderr`.
"""

import contextlib
import io
import logging
import os
import sys
import tempfile
from collections.abc import Iterator


class CapturedOutput(io.StringIO):
    """What the learner's code wrote, at most ``limit`` characters of it."""

    limit = 4_000

    def write(self, text: str) -> int:
        room = self.limit - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)

    def close(self) -> None:
        """Stay open: an answer may close `sys.stdout`, and what it wrote is still wanted."""


@contextlib.contextmanager
def captured_output() -> Iterator[CapturedOutput]:
    """Collect stdout, stderr, warnings, log lines and descriptor 2 while the block runs."""
    text = CapturedOutput()
    streams = {sys.stdout, sys.stderr}
    handlers = [
        handler
        for logger in [logging.root, *logging.root.manager.loggerDict.values()]
        for handler in getattr(logger, "handlers", [])
        if isinstance(handler, logging.StreamHandler) and handler.stream in streams
    ]
    before = [handler.setStream(text) for handler in handlers]
    with tempfile.TemporaryFile() as descriptor_2:
        with contextlib.suppress(Exception):  # a notebook may have closed it, or have none
            sys.stderr.flush()
        saved = os.dup(2)
        os.dup2(descriptor_2.fileno(), 2)
        try:
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                yield text
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            for handler, stream in zip(handlers, before, strict=True):
                if stream is not None:
                    handler.setStream(stream)
            descriptor_2.seek(0)
            text.write(descriptor_2.read(text.limit).decode("utf-8", "replace"))
