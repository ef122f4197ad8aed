"""A full disk is an error that says so, and leaves nothing behind."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

# The limit to a file's size stands for the end of the disk.
FULL = """
    import resource, signal, sys
    from elmo_mini import embed_file, save_bilm
    from tests.elmo_mini.embedding.test_cache import narrow
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    text, target = sys.argv[2:]
    try:
        if text:
            embed_file(narrow(128), text, target, progress=False)
        else:
            save_bilm(narrow(128), target + ".json", target)
    except OSError as wrong:
        print(wrong)
"""

needs_a_limit = pytest.mark.skipif(
    not hasattr(signal, "SIGXFSZ"), reason="needs a limit to a file's size"
)


def written_within(limit: int, text: Path | str, target: Path) -> str:
    """What is said of a target that does not fit; the process must not die."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL), str(limit), str(text), str(target)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.returncode == 0, done.stderr[-1_000:]
    return done.stdout


@needs_a_limit
@pytest.mark.parametrize("lines", [20, 400], ids=["on closing", "before"])
@pytest.mark.parametrize(
    "suffix", [pytest.param(".vectors", marks=pytest.mark.slow), ".hdf5", ".safetensors"]
)
def test_a_full_disk_is_an_error_and_no_crash(tmp_path: Path, suffix: str, lines: int) -> None:
    text, target = tmp_path / "text", tmp_path / f"full{suffix}"
    text.write_text("The bank was steep .\n" * lines)
    assert f"File too large: '{target}'\n" in written_within(50_000, text, target)
    assert list(tmp_path.iterdir()) == [text]


@needs_a_limit
@pytest.mark.parametrize("limit", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_official_weights_on_a_full_disk_are_an_error_and_no_crash(
    tmp_path: Path, limit: int
) -> None:
    target = tmp_path / "weights.hdf5"
    assert f"File too large: '{target}'\n" in written_within(limit, "", target)
    assert list(tmp_path.iterdir()) == []
