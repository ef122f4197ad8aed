"""What tests of every package share: real corpora where the machine has them, one thread each."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

# Before torch is loaded, and for every process that a test starts: workers share the machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from elmo_mini import corpora

pytest_plugins = ("tests.economy.selection",)

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


@pytest.fixture
def interruptible_process() -> Iterator[None]:
    """Signals arrive, also where tests run in the background or under nohup, which ignores them."""
    before = {
        number: signal.signal(number, handler)
        for number, handler in (
            (signal.SIGINT, signal.default_int_handler),
            (signal.SIGHUP, signal.SIG_DFL),
        )
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


# Files that say so touch kernels that a processor may lack; `.ci/run` runs them as one that does.
PRECISION = "bfloat16"

# The longest first, so that the workers of `make test` end at about the same time.
LONG = (
    "tests/browser/",
    "tests/autograde/grading/",
    "tests/autograde/exercises/test_lessons.py",
    "tests/elmo_mini/training/pretraining/test_run.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for path in {item.path for item in items}:
        if PRECISION in path.read_text("utf-8"):
            for item in items:
                if item.path == path:
                    item.add_marker("precision")
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


class Together(LoadScopeScheduling):
    """Tests that share fixtures stay on one worker: those of a file, and all browser tests.

    The runs of lessons share nothing. (xdist's own groups, ``--dist loadgroup``, write to a field
    of pytest's items that pytest 9.2 no longer reads: nothing would be kept together.)
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith("tests/browser/"):
            return "tests/browser"
        return nodeid if "::test_the_solved_lesson_runs_" in nodeid else nodeid.split("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than there are processors: browsers and servers are waited for a lot."""
    return min(os.cpu_count() or 1, 8) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together:
    return Together(config, log)
