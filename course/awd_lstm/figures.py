"""The pictures of lesson 10's stored results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.awd_lstm.experiments import FALLING
from course.figures.interval_bars import NOT_THERE, Point, interval_bars
from course.figures.picture import Picture
from course.figures.plots import curves
from course.results.intervals import Lead, interval

Numbers = Mapping[str, Any]
LOCKED = "locked dropout"
STOPPED = ", stopped early"
BARE = f"nothing{STOPPED}"
ORDINARY = f"ordinary dropout{STOPPED}"


def beside_counts(stored: Numbers, rivals: Numbers) -> Picture:
    """How much better than stopping early: alone, and both mixed with counts of triples.

    The first bar is what the counts bring to the bare network.
    """
    better, alone, mixed = better_than_stopping(stored, rivals), "alone", "beside triples"
    early = Lead.of(better["all of it"][alone], 1).verdict
    falling = Lead.of(all_of_it_less(FALLING, stored, rivals), 1).verdict
    return interval_bars(
        ["triples,\nmixed in", *(n.replace(" ", "\n", 1).replace(", ", ",\n") for n in better)],
        {
            alone: [stored["triples add"][BARE], *(of[alone] for of in better.values())],
            mixed: [NOT_THERE, *(of[mixed] for of in better.values())],
        },
        times=1,
        title=f"All of it, alone, against stopping early: {early}; against ordinary dropout with "
        f"a falling rate: {falling} (stored, {_seeds(stored['alone'])} starts)",
        ylabel="points of perplexity",
    )


def better_than_stopping(stored: Numbers, rivals: Numbers) -> dict[str, dict[str, Point]]:
    """Of each system, start by start: how far ahead of stopping early, alone and beside triples."""
    found = {
        name.removeprefix("nothing, "): dict(of)
        for name, of in stored["better than stopping early"].items()
    }
    for name in rivals["alone"]:
        found[name] = {
            how: interval(np.subtract(stored[how][BARE]["values"], rivals[how][name]["values"]))
            for how in ("alone", "beside triples")
        }
    last = found.pop("all of it")
    return found | {"all of it": last}


def all_of_it_less(rival: str, stored: Numbers, rivals: Numbers, how: str = "alone") -> Point:
    """How far all of it is ahead of a rival, start by start."""
    return interval(np.subtract(rivals[how][rival]["values"], stored[how]["all of it"]["values"]))


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
        title=f"Missed when taken out: {_helping(without)}; of help alone: {_helping(by_itself)} "
        f"(stored, {ablation['words']['train']:,} words, {_seeds(ablation['systems'])} seeds)",
        ylabel="points of perplexity",
    )


def _helping(parts: Mapping[str, Point]) -> str:
    """Those that are clearly worth something."""
    return ", ".join(name for name, point in parts.items() if point["low"] > 0) or "nothing"


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
    verdicts = (Lead.of(interval(gains_of_dropout(dropout[name])), 1).verdict for name in sizes)
    bare = {f"{name}, no remedy at all": dropout[name][BARE]["mean"] for name in sizes}

    def row(test: Mapping[str, Point], end: str) -> np.ndarray:
        return np.array([point[end] for point in test.values()])

    return curves(
        {name: np.array(factors) for name in tests} | dict.fromkeys(bare, np.array([0.0, 1.0])),
        {name: row(test, "mean") for name, test in tests.items()}
        | {name: np.array([mean, mean]) for name, mean in bare.items()},
        bands={name: (row(test, "low"), row(test, "high")) for name, test in tests.items()},
        title="Dropout as dev chose it, against factor 0: {} on the whole text, {} on a tenth "
        "(stored, {} seeds)".format(*verdicts, _seeds(tests["a tenth"])),
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
