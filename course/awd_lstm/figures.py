"""The pictures of lesson 10's stored results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures.interval_bars import NOT_THERE, Point, interval_bars
from course.figures.picture import Picture
from course.figures.plots import curves
from course.results.intervals import interval

Numbers = Mapping[str, Any]
LOCKED = "locked dropout"
STOPPED = ", stopped early"
BARE = f"nothing{STOPPED}"
ORDINARY = f"ordinary dropout{STOPPED}"


def leads(*texts: Numbers) -> Picture:
    """How far the whole is ahead of each control that is stopped early, seed by seed."""
    controls = [name for name in texts[0]["better than"] if name.endswith(STOPPED)]
    return interval_bars(
        [name.removesuffix(STOPPED) for name in controls],
        {
            f"{text['words']['train']:,} words": [text["better than"][name] for name in controls]
            for text in texts
        },
        times=1,
        title="All of it beats stopping early, not clearly ordinary dropout (stored)",
        ylabel="points of perplexity",
    )


def worth_of_parts(ablation: Numbers) -> Picture:
    """What each part is worth, taken out of the whole and alone, on one text.

    Ordinary dropout stands beside locked as its control; it is in no whole. Tying was never alone.
    """
    without, by_itself = ablation["worse without"], alone(ablation)
    parts = list(dict.fromkeys([*by_itself, *without]))
    return interval_bars(
        [name.replace(" ", "\n") for name in parts],
        {
            "taken out: worse by": [without.get(name, NOT_THERE) for name in parts],
            "alone: better by": [by_itself.get(name, NOT_THERE) for name in parts],
        },
        times=1,
        title="Taken out, tying alone is missed; alone, three others help "
        f"(stored, {ablation['words']['train']:,} words, {_seeds(ablation['systems'])} seeds)",
        ylabel="points of perplexity",
    )


def alone(text: Numbers) -> dict[str, Point]:
    """What each part brings alone, with ordinary dropout behind locked."""
    found: dict[str, Point] = {}
    for name, point in text["better with it alone"].items():
        found[name] = point
        if name == LOCKED:
            nothing = text["systems"][BARE]["values"]
            found["ordinary dropout"] = interval(np.subtract(nothing, _ordinary(text)))
    return found


def _ordinary(text: Numbers) -> list[float]:
    values: list[float] = text["systems"][ORDINARY]["values"]
    return values


def by_factor(dropout: Numbers) -> Picture:
    """Test perplexity by the factor on all dropouts, for both sizes of text.

    A level line is the network without any remedy, stopped early.
    """
    sizes = ("the whole text", "a tenth")
    tests = {name: dropout[name]["test"] for name in sizes}
    factors = [float(f) for f in tests["a tenth"]]
    bare = {f"{name}, no remedy at all": dropout[name][BARE]["mean"] for name in sizes}

    def row(test: Mapping[str, Point], end: str) -> np.ndarray:
        return np.array([point[end] for point in test.values()])

    return curves(
        {name: np.array(factors) for name in tests} | dict.fromkeys(bare, np.array([0.0, 1.0])),
        {name: row(test, "mean") for name, test in tests.items()}
        | {name: np.array([mean, mean]) for name, mean in bare.items()},
        bands={name: (row(test, "low"), row(test, "high")) for name, test in tests.items()},
        title="Stopped in time, dropout helps a little at both sizes "
        f"(stored, {_seeds(tests['a tenth'])} seeds)",
        xlabel="factor on all dropouts",
        ylabel="test perplexity",
        log_y=True,
    )


def _seeds(points: Mapping[str, Point]) -> int:
    return len(next(iter(points.values()))["values"])


def gains_of_dropout(size: Numbers, over: Sequence[float] | None = None) -> NDArray[np.float64]:
    """(S,) seed by seed, how much lower the factor that dev chose lies than `over`, or factor 0."""
    chosen = [size["test"][str(f)]["values"][seed] for seed, f in enumerate(size["best on dev"])]
    return np.subtract(size["test"]["0.0"]["values"] if over is None else over, chosen)
