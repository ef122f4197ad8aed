"""The pictures of lesson 10's stored results, and its broken runs."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from elmo_mini.figures.interval_bars import Point, interval_bars
from elmo_mini.figures.picture import Picture
from elmo_mini.figures.plots import curves, table

Numbers = Mapping[str, Any]
SYMPTOMS = ("two training calls", "two evaluation calls", "matrix moved by", "typical weight")


def against_controls(ablation: Numbers) -> Picture:
    """Test perplexity of the whole and of every control."""
    systems = ablation["systems"]
    return interval_bars(
        [name.replace(", ", ",\n").replace(" model", "\nmodel") for name in systems],
        {"test perplexity": list(systems.values())},
        times=1,
        title="Stored: AWD-LSTM against the plainest controls (seeds: whiskers)",
        ylabel="test perplexity",
    )


def worth_of_parts(ablation: Numbers) -> Picture:
    """What each part is worth, taken out of the whole and alone."""
    without, alone = ablation["worse without"], ablation["better with it alone"]
    return interval_bars(
        [name.replace(" ", "\n") for name in alone],
        {
            "taken out of the whole: worse by": [without[name] for name in alone],
            "alone: better by": list(alone.values()),
        },
        times=1,
        title="Stored: what each part is worth (seeds: whiskers)",
        ylabel="points of perplexity",
    )


def by_factor(dropout: Numbers) -> Picture:
    """Test perplexity by the factor on all dropouts, for both sizes of text."""
    tests = {name: dropout[name]["test"] for name in ("the whole text", "a tenth")}
    factors = [float(f) for f in tests["a tenth"]]

    def row(test: Mapping[str, Point], end: str) -> np.ndarray:
        return np.array([point[end] for point in test.values()])

    return curves(
        factors,
        {name: row(test, "mean") for name, test in tests.items()},
        bands={name: (row(test, "low"), row(test, "high")) for name, test in tests.items()},
        title="Stored: how much dropout? (epoch chosen on dev)",
        xlabel="factor on all dropouts",
        ylabel="test perplexity",
        log_y=True,
    )


def in_points(of: Mapping[str, Point]) -> str:
    """Differences of perplexity with their intervals, a line each; whether 0 is inside."""
    return "\n".join(_lines(of))


def _lines(of: Mapping[str, Point]) -> Iterator[str]:
    for name, x in of.items():
        clear = "" if x["low"] > 0 or x["high"] < 0 else "   (0 is inside)"
        yield f"  {name:32} {x['mean']:+5.1f} ({x['low']:+.1f} to {x['high']:+.1f}){clear}"


def run_by_run(numbers: np.ndarray, names: list[str]) -> Picture:
    """Four symptoms (4,) of each run, as a table."""
    return table(
        numbers,
        names,
        [
            "two calls in\ntraining",
            "two calls in\nevaluation",
            "matrix:\nmoved by",
            "matrix:\nlength",
        ],
        title="Distance of two calls; the matrix against its start",
    )
