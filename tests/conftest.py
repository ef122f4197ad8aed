"""What tests of every package share: real corpora where the machine has them, one thread each."""

import os
from collections.abc import Callable
from pathlib import Path

# Before torch is loaded, and for every process that a test starts: workers share the machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from elmo_mini import corpora

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "nltk_data"
if "NLTK_DATA" not in os.environ and _BESIDE.is_dir():
    os.environ["NLTK_DATA"] = str(_BESIDE)


@pytest.fixture(scope="session")
def real_corpus() -> Callable[[str], corpora.Corpus]:
    """Load a corpus by name; where it is not on this machine, the test is skipped."""

    def load(name: str) -> corpora.Corpus:
        try:
            return corpora.load(name)
        except corpora.CorpusMissing as missing:
            pytest.skip(str(missing))

    return load


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first, each group on one worker; what has no group of its own stays with its file.

    So fixtures are made once, and the workers (`--dist loadgroup`) end at about the same time.
    """
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
