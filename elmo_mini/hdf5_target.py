"""A file for HDF5 to write to, which a full disk does not turn into a crash."""

import io
from pathlib import Path
from typing import Any


class HDF5Target(io.FileIO):
    """Pass it to ``h5py.File(..., "w")``; a write that failed is told by `check`.

    As a context manager it checks at its end.

    HDF5 holds rows back and writes them when it closes the file. Where that fails, because the
    disk is full, the process soon dies of a segmentation fault. So HDF5 is not told.

    Parameters
    ----------
    path : Path
        The file; if it is there already, it is written anew.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, "w+")
        self._failure: OSError | None = None

    def write(self, content: memoryview) -> int:  # type: ignore[override]
        """Write all of `content`, or remember why not."""
        left = content
        try:
            while len(left) and self._failure is None:
                left = left[super().write(left) :]
        except OSError as wrong:
            self._failure = wrong
        return len(content)

    def truncate(self, size: int | None = None) -> int:
        """Cut or lengthen the file, or remember why not."""
        try:
            return super().truncate(size)
        except OSError as wrong:
            self._failure = self._failure or wrong
            return self.tell()

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        super().__exit__(kind, *rest)
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise the OSError of the first write that failed."""
        if self._failure is not None:
            self._failure.filename = str(self.name)
            raise self._failure
