"""What tests of every package share: real corpora where the machine has them."""

import os
from collections.abc import Callable
from pathlib import Path

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
