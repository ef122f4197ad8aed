"""A report is the same on another make of processor and with more threads.

Each word is, and so is each number but for the last digit shown: where a 5 follows, the last bit of
a result decides how it is rounded, however many digits are shown. What a network makes of many sums
in single precision may differ by one in ten thousand, or by five millionths where they cancel.
"""

import json
import os
import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest

from autograde.checking.catalogue import catalogue
from autograde.checking.exercise import Exercise

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


# Wrong answers with whose numbers many neighbours are equally near: NumPy's sort orders those as
# the processor has it, so the report shows another of the wrong rows.
TIES = {"nearest_labels: whole numbers only", "nearest_labels: both by column"}
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]\d+)?")


def unit(number: str) -> float:
    """What one more in the last digit shown is worth; 0 for a whole number."""
    digits, _, power = number.partition("e")
    _, point, decimals = digits.partition(".")
    return 10.0 ** (int(power or 0) - len(decimals)) if point or power else 0.0


def rounding(number: str) -> tuple[float, float]:
    """How far sums in single precision may be from this, if it is no whole number."""
    return (1e-4 * abs(float(number)), 5e-6) if unit(number) else (0.0, 0.0)


def same(one: str, other: str) -> bool:
    """Whether two reports are the same but for the rounding of a number."""
    if one == other:
        return True
    words = ["".join(NUMBER.sub("#", text).split()) for text in (one, other)]
    pairs = zip_longest(*(NUMBER.findall(text) for text in (one, other)), fillvalue="nan")
    return words[0] == words[1] and all(
        abs(float(a) - float(b)) <= max(1.01 * unit(a), 1.01 * unit(b), *rounding(a))
        for a, b in pairs
    )


def test_the_last_digit_may_differ_and_nothing_else() -> None:
    assert same("is [[ 0.1048 -0.64]]", "is [[0.1047 -0.64]]")
    assert same("2.5e-08 and 3", "2.6e-08 and 3")
    assert not same("is 0.1048", "is 0.1046")
    assert not same("is 3", "is 4")
    assert not same("a 0.5", "b 0.5")


def reports_under(variables: dict[str, str], exercises: list[Exercise]) -> dict[str, str]:
    plain = {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.autograde.proving.all_reports", *(e.id for e in exercises)],
        cwd=ROOT,
        env=os.environ | plain | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


LESSONS = {
    lesson: [exercise for exercise in catalogue().values() if exercise.lesson == lesson]
    for lesson in dict.fromkeys(exercise.lesson for exercise in catalogue().values())
}


@pytest.mark.by_reach("other processors", seconds=60)
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "variant",
    [
        pytest.param("an old processor", marks=pytest.mark.slow),
        pytest.param("AVX2 and two threads", marks=pytest.mark.longest),
    ],
)
@pytest.mark.parametrize("exercises", LESSONS.values(), ids=LESSONS)
def test_every_report_is_the_same_elsewhere(variant: str, exercises: list[Exercise]) -> None:
    here, there = (reports_under(variables, exercises) for variables in ({}, VARIANTS[variant]))
    assert here.keys() == there.keys()
    for name in TIES & here.keys():
        points_and_name, other = (said[name].partition("\n")[0] for said in (here, there))
        assert points_and_name == other
    different = [
        f"{name}\n{here[name]}\n{there[name]}"
        for name in here.keys() - TIES
        if not same(here[name], there[name])
    ]
    assert not different, "\n\n".join(different)


def test_the_ties_are_of_answers_that_there_are() -> None:
    said = {f"{e.id}: {m.name}" for e in catalogue().values() for m in e.mistakes}
    assert said >= TIES
