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
    from pathlib import Path
    from elmo_mini.vectors.embed_file import embed_file
    from tests.elmo_mini.vectors.test_cache import narrow
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    try:
        embed_file(narrow(128), sys.argv[1], sys.argv[2], progress=False)
    except OSError as wrong:
        print(wrong)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs a limit to a file's size")
@pytest.mark.parametrize("lines", [20, 400], ids=["on closing", "before"])
@pytest.mark.parametrize("suffix", [".vectors", ".hdf5"])
def test_a_full_disk_is_an_error_and_no_crash(tmp_path: Path, suffix: str, lines: int) -> None:
    text, target = tmp_path / "text", tmp_path / f"full{suffix}"
    text.write_text("The bank was steep .\n" * lines)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL), str(text), str(target)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[3],
    )
    assert done.returncode == 0, done.stderr[-1_000:]
    assert f"File too large: '{target}.part-" in done.stdout
    assert list(tmp_path.iterdir()) == [text]
