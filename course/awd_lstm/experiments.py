"""``python -m course.awd_lstm.experiments NAME ...``: what lesson 10 measures at full size.

Every run trains one layer of 100 units with SGD, chooses its epoch on a dev part, and is judged
once on a test part: the ablation on the lesson's 12,000 words, the factor on dropout on these and a
tenth of them, the whole and its controls once more on 30,000; on both, what all of that is worth
beside counts of word triples. Seeds are those of the start weights,
the dropout and the window lengths; the text is the same.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course.awd_lstm.text import RunningText, running_text
from course.baselines.kneser_ney import KneserNey
from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from elmo_mini import corpora
from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.awd_lstm.training_options import AWDHistory, AWDTraining, awd_perplexity
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.text.running_text import stream_rows
from elmo_mini.training.steps import evaluating

WORDS, HELD_OUT, VOCABULARY = 12_000, 4_000, 1_500
LARGER_WORDS, LARGER_HELD_OUT, LARGER_ROWS = 30_000, 6_000, 20
SIZE, EPOCHS, FACTOR = 100, 25, 0.6
NEVER = 10**6
STOP = 8
"""A run without averaging ends when so many epochs have brought no new best on dev."""
FACTORS = (0.0, 0.3, 0.6, 1.0)
TENTH_EPOCHS = LONGER_EPOCHS = 60
LAST = "test at the last epoch"
MIXED = "test beside counts"
COUNTS = {"pairs": 2, "triples": 3}
WEIGHTS = tuple(np.arange(0.1, 1.0, 0.1))
CUT = 4.0
PLAIN = 0.4
TWO, FALLING = "two starts, averaged", "ordinary dropout, falling rate"
WHOLE_FALLING = "all of it without averaging, falling rate"
LOCKED = ("input_dropout", "hidden_dropout", "output_dropout")


@dataclass(frozen=True)
class System:
    """One way to train.

    Attributes
    ----------
    plain : ordinary dropout at this rate before and after the LSTM, and no other
    words : how many of the training words it reads; 0 for all
    stops : without averaging, it ends `STOP` epochs after its best one, and not after the last
    cut : what the rate is divided by after each epoch that dev does not like best
    """

    options: AWDLSTMOptions
    training: AWDTraining
    plain: float = 0.0
    words: int = 0
    stops: bool = False
    cut: float = 1.0


@dataclass
class Bench:
    """The text, and what every run came to."""

    text: RunningText
    seeds: Sequence[int]
    rows: int = 10
    done: dict[tuple[System, int], dict[str, float]] = field(default_factory=dict)

    @property
    def nothing(self) -> System:
        """The same network with all of it switched off."""
        options = AWDLSTMOptions(
            vocabulary_size=len(self.text.vocabulary), dim=SIZE, hidden_dim=SIZE, layers=1
        ).scaled(0.0)
        return System(options, small_training(self.rows, regularised=False))

    @property
    def awd(self) -> System:
        """All of it."""
        options = AWDLSTMOptions(
            vocabulary_size=len(self.text.vocabulary), dim=SIZE, hidden_dim=SIZE, layers=1
        ).scaled(FACTOR)
        return System(options, small_training(self.rows))

    def run(self, system: System, seed: int) -> dict[str, float]:
        """Dev and test perplexity at the epoch that dev likes best, and test at the last."""
        key = (system, seed)
        if key not in self.done:
            torch.manual_seed(seed)
            model = AWDLSTM(system.options)
            if system.plain:
                model.input_dropout = model.output_dropout = nn.Dropout(system.plain)  # type: ignore[assignment]
            text = self.text.train[: system.words or None]
            training = replace(system.training, seed=seed, keep_best=True)
            run = AWDRun(model, text, self.text.dev, training)
            run.run(None, lambda run: self._after_epoch(run, system))
            with run.average.applied() if run.average is not None else nullcontext():
                last = awd_perplexity(model, self.text.test)
            run.close()
            history = run.history
            self.done[key] = {
                "dev": min(history.validation),
                "test": awd_perplexity(model, self.text.test),
                MIXED: self.beside_counts(model),
                LAST: last,
                "training": float(np.exp(history.training[-1])),
                "best epoch": 1 + int(np.argmin(history.validation)),
            }
            print(f"seed {seed}: {self.done[key]}, {history.seconds:.0f} s", flush=True)
        return self.done[key]

    @staticmethod
    def _after_epoch(run: AWDRun, system: System) -> bool:
        """Cut the rate if the epoch brought no best; whether to stop."""
        seen = run.history.validation
        if seen[-1] > min(seen):
            rate = run.options.learning_rate / system.cut
            run.options = replace(run.options, learning_rate=rate)
        return system.stops and _is_past_its_best(run.history)

    @cached_property
    def counted(self) -> dict[str, dict[str, Tensor]]:
        """What pairs and triples, counted in the training text, give to each word held out."""
        words, stream = len(self.text.vocabulary), self.text.train.tolist()
        held_out = {"dev": self.text.dev, "test": self.text.test}
        return {
            name: {
                part: chances(KneserNey(stream, words, order).scores, text)
                for part, text in held_out.items()
            }
            for name, order in COUNTS.items()
        }

    def beside_counts(self, model: AWDLSTM) -> float:
        """Test perplexity of the model mixed with counts of triples; dev chooses the weight."""
        triples = self.counted["triples"]
        with evaluating(model):
            dev, test = (
                chances(lambda ids: model(ids).logits, text)
                for text in (self.text.dev, self.text.test)
            )
        weight = min(WEIGHTS, key=lambda w: perplexity_of(w * dev + (1 - w) * triples["dev"]))
        return perplexity_of(weight * test + (1 - weight) * triples["test"])

    def tests(self, *systems: System, of: str = "test") -> list[float]:
        """Test perplexity, seed by seed, of the one of these that dev likes best."""
        return [
            min((self.run(system, seed) for system in systems), key=lambda run: run["dev"])[of]
            for seed in self.seeds
        ]


def chances(logits: Callable[[Tensor], Tensor], text: Tensor, rows: int = 10) -> Tensor:
    """The probability of each word of a text (N,), which is read in so many rows."""
    ids = stream_rows(text, rows)
    given = logits(ids[:, :-1]).softmax(-1)
    return given.gather(-1, ids[:, 1:, None]).flatten()


def perplexity_of(given: Tensor) -> float:
    """Of the probabilities that the words of a text were given."""
    return float((-given.log().mean()).exp())


def _is_past_its_best(seen: AWDHistory) -> bool:
    """Whether `STOP` epochs have brought no new best; never, once the weights are averaged."""
    late = len(seen.validation) - 1 - int(np.argmin(seen.validation))
    return late >= STOP and seen.averaging_since is None


def small_training(rows: int = 10, *, regularised: bool = True) -> AWDTraining:
    """How the lesson's small models are trained, on so many parallel rows of text."""
    whole = AWDTraining(epochs=EPOCHS, batch_size=rows, bptt=35, learning_rate=20.0)
    if regularised:
        return whole
    return replace(whole, alpha=0.0, beta=0.0, vary=False, patience=NEVER, weight_decay=0.0)


def without(system: System, part: str, base: System) -> System:
    """A system whose one part is as in `base`: so a part is switched off, or on."""
    options, training = system.options, system.training
    parts: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "weight drop": ({"weight_drop": base.options.weight_drop}, {}),
        "locked dropout": ({name: getattr(base.options, name) for name in LOCKED}, {}),
        "embedding dropout": ({"embedding_dropout": base.options.embedding_dropout}, {}),
        "AR and TAR": ({}, {"alpha": base.training.alpha, "beta": base.training.beta}),
        "varying windows": ({}, {"vary": base.training.vary}),
        "averaging": ({}, {"patience": base.training.patience}),
    }
    of_options, of_training = parts[part]
    return replace(
        system,
        options=replace(options, **of_options),
        training=replace(training, **of_training),
    )


PARTS = (
    "weight drop",
    "locked dropout",
    "embedding dropout",
    "AR and TAR",
    "varying windows",
    "averaging",
)
LARGER_PARTS = ("weight drop", "locked dropout", "AR and TAR", "averaging")


def ablation(bench: Bench, _: Bench) -> tuple[str, Result]:
    """Every part off in turn, every part alone, and the controls."""
    systems = _systems(bench, stops=False)
    nothing, (awd,) = bench.nothing, systems["all of it"]
    tests = {"nothing, last epoch": bench.tests(nothing, of=LAST)} | {
        name: bench.tests(*of) for name, of in systems.items()
    }
    whole, early = (np.array(tests[name]) for name in ("all of it", "nothing, stopped early"))
    minus = {part: bench.tests(without(awd, part, nothing)) for part in PARTS}
    minus["tied softmax"] = bench.tests(_untied(awd))
    alone = {part: bench.tests(without(nothing, part, awd)) for part in PARTS}
    return "Test perplexity of a small AWD-LSTM with its parts off and on", {
        **_about(bench),
        "systems": _intervals(tests),
        "worse without": _intervals(minus, less=whole),
        "better with it alone": {
            name: interval(early - np.array(values)) for name, values in alone.items()
        },
        "better than": _intervals(_but_the_whole(tests), less=whole),
    }


def larger(_: Bench, bench: Bench) -> tuple[str, Result]:
    """On more text: the whole, the controls, and parts alone, at the best epoch and the last."""
    systems = _systems(bench, stops=True)
    nothing, (awd,) = replace(bench.nothing, stops=True), systems["all of it"]
    averaging = without(nothing, "averaging", awd)
    tests = {
        "nothing, last epoch": bench.tests(bench.nothing, of=LAST),
        "averaging alone, last epoch": bench.tests(averaging, of=LAST),
        **{name: bench.tests(*of) for name, of in systems.items()},
        "all of it, last epoch": bench.tests(awd, of=LAST),
    }
    whole, early = (np.array(tests[name]) for name in ("all of it", "nothing, stopped early"))
    alone = {part: bench.tests(without(nothing, part, awd)) for part in LARGER_PARTS}
    minus = {"tied softmax": bench.tests(_untied(awd))}
    return "Test perplexity of a small AWD-LSTM, its controls and its parts, on more text", {
        **_about(bench),
        "stopped after": STOP,
        "systems": _intervals(tests),
        "worse without": _intervals(minus, less=whole),
        "better with it alone": {
            name: interval(early - np.array(values)) for name, values in alone.items()
        },
        "better than": _intervals(_but_the_whole(tests), less=whole),
        "better than it alone": _intervals(alone, less=whole),
        "best epoch": {
            "nothing": bench.tests(bench.nothing, of="best epoch"),
            "all of it": bench.tests(awd, of="best epoch"),
        },
    }


def longer(_: Bench, bench: Bench) -> tuple[str, Result]:
    """More epochs for the whole, and for the rivals that could then catch up with it."""

    def long(system: System, *, stops: bool) -> System:
        more = replace(system.training, epochs=LONGER_EPOCHS)
        return replace(system, training=more, stops=stops)

    nothing, awd = bench.nothing, bench.awd
    averaged = without(nothing, "averaging", awd)
    jumping = long(without(awd, "averaging", nothing), stops=True)
    systems: dict[str, tuple[System, ...]] = {
        "all of it": (long(awd, stops=False),),
        "all of it without averaging": (jumping,),
        "neither averaging nor weight drop": (without(jumping, "weight drop", nothing),),
        "ordinary dropout": tuple(replace(long(nothing, stops=True), plain=p) for p in (0.2, 0.4)),
        "ordinary dropout with averaging": tuple(
            replace(long(averaged, stops=False), plain=p) for p in (0.2, 0.4)
        ),
    }
    tests = {name: bench.tests(*of) for name, of in systems.items()}
    plain, jumps = (
        np.array(tests[name]) for name in ("ordinary dropout", "all of it without averaging")
    )
    return (
        "Test perplexity of a small AWD-LSTM and of ordinary dropout, on more text, for longer",
        {
            **_about(bench),
            "epochs": LONGER_EPOCHS,
            "stopped after": STOP,
            "systems": _intervals(tests),
            "better than ordinary dropout": {
                name: interval(plain - np.array(values))
                for name, values in tests.items()
                if name != "ordinary dropout"
            },
            "worse with averaging": interval(np.subtract(tests["all of it"], jumps)),
            "worse without weight drop, not averaged": interval(
                np.subtract(tests["neither averaging nor weight drop"], jumps)
            ),
            "best epoch": {name: bench.tests(*of, of="best epoch") for name, of in systems.items()},
        },
    )


def counts(bench: Bench, _: Bench) -> tuple[str, Result]:
    """The whole and two rivals, alone and mixed with counts of triples; a falling rate."""
    found = _beside_counts(bench)
    return "Test perplexity of a small AWD-LSTM and its rivals, alone and beside counts", found


def counts_larger(_: Bench, bench: Bench) -> tuple[str, Result]:
    """The same on more text."""
    found = _beside_counts(bench)
    return "Test perplexity of AWD-LSTM and rivals, alone and beside counts, on more text", found


def _beside_counts(bench: Bench) -> Result:
    bare, (awd,) = replace(bench.nothing, stops=True), (bench.awd,)
    systems: dict[str, tuple[System, ...]] = {
        "nothing, stopped early": (bare,),
        "nothing, falling rate": (replace(bare, cut=CUT),),
        "ordinary dropout": tuple(replace(bare, plain=p) for p in (0.2, 0.4)),
        "all of it": (awd,),
    }
    alone, mixed = (
        {name: np.array(bench.tests(*of, of=of_what)) for name, of in systems.items()}
        for of_what in ("test", MIXED)
    )
    early = "nothing, stopped early"
    return {
        **_about(bench),
        "counts": {name: perplexity_of(given["test"]) for name, given in bench.counted.items()},
        "alone": {name: interval(values) for name, values in alone.items()},
        "beside triples": {name: interval(values) for name, values in mixed.items()},
        "better than stopping early": {
            name: {
                "alone": interval(alone[early] - alone[name]),
                "beside triples": interval(mixed[early] - mixed[name]),
            }
            for name in systems
            if name != early
        },
        "triples add": {name: interval(alone[name] - mixed[name]) for name in systems},
    }


class _Listening(Bench):
    """A bench that keeps what the last network gave to each word of dev and of the test."""

    heard: tuple[Tensor, Tensor]

    def beside_counts(self, model: AWDLSTM) -> float:
        """As before, and it listens."""
        with evaluating(model):
            dev, test = (
                chances(lambda ids: model(ids).logits, text).detach()
                for text in (self.text.dev, self.text.test)
            )
        self.heard = dev, test
        return super().beside_counts(model)


def rivals(bench: Bench, _: Bench) -> tuple[str, Result]:
    """What costs nothing: a second start beside the first; ordinary dropout and a falling rate."""
    listening = _Listening(bench.text, bench.seeds, bench.rows)
    bare = replace(bench.nothing, stops=True)
    one, heard = [], []
    for seed in bench.seeds:
        one.append(listening.run(bare, seed)["test"])
        heard.append(listening.heard)
    triples = bench.counted["triples"]
    two, beside = [], []
    for first, second in zip(heard, [*heard[1:], heard[0]], strict=True):
        dev, test = (torch.stack(of).mean(0) for of in zip(first, second, strict=True))
        two.append(perplexity_of(test))
        weight = min(WEIGHTS, key=lambda w: perplexity_of(w * dev + (1 - w) * triples["dev"]))
        beside.append(perplexity_of(weight * test + (1 - weight) * triples["test"]))
    falling = replace(bare, plain=PLAIN, cut=CUT)
    return "Test perplexity of two rivals of AWD-LSTM that cost nothing", {
        **_about(bench),
        "ordinary dropout": PLAIN,
        "nothing, stopped early": interval(one),
        "alone": {TWO: interval(two), FALLING: interval(bench.tests(falling))},
        "beside triples": {
            TWO: interval(beside),
            FALLING: interval(bench.tests(falling, of=MIXED)),
        },
    }


def rivals_larger(_: Bench, bench: Bench) -> tuple[str, Result]:
    """A falling rate for ordinary dropout and for the whole, on more text and for longer.

    The whole is not averaged: at a falling rate there is nothing to average.
    """

    def falling(system: System) -> System:
        longest = replace(system.training, epochs=LONGER_EPOCHS)
        return replace(system, training=longest, stops=True, cut=CUT)

    systems = {
        FALLING: falling(replace(bench.nothing, plain=PLAIN)),
        WHOLE_FALLING: falling(without(bench.awd, "averaging", bench.nothing)),
    }
    return "Test perplexity at a falling rate, on more text, for longer", {
        **_about(bench),
        "epochs": LONGER_EPOCHS,
        "ordinary dropout": PLAIN,
        **{
            what: {name: interval(bench.tests(one, of=of)) for name, one in systems.items()}
            for what, of in (("alone", "test"), ("beside triples", MIXED))
        },
        "best epoch": {name: bench.tests(one, of="best epoch") for name, one in systems.items()},
    }


def _systems(bench: Bench, *, stops: bool) -> dict[str, tuple[System, ...]]:
    """The controls and the whole; of several systems, dev chooses one."""
    bare, awd = (replace(system, stops=stops) for system in (bench.nothing, bench.awd))
    small = (replace(bare.options, dim=size, hidden_dim=size) for size in (25, 50))
    return {
        # It needs no stop, and its last epoch is asked for, too.
        "nothing, stopped early": (bench.nothing,),
        "a smaller model, stopped early": tuple(replace(bare, options=o) for o in small),
        "ordinary dropout, stopped early": tuple(replace(bare, plain=p) for p in (0.2, 0.4)),
        "all of it": (awd,),
    }


def _untied(system: System) -> System:
    return replace(system, options=replace(system.options, tied=False))


def _but_the_whole(tests: Mapping[str, list[float]]) -> dict[str, list[float]]:
    return {name: values for name, values in tests.items() if name != "all of it"}


def _intervals(tests: Mapping[str, list[float]], less: Any = 0.0) -> Result:
    return {name: interval(np.array(values) - less) for name, values in tests.items()}


def dropout(bench: Bench, _: Bench) -> tuple[str, Result]:
    """The factor on all dropouts, on the whole text and a tenth of it, beside no remedy at all."""
    found = _about(bench)
    for name, words, epochs in (
        ("the whole text", 0, EPOCHS),
        ("a tenth", WORDS // 10, TENTH_EPOCHS),
    ):
        whole = bench.awd
        systems = {
            factor: replace(
                whole,
                options=whole.options.scaled(factor / FACTOR),
                training=replace(whole.training, epochs=epochs),
                words=words,
            )
            for factor in FACTORS
        }
        bare = replace(
            bench.nothing, training=replace(bench.nothing.training, epochs=epochs), words=words
        )
        tests = {str(f): bench.tests(s) for f, s in systems.items()}
        nothing = bench.tests(bare)
        found[name] = {
            "test": _intervals(tests),
            "nothing, stopped early": interval(nothing),
            "better than nothing": {
                f: interval(np.subtract(nothing, values)) for f, values in tests.items()
            },
            "best on dev": [
                min(FACTORS, key=lambda f, of=systems, s=seed: bench.run(of[f], s)["dev"])  # type: ignore[misc]
                for seed in bench.seeds
            ],
        }
    return "Test perplexity by the factor on all dropouts, and the size of the text", found


def _about(bench: Bench) -> Result:
    text = bench.text
    return {
        "words": {name: len(getattr(text, name)) for name in ("train", "dev", "test")},
        "vocabulary": len(text.vocabulary),
        "unknown_in_test": float((text.test == text.vocabulary.id("<unk>")).double().mean()),
        "rows": bench.rows,
    }


EXPERIMENTS = {
    "ablation": ablation,
    "larger": larger,
    "longer": longer,
    "dropout": dropout,
    "counts": counts,
    "counts-larger": counts_larger,
    "rivals": rivals,
    "rivals-larger": rivals_larger,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the named experiments."""
    return run_experiments(
        "awd_lstm.experiments", "awd_lstm_", __doc__, EXPERIMENTS, _prepared, argv, seeds=5
    )


def _prepared(args: argparse.Namespace) -> Prepared:
    small = running_text(WORDS, HELD_OUT, VOCABULARY)
    large = running_text(LARGER_WORDS, LARGER_HELD_OUT, VOCABULARY, say=False)
    return (Bench(small, args.seeds), Bench(large, args.seeds, LARGER_ROWS)), {
        "corpus": corpora.course_text(say=False).name,
        "epochs": EPOCHS,
        "factor_on_dropouts": FACTOR,
    }


if __name__ == "__main__":
    raise SystemExit(main())
