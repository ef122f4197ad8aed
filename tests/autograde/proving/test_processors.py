"""A report is the same, word for word, on another make of processor and with more threads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]


def numpy_features() -> str:
    """What NumPy would use of this processor beyond what every processor has."""
    core = np._core._multiarray_umath  # type: ignore[attr-defined]
    return " ".join(name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name))


VARIANTS = {
    "an old processor": {
        "MKL_CBWR": "COMPATIBLE",
        "ATEN_CPU_CAPABILITY": "default",
        "NPY_DISABLE_CPU_FEATURES": numpy_features(),
        "OPENBLAS_CORETYPE": "Nehalem",
    },
    "AVX2 and two threads": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "OPENBLAS_CORETYPE": "Haswell",
        "OMP_NUM_THREADS": "2",
    },
}


def reports_under(variables: dict[str, str]) -> dict[str, str]:
    plain = {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.autograde.proving.all_reports"],
        cwd=ROOT,
        env=os.environ | plain | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    return reports_under({})


@pytest.mark.slow
@pytest.mark.skipif("EVERY_PROCESSOR" not in os.environ, reason="set EVERY_PROCESSOR to run it")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_report_is_the_same_elsewhere(variant: str, here: dict[str, str]) -> None:
    there = reports_under(VARIANTS[variant])
    different = [
        f"{name}\n{here[name]}\n{there[name]}" for name in here if here[name] != there[name]
    ]
    assert here.keys() == there.keys()
    assert not different, "\n\n".join(different)
