"""The pictures of lesson 10's stored results, and its broken runs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures.interval_bars import NOT_THERE, Point, interval_bars
from course.figures.picture import Picture
from course.figures.plots import curves, table
from course.results.intervals import interval
from elmo_mini.awd_lstm.training import AWDHistory

Numbers = Mapping[str, Any]
CHOSEN = "the factor that dev chose"
LOCKED = "locked dropout"
STOPPED = ", stopped early"
BARE = f"nothing{STOPPED}"
ORDINARY = f"ordinary dropout{STOPPED}"
SYMPTOMS = (
    "training calls, at the start",
    "training calls, at the end",
    "evaluation calls, at the end",
    "matrix moved by",
    "typical weight",
)


def by_epoch(runs: Mapping[str, Sequence[float]], title: str) -> Picture:
    """Perplexity after each epoch."""
    epochs = np.arange(1, 1 + len(next(iter(runs.values()))))
    return curves(
        epochs, runs, title=title, xlabel="times the text was read", ylabel="perplexity", log_y=True
    )


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


def worth_of_parts(ablation: Numbers, larger: Numbers) -> Picture:
    """What each part is worth, taken out of the whole and, on the larger text, alone.

    Ordinary dropout stands beside locked as its control; it is in no whole.
    """
    without, alone, more = ablation["worse without"], _alone(ablation), _alone(larger)
    parts = list(dict.fromkeys([*alone, *without]))
    return interval_bars(
        [name.replace(" ", "\n") for name in parts],
        {
            f"taken out, {ablation['words']['train']:,} words: worse by": [
                without.get(name, NOT_THERE) for name in parts
            ],
            f"alone, {larger['words']['train']:,} words: better by": [
                more.get(name, NOT_THERE) for name in parts
            ],
        },
        times=1,
        title="Taken out, tying alone is missed; alone, three others help "
        f"(stored, {_seeds(ablation['systems'])} seeds)",
        ylabel="points of perplexity",
    )


def _alone(text: Numbers) -> dict[str, Point]:
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


def training_curves(runs: Mapping[str, AWDHistory]) -> Picture:
    """Training perplexity of each run, epoch by epoch."""
    perplexity = {name: np.exp(history.training) for name, history in runs.items()}
    return curves(
        np.arange(1, 1 + len(next(iter(perplexity.values())))),
        perplexity,
        title="Training perplexity alone does not name the fault",
        xlabel="epoch",
        ylabel="training perplexity",
        log_y=True,
    )


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


def gains_over_ordinary(dropout: Numbers, ablation: Numbers) -> NDArray[np.float64]:
    """(S,) seed by seed, the same on the whole text, over ordinary dropout at its better rate."""
    return gains_of_dropout(dropout["the whole text"], _ordinary(ablation))


def print_gain_of_dropout(dropout: Numbers, ablation: Numbers) -> str:
    """The factor that dev chose against none; the verdict on a tenth of the text, in words.

    On the whole text, against ordinary dropout, too.
    """
    for name in ("the whole text", "a tenth"):
        size = dropout[name]
        gain = interval(gains_of_dropout(size))
        print(f"{name}: dev chose the factors", *size["best on dev"])
        print(" better than factor 0:")
        print(in_points({CHOSEN: gain}))
        if name == "the whole text":
            print(" better than ordinary dropout:")
            print(in_points({CHOSEN: interval(gains_over_ordinary(dropout, ablation))}))
        print(" better than no remedy at all:")
        print(in_points({f"factor {f}": x for f, x in size["better than nothing"].items()}))
    if _holds_0(gain):
        return "no clear difference"
    return "clearly better" if gain["low"] > 0 else "clearly worse"


def print_systems(text: Numbers) -> None:
    """Test perplexity of the whole and its controls, and how far the whole is ahead of each."""
    seeds = len(text["systems"]["all of it"]["values"])
    print(f"{text['words']['train']:,} words, {seeds} seeds: test perplexity; all of it better by")
    for name, system in text["systems"].items():
        lead = text["better than"].get(name)
        print(f"  {name:32} {system['mean']:5.1f}", f"   {_said(lead)}" if lead else "")
    if "best epoch" in text:
        print(f"best epochs of {text['epochs']}:")
        for name, epochs in text["best epoch"].items():
            print(f"  {name:32}", *(f"{epoch:3}" for epoch in epochs))


def print_longer(text: Numbers) -> None:
    """The whole and its rivals after more epochs: how far each is ahead of ordinary dropout."""
    seeds = len(text["systems"]["all of it"]["values"])
    print(
        f"{text['words']['train']:,} words, up to {text['epochs']} epochs, {seeds} seeds: "
        "test perplexity; better than ordinary dropout by"
    )
    for name, system in text["systems"].items():
        lead = text["better than ordinary dropout"].get(name)
        print(f"  {name:34} {system['mean']:5.1f}", f"   {_said(lead)}" if lead else "")
    for question in ("worse with averaging", "worse without weight drop, not averaged"):
        print(f"  all of it, {question}: {_said(text[question])}")


def print_clear(*texts: Numbers) -> None:
    """What each part is worth on each text where the interval leaves 0 out; names of the others."""
    for text in texts:
        print(f"{text['words']['train']:,} words")
        for question, of in {
            "worse without": text["worse without"],
            "better with it alone": _alone(text),
        }.items():
            clear = {name: point for name, point in of.items() if not _holds_0(point)}
            print(f" {question}:")
            print(in_points(clear) or "  nothing is clear")
            if rest := [name for name in of if name not in clear]:
                print(f"  not clear: {', '.join(rest)}")


def print_parts(ablation: Numbers) -> None:
    """What each part is worth, taken out of the whole and alone; the whole against it alone."""
    unknown = 100 * ablation["unknown_in_test"]
    print(f"{ablation['words']['train']:,} words; {unknown:.0f} in 100 of the test are unknown")
    print("worse without:")
    print(in_points(ablation["worse without"]))
    print("better with it alone, stopped early:")
    alone = _alone(ablation)
    print(in_points(alone))
    ahead = np.subtract(alone["ordinary dropout"]["values"], alone[LOCKED]["values"])
    print("ordinary dropout, better than ... alone:")
    print(in_points({LOCKED: interval(ahead)}))
    if "better than it alone" in ablation:
        print("all of it, better than it alone:")
        print(in_points(ablation["better than it alone"]))


def in_points(of: Mapping[str, Point]) -> str:
    """Differences of perplexity with their intervals, a line each; whether 0 is inside."""
    return "\n".join(_lines(of))


def _lines(of: Mapping[str, Point]) -> Iterator[str]:
    for name, point in of.items():
        inside = "   (0 is inside)" if _holds_0(point) else ""
        yield f"  {name:32} {_said(point)}{inside}"


def _said(x: Point) -> str:
    return f"{x['mean']:+5.1f} ({x['low']:+.1f} to {x['high']:+.1f})"


def _holds_0(x: Point) -> bool:
    return bool(x["low"] <= 0 <= x["high"])


def run_by_run(numbers: np.ndarray, names: list[str]) -> Picture:
    """The symptoms (5,) of each run, as a table."""
    title = "How far two calls are apart; the matrix against its start"
    return table(numbers, names, SYMPTOMS, title=title)
