"""A bound on what the judging process may take: an answer can ask it for layers of any size."""

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path

MOST = 4 << 30  # bytes besides what is there already; right answers ask for a few million
_SIZES = Path("/proc/self/statm")


@contextlib.contextmanager
def bounded_memory(most: int = MOST) -> Iterator[None]:
    """Let what would take more fail with an error, in place of the process; on Linux."""
    if not _SIZES.exists():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(_SIZES.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    bounds = [bound for bound in (*before, now + most) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
